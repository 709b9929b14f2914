//! Flat Monte Carlo: as many playouts after every move; the move with the best mean is chosen.

use super::MOST_STEPS;
use crate::{Decision, FlatPlayouts, Searcher};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Rng, Role, State};

/// Flat Monte Carlo search.
pub struct Flat {
    playouts: FlatPlayouts,
    most_steps: usize,
    rng: Rng,
}

impl Flat {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Flat {
        Flat {
            playouts: FlatPlayouts::new(game, role),
            most_steps: MOST_STEPS,
            rng: Rng::with_seed(seed),
        }
    }

    /// Sets the maximum length of a playout.
    pub fn with_most_steps(self, most_steps: usize) -> Flat {
        Flat { most_steps, ..self }
    }
}

impl Searcher for Flat {
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        self.playouts.go_to(state);
        let moves = self.playouts.arms().len();
        if moves == 1 {
            return self.playouts.decision(0, StopReason::OnlyMove);
        }
        // If the budget is no multiple of the number of moves, some get one playout less: not always the last.
        let first = self.rng.usize(..moves);
        let mut started = 0;
        let mut stop = None;
        let most = budget.most_iterations().unwrap_or(u64::MAX);
        self.playouts
            .run(&mut self.rng, self.most_steps, most, budget, &mut |_| {
                stop = budget.stop(started);
                started += 1;
                let arm = (first as u64 + started) % moves as u64;
                stop.is_none().then_some(arm as usize)
            });
        let chosen = self.playouts.best(&mut self.rng, |arm| arm.rank());
        let stop = stop.or_else(|| budget.stop(started));
        self.playouts.decision(chosen, stop.unwrap_or(StopReason::Deadline))
    }
}
