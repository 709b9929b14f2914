//! Text to [`Tree`]: the two notations, and the guess which of them a text is in.
//!
//! Readers never fail: they return what they could make of the text together with their diagnostics. Nesting is
//! followed with an explicit stack and bounded by [`Limits::nesting`], so that later stages may recurse over the tree.

use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Source, Span};
use crate::symbol::{Symbol, Symbols};
use crate::tree::Tree;
use hashbrown::HashMap;

mod infix;
mod kif;

/// The two ways of writing GDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Prefix: `(<= (next (f ?x)) (true (g ?x)))`.
    Kif,
    /// Infix: `next(f(X)) :- true(g(X))`.
    Infix,
}

/// Limits of reading; beyond them a diagnostic says so.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Depth of nested lists.
    pub nesting: usize,
    /// Number of diagnostics about the text itself after which the reader gives up.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bytes: 256 << 20,
            nesting: 400,
            diagnostics: 1000,
        }
    }
}

/// Reads a text in the given notation.
pub fn read_tree(
    source: &Source,
    notation: Notation,
    limits: &Limits,
    symbols: &mut Symbols,
) -> (Tree, Vec<Diagnostic>) {
    if source.text().len() > limits.bytes {
        let diagnostic = Diagnostic::new(
            &codes::TEXT_TOO_LARGE,
            Span::default(),
            format!(
                "the text has {} bytes, more than the limit of {}",
                source.text().len(),
                limits.bytes
            ),
        )
        .help("raise the limit (`--rules-size` where a game is run), or leave out what the game does not need");
        return (Tree::default(), vec![diagnostic]);
    }
    if let Some(diagnostic) = not_text(source) {
        return (Tree::default(), vec![diagnostic]);
    }
    let mut diagnostics = Diagnostics::new(limits.diagnostics);
    let tree = match notation {
        Notation::Kif => kif::read(source, limits, symbols, &mut diagnostics),
        Notation::Infix => infix::read(source, limits, symbols, &mut diagnostics),
    };
    report_foreign_bytes(source, &tree, &mut diagnostics);
    (tree, diagnostics.list)
}

/// Control characters beyond this share make a file something other than text; one or two are slips.
const MOST_CONTROL_PERCENT: usize = 4;
const FEW_CONTROLS: usize = 8;

/// One diagnostic for a file that is no text at all, instead of one for each of its bytes.
fn not_text(source: &Source) -> Option<Diagnostic> {
    let is_odd = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // Some programs fill files up with zeros.
    let text = source.text().trim_end_matches('\0').as_bytes();
    let odd = text.iter().filter(|byte| is_odd(byte)).count();
    if odd <= FEW_CONTROLS || odd * 100 <= text.len() * MOST_CONTROL_PERCENT {
        return None;
    }
    let message = format!("this is not a text file: it holds {odd} control characters");
    Some(
        Diagnostic::new(&codes::NOT_TEXT, Span::default(), message)
            .help("name a rule file; if this is one in UTF-16, save it as UTF-8"),
    )
}

/// The diagnostic about a text without a statement.
pub(crate) fn empty(source: &Source) -> Diagnostic {
    let message = match source.text().trim().is_empty() {
        true => "the file is empty",
        false => "the file holds nothing but comments",
    };
    Diagnostic::new(&codes::EMPTY_TEXT, Span::default(), message)
        .help("write rules, starting with the roles: `(role white)`")
}

/// Whether a diagnostic says that there is nothing to check.
pub(crate) fn is_about_nothing_read(diagnostic: &Diagnostic) -> bool {
    [codes::NOT_TEXT.id, codes::EMPTY_TEXT.id].contains(&diagnostic.code.id)
}

/// Guesses the notation of a text: KIF unless its first token is clearly infix.
pub fn guess_notation(text: &str) -> Notation {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        match rest.chars().next() {
            Some('%') => return Notation::Infix,
            Some(';') => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            Some(c) if is_infix_word(c) => break,
            _ => return Notation::Kif,
        }
    }
    let word_end = rest.find(|c: char| !is_infix_word(c)).unwrap_or(rest.len());
    let after = &rest[word_end..];
    match after.starts_with('(') || after.trim_start().starts_with(":-") {
        true => Notation::Infix,
        false => Notation::Kif,
    }
}

