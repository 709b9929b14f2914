//! Baselines: simple searchers to measure others against, one file each.
//!
//! All of them play every game: any number of roles, in turns or at the same time, with chance or alone.

mod flat;
mod greedy;
mod halving;
mod legal;
mod mobility;
mod one_step;
mod random;
mod ucb;

pub use flat::Flat;
pub use greedy::Greedy;
pub use halving::Halving;
pub use legal::Legal;
pub use mobility::Mobility;
pub use random::Random;
pub use ucb::Ucb;

/// Default maximum length of a playout: games need not end by themselves.
pub const MOST_STEPS: usize = 10_000;

/// Default maximum number of the others' joint moves that are tried for one own move.
pub const SAMPLES: usize = 32;
