//! Limits of derivation: facts, memory, terms, and the effort of setting rules up.

use std::time::Duration;

/// Limits of derivation. Hitting one is reported as a fault, never hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of facts derived about one state, or of facts that hold in all states.
    pub facts: usize,
    /// Maximum memory of derived facts, in bytes. Half of what the process may use is a limit as well.
    pub memory: usize,
    /// Maximum nesting depth of terms.
    pub term_depth: usize,
    /// Maximum number of symbols of a term written out. Terms share their parts in memory, so a small rule can make
    /// terms whose text is too long for any disk.
    pub term_size: usize,
    /// Maximum time to set rules up: to derive what never changes, or to ground.
    pub setup: Duration,
    /// Maximum number of steps to set rules up; a step is a row visited or a test made. Unlike time, steps are the same
    /// on every machine.
    pub steps: u64,
    /// Maximum number of such steps for all questions about one state during play.
    pub state_steps: u64,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits = Limits {
        facts: 20_000_000,
        memory: 4 << 30,
        term_depth: 1000,
        term_size: 10_000,
        // A quarter is kept for the interpreter where compiling fails; chess compiles within a minute.
        setup: Duration::from_secs(80),
        steps: u64::MAX,
        state_steps: 100_000_000,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
