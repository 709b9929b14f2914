//! Bounds on what may be derived.

use std::time::Duration;

/// Hitting a limit is reported as a fault, never hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Facts that may be derived about one state, or about what never changes.
    pub facts: usize,
    /// Memory that what is derived may take, in bytes.
    pub memory: usize,
    /// How deeply terms may be nested.
    pub term_depth: usize,
    /// How long preparing rules may take: deriving what never changes, or grounding.
    pub setup: Duration,
    /// How many steps preparing rules may take, each a row or a test that is looked at. Unlike the time, they are the
    /// same on every machine.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            facts: 20_000_000,
            memory: 4 << 30,
            term_depth: 1000,
            setup: Duration::from_secs(60),
            steps: u64::MAX,
        }
    }
}
