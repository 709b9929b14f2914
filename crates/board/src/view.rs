//! View of a state: the contents of its boards and the other fluents.

use crate::Boards;
use crate::grid::{Reading, Statement};
use ludens_engine::{Game, State};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::Term;
use serde::Serialize;
use std::collections::BTreeMap;

/// View of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct View {
    /// Cells of each board, in the order of the layout, without cells that the state does not mention.
    pub boards: Vec<Vec<CellView>>,
    /// Fluents that are on no board, in bytewise order of their texts.
    pub facts: Vec<Fact>,
}

/// Contents of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CellView {
    /// Index of the cell.
    pub cell: usize,
    /// Contents of the cell, the ground first; keys of the signs of the layout.
    pub contents: Vec<String>,
    /// Sides of the cell with a wall or line: `north`, `east`, `south`, `west`.
    pub walls: Vec<&'static str>,
}

/// A fluent that is on no board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The fluent in canonical KIF.
    pub text: String,
    /// Name.
    pub name: String,
    /// Arguments in canonical KIF.
    pub args: Vec<String>,
    /// How it can be shown.
    pub kind: FactKind,
}

/// Kinds of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FactKind {
    /// Only the name of a role: mostly whose turn it is.
    Role,
    /// One number, or a role and a number: a step, a score, a stock.
    Counter,
    /// Anything else.
    Other,
}

/// Statement of one fluent about a cell: its kind, the sides where it draws a line, and the content.
type CellStatement = (Statement, Vec<&'static str>, String);

impl Boards {
    /// Computes the view of a state.
    pub fn view(&self, game: &Game, state: &State) -> View {
        let mut boards: Vec<BTreeMap<usize, Vec<CellStatement>>> = vec![BTreeMap::new(); self.grids.len()];
        let mut facts = Vec::new();
        for fluent in state.fluents() {
            let named = game.vocabulary().fluent_name(fluent);
            let (name, args) = match &named.term {
                Term::Function(name, args) => (*name, &args[..]),
                Term::Constant(name) => (*name, &[][..]),
                Term::Variable(_) => continue,
            };
            let found = self.grids.iter().zip(&mut boards).find_map(|(grid, cells)| {
                let (reading, cell) = grid.read((name, args.len()), args)?;
                Some((reading, cell, cells))
            });
            match found {
                Some((reading, cell, cells)) => {
                    let text = content_text(game, reading, args);
                    let sides = sides(game, reading, &text);
                    cells.entry(cell).or_default().push((reading.statement, sides, text));
                }
                None => facts.push(fact(game, &named.text, name, args)),
            }
        }
        facts.sort_by(|a, b| a.text.cmp(&b.text));
        let boards = boards
            .into_iter()
            .map(|cells| cells.into_iter().map(cell_view).collect())
            .collect();
        View { boards, facts }
    }
}

fn cell_view((cell, mut found): (usize, Vec<CellStatement>)) -> CellView {
    found.sort();
    let mut view = CellView {
        cell,
        ..CellView::default()
    };
    for (_, sides, text) in found {
        match sides.is_empty() {
            true => view.contents.push(text),
            false => view.walls.extend(sides),
        }
    }
    view
}

/// Content that a fluent gives to a cell: its remaining arguments, or its name if there are none.
pub(crate) fn content_text(game: &Game, reading: &Reading, args: &[Term]) -> String {
    let symbols = game.vocabulary().symbols();
    if reading.content.is_empty() {
        return symbols.name(reading.kind.0).to_string();
    }
    let parts: Vec<String> = reading
        .content
        .iter()
        .map(|&place| canonical_term(&args[place], symbols))
        .collect();
    parts.join(" ")
}

/// Words for sides, with a word that must accompany them: `blocked_north` is a side, `north` alone may be a direction.
const SIDES: &[(&str, &str)] = &[
    ("north", "north"),
    ("east", "east"),
    ("south", "south"),
    ("west", "west"),
    ("above", "north"),
    ("right", "east"),
    ("below", "south"),
    ("left", "west"),
    // A line named by a cell is its lower or left side, where coordinates count from.
    ("horizontal", "south"),
    ("vertical", "west"),
];
const BARRIERS: &[&str] = &[
    "wall", "block", "fence", "barrier", "door", "line", "drawn", "edge", "lt",
];

/// Sides of the cell, if the fluent describes a line between two cells.
fn sides(game: &Game, reading: &Reading, text: &str) -> Vec<&'static str> {
    if reading.statement == Statement::Content {
        return Vec::new();
    }
    let name = game.vocabulary().symbols().name(reading.kind.0);
    if !BARRIERS.iter().any(|barrier| name.contains(barrier)) {
        return Vec::new();
    }
    let whole = format!("{name} {text}");
    let found = SIDES.iter().find(|(word, _)| whole.contains(word));
    found.map(|(_, side)| *side).into_iter().collect()
}

/// Whether the contents of a fluent are drawn as lines and need no sign.
pub(crate) fn is_line(game: &Game, reading: &Reading, text: &str) -> bool {
    !sides(game, reading, text).is_empty()
}

fn fact(game: &Game, text: &str, name: ludens_gdl::Symbol, args: &[Term]) -> Fact {
    let symbols = game.vocabulary().symbols();
    let args: Vec<String> = args.iter().map(|arg| canonical_term(arg, symbols)).collect();
    let is_role = |text: &str| game.roles().any(|role| game.role_name(role) == text);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let kind = match &args[..] {
        [role] if is_role(role) => FactKind::Role,
        [number] if is_number(number) => FactKind::Counter,
        [role, number] if is_role(role) && is_number(number) => FactKind::Counter,
        _ => FactKind::Other,
    };
    Fact {
        text: text.to_string(),
        name: symbols.name(name).to_string(),
        args,
        kind,
    }
}
