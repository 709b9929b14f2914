//! JSON, tables, pages and plots of games, agents, rules and tournaments.
//!
//! The command line and the web server show the same things; this is where they are made, so that both say the same.
//! Nothing here prints, reads files or knows the network.

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

/// A number with thousands separated, for people.
pub fn grouped(number: u128) -> String {
    grouped_text(&number.to_string())
}

/// Digits with thousands separated, for people.
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
