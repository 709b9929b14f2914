//! Worker threads with a bounded queue, for everything that computes.
//!
//! The threads that answer requests never compute. When the queue is full, work is refused at once, so a flood of
//! requests stays cheap and accepted work finishes.

use crate::error::ApiError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// Rules may nest deeper than the default stack allows.
const STACK: usize = 32 << 20;

/// Worker threads with one queue.
pub(crate) struct Pool {
    sender: SyncSender<Work>,
    accepted: AtomicU64,
    counts: Arc<Counts>,
}

/// Counts of started and finished work.
#[derive(Default)]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
    panics: AtomicU64,
}

impl Pool {
    pub(crate) fn new(name: &str, workers: usize, queue: usize) -> Pool {
        let (sender, receiver) = sync_channel::<Work>(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let counts = Arc::new(Counts::default());
        for _ in 0..workers.max(1) {
            let (receiver, counts) = (receiver.clone(), counts.clone());
            let thread = std::thread::Builder::new().name(name.to_string()).stack_size(STACK);
            if let Err(error) = thread.spawn(move || attend(&receiver, &counts)) {
                tracing::error!(%error, name, "cannot start a worker");
            }
        }
        Pool {
            sender,
            accepted: AtomicU64::new(0),
            counts,
        }
    }

    /// Queues work and returns its number, or refuses it.
    pub(crate) fn submit(&self, work: impl FnOnce() + Send + 'static) -> Result<u64, ApiError> {
        match self.sender.try_send(Box::new(work)) {
            Ok(()) => Ok(self.accepted.fetch_add(1, Ordering::Relaxed)),
            Err(TrySendError::Full(_)) => Err(ApiError::Busy("The server is busy; retry shortly.".to_string())),
            Err(TrySendError::Disconnected(_)) => Err(ApiError::Internal("all workers are gone".to_string())),
        }
    }

    /// Queues work and waits for its result.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (sender, receiver) = oneshot::channel();
        self.submit(move || {
            // The receiver may be gone.
            let _ = sender.send(work());
        })?;
        receiver
            .await
            .map_err(|_| ApiError::Internal("a worker panicked".to_string()))
    }

    /// Number of jobs that start before the one with this number.
    pub(crate) fn waiting(&self, number: u64) -> u64 {
        (number + 1).saturating_sub(self.counts.begun.load(Ordering::Relaxed))
    }

    /// Number of queued and running jobs.
    pub(crate) fn open(&self) -> u64 {
        let accepted = self.accepted.load(Ordering::Relaxed);
        accepted.saturating_sub(self.counts.ended.load(Ordering::Relaxed))
    }

    /// Number of jobs that panicked.
    pub(crate) fn panics(&self) -> u64 {
        self.counts.panics.load(Ordering::Relaxed)
    }
}

fn attend(receiver: &Mutex<Receiver<Work>>, counts: &Counts) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else {
            return;
        };
        counts.begun.fetch_add(1, Ordering::Relaxed);
        // A panic is a bug of ours; it must not cost the worker.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            counts.panics.fetch_add(1, Ordering::Relaxed);
            tracing::error!("work panicked");
        }
        counts.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_full_queue_refuses_and_a_panic_costs_nothing() {
        let pool = Pool::new("test", 1, 1);
        let (release, gate) = channel::<()>();
        let (begun, is_begun) = channel::<()>();
        let first = pool.submit(move || {
            begun.send(()).unwrap();
            gate.recv().unwrap();
        });
        assert!(first.is_ok());
        is_begun.recv().unwrap();
        let second = pool.submit(|| panic!("on purpose")).unwrap();
        assert_eq!(pool.waiting(second), 1);
        assert!(matches!(pool.submit(|| ()), Err(ApiError::Busy(_))));
        assert_eq!(pool.open(), 2);
        release.send(()).unwrap();
        let (sender, receiver) = channel();
        while pool
            .submit({
                let sender = sender.clone();
                move || sender.send(7).unwrap()
            })
            .is_err()
        {
            std::thread::yield_now();
        }
        assert_eq!(receiver.recv(), Ok(7));
        assert_eq!(pool.panics(), 1);
    }
}
