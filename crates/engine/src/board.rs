//! Boards, found in the rules and not known beforehand.
//!
//! Many games describe a board by a fluent with two coordinates and a content, such as `(cell 2 3 x)`. Random play
//! shows which fluents occur; a relation whose first two arguments take ordered values and never repeat within a state
//! is taken for a board. The first coordinate runs to the right, the second one upwards. Other fluents are listed.

use crate::playout::choose_joint;
use crate::state::State;
use crate::{Game, Rng};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The boards of a game.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    boards: Vec<Board>,
}

/// A fluent that is a board.
#[derive(Clone, Debug)]
pub struct Board {
    name: Symbol,
    arity: usize,
    title: String,
    columns: Vec<Symbol>,
    rows: Vec<Symbol>,
    signs: BTreeMap<String, String>,
}

/// A state read as boards: their drawings, and everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Each board as lines of text.
    pub drawings: Vec<String>,
    /// Fluents that are on no board, in canonical KIF.
    pub others: Vec<String>,
}

/// Contents that mean an empty cell.
const EMPTY: &[&str] = &["b", "blank", "empty", "e", "none", "free", "clear"];
/// Larger boards are listed instead of drawn.
const LARGEST: usize = 30;

impl Boards {
    /// Looks for boards in random matches, for a fraction of a second.
    pub fn find(game: &Game) -> Boards {
        let mut found: BTreeMap<(Symbol, usize), Option<Candidate>> = BTreeMap::new();
        let deadline = Instant::now() + Duration::from_millis(300);
        let mut rng = Rng::with_seed(1);
        let mut machine = game.machine();
        let mut joint = Vec::new();
        for _ in 0..20 {
            machine.load(game.initial());
            for _ in 0..200 {
                look(game, machine.state(), &mut found);
                let over = machine.is_terminal() || machine.fault().is_some() || Instant::now() > deadline;
                if over || choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                    break;
                }
                machine.step(&joint);
            }
        }
        let symbols = game.vocabulary().symbols();
        let mut boards = Vec::new();
        for ((name, arity), candidate) in found {
            let Some(candidate) = candidate else {
                continue;
            };
            let sizes = [candidate.columns.len(), candidate.rows.len()];
            let mut values = candidate.columns.iter().chain(&candidate.rows);
            let ordered = values.all(|&value| is_coordinate(symbols.name(value)));
            if !ordered || sizes.iter().any(|size| !(2..=LARGEST).contains(size)) {
                continue;
            }
            let order = |values: BTreeSet<Symbol>| {
                let mut values: Vec<Symbol> = values.into_iter().collect();
                values.sort_by_key(|&value| natural_key(symbols.name(value)));
                values
            };
            boards.push(Board {
                name,
                arity,
                title: symbols.name(name).to_string(),
                columns: order(candidate.columns),
                rows: order(candidate.rows),
                signs: signs(&candidate.contents),
            });
        }
        Boards { boards }
    }

    /// Reads a state.
    pub fn view(&self, game: &Game, state: &State) -> View {
        let mut cells: Vec<BTreeMap<(Symbol, Symbol), String>> = vec![BTreeMap::new(); self.boards.len()];
        let mut others = Vec::new();
        for fluent in state.fluents() {
            let named = game.vocabulary().fluent_name(fluent);
            let placed = self.boards.iter().zip(&mut cells).any(|(board, cells)| {
                let Some((column, row, content)) = cell(game, &named.term, board.name, board.arity) else {
                    return false;
                };
                cells.insert((column, row), content);
                true
            });
            if !placed {
                others.push(named.text.clone());
            }
        }
        others.sort_unstable();
        let drawings = self
            .boards
            .iter()
            .zip(&cells)
            .map(|(board, cells)| board.draw(game, cells, self.boards.len() > 1))
            .collect();
        View { drawings, others }
    }
}

