//! Sequential halving at the root (H-MCTS; Pepels, Cazenave and Winands, 2015): the moves of the root are tried in rounds,
//! equally often in each, and the worse half is dropped after each round. Below the root the tree is searched as usual.
//!
//! The rounds are those of flat sequential halving: as many as it takes to halve all moves down to one, with equal shares
//! of the iterations or of the time.

use ludens_budget::Budget;
use ludens_engine::Rng;
use std::time::{Duration, Instant};

/// The budget where there is neither a count nor a clock: the method has to know it beforehand.
const ITERATIONS: u64 = 10_000;

/// The state of the rounds.
pub(super) struct Halving {
    /// The places of the moves that are left.
    left: Vec<u32>,
    /// Which of them is next.
    turn: usize,
    round: u32,
    rounds: u32,
    ends: Ends,
}

/// When rounds end.
enum Ends {
    /// When equal shares of so many iterations are made.
    Counts(u64),
    /// When equal shares of the time are over.
    Moments(Instant, Duration),
}

impl Halving {
    pub(super) fn new(moves: usize, budget: &Budget, rng: &mut Rng) -> Halving {
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

    /// The place of the move to try next.
    pub(super) fn next(&mut self) -> u32 {
        self.turn += 1;
        self.left[(self.turn - 1) % self.left.len()]
    }

    /// How many playouts may be started in this round after so many iterations; nothing if the clock decides.
    pub(super) fn open(&self, iterations: u64) -> Option<u64> {
        match self.ends {
            Ends::Counts(total) => Some(self.share(total).saturating_sub(iterations)),
            Ends::Moments(..) => None,
        }
    }

    /// The iterations at the end of this round.
    fn share(&self, total: u64) -> u64 {
        (u128::from(total) * u128::from(self.round + 1) / u128::from(self.rounds.max(1))) as u64
    }

    /// Whether the round is over after so many iterations.
    pub(super) fn is_round_over(&self, iterations: u64) -> bool {
        match self.ends {
            Ends::Counts(total) => iterations >= self.share(total),
            Ends::Moments(start, time) => start.elapsed() >= time * (self.round + 1) / self.rounds.max(1),
        }
    }

    /// Drops the worse half of the moves by their values; says whether that was the last round.
    pub(super) fn end_round(&mut self, value: impl Fn(u32) -> f64) -> bool {
        // The sort is stable: of equal moves the earlier stay, which are in random order.
        self.left.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        self.left.truncate(self.left.len().div_ceil(2));
        self.turn = 0;
        self.round += 1;
        self.round >= self.rounds
    }

    /// The move that was left at the end.
    pub(super) fn winner(&self) -> Option<u32> {
        self.left.first().copied()
    }
}
