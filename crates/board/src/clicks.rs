//! Clicks for moves: the cells that a legal move refers to, in order.
//!
//! The arguments of all moves of one kind are compared with the coordinates of the boards. `(mark 2 3)` is one click,
//! `(move 1 2 1 3)` two, and `(drop 4)`, which names only a column, a click anywhere in the column. Other arguments,
//! such as the piece that a pawn becomes, are chosen from a list.

use crate::Boards;
use crate::grid::{Axes, Grid};
use ludens_engine::{Game, MoveId, Role};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A legal move with its clicks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveView {
    /// The move in canonical KIF.
    pub text: String,
    /// The move without parentheses, for display.
    pub label: String,
    /// Cells to click, in order; empty if the move does not refer to a board.
    pub clicks: Vec<Click>,
}

/// One click of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Click {
    /// Index of the board.
    pub board: usize,
    /// Cells, any of which may be clicked: one cell, or all of a column or row.
    pub cells: Vec<usize>,
}

/// References of moves to boards, by name and number of arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    by_kind: BTreeMap<(Symbol, usize), Vec<Slot>>,
}

/// A reference to cells among the arguments of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    board: usize,
    start: usize,
    what: Reference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reference {
    Cell,
    Column,
    Row,
}

/// Maximum number of moves of a kind that are compared with the boards.
const MOST_EXAMPLES: usize = 2000;
/// Maximum number of moves of all kinds that are compared.
const MOST_MOVES: usize = 200_000;

impl Patterns {
    /// Compares all known moves with the boards.
    pub(crate) fn new(game: &Game, grids: &[Grid]) -> Patterns {
        let mut examples: BTreeMap<(Symbol, usize), Vec<Vec<Option<Symbol>>>> = BTreeMap::new();
        for role in game.roles() {
            for number in 0..game.vocabulary().move_count(role).min(MOST_MOVES) as u32 {
                let named = game.vocabulary().move_name(role, MoveId(number));
                if let Term::Function(name, args) = &named.term {
                    let list = examples.entry((*name, args.len())).or_default();
                    if list.len() < MOST_EXAMPLES {
                        list.push(args.iter().map(constant).collect());
                    }
                }
            }
        }
        let by_kind = examples
            .into_iter()
            .map(|(kind, examples)| (kind, slots(grids, kind.1, &examples)))
            .collect();
        Patterns { by_kind }
    }

    fn clicks(&self, grids: &[Grid], term: &Term) -> Vec<Click> {
        let Term::Function(name, args) = term else {
            return Vec::new();
        };
        let Some(slots) = self.by_kind.get(&(*name, args.len())) else {
            return Vec::new();
        };
        let args: Vec<Option<Symbol>> = args.iter().map(constant).collect();
        let clicks = slots.iter().map(|slot| {
            let cells = slot.cells(&grids[slot.board], &args)?;
            (!cells.is_empty()).then_some(Click {
                board: slot.board,
                cells,
            })
        });
        clicks.collect::<Option<Vec<Click>>>().unwrap_or_default()
    }
}

impl Slot {
    fn cells(&self, grid: &Grid, args: &[Option<Symbol>]) -> Option<Vec<usize>> {
        let columns_and_rows = match &grid.axes {
            Axes::Pair { columns, rows, .. } => Some((columns, rows)),
            _ => None,
        };
        let planes = 0..grid.layers.len();
        match self.what {
            Reference::Cell => {
                let args: Option<Vec<Symbol>> = args[self.start..].iter().take(grid.reference_len()).copied().collect();
                Some(vec![grid.refer(&args?)?])
            }
            Reference::Column => {
                let column = *columns_and_rows?.0.get(&args[self.start]?)?;
                let cells = planes.flat_map(|layer| (0..grid.height).map(move |row| (row, layer)));
                Some(cells.map(|(row, layer)| grid.number(column, row, layer)).collect())
            }
            Reference::Row => {
                let row = *columns_and_rows?.1.get(&args[self.start]?)?;
                let cells = planes.flat_map(|layer| (0..grid.width).map(move |column| (column, layer)));
                Some(cells.map(|(column, layer)| grid.number(column, row, layer)).collect())
            }
        }
    }
}

fn constant(term: &Term) -> Option<Symbol> {
    match term {
        Term::Constant(name) => Some(*name),
        _ => None,
    }
}

/// References among the arguments of moves of one kind, from left to right.
fn slots(grids: &[Grid], arity: usize, examples: &[Vec<Option<Symbol>>]) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut start = 0;
    'places: while start < arity {
        for (board, grid) in grids.iter().enumerate() {
            let slot = Slot {
                board,
                start,
                what: Reference::Cell,
            };
            let fits = start + grid.reference_len() <= arity
                && examples.iter().all(|args| slot.cells(grid, args).is_some())
                && is_worth_a_click(grid, start, examples);
            if fits {
                slots.push(slot);
                start += grid.reference_len();
                continue 'places;
            }
        }
        start += 1;
    }
    if slots.is_empty() {
        slots.extend(line(grids, arity, examples));
    }
    slots
}

/// Whether a single argument refers to cells of a row. It must name nearly all cells, because numbers such as bids
/// match by accident.
fn is_worth_a_click(grid: &Grid, start: usize, examples: &[Vec<Option<Symbol>>]) -> bool {
    let values: BTreeSet<Symbol> = examples.iter().filter_map(|args| args[start]).collect();
    match &grid.axes {
        Axes::Row(places) => values.len() * 2 > places.len(),
        _ => true,
    }
}

/// Finds a column or row that moves name alone.
fn line(grids: &[Grid], arity: usize, examples: &[Vec<Option<Symbol>>]) -> Option<Slot> {
    let mut found = None;
    for start in 0..arity {
        let values: Option<BTreeSet<Symbol>> = examples.iter().map(|args| args[start]).collect();
        let values = values?;
        for (board, grid) in grids.iter().enumerate() {
            let Axes::Pair { columns, rows, .. } = &grid.axes else {
                continue;
            };
            let covers = |axis: &BTreeMap<Symbol, usize>| {
                values.iter().all(|value| axis.contains_key(value)) && values.len() * 3 > axis.len() * 2
            };
            let what = match (covers(columns), covers(rows)) {
                (true, _) => Reference::Column,
                (false, true) => Reference::Row,
                (false, false) => continue,
            };
            // If two arguments could be a line, neither is taken.
            if found.replace(Slot { board, start, what }).is_some() {
                return None;
            }
        }
    }
    found
}

impl Boards {
    /// Legal moves of a role, in the given order, with their clicks.
    pub fn moves(&self, game: &Game, role: Role, legal: &[MoveId]) -> Vec<MoveView> {
        let views = legal.iter().map(|&move_id| {
            let named = game.vocabulary().move_name(role, move_id);
            MoveView {
                text: named.text.clone(),
                label: named.text.replace(['(', ')'], "").trim().to_string(),
                clicks: self.patterns.clicks(&self.grids, &named.term),
            }
        });
        views.collect()
    }
}
