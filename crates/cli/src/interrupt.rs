//! Ctrl-C: the first stops long work and shows partial results, the second ends the program.

use ludens_budget::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time that work gets to stop after Ctrl-C.
const GRACE: Duration = Duration::from_millis(500);

/// A budget without a deadline that Ctrl-C cancels.
pub(crate) fn budget() -> Budget {
    Budget::until_cancelled(flag())
}

/// A flag that Ctrl-C sets.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    // If the handler cannot be set, Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    cancel
}

/// Runs work that cannot be cancelled at every point, such as compiling rules. After Ctrl-C it gets a short time to
/// end; then returns `None`, and the thread runs on until the program ends.
pub(crate) fn attended<T: Send + 'static>(budget: &Budget, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = channel();
    let worker = std::thread::spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(work());
    });
    loop {
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) if budget.is_cancelled() => return receiver.recv_timeout(GRACE).ok(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                // Only a panic ends the work without a result; propagate it.
                return worker.join().err().map(|panic| std::panic::resume_unwind(panic));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_is_left_alone_after_an_interrupt() {
        let cancel = Arc::new(AtomicBool::new(false));
        let budget = Budget::until_cancelled(cancel.clone());
        assert_eq!(attended(&budget, || 7), Some(7));
        cancel.store(true, Ordering::Relaxed);
        let start = Instant::now();
        assert_eq!(attended(&budget, || std::thread::sleep(Duration::from_secs(60))), None);
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
