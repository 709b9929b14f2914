//! Progress on standard error, for terminals only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Interval between progress reports.
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);

/// A bar for work of known length.
pub(crate) fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), target());
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:32}] {pos}/{len} {msg} (left: {eta})");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// A line for work of unknown length.
pub(crate) fn spinner() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, target());
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn target() -> ProgressDrawTarget {
    match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr_with_hz(4),
        false => ProgressDrawTarget::hidden(),
    }
}
