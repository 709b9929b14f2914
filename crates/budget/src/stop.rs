//! Stop reasons: one word for data, or a sentence with the bound that was met.

use std::fmt;

/// Reason why a search, a solver or other bounded work ended.
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
    /// Returns the reason as one word, as in match records and JSON.
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

/// Reason why work ended early, with the bound that it met. Displays as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Kind of bound.
    pub reason: StopReason,
    /// The bound on nodes or bytes, if that was it.
    pub bound: Option<u64>,
}

impl Stopped {
    /// The work needs more than `allowed` bytes.
    pub fn memory(allowed: u64) -> Stopped {
        Stopped {
            reason: StopReason::Memory,
            bound: Some(allowed),
        }
    }

    /// There are more than `allowed` nodes or states.
    pub fn nodes(allowed: u64) -> Stopped {
        Stopped {
            reason: StopReason::Nodes,
            bound: Some(allowed),
        }
    }
}

impl From<StopReason> for Stopped {
    fn from(reason: StopReason) -> Stopped {
        Stopped { reason, bound: None }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.reason, self.bound) {
            (StopReason::Memory, Some(allowed)) => write!(f, "{} MiB of memory were not enough", allowed >> 20),
            (StopReason::Memory, None) => f.write_str("the memory was used up"),
            (StopReason::Nodes, Some(allowed)) => write!(f, "there are more than {allowed} states"),
            (StopReason::Nodes, None) => f.write_str("there are too many states"),
            (StopReason::Deadline, _) => f.write_str("the time was over"),
            (StopReason::Interrupted, _) => f.write_str("it was interrupted"),
            (StopReason::Iterations, _) => f.write_str("the iterations were used up"),
            (StopReason::OnlyMove, _) => f.write_str("there was only one move"),
            (StopReason::Solved | StopReason::Known, _) => f.write_str("the value is known"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_name_the_bound() {
        assert_eq!(Stopped::memory(5 << 20).to_string(), "5 MiB of memory were not enough");
        assert_eq!(Stopped::nodes(1000).to_string(), "there are more than 1000 states");
        assert_eq!(Stopped::from(StopReason::Deadline).to_string(), "the time was over");
    }
}
