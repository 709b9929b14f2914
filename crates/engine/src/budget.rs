//! How long work may go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline and a way to be interrupted. Work that takes a budget keeps what it has when the budget is spent.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Arc<AtomicBool>,
    /// Another reason to stop.
    other: Option<Arc<AtomicBool>>,
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

    /// The same, but also ended by setting `flag`.
    pub fn or_cancelled(&self, flag: Arc<AtomicBool>) -> Budget {
        Budget {
            other: Some(flag),
            ..self.clone()
        }
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
        let other = self.other.as_ref();
        self.cancel.load(Ordering::Relaxed) || other.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
