//! Reports on work that is under way.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An observer of snapshots of type `T`, called at most once per interval. Attach it with
/// [`Budget::observed_by`](crate::Budget::observed_by).
pub struct Progress<T> {
    interval: Duration,
    /// When the next snapshot is due.
    due: Mutex<Instant>,
    show: Box<dyn Fn(&T) + Send + Sync>,
}

impl<T> Progress<T> {
    /// Calls `show` at most once per `interval`, the first time after one interval.
    pub fn every(interval: Duration, show: impl Fn(&T) + Send + Sync + 'static) -> Progress<T> {
        Progress {
            interval,
            due: Mutex::new(Instant::now() + interval),
            show: Box::new(show),
        }
    }

    /// Shows a snapshot if one is due. Making the snapshot must not change the work.
    pub(crate) fn report(&self, snapshot: impl FnOnce() -> T) {
        let now = Instant::now();
        {
            let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            if now < *due {
                return;
            }
            *due = now + self.interval;
        }
        (self.show)(&snapshot());
    }
}

impl<T> fmt::Debug for Progress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}
