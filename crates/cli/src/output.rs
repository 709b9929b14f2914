//! Output of a command: text or JSON on standard output, and the exit status.

pub(crate) use ludens_report::{grouped, grouped_text};
use serde::Serialize;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Answer that the exit status expresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done, or yes.
    Yes,
    /// No: for example an invalid game or a mismatch.
    No,
}

impl From<Answer> for ExitCode {
    fn from(answer: Answer) -> ExitCode {
        match answer {
            Answer::Yes => ExitCode::SUCCESS,
            Answer::No => ExitCode::from(1),
        }
    }
}

/// Reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The call is wrong or a file cannot be read.
    Error(anyhow::Error),
    /// The game cannot be read or played; the reasons were printed.
    Refused,
    /// A file could not be read; the error was printed.
    Unreadable,
    /// Standard output is closed.
    PipeClosed,
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> ExitCode {
        match failure {
            Failure::Error(_) | Failure::Unreadable => ExitCode::from(2),
            Failure::Refused => ExitCode::from(1),
            Failure::PipeClosed => ExitCode::SUCCESS,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Error(error.into()),
        }
    }
}

pub(crate) type Outcome = Result<Answer, Failure>;

/// Writes text to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a line to standard error and ignores a closed pipe; used as `tell!(...)`.
pub(crate) fn tell(message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{message}");
}

/// Writes one JSON object to standard output.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
    print(&(text + "\n"))
}

/// A count as JSON: a number if every reader can represent it, otherwise decimal digits.
pub(crate) fn count(number: u128) -> serde_json::Value {
    match u64::try_from(number) {
        Ok(number) => number.into(),
        Err(_) => number.to_string().into(),
    }
}

/// Whether standard error takes colours.
pub(crate) fn colour_messages() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether standard output takes colours.
pub(crate) fn colour_results() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A rate or ratio as text: three significant digits, or all before the decimal point.
pub(crate) fn rounded(number: f64) -> String {
    match number {
        _ if number >= 99.95 => grouped(number.round() as u128),
        _ if number >= 9.995 => format!("{number:.1}"),
        _ if number >= 0.9995 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

/// A count with its noun, e.g. `1 state` or `5,478 states`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number as u128))
}

/// Number of columns of the terminal on standard output, if any; the variable `COLUMNS` overrides it.
pub(crate) fn width() -> Option<usize> {
    let wanted = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    wanted
        .filter(|&columns: &usize| columns > 0)
        .or_else(|| comfy_table::Table::new().width().map(usize::from))
}

/// Truncates a text to `columns` characters and marks the cut.
pub(crate) fn cut(text: &str, columns: Option<usize>) -> String {
    match columns {
        Some(columns) if text.chars().count() > columns => {
            let kept: String = text.chars().take(columns.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
        _ => text.to_string(),
    }
}

/// A paragraph that starts with `start`; further lines are indented below its text. Uses at least 20 columns.
pub(crate) fn paragraph(start: &str, text: &str, columns: Option<usize>) -> String {
    let indent = start.chars().count();
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(indent).max(20));
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.chars().count() > room {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    let joint = format!("\n{}", " ".repeat(indent));
    format!("{start}{}\n", lines.join(&joint))
}

/// A table without borders; [`table_text`] prints it.
pub(crate) fn table(header: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_header(header);
    table
}

/// A table as text, without trailing spaces.
pub(crate) fn table_text(table: &comfy_table::Table) -> String {
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_wrapped_to_the_width() {
        assert_eq!(cut("four words of text", Some(11)), "four words…");
        assert_eq!(cut("short", Some(5)), "short");
        assert_eq!(cut("as long as it likes", None), "as long as it likes");
        let text = paragraph("name  ", "one two three four five six seven", Some(26));
        assert_eq!(text, "name  one two three four\n      five six seven\n");
        assert_eq!(paragraph("a ", "b c", None), "a b c\n");
    }

    #[test]
    fn rates_have_three_digits() {
        let texts: Vec<String> = [0.0, 0.0432, 1.234, 9.999, 56.78, 99.99, 1234.4].map(rounded).to_vec();
        assert_eq!(texts, ["0.000", "0.043", "1.23", "10.0", "56.8", "100", "1,234"]);
    }
}
