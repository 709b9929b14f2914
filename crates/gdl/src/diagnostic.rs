//! Diagnostics: messages about a text with a stable code, a place, and help.
//!
//! A [`Diagnostic`] is a value; nothing here prints. [`crate::render`] turns it into text with an excerpt, the command
//! line turns it into JSON. Every code is listed once, in [`codes`], and has a page under `docs/diagnostics/` that is
//! compiled in.

use crate::source::Span;

pub mod codes;

pub use codes::Code;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rules run, but something is odd or not portable.
    Warning,
    /// The text is not a valid game.
    Error,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Code of the diagnostic.
    pub code: &'static Code,
    /// Message, as a sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words to stand under the underlined place.
    pub label: String,
    /// Other places that belong to the diagnostic, each with a few words.
    pub related: Vec<(Span, String)>,
    /// Facts that help to understand it.
    pub notes: Vec<String>,
    /// Help: how to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without label, notes or help.
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// With words under the underlined place.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// With a fact.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// With a way to mend it.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds help on how to fix it, if any.
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.or(self.help);
        self
    }

    /// With another place that belongs to it.
    pub fn related(mut self, span: Span, words: impl Into<String>) -> Diagnostic {
        self.related.push((span, words.into()));
        self
    }

    /// Whether it is about the text as a whole and not about a place in it.
    pub fn is_about_everything(&self) -> bool {
        self.span == Span::default()
    }

    /// Whether it makes the game invalid.
    pub fn is_error(&self) -> bool {
        self.code.severity() == Severity::Error
    }
}

/// The name in `candidates` that a person most likely meant by `name`, if one is close enough.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => return None,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name && is_comparable(name, candidate))
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether two names may be alike. Comparing takes time in proportion to the product of the lengths, so very long names
/// are not compared, nor those whose lengths say enough.
fn is_comparable(name: &str, candidate: &str) -> bool {
    const MOST_BYTES: usize = 2_000;
    name.len().max(candidate.len()) <= MOST_BYTES && name.len().abs_diff(candidate.len()) <= 16
}

/// Characters that are compared for one kind of diagnostic in a rule set.
const MOST_COMPARED: usize = 100_000_000;

/// Suggestions for the names of one rule set; none if there are too many names to compare each with each.
#[derive(Default)]
pub struct Suggestions {
    compared: usize,
}

impl Suggestions {
    /// The candidate that is most like a name, as [`closest`] finds it.
    pub fn closest<'a>(&mut self, name: &str, candidates: &[&'a str]) -> Option<&'a str> {
        let comparable = candidates.iter().filter(|candidate| is_comparable(name, candidate));
        let characters: usize = comparable.map(|candidate| name.len() * candidate.len()).sum();
        self.compared = self.compared.saturating_add(candidates.len() + characters);
        match self.compared > MOST_COMPARED {
            true => None,
            false => closest(name, candidates.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_close_or_absent() {
        assert_eq!(closest("contrl", ["control", "cell"]), Some("control"));
        assert_eq!(closest("xy", ["xz"]), None);
        assert_eq!(closest("column", ["row", "line"]), None);
    }
}