impl Board {
    fn draw(&self, game: &Game, cells: &BTreeMap<(Symbol, Symbol), String>, with_title: bool) -> String {
        let symbols = game.vocabulary().symbols();
        let sign = |column: Symbol, row: Symbol| match cells.get(&(column, row)) {
            None => " ".to_string(),
            Some(content) => self.signs.get(content).cloned().unwrap_or_else(|| content.clone()),
        };
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(1);
        let width = widest(&mut self.signs.values().map(|sign| sign.chars().count())).max(widest(
            &mut self.columns.iter().map(|&column| symbols.name(column).chars().count()),
        ));
        let margin = widest(&mut self.rows.iter().map(|&row| symbols.name(row).chars().count()));
        let mut lines = Vec::new();
        if with_title {
            lines.push(format!("{}:", self.title));
        }
        for &row in self.rows.iter().rev() {
            let cells: Vec<String> = self
                .columns
                .iter()
                .map(|&column| format!("{:^width$}", sign(column, row)))
                .collect();
            lines.push(format!("{:>margin$} | {} |", symbols.name(row), cells.join(" ")));
        }
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|&column| format!("{:^width$}", symbols.name(column)))
            .collect();
        lines.push(format!("{:>margin$}   {}", "", names.join(" ")).trim_end().to_string());
        lines.join("\n")
    }
}

#[derive(Default)]
struct Candidate {
    columns: BTreeSet<Symbol>,
    rows: BTreeSet<Symbol>,
    contents: BTreeSet<String>,
}

/// Notes the fluents of a state; a kind that cannot be a board is marked by nothing.
fn look(game: &Game, state: &State, found: &mut BTreeMap<(Symbol, usize), Option<Candidate>>) {
    let mut places: BTreeSet<(Symbol, Symbol, Symbol)> = BTreeSet::new();
    for fluent in state.fluents() {
        let named = game.vocabulary().fluent_name(fluent);
        let Term::Function(name, args) = &named.term else {
            continue;
        };
        if args.len() < 3 {
            continue;
        }
        let entry = found
            .entry((*name, args.len()))
            .or_insert_with(|| Some(Candidate::default()));
        match cell(game, &named.term, *name, args.len()) {
            Some((column, row, content)) if places.insert((*name, column, row)) => {
                if let Some(candidate) = entry {
                    candidate.columns.insert(column);
                    candidate.rows.insert(row);
                    candidate.contents.insert(content);
                }
            }
            _ => *entry = None,
        }
    }
}

/// Column, row and content, if the term is of the kind of a board.
fn cell(game: &Game, term: &Term, name: Symbol, arity: usize) -> Option<(Symbol, Symbol, String)> {
    let Term::Function(found, args) = term else {
        return None;
    };
    let [Term::Constant(column), Term::Constant(row), rest @ ..] = &args[..] else {
        return None;
    };
    if *found != name || args.len() != arity {
        return None;
    }
    let symbols = game.vocabulary().symbols();
    let contents: Vec<String> = rest
        .iter()
        .map(|part| ludens_gdl::format::canonical_term(part, symbols))
        .collect();
    Some((*column, *row, contents.join(" ")))
}

/// Whether a name looks like a place in a row of places: a number, a letter, or a letter with a number.
fn is_coordinate(text: &str) -> bool {
    let rest = text.strip_prefix(|c: char| c.is_alphabetic()).unwrap_or(text);
    rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers by value, before names by length and text.
fn natural_key(text: &str) -> (u64, usize, String) {
    match text.parse() {
        Ok(number) => (number, 0, String::new()),
        Err(_) => (u64::MAX, text.len(), text.to_string()),
    }
}

/// A short sign for each content: a dot for empty cells, else the shortest beginnings that differ.
fn signs(contents: &BTreeSet<String>) -> BTreeMap<String, String> {
    let is_empty = |content: &str| EMPTY.contains(&content);
    let empty = contents.iter().find(|content| content.len() > 1 && is_empty(content));
    let empty = empty.or_else(|| contents.iter().find(|content| is_empty(content)));
    let full: Vec<&String> = contents.iter().filter(|content| Some(*content) != empty).collect();
    let length = (1..=4)
        .find(|&length| {
            let beginnings: BTreeSet<String> = full
                .iter()
                .map(|content| content.chars().take(length).collect())
                .collect();
            beginnings.len() == full.len()
        })
        .unwrap_or(8);
    let mut signs: BTreeMap<String, String> = full
        .into_iter()
        .map(|content| (content.clone(), content.chars().take(length).collect()))
        .collect();
    if let Some(empty) = empty {
        signs.insert(empty.clone(), ".".to_string());
    }
    signs
}
