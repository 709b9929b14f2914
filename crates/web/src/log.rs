//! The log: structured lines on standard error.

use std::str::FromStr;
use tracing_subscriber::filter::LevelFilter;

/// Starts the log of this process, as text or as JSON lines. An unknown level means `info`. Later calls have no effect.
pub fn start_log(level: &str, json: bool, colour: bool) {
    let level = LevelFilter::from_str(level).unwrap_or(LevelFilter::INFO);
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        .with_target(false)
        // Reporting them would write to standard error, which panics if it is closed.
        .log_internal_errors(false);
    // Fails only if a log was started before.
    let _ = match json {
        true => lines.json().flatten_event(true).try_init(),
        false => lines.compact().try_init(),
    };
}
