//! What all searchers have in common.

use crate::decision::Decision;
use ludens_budget::Budget;
use ludens_engine::State;

/// Chooses moves of one role in one game. It may keep what it finds out, and its memory, from one state to the next.
pub trait Searcher: Send {
    /// Uses time before the first decision, which will be made in this state.
    fn prepare(&mut self, _state: &State, _budget: &Budget) {}

    /// The move to make in a state that is not terminal and in which every role has a legal move. A decision is always
    /// made, also when there is no time at all.
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision;
}
