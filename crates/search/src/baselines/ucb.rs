//! Flat UCB1: playouts after the moves with the greatest `mean + c · sqrt(ln N / n)`.
//!
//! Playouts in flight count as visits. So that many playouts at once do not all go to the move that looked best at the
//! beginning, they run in rounds, each half as large as all before it. The first is larger where one playout takes as
//! long as many at once.

use super::MOST_STEPS;
use crate::flat::{Arm, first_round};
use crate::{Decision, FlatPlayouts, Searcher};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Rng, Role, State};

/// Flat UCB search.
pub struct Ucb {
    playouts: FlatPlayouts,
    exploration: f64,
    first_round: u64,
    most_steps: usize,
    rng: Rng,
}

impl Ucb {
    /// Default of `c`, for goals from 0 to 100.
    pub const EXPLORATION: f64 = 40.0;

    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Ucb {
        Ucb {
            playouts: FlatPlayouts::new(game, role),
            exploration: Ucb::EXPLORATION,
            first_round: first_round(game),
            most_steps: MOST_STEPS,
            rng: Rng::with_seed(seed),
        }
    }

    /// Sets `c`.
    pub fn with_exploration(self, exploration: f64) -> Ucb {
        Ucb { exploration, ..self }
    }

    /// Sets the maximum length of a playout.
    pub fn with_most_steps(self, most_steps: usize) -> Ucb {
        Ucb { most_steps, ..self }
    }
}

impl Searcher for Ucb {
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        self.playouts.go_to(state);
        let moves = self.playouts.arms().len() as u64;
        if moves == 1 {
            return self.playouts.decision(0, StopReason::OnlyMove);
        }
        let exploration = self.exploration;
        let mut started = 0;
        let mut stop = budget.stop(0);
        while stop.is_none() {
            let round = moves.max(self.first_round).max(started / 2);
            let mut next = |arms: &[Arm]| {
                stop = budget.stop(started);
                if stop.is_some() {
                    return None;
                }
                started += 1;
                Some(most_promising(arms, exploration))
            };
            self.playouts
                .run(&mut self.rng, self.most_steps, round, budget, &mut next);
            stop = stop.or_else(|| budget.stop(started));
        }
        let chosen = self
            .playouts
            .best(&mut self.rng, |arm| arm.visits as f64 + arm.rank() / 1000.0);
        self.playouts.decision(chosen, stop.unwrap_or(StopReason::Deadline))
    }
}

/// The arm to pull next: an unvisited one, or else the one with the greatest upper bound.
fn most_promising(arms: &[Arm], exploration: f64) -> usize {
    let tries: u64 = arms.iter().map(|arm| arm.started).sum();
    let logarithm = (tries.max(1) as f64).ln();
    let bound = |arm: &Arm| match arm.started {
        0 => f64::INFINITY,
        // A move whose first playout is in flight is neither good nor bad.
        started => arm.mean().unwrap_or(50.0) + exploration * (logarithm / started as f64).sqrt(),
    };
    let mut best = (f64::NEG_INFINITY, 0);
    for (place, arm) in arms.iter().enumerate() {
        let bound = bound(arm);
        if bound > best.0 {
            best = (bound, place);
        }
    }
    best.1
}
