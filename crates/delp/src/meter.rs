//! Counted work: every loop of the reasoner asks the meter, which asks the budget.
//!
//! Iterations of the budget bound steps (looking at a condition or combining two sets), its nodes bound what is kept
//! (instances, members of arguments, nodes of trees). Both are counted, so the same program stops at the same point on
//! every machine.

use ludens_budget::{Budget, StopReason};
use std::fmt;

/// Steps between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1024;

/// What the reasoner was doing when it met a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Finding the instances of rules.
    Grounding,
    /// Finding arguments.
    Arguing,
    /// Comparing two arguments.
    Comparing,
    /// Building dialectical trees.
    Trees,
}

impl Phase {
    /// The phase as a phrase behind "while".
    pub fn name(self) -> &'static str {
        match self {
            Phase::Grounding => "finding instances of rules",
            Phase::Arguing => "finding arguments",
            Phase::Comparing => "comparing arguments",
            Phase::Trees => "building dialectical trees",
        }
    }
}

/// A limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Which kind of limit.
    pub reason: StopReason,
    /// What was being done.
    pub phase: Phase,
    /// The bound, if it is a count.
    pub bound: Option<u64>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = self.bound.unwrap_or(0);
        match self.reason {
            StopReason::Iterations => write!(f, "{bound} steps were not enough")?,
            StopReason::Nodes => write!(
                f,
                "more than {bound} instances, members of arguments and nodes were needed"
            )?,
            StopReason::Deadline => f.write_str("the time was over")?,
            _ => f.write_str("it was interrupted")?,
        }
        write!(f, " while {}", self.phase.name())
    }
}

/// Counts work against a budget.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Budget,
    /// Steps so far.
    pub(crate) steps: u64,
    /// Things kept so far.
    pub(crate) kept: u64,
    next_look: u64,
    pub(crate) phase: Phase,
}

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Meter {
        Meter {
            budget: budget.clone(),
            steps: 0,
            kept: 0,
            next_look: 0,
            phase: Phase::Grounding,
        }
    }

    fn limit(&self, reason: StopReason, bound: Option<u64>) -> Limit {
        Limit {
            reason,
            phase: self.phase,
            bound,
        }
    }

    /// Counts steps.
    pub(crate) fn step(&mut self, count: usize) -> Result<(), Limit> {
        self.steps += count as u64;
        if let Some(most) = self.budget.most_iterations().filter(|&most| self.steps > most) {
            return Err(self.limit(StopReason::Iterations, Some(most)));
        }
        if self.steps >= self.next_look {
            self.next_look = self.steps + BETWEEN_LOOKS;
            if let Some(reason) = self.budget.interruption() {
                return Err(self.limit(reason, None));
            }
        }
        Ok(())
    }

    /// Counts things that are kept.
    pub(crate) fn keep(&mut self, count: usize) -> Result<(), Limit> {
        self.kept += count as u64;
        match self.budget.most_nodes().filter(|&most| self.kept > most) {
            Some(most) => Err(self.limit(StopReason::Nodes, Some(most))),
            None => Ok(()),
        }
    }
}
