//! Which of several moves to make when all are proved to be worth the same.
//!
//! Proofs assume that nobody errs. Where less than everything is certain, others may still err after one move more
//! easily than after another, and random matches show how easily.

use crate::bandit::{Arm, Bandit};
use crate::effort::Effort;
use ludens_engine::{Game, Rng, Role, State};

/// Random matches after each of the moves.
const MATCHES: u64 = 2_000;

/// Compares moves of one role by random matches.
pub(super) struct Hope {
    bandit: Bandit,
}

impl Hope {
    /// For a role.
    pub(super) fn new(game: &Game, role: Role) -> Hope {
        Hope {
            bandit: Bandit::new(game, role),
        }
    }

    /// The mean goals of random matches after those moves whose places are given, and how many matches were played
    /// within what is left of the effort after so many iterations.
    pub(super) fn compare(
        &mut self,
        state: &State,
        places: &[usize],
        most_steps: usize,
        effort: &Effort,
        spent: u64,
        rng: &mut Rng,
    ) -> (Vec<f64>, u64) {
        self.bandit.go_to(state);
        let mut started = 0;
        let mut next = |_: &[Arm]| {
            let is_over = effort.stop(spent + started).is_some() || started == MATCHES * places.len() as u64;
            let place = places[started as usize % places.len()];
            started += 1;
            (!is_over).then_some(place)
        };
        self.bandit.run(rng, most_steps, effort, &mut next);
        let arms = self.bandit.arms();
        let means = places.iter().map(|&place| arms[place].rank()).collect();
        (means, self.bandit.finished())
    }
}
