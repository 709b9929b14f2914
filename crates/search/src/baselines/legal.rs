//! The first legal move, in the order of terms.

use crate::{Decision, Searcher};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Machine, Role, State};

/// Plays the first legal move.
pub struct Legal {
    machine: Box<dyn Machine>,
    role: Role,
}

impl Legal {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role) -> Legal {
        Legal {
            machine: game.machine(),
            role,
        }
    }
}

impl Searcher for Legal {
    fn decide(&mut self, state: &State, _budget: &Budget) -> Decision {
        self.machine.load(state);
        let legal = self.machine.legal(self.role);
        let stop = match legal.len() {
            1 => StopReason::OnlyMove,
            _ => StopReason::Solved,
        };
        Decision::without_search(legal[0], stop)
    }
}
