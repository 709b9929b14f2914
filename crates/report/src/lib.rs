//! JSON, tables, pages and plots of games, agents, rules and tournaments.
//!
//! The command line and the web server show the same values, so they are rendered here, once. This crate does no input
//! or output.

pub mod agents;
pub mod diagnostics;
pub mod explain;
pub mod games;
pub mod info;
pub mod measure;
pub mod notes;
pub mod plot;
pub mod reason;
pub mod signature;
pub mod tournament;

/// A number with thousands separators.
pub fn grouped(number: u128) -> String {
    grouped_text(&number.to_string())
}

/// Digits with thousands separators.
pub fn grouped_text(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
