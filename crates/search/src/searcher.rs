//! The interface of all searchers.

use crate::decision::Decision;
use ludens_budget::Budget;
use ludens_engine::State;

/// Chooses moves of one role in one game. It may keep its results and its memory from one state to the next.
pub trait Searcher: Send {
    /// Uses the time before the first decision, which is made in `state`.
    fn prepare(&mut self, _state: &State, _budget: &Budget) {}

    /// Returns the move to make in `state`, which is not terminal and in which every role has a legal move. A decision
    /// is always made, even if there is no time at all.
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision;
}
