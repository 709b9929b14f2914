//! What a command leaves behind: text or JSON on standard output, and an exit status.

use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// The answer that the exit status gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done, or yes.
    Yes,
    /// The answer is no: an invalid game, a mismatch.
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

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The call is wrong or something cannot be read.
    Error(anyhow::Error),
    /// The game cannot be read or played; the reasons were printed.
    Refused,
    /// Some file could not be read; that was said already.
    Unreadable,
    /// Nobody reads the output any more.
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

/// Writes one JSON object to standard output.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
    print(&(text + "\n"))
}

/// A count as JSON: a number where every reader can hold it, else decimal digits.
pub(crate) fn count(number: u128) -> serde_json::Value {
    match u64::try_from(number) {
        Ok(number) => number.into(),
        Err(_) => number.to_string().into(),
    }
}

/// Whether to colour what goes to standard error.
pub(crate) fn colour_messages() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Whether to colour what goes to standard output.
pub(crate) fn colour_results() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A number with thousands separated, for people.
pub(crate) fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun, e.g. `1 state` or `5,478 states`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let texts: Vec<String> = [0, 999, 1000, 1234567].map(grouped).to_vec();
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
