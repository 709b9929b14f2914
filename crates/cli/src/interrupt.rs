//! Ctrl-C: long work ends at the next good moment and shows what it has; a second Ctrl-C ends the program.

use ludens_engine::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A budget without a deadline that Ctrl-C spends.
pub(crate) fn budget() -> Budget {
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    // If the handler cannot be set, Ctrl-C ends the program at once, as usual.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    Budget::until_cancelled(cancel)
}
