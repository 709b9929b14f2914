//! How long work may go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline and a way to be interrupted. Work that takes a budget keeps what it has when the budget is spent.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Arc<AtomicBool>,
    /// Other reasons to stop.
    others: Vec<Arc<AtomicBool>>,
}

impl Budget {
    /// Without a deadline, ended by setting `cancel`.
    pub fn until_cancelled(cancel: Arc<AtomicBool>) -> Budget {
        Budget {
            cancel,
            ..Budget::default()
        }
    }

    /// The same, but ending after this time at the latest.
    pub fn within(&self, time: Duration) -> Budget {
        Budget {
            deadline: Instant::now().checked_add(time),
            ..self.clone()
        }
    }

    /// The same, but ending at this moment at the latest.
    pub fn until(&self, moment: Instant) -> Budget {
        Budget {
            deadline: Some(moment),
            ..self.clone()
        }
    }

    /// The same, but also ended by setting `flag`. Flags that were given before still count.
    pub fn or_cancelled(&self, flag: Arc<AtomicBool>) -> Budget {
        let mut budget = self.clone();
        budget.others.push(flag);
        budget
    }

    /// When the work has to end, if it has to.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Whether to stop.
    pub fn is_spent(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether somebody asked to stop before the deadline.
    pub fn is_cancelled(&self) -> bool {
        let mut flags = std::iter::once(&self.cancel).chain(&self.others);
        flags.any(|flag| flag.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_ends_the_work() {
        let flags: [Arc<AtomicBool>; 3] = Default::default();
        for number in 0..flags.len() {
            let [first, second, third] = &flags;
            let budget = Budget::until_cancelled(first.clone())
                .or_cancelled(second.clone())
                .or_cancelled(third.clone());
            assert!(!budget.is_spent());
            flags[number].store(true, Ordering::Relaxed);
            assert!(budget.is_spent() && budget.is_cancelled());
            flags[number].store(false, Ordering::Relaxed);
        }
    }
}
