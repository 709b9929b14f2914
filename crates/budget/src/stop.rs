//! The reason why work stopped.

use std::fmt;

/// Why a search, a solver or another bounded piece of work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// There was only one move to choose from.
    OnlyMove,
    /// The deadline passed.
    Deadline,
    /// The maximum number of iterations was reached.
    Iterations,
    /// The maximum number of nodes or states was reached.
    Nodes,
    /// More work would change nothing: the value is proved, or the method looks no further.
    Solved,
    /// The value was known beforehand.
    Known,
    /// The memory was used up.
    Memory,
    /// The work was cancelled.
    Interrupted,
}

impl StopReason {
    /// The reason as one word, as records of matches and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::OnlyMove => "only-move",
            StopReason::Deadline => "deadline",
            StopReason::Iterations => "iterations",
            StopReason::Nodes => "nodes",
            StopReason::Solved => "solved",
            StopReason::Known => "known",
            StopReason::Memory => "memory",
            StopReason::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
