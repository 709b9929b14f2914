//! The tokens of a defeasible program.

use crate::codes;
use ludens_gdl::diagnostic::Diagnostic;
use ludens_gdl::{Source, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A predicate, a constant or a label; also a number and a quoted name.
    Word,
    Variable,
    Open,
    Close,
    Comma,
    Not,
    Strict,
    Defeasible,
    Stop,
    Colon,
    Above,
    Ask,
    End,
}

/// Splits a text into tokens. Characters without a meaning are left out, with a diagnostic.
pub(super) fn tokens(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Token, Span)> {
    let text = source.text();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '%' => (None, rest.find('\n').unwrap_or(rest.len())),
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            ',' => (Some(Token::Comma), 1),
            '.' => (Some(Token::Stop), 1),
            '~' | '¬' => (Some(Token::Not), first.len_utf8()),
            '>' => (Some(Token::Above), 1),
            '-' if rest.starts_with("-<") => (Some(Token::Defeasible), 2),
            '-' if rest[1..].starts_with(|next: char| next.is_ascii_digit()) => {
                (Some(Token::Word), 1 + word(&rest[1..]))
            }
            '<' if rest.starts_with("<-") => (Some(Token::Strict), 2),
            '?' if rest.starts_with("?-") => (Some(Token::Ask), 2),
            ':' if rest.starts_with(":-") => (Some(Token::Strict), 2),
            ':' => (Some(Token::Colon), 1),
            '"' if rest[1..].contains(['"', '\n']) && closing_quote(rest).is_some() => {
                (Some(Token::Word), closing_quote(rest).map_or(1, |end| end + 1))
            }
            _ if is_word(first) => match first.is_uppercase() || first == '_' {
                true => (Some(Token::Variable), word(rest)),
                false => (Some(Token::Word), word(rest)),
            },
            _ => {
                let span = Span::new(at, at + first.len_utf8());
                if diagnostics.len() < super::MOST_DIAGNOSTICS {
                    diagnostics.push(strange(first, span));
                }
                (None, first.len_utf8())
            }
        };
        tokens.extend(token.map(|token| (token, Span::new(at, at + length))));
        at += length;
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}

/// Offset of the quote that closes the one at the start, on the same line.
fn closing_quote(text: &str) -> Option<usize> {
    let end = text[1..].find(['"', '\n'])? + 1;
    text[end..].starts_with('"').then_some(end)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

fn strange(c: char, span: Span) -> Diagnostic {
    let help = match c {
        '←' => "write a strict rule as `head <- conditions.`",
        '≺' | '⤙' | '<' | '-' | '=' => {
            "write a strict rule as `head <- conditions.`, a defeasible one as `head -< conditions.`"
        }
        '!' => "write negation as `~`",
        ';' | '|' => "write two rules, one for each alternative",
        _ => "quote names with unusual characters: \"like this\"",
    };
    Diagnostic::new(&codes::SYNTAX, span, format!("the character {c:?} has no meaning here"))
        .label("left out")
        .help(help)
}
