//! Events of a match, and the observers that receive them.
//!
//! The match loop tells every [`Observer`] every [`MatchEvent`] in order, on the thread of the match. The
//! [`Recorder`](crate::Recorder) makes a record of them, [`Export`](crate::ggp::Export) the exchange format; others
//! print, draw or store. Moves and states are values of the game, so nobody has to read them back from text.

use crate::record::{End, Evaluation, FaultKind};
use ludens_engine::{MoveId, Percepts, Role, State};

/// Something that happens in a match.
#[derive(Clone, Copy, Debug)]
pub enum MatchEvent<'a> {
    /// The start clock begins to run.
    Started {
        /// The name of the match, which no other match has.
        id: &'a str,
        /// The state in which the match begins.
        state: &'a State,
    },
    /// The start clock is over; agents are asked for their first moves.
    Prepared,
    /// A player did something wrong. Faults of a step come before its joint move.
    Fault {
        /// The step, counted from zero; `None` during the start clock.
        step: Option<usize>,
        /// The role of the player.
        role: Role,
        /// Description of the fault.
        kind: FaultKind,
        /// More about it; the text of the move, if it is illegal.
        detail: &'a str,
        /// The random legal move that was made instead; `None` during the start clock.
        instead: Option<MoveId>,
    },
    /// A joint move was made.
    Moved {
        /// The step, counted from zero.
        step: usize,
        /// The move of each role.
        joint: &'a [MoveId],
        /// The state that the joint move leads to.
        state: &'a State,
        /// Percepts of each role, in games with hidden information.
        percepts: Option<&'a Percepts>,
        /// Each agent's report on its move; `None` for chance and for agents that did not answer.
        evaluations: &'a [Option<Evaluation>],
        /// Seconds since the beginning of the match.
        seconds: f64,
    },
    /// The match is over. This is the last event.
    Ended {
        /// The goal of each role, if the match reached a terminal state.
        goals: Option<&'a [u8]>,
        /// Why there is no further move.
        end: &'a End,
        /// Duration of the match in seconds.
        seconds: f64,
    },
}

/// Is told what happens in a match. The match waits until it returns.
pub trait Observer {
    /// Takes note of an event.
    fn observe(&mut self, event: &MatchEvent<'_>);
}

impl<F: FnMut(&MatchEvent<'_>)> Observer for F {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        self(event);
    }
}
