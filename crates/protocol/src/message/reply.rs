//! Replies of players: moves, and information about the player.

use std::fmt;

/// Returns the first term of an answer, as written. Some players add a comment after their move, or wrap it as in
/// `((move (mark 1 1)) (taunt ha))`. `None` if the text does not start with a complete term.
pub fn first_term(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let term = match text.starts_with('(') {
        true => &text[..closing(text)?],
        false => {
            let end = text.find(|letter: char| letter.is_whitespace() || "()".contains(letter));
            let end = end.unwrap_or(text.len());
            // `mark(1,1)` is infix notation, and its first part alone would be another move.
            let is_call = text[end..].starts_with('(');
            if end == 0 || is_call {
                return None;
            }
            &text[..end]
        }
    };
    match wrapped_move(term) {
        Some(inner) => first_term(inner),
        None => Some(term),
    }
}

/// The term after `((move`.
fn wrapped_move(term: &str) -> Option<&str> {
    let inner = term.strip_prefix('(')?.trim_start().strip_prefix('(')?.trim_start();
    let (head, rest) = inner.split_at_checked("move".len())?;
    let is_word = rest.starts_with(|letter: char| letter.is_whitespace() || letter == '(');
    (head.eq_ignore_ascii_case("move") && is_word).then_some(rest)
}

/// Index of the parenthesis that closes the list at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Canonical form of a term, in lower case with single spaces.
pub fn canonical(text: &str) -> String {
    let spread = text.replace('(', " ( ").replace(')', " ) ").to_lowercase();
    let joined = spread.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.replace("( ", "(").replace(" )", ")")
}

/// Information that a player gives about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Information {
    /// Name.
    pub name: Option<String>,
    /// Status, usually `available` or `busy`.
    pub status: Option<String>,
}

impl Information {
    /// Parses an answer to INFO: pairs in any order, possibly with others between them, or the status alone. `None` if
    /// it contains neither.
    pub fn parse(text: &str) -> Option<Information> {
        let text = canonical(text);
        let mut found = Information::default();
        match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            None if text.contains(['(', ')', ' ']) || text.is_empty() => return None,
            None => found.status = Some(text),
            Some(inner) => {
                for pair in inner.split('(').filter_map(|part| part.split(')').next()) {
                    let mut words = pair.split_whitespace();
                    match words.next() {
                        Some("name") => found.name = Some(words.collect()),
                        Some("status") => found.status = Some(words.collect()),
                        _ => {}
                    }
                }
            }
        }
        (found != Information::default()).then_some(found)
    }
}

/// Maximum length of names in tables.
const LONGEST_NAME: usize = 40;

impl Information {
    /// Name without characters that could break a table or a terminal, at most 40 characters long; `None` if nothing
    /// remains.
    pub fn plain_name(&self) -> Option<String> {
        let letters = self.name.as_deref()?.chars();
        let is_plain = |letter: &char| letter.is_alphanumeric() || "._-".contains(*letter);
        let name: String = letters.filter(is_plain).take(LONGEST_NAME).collect();
        (!name.is_empty()).then_some(name)
    }
}

impl fmt::Display for Information {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |key: &str, value: &Option<String>| value.as_ref().map(|value| format!("({key} {value})"));
        let pairs: Vec<String> = [pair("name", &self.name), pair("status", &self.status)]
            .into_iter()
            .flatten()
            .collect();
        write!(f, "({})", pairs.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_found_in_answers() {
        for (answer, term) in [
            ("noop", Some("noop")),
            (" NOOP \r\n", Some("NOOP")),
            ("( mark 1 1 )", Some("( mark 1 1 )")),
            ("(mark 1 1) ; easy", Some("(mark 1 1)")),
            ("noop I am winning", Some("noop")),
            ("((move (mark 1 1)) (taunt ha))", Some("(mark 1 1)")),
            ("((MOVE noop))", Some("noop")),
            ("((moved a) b)", Some("((moved a) b)")),
            ("(mark 1", None),
            ("mark(1,1)", None),
            (")", None),
            ("", None),
        ] {
            assert_eq!(first_term(answer), term, "{answer}");
        }
    }

    #[test]
    fn information_is_read_and_printed() {
        let ours = Information {
            name: Some("ludens".to_string()),
            status: Some("available".to_string()),
        };
        assert_eq!(ours.to_string(), "((name ludens) (status available))");
        let odd = "( (STATUS  Available) stray (species ape) ( name Lud ens ) )";
        for text in [ours.to_string().as_str(), odd] {
            assert_eq!(Information::parse(text), Some(ours.clone()));
        }
        let status = |status: &str| Information {
            name: None,
            status: Some(status.to_string()),
        };
        assert_eq!(Information::parse("BUSY"), Some(status("busy")));
        let named = |name: &str| Information {
            name: Some(name.to_string()),
            status: None,
        };
        assert_eq!(named("py-player_2.0").plain_name(), Some("py-player_2.0".to_string()));
        assert_eq!(named("\u{1b}[31m<b>,\"x").plain_name(), Some("31mbx".to_string()));
        assert_eq!(named(&"long".repeat(100)).plain_name().map(|name| name.len()), Some(40));
        assert_eq!(named("\u{7}").plain_name(), None);
        for text in ["", "()", "(", "((", "nonsense here"] {
            assert_eq!(Information::parse(text), None, "{text}");
        }
    }
}
