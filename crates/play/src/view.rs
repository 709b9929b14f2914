//! What a role has observed of a match.
//!
//! Agents see a match only through this type. Today every role observes the whole state and all moves, also in games
//! with hidden information; where a role is to know less, its view changes and nothing else.

use ludens_engine::{Game, MoveId, State};
use std::sync::Arc;

/// What a role has observed so far. Cheap to clone but for the state: views of one match share its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    state: State,
    history: Arc<Vec<Vec<MoveId>>>,
}

impl View {
    /// The view before the first move of a match.
    pub fn start(game: &Game) -> View {
        View::of(game.initial().clone())
    }

    /// The view of a state whose history is unknown.
    pub fn of(state: State) -> View {
        let history = Arc::default();
        View { state, history }
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The joint moves from the initial state to the current one.
    pub fn history(&self) -> &[Vec<MoveId>] {
        &self.history
    }

    /// Number of joint moves made so far.
    pub fn step(&self) -> usize {
        self.history.len()
    }

    /// Observes a joint move and the state it leads to.
    pub fn observe(&mut self, joint: Vec<MoveId>, state: &State) {
        Arc::make_mut(&mut self.history).push(joint);
        self.state.clone_from(state);
    }
}
