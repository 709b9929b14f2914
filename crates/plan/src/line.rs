//! Lines of moves and the interface of searches for them.

use ludens_budget::{Budget, StopReason};
use ludens_engine::{MoveId, State};

/// The highest goal there is; a line that reaches it ends every search.
pub(crate) const BEST: u8 = 100;

/// Moves from a state to the end of the match, and the goal there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Goal of the role at the end; 0 if the line was cut off before it.
    pub score: u8,
    /// The moves, in order.
    pub moves: Vec<MoveId>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The best line.
    pub line: Line,
    /// Playouts that were run.
    pub playouts: u64,
    /// Why the search stopped.
    pub stop: StopReason,
}

/// A search for a line with a high goal.
pub trait LineSearch: Send {
    /// Returns the best line from `state`, which is not terminal, that is found within the budget; an iteration is a
    /// playout. At least one playout is always run.
    fn search(&mut self, state: &State, budget: &Budget) -> Found;
}
