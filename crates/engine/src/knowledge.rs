//! Knowledge about a game beyond its rules: exact values ([`Known`]), state evaluators and move advisors.
//!
//! Solvers and evaluation functions implement these traits, searches use them. Neither side imports the other.

use crate::game::Game;
use crate::lanes::{LANES, Lanes};
use crate::machine::Machine;
use crate::state::{MoveId, Role, State};
use std::sync::Arc;

/// Exact values of states under best play.
pub trait Known: Send + Sync {
    /// Writes the goals of all roles, in role order, under best play from `state` on, and returns whether they are
    /// known. Leaves `goals` unchanged if they are not.
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool;
}

/// Estimates the goals that roles can expect in a state.
pub trait Evaluator: Send {
    /// Writes the expected goal of each role, from 0 to 100. `state` must not be terminal.
    fn evaluate(&mut self, state: &State, goals: &mut [f64]);

    /// Returns an evaluator of the same kind for another thread.
    fn another(&self) -> Box<dyn Evaluator>;
}

/// Estimates the goals that a role can expect after each of its moves.
pub trait Advisor: Send {
    /// Writes the goal, from 0 to 100, that `role` can expect after each move of `legal`. `state` must not be terminal.
    /// Where other roles move at the same time, the goal is an average over their moves.
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]);

    /// Returns whether [`advise_lanes`](Advisor::advise_lanes) is implemented, which is faster than one state at a
    /// time.
    fn supports_lanes(&self) -> bool {
        false
    }

    /// Advises up to 64 states at once: writes for each move its goal in each lane. Values in lanes where the move is
    /// not legal are undefined. Called only if [`supports_lanes`](Advisor::supports_lanes) returns `true`.
    fn advise_lanes(&mut self, _lanes: &Lanes<'_>, _role: Role, _moves: &[MoveId], goals: &mut [[f32; LANES]]) {
        goals.fill([50.0; LANES]);
    }

    /// Returns an advisor of the same kind for another thread.
    fn another(&self) -> Box<dyn Advisor>;
}

/// Everything that a search is given about its game beyond the rules.
#[derive(Default)]
pub struct Knowledge {
    /// Exact values. They end lines in the tree, and playouts.
    pub known: Option<Arc<dyn Known>>,
    /// State evaluator, if any.
    pub evaluator: Option<Box<dyn Evaluator>>,
    /// Move advisor, if any.
    pub advisor: Option<Box<dyn Advisor>>,
}

impl Knowledge {
    /// Returns the same knowledge for another thread.
    pub fn another(&self) -> Knowledge {
        Knowledge {
            known: self.known.clone(),
            evaluator: self.evaluator.as_ref().map(|evaluator| evaluator.another()),
            advisor: self.advisor.as_ref().map(|advisor| advisor.another()),
        }
    }
}

/// Evaluates a state by its current goals, as if the match ended there. A role with no goal, or with several, gets 50.
pub struct Standing {
    game: Game,
    machine: Box<dyn Machine>,
}

impl Standing {
    /// Creates the evaluator of a game.
    pub fn new(game: &Game) -> Standing {
        Standing {
            machine: game.machine(),
            game: game.clone(),
        }
    }
}

impl Evaluator for Standing {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.machine.load(state);
        for (role, goal) in self.game.roles().zip(goals) {
            *goal = self.machine.goal(role).map_or(50.0, f64::from);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Standing::new(&self.game))
    }
}
