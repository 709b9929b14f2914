//! Bounds on what may be derived.

use std::time::Duration;

/// Hitting a limit is reported as a fault, never hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Facts that may be derived about one state, or about what never changes.
    pub facts: usize,
    /// Memory that what is derived may take, in bytes. Half of what the process may use is a limit too, whatever stands
    /// here.
    pub memory: usize,
    /// How deeply terms may be nested.
    pub term_depth: usize,
    /// Symbols that one term may have when it is written out. Terms share their parts in memory, so that a small rule can
    /// make terms that nobody can write down.
    pub term_size: usize,
    /// How long preparing rules may take: deriving what never changes, or grounding.
    pub setup: Duration,
    /// How many steps preparing rules may take, each a row or a test that is looked at. Unlike the time, they are the
    /// same on every machine.
    pub steps: u64,
    /// How many such steps all questions about one state may take during play.
    pub state_steps: u64,
}

impl Limits {
    /// The limits that hold unless somebody asks for others.
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
