//! Flat Monte Carlo: random matches after every move alike; the move with the best mean is chosen.

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
    /// For a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Flat {
        Flat {
            playouts: FlatPlayouts::new(game, role),
            most_steps: MOST_STEPS,
            rng: Rng::with_seed(seed),
        }
    }

    /// With random matches of at most so many steps.
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
        // A budget that is no multiple of the number of moves leaves some with one match less: not always the last.
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
