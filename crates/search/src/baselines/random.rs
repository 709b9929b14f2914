//! A uniformly random legal move.

use crate::{Decision, MoveStatistics, Searcher};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Machine, Rng, Role, State};

/// Plays uniformly random legal moves.
pub struct Random {
    machine: Box<dyn Machine>,
    role: Role,
    rng: Rng,
}

impl Random {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Random {
        Random {
            machine: game.machine(),
            role,
            rng: Rng::with_seed(seed),
        }
    }
}

impl Searcher for Random {
    fn decide(&mut self, state: &State, _budget: &Budget) -> Decision {
        self.machine.load(state);
        let legal = self.machine.legal(self.role);
        if let [only] = *legal {
            return Decision::without_search(only, StopReason::OnlyMove);
        }
        let probability = 1.0 / legal.len() as f64;
        let moves = legal.iter().map(|&move_id| MoveStatistics {
            move_id,
            probability,
            value: None,
            proved: false,
            visits: 0,
        });
        Decision {
            moves: moves.collect(),
            ..Decision::without_search(legal[self.rng.usize(..legal.len())], StopReason::Solved)
        }
    }
}
