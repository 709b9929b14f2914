//! What the explicit state graphs of `solve` and `equilibrium` share: workers that expand states in batches, thread pools
//! and the bound on joint moves.

mod workers;

pub use workers::{Worker, Workers, in_pool};

/// Maximum number of joint moves of a state that are expanded.
pub const MOST_JOINT_MOVES: u64 = 1 << 16;
