//! What plays a role, and what it is told.

use crate::record::FaultKind;
use crate::view::View;
use ludens_budget::Budget;
use ludens_engine::{Game, Role};
use ludens_search::{Decision, Searcher};
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

/// Plays one role of one match. It learns of the others' moves through its view of the match.
pub trait Agent: Send {
    /// Uses the start clock; the match will begin at this view.
    fn prepare(&mut self, _start: &View, _budget: &Budget) {}

    /// The move to make in a state that is not terminal and in which every role has a legal move. It is asked in every
    /// step, also where there is only one legal move.
    fn choose(&mut self, view: &View, budget: &Budget) -> Decision;

    /// The same as [`Agent::prepare`], for agents that can fail at it.
    fn try_prepare(&mut self, start: &View, budget: &Budget) -> Result<(), Failure> {
        self.prepare(start, budget);
        Ok(())
    }

    /// The same as [`Agent::choose`], for agents that can fail at it. This is what the match loop asks.
    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        Ok(self.choose(view, budget))
    }

    /// The match is over; there are no goals if it did not come to its end.
    fn finish(&mut self, _view: &View, _goals: Option<&[u8]>) {}
}

/// An agent that does what a searcher decides.
pub fn searching(searcher: impl Searcher + 'static) -> Box<dyn Agent> {
    Box::new(Searching(searcher))
}

struct Searching<S>(S);

impl<S: Searcher> Agent for Searching<S> {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.0.prepare(start.state(), budget);
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        self.0.decide(view.state(), budget)
    }
}
