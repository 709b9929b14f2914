//! Bounds on what may be derived.

/// Hitting a limit is reported as a fault, never hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Facts that may be derived about one state, or about what never changes.
    pub facts: usize,
    /// How deeply terms may be nested.
    pub term_depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            facts: 20_000_000,
            term_depth: 1000,
        }
    }
}
