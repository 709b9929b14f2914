//! Agents: the interface through which a match asks for moves.

use crate::record::FaultKind;
use crate::view::{Position, View};
use ludens_budget::Budget;
use ludens_engine::{Game, Role};
use ludens_search::{Decision, Searcher};
use std::sync::Arc;

/// The game, role and seed that an agent is created for.
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
    /// Whether the agent observes its own moves and percepts only, because the rules hide information.
    pub is_hidden: bool,
}

/// Why an agent gives no answer. Only agents that depend on something outside, such as a player elsewhere, fail so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Failure {
    /// Description of the failure.
    pub kind: FaultKind,
    /// More about it; the text that was taken for a move, if it is illegal.
    pub detail: String,
}

impl Failure {
    /// The agent is for whole states and gets percepts only.
    pub fn needs_whole_state() -> Failure {
        Failure {
            kind: FaultKind::Refused,
            detail: "plays by whole states and cannot play where information is hidden".to_string(),
        }
    }
}

/// Plays one role of one match. It learns of the others' moves through its view of the match.
///
/// The match loop asks [`Agent::try_prepare`] and [`Agent::try_choose`] with what the role has observed. Agents for whole
/// states leave these as they are: in games with hidden information [`AgentSpec::create`](crate::AgentSpec::create) puts
/// determinization around them.
pub trait Agent: Send {
    /// Uses the start clock; the match will begin at this position.
    fn prepare(&mut self, _start: &Position, _budget: &Budget) {}

    /// The move to make in a state that is not terminal and in which every role has a legal move. It is asked in every
    /// step, also where there is only one legal move.
    fn choose(&mut self, position: &Position, budget: &Budget) -> Decision;

    /// The same as [`Agent::prepare`], by what the role observes, for agents that can fail at it.
    fn try_prepare(&mut self, start: &View, budget: &Budget) -> Result<(), Failure> {
        if let View::Whole(start) = start {
            self.prepare(start, budget);
        }
        Ok(())
    }

    /// The same as [`Agent::choose`], by what the role observes, for agents that can fail at it.
    fn try_choose(&mut self, view: &View, budget: &Budget) -> Result<Decision, Failure> {
        match view {
            View::Whole(position) => Ok(self.choose(position, budget)),
            View::Percepts(_) => Err(Failure::needs_whole_state()),
        }
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
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.0.prepare(start.state(), budget);
    }

    fn choose(&mut self, position: &Position, budget: &Budget) -> Decision {
        self.0.decide(position.state(), budget)
    }
}
