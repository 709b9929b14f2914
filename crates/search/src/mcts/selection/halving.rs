//! Sequential halving at the root (H-MCTS; Pepels, Cazenave and Winands, 2015): the moves of the root are tried in
//! rounds, equally often in each, and the worse half is dropped after each round. Below the root the tree is searched
//! as usual.
//!
//! The rounds are those of flat sequential halving: as many as it takes to halve all moves down to one, with equal
//! shares of the iterations or of the time.

use super::{ChoicePoint, Selection, SelectionRule};
use ludens_budget::Budget;
use ludens_engine::Rng;
use std::time::{Duration, Instant};

/// Iterations if the budget bounds neither iterations nor time: the method has to know them beforehand.
const ITERATIONS: u64 = 10_000;

/// The moves of the root and the round.
pub(in crate::mcts) struct Halving {
    /// Indices of the moves that are left.
    left: Vec<u32>,
    /// Number of selections in this round.
    turn: usize,
    round: u32,
    rounds: u32,
    ends: Ends,
}

/// Condition that ends a round.
enum Ends {
    /// An equal share of this many iterations.
    Counts(u64),
    /// An equal share of the time since the start.
    Moments(Instant, Duration),
}

impl Halving {
    pub(in crate::mcts) fn new(moves: usize, budget: &Budget, rng: &mut Rng) -> Halving {
        // Shuffled, so that no move is preferred where the budget does not suffice for all of them.
        let mut left: Vec<u32> = (0..moves as u32).collect();
        rng.shuffle(&mut left);
        let ends = match (budget.most_iterations(), budget.time_left()) {
            (None, Some(time)) => Ends::Moments(Instant::now(), time),
            (most, _) => Ends::Counts(most.unwrap_or(ITERATIONS)),
        };
        Halving {
            rounds: moves.next_power_of_two().ilog2(),
            left,
            turn: 0,
            round: 0,
            ends,
        }
    }

    /// Playouts that may still be started in this round after `iterations`; `None` if the clock decides.
    pub(in crate::mcts) fn open(&self, iterations: u64) -> Option<u64> {
        match self.ends {
            Ends::Counts(total) => Some(self.share(total).saturating_sub(iterations)),
            Ends::Moments(..) => None,
        }
    }

    /// Iterations at the end of this round.
    fn share(&self, total: u64) -> u64 {
        (u128::from(total) * u128::from(self.round + 1) / u128::from(self.rounds.max(1))) as u64
    }

    /// Whether the round is over after `iterations`.
    pub(in crate::mcts) fn is_round_over(&self, iterations: u64) -> bool {
        match self.ends {
            Ends::Counts(total) => iterations >= self.share(total),
            Ends::Moments(start, time) => start.elapsed() >= time * (self.round + 1) / self.rounds.max(1),
        }
    }

    /// Drops the worse half of the moves by their values; returns whether that was the last round.
    pub(in crate::mcts) fn end_round(&mut self, value: impl Fn(u32) -> f64) -> bool {
        // The sort is stable: of equal moves the earlier stay, which are in random order.
        self.left.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        self.left.truncate(self.left.len().div_ceil(2));
        self.turn = 0;
        self.round += 1;
        self.round >= self.rounds
    }

    /// The move that is left at the end.
    pub(in crate::mcts) fn winner(&self) -> Option<u32> {
        self.left.first().copied()
    }
}

impl SelectionRule for Halving {
    fn select(&mut self, _at: &ChoicePoint<'_>, _rng: &mut Rng) -> Selection {
        self.turn += 1;
        Selection {
            index: self.left[(self.turn - 1) % self.left.len()],
            ..Selection::default()
        }
    }
}
