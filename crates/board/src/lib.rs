//! Boards found in the rules of any game: shapes, contents and clicks, without knowledge of the game.
//!
//! Many games describe a board by a fluent with two coordinates and a content, such as `(cell 2 3 x)`, others say where
//! the pieces are, `(location king 2 3)`, or number the cells, `(cell b4 red)`. [`Boards::find`] runs some
//! playouts, looks at the values that fluents take and at the order that the rules give to them, and decides which
//! fluents are boards. The result has two sides:
//!
//! - a [`Layout`] for the game: how many boards there are, their shapes, and a sign for every content;
//! - a [`View`] for a state: what stands where, and the facts that stand on no board; and for the legal moves the
//!   [clicks](MoveView) on cells that mean them.
//!
//! Both hold texts and numbers only and can be serialised, so that a page needs to know nothing of rules.
//! Nothing in here knows a game: what is recognised are orders, words such as `king` or `white`, and neighbourhoods.

mod candidate;
mod clicks;
mod codes;
mod fixed;
mod grid;
mod hints;
mod neighbours;
mod observe;
mod order;
mod recognise;
mod signs;
mod text;
mod view;

pub use clicks::{Click, MoveView};
pub use signs::{Figure, Sign};
pub use view::{CellView, Fact, FactKind, View};

use ludens_engine::Game;
use serde::Serialize;
use std::collections::BTreeMap;

/// The boards of a game, ready to read states and moves.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    grids: Vec<grid::Grid>,
    patterns: clicks::Patterns,
    layout: Layout,
    texts: Vec<text::TextPlan>,
}

/// What stays the same in all states of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Layout {
    /// The boards, the largest first.
    pub boards: Vec<BoardLayout>,
    /// How to show each content that can stand in a cell, by its text.
    pub signs: BTreeMap<String, Sign>,
}

/// The shape of one board. Cells are numbered row by row from the top left of the first layer on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardLayout {
    /// What to call it: the name of its main fluent.
    pub title: String,
    /// The fluents that are read as this board, as `name/arity`.
    pub relations: Vec<String>,
    /// How cells lie beside each other.
    pub shape: Shape,
    /// The names of the columns, from left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// The names of the layers; one without a name for a flat board.
    pub layers: Vec<String>,
    /// How many layers to put beside each other, if there is room.
    pub layers_across: usize,
    /// How far each row is shifted to the right, in cells; all 0 unless the cells are hexagons.
    pub shifts: Vec<f32>,
    /// The numbers of cells that do not exist.
    pub holes: Vec<usize>,
    /// Cells with what they have in all states, such as walls and exits; it lies under what changes.
    pub fixed: Vec<CellView>,
}

/// How the cells of a board lie beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Columns and rows.
    Square,
    /// Cells with six neighbours.
    Hex,
    /// A single row.
    Row,
}

impl Boards {
    /// Looks for boards in random matches, for a fraction of a second.
    pub fn find(game: &Game) -> Boards {
        recognise::recognise(game)
    }

    /// What stays the same in all states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}
