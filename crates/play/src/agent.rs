//! What plays a role, and what it is told.

use ludens_engine::{Game, MoveId, Role, State};
use ludens_search::{Decision, Effort, Searcher};
use std::sync::Arc;

/// What an agent is made for.
#[derive(Clone)]
pub struct Place {
    /// The game.
    pub game: Game,
    /// The role it plays.
    pub role: Role,
    /// Where all its chance comes from: with the same seed and budgets that are counts, it plays the same.
    pub seed: u64,
}

/// How far a match has come.
///
/// Agents are told everything, also in games with hidden information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The state.
    pub state: State,
    /// The joint moves that led to it from the initial state. Shared, as every agent gets a copy of the position.
    pub history: Arc<Vec<Vec<MoveId>>>,
}

impl Position {
    /// The beginning of a match.
    pub fn start(game: &Game) -> Position {
        Position {
            state: game.initial().clone(),
            history: Arc::default(),
        }
    }

    /// How many joint moves were made.
    pub fn step(&self) -> usize {
        self.history.len()
    }
}

/// Plays one role of one match. Moves of the others are told through the history of the position.
pub trait Agent: Send {
    /// Uses the start clock; the match will begin at this position.
    fn prepare(&mut self, _start: &Position, _effort: &Effort) {}

    /// The move to make in a state that is not terminal and in which every role has a legal move. It is asked in every
    /// step, also where there is only one legal move.
    fn choose(&mut self, position: &Position, effort: &Effort) -> Decision;

    /// The match is over; there are no goals if it did not come to its end.
    fn finish(&mut self, _position: &Position, _goals: Option<&[u8]>) {}
}

/// An agent that does what a searcher decides.
pub fn searching(searcher: impl Searcher + 'static) -> Box<dyn Agent> {
    Box::new(Searching(searcher))
}

struct Searching<S>(S);

impl<S: Searcher> Agent for Searching<S> {
    fn prepare(&mut self, start: &Position, effort: &Effort) {
        self.0.prepare(&start.state, effort);
    }

    fn choose(&mut self, position: &Position, effort: &Effort) -> Decision {
        self.0.decide(&position.state, effort)
    }
}
