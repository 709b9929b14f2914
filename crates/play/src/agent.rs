//! What plays a role, and what it is told.

use crate::record::FaultKind;
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
    /// The name of the match, the same for all its players.
    pub match_id: Arc<str>,
}

/// Why an agent gives no answer. Only agents that depend on something outside, such as a player elsewhere, fail so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Failure {
    /// What went wrong.
    pub kind: FaultKind,
    /// More about it; the text that was taken for a move, if it is illegal.
    pub detail: String,
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

    /// The same as [`Agent::prepare`], for agents that can fail at it.
    fn try_prepare(&mut self, start: &Position, effort: &Effort) -> Result<(), Failure> {
        self.prepare(start, effort);
        Ok(())
    }

    /// The same as [`Agent::choose`], for agents that can fail at it. This is what the match loop asks.
    fn try_choose(&mut self, position: &Position, effort: &Effort) -> Result<Decision, Failure> {
        Ok(self.choose(position, effort))
    }

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