/// The characters of an infix word.
pub(crate) fn is_infix_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '*' | '+' | '-' | '.' | '/' | '#')
}

/// Collects diagnostics up to a limit.
struct Diagnostics {
    list: Vec<Diagnostic>,
    limit: usize,
    spellings: HashMap<Symbol, Span, foldhash::fast::RandomState>,
    mixed: HashMap<Symbol, (), foldhash::fast::RandomState>,
}

impl Diagnostics {
    fn new(limit: usize) -> Diagnostics {
        Diagnostics {
            list: Vec::new(),
            limit,
            spellings: HashMap::default(),
            mixed: HashMap::default(),
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < self.limit {
            self.list.push(diagnostic);
        }
    }

    fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// Records the spelling of a name and reports the first time that its capitals differ.
    fn spelling(&mut self, source: &Source, symbol: Symbol, span: Span) {
        let first = *self.spellings.entry(symbol).or_insert(span);
        if source.slice(first) == source.slice(span) || self.mixed.insert(symbol, ()).is_some() {
            return;
        }
        let (here, there) = (source.slice(span).to_string(), source.slice(first).to_string());
        self.push(
            Diagnostic::new(
                &codes::MIXED_CASE,
                span,
                format!("`{here}` is spelled `{there}` elsewhere"),
            )
            .label("other capitals here")
            .related(first, "first spelled like this")
            .note(
                "GDL does not distinguish upper and lower case, some programs do: Ludens takes both for the same name",
            )
            .help(format!("write `{there}` everywhere")),
        );
    }

    /// Reports a question mark without a name.
    fn nameless_variable(&mut self, span: Span, example: &str) {
        self.push(
            Diagnostic::new(
                &codes::NAMELESS_VARIABLE,
                span,
                "a question mark alone is not a variable",
            )
            .label("name missing")
            .help(format!("give the variable a name, e.g. `{example}`")),
        );
    }

    /// Reports characters in a name that have no meaning in GDL but make readers disagree.
    fn odd_characters(&mut self, source: &Source, span: Span) {
        let word = source.slice(span);
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-+*./<>=?!@$%&~^:".contains(c);
        let Some(odd) = word.chars().find(|&c| !plain(c)) else {
            return;
        };
        if odd == '\0' || (odd.is_control() && odd.is_ascii()) {
            self.push(
                Diagnostic::new(
                    &codes::INVALID_BYTE,
                    span,
                    format!("a control character (number {}) stands in the text", odd as u32),
                )
                .label("here")
                .help("delete it; this may not be a text file"),
            );
            return;
        }
        let message = match odd {
            '"' | '\'' | '|' | '`' => format!("the character {odd} has no meaning in GDL, there are no quoted strings"),
            _ => format!("the name holds the character {odd}, which other programs may not accept"),
        };
        self.push(
            Diagnostic::new(&codes::ODD_CHARACTER, span, message)
                .label("taken as part of this name")
                .help("use letters, digits, `_` and `-` in names"),
        );
    }
}

fn report_foreign_bytes(source: &Source, tree: &Tree, diagnostics: &mut Diagnostics) {
    for byte in source.foreign_bytes() {
        let index = tree.comments.partition_point(|comment| comment.end <= byte.at.start);
        if tree
            .comments
            .get(index)
            .is_some_and(|comment| comment.contains(byte.at.start))
        {
            continue;
        }
        diagnostics.push(
            Diagnostic::new(
                &codes::INVALID_BYTE,
                byte.at,
                format!("byte {:#04x} at offset {} is not UTF-8", byte.value, byte.file_offset),
            )
            .label("read as this Latin-1 character")
            .help("save the file as UTF-8, or better, use ASCII names"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_told_apart() {
        for kif in ["", "(role w)", "; c\n (role w)", "terminal (role w)", "%%%", "\u{0}"] {
            let expected = if kif.starts_with('%') {
                Notation::Infix
            } else {
                Notation::Kif
            };
            assert_eq!(guess_notation(kif), expected, "{kif:?}");
        }
        for infix in ["% c\nrole(w)", "role(w)", "terminal :- true(f)", "; x\nrole(w)."] {
            assert_eq!(guess_notation(infix), Notation::Infix, "{infix:?}");
        }
    }
}
