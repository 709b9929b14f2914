//! Finds boards in the rules of any game: shapes, contents and clicks.
//!
//! Many games describe a board by a fluent with two coordinates and a content, such as `(cell 2 3 x)`; others say where
//! the pieces are, `(location king 2 3)`, or number the cells, `(cell b4 red)`. [`Boards::find`] runs some playouts,
//! looks at the values of fluents and at their order in the rules, and decides which fluents are boards. The result has
//! two parts:
//!
//! - a [`Layout`] of the game: the boards, their shapes, and a sign for every content;
//! - a [`View`] of a state: the contents of cells and the fluents that are on no board; and the [clicks](MoveView) for
//!   the legal moves.
//!
//! Both contain only texts and numbers and can be serialised, so that a page needs no knowledge of rules. Nothing here
//! is specific to a game: orders, words such as `king` or `white`, and neighbourhoods are recognised.

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

/// Boards of a game, for reading states and moves.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    grids: Vec<grid::Grid>,
    patterns: clicks::Patterns,
    layout: Layout,
    texts: Vec<text::TextPlan>,
}

/// Everything that is the same in all states of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Layout {
    /// The boards, largest first.
    pub boards: Vec<BoardLayout>,
    /// Sign of each content of a cell, by its text.
    pub signs: BTreeMap<String, Sign>,
}

/// Shape of a board. Cells are numbered row by row from the top left of the first layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoardLayout {
    /// Title: the name of its main fluent.
    pub title: String,
    /// Fluents that are read as this board, as `name/arity`.
    pub relations: Vec<String>,
    /// Arrangement of the cells.
    pub shape: Shape,
    /// Names of the columns, from left to right.
    pub columns: Vec<String>,
    /// Names of the rows, from top to bottom.
    pub rows: Vec<String>,
    /// Names of the layers; one empty name for a flat board.
    pub layers: Vec<String>,
    /// Number of layers to draw side by side.
    pub layers_across: usize,
    /// Shift of each row to the right, in cells; all 0 unless the cells are hexagons.
    pub shifts: Vec<f32>,
    /// Indices of cells that do not exist.
    pub holes: Vec<usize>,
    /// Static contents of cells, such as walls and exits, drawn below everything else.
    pub fixed: Vec<CellView>,
}

/// Arrangement of the cells of a board.
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
    /// Finds boards by random playouts, within a second.
    pub fn find(game: &Game) -> Boards {
        recognise::recognise(game)
    }

    /// The layout of the game.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}
