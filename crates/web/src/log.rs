//! The log: structured lines on standard error.

use std::str::FromStr;
use tracing_subscriber::filter::LevelFilter;

/// Starts the log of this process, for people or as JSON lines. A level that is not known means `info`. Later calls
/// change nothing.
pub fn start_log(level: &str, json: bool, colour: bool) {
    let level = LevelFilter::from_str(level).unwrap_or(LevelFilter::INFO);
    let lines = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        .with_target(false)
        // It would be told on standard error, and that panics where nobody reads it.
        .log_internal_errors(false);
    // It fails only if there is a log already.
    let _ = match json {
        true => lines.json().flatten_event(true).try_init(),
        false => lines.compact().try_init(),
    };
}
