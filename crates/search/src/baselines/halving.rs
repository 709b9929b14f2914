//! Flat sequential halving (Karnin, Koren and Somekh, 2013): rounds of playouts, each of which drops the worse half of
//! the moves.
//!
//! With K moves there are R = ⌈log2 K⌉ rounds, and each gets the same share of the budget, divided equally among the
//! moves that are left. R is fixed from the start: computed from the moves that are left, as it is sometimes printed,
//! the rounds together would spend nearly twice the budget. Divisions leave remainders, which are spent too: a budget
//! of T iterations is exactly T playouts. Under a clock, the rounds get equal shares of the time.

use super::MOST_STEPS;
use crate::{Arm, Decision, FlatPlayouts, Searcher};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Rng, Role, State};
use std::time::Instant;

/// Flat sequential halving.
pub struct Halving {
    playouts: FlatPlayouts,
    most_steps: usize,
    rng: Rng,
}

/// Condition that ends a round.
enum RoundEnd {
    /// After this many playouts.
    Count(u64),
    /// At this moment.
    Moment(Instant),
}

impl Halving {
    /// Iterations if the budget bounds neither iterations nor time: the method has to know them beforehand.
    pub const ITERATIONS: u64 = 10_000;

    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Halving {
        Halving {
            playouts: FlatPlayouts::new(game, role),
            most_steps: MOST_STEPS,
            rng: Rng::with_seed(seed),
        }
    }

    /// Sets the maximum length of a playout.
    pub fn with_most_steps(self, most_steps: usize) -> Halving {
        Halving { most_steps, ..self }
    }

    /// Runs playouts after these moves in turn until the round or the search ends.
    fn play_round(&mut self, left: &[usize], end: &RoundEnd, budget: &Budget) {
        let mut started = 0;
        let mut next = |_: &[Arm]| {
            let is_over = matches!(*end, RoundEnd::Moment(moment) if Instant::now() >= moment);
            if is_over || budget.is_spent() {
                return None;
            }
            started += 1;
            Some(left[((started - 1) % left.len() as u64) as usize])
        };
        let most = match *end {
            RoundEnd::Count(most) => most,
            RoundEnd::Moment(_) => u64::MAX,
        };
        self.playouts
            .run(&mut self.rng, self.most_steps, most, budget, &mut next);
    }
}

impl Searcher for Halving {
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        self.playouts.go_to(state);
        // Shuffled, so that no move is preferred where the budget does not suffice for all of them.
        let mut left: Vec<usize> = (0..self.playouts.arms().len()).collect();
        self.rng.shuffle(&mut left);
        if left.len() == 1 {
            return self.playouts.decision(0, StopReason::OnlyMove);
        }
        let rounds = left.len().next_power_of_two().ilog2();
        let start = Instant::now();
        let time = budget.time_left().filter(|_| budget.most_iterations().is_none());
        let most = budget.most_iterations().unwrap_or(Halving::ITERATIONS);
        let share = |round: u32| (u128::from(most) * u128::from(round) / u128::from(rounds)) as u64;
        for round in 0..rounds {
            let end = match time {
                Some(time) => RoundEnd::Moment(start + time * (round + 1) / rounds),
                None => RoundEnd::Count(share(round + 1) - share(round)),
            };
            self.play_round(&left, &end, budget);
            let arms = self.playouts.arms();
            // The sort is stable: of equal moves the earlier stay, which are in random order.
            left.sort_by(|&a, &b| arms[b].rank().total_cmp(&arms[a].rank()));
            left.truncate(left.len().div_ceil(2));
        }
        let stop = budget.stop(self.playouts.finished()).unwrap_or(StopReason::Iterations);
        self.playouts.decision(left[0], stop)
    }
}
