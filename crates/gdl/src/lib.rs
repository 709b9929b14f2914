//! The Game Description Language: from text to rules that an engine can run.
//!
//! The stages, each of which returns its diagnostics beside its result and never fails:
//!
//! 1. [`Source`] decodes bytes and knows lines and columns.
//! 2. [`read`] turns KIF or infix text into a [`tree::Tree`].
//! 3. [`build`] turns the tree into [`rule::Rules`], reporting broken statements.
//! 4. [`check`] looks at the rules as a whole.
//! 5. [`normal::NormalRules`] is what engines start from.
//!
//! [`Description::read`] runs the first four:
//!
//! ```
//! use ludens_gdl::{Description, Source};
//!
//! let source = Source::new("tiny.kif", "(role w) (legal w a) (goal w 100) (<= terminal (counter 9))");
//! let description = Description::read(source);
//! let codes: Vec<_> = description.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
//! assert_eq!(codes, ["W315", "W313", "W314"]);
//! ```
//!
//! Printing lives in [`mod@format`] (pretty-printing and conversion) and [`render`] (diagnostics with excerpts).

pub mod build;
pub mod check;
pub mod depend;
pub mod diagnostic;
pub mod format;
pub mod normal;
pub mod read;
pub mod render;
pub mod rule;
pub mod source;
pub mod symbol;
pub mod tree;

pub use diagnostic::{Diagnostic, Severity};
pub use read::{Limits, Notation};
pub use rule::{Relation, Rules};
pub use source::{Source, Span};
pub use symbol::{Symbol, Symbols, keyword};

/// A text with everything known about it.
#[derive(Clone, Debug)]
pub struct Description {
    /// The text.
    pub source: Source,
    /// The notation it is in.
    pub notation: Notation,
    /// Its syntax tree.
    pub tree: tree::Tree,
    /// Its rules, without the statements that could not be built.
    pub rules: Rules,
    /// Diagnostics by place; those of the rule set as a whole come last.
    pub diagnostics: Vec<Diagnostic>,
    /// The normal form that was checked, until it is taken.
    checked: Option<normal::NormalRules>,
}

impl Description {
    /// Reads and checks a text in either notation.
    pub fn read(source: Source) -> Description {
        Description::read_as(source, None, &Limits::default())
    }

    /// Reads and checks a text with explicit limits and, if given, in this notation.
    pub fn read_as(source: Source, notation: Option<Notation>, limits: &Limits) -> Description {
        let notation = notation.unwrap_or_else(|| read::guess_notation(source.text()));
        let mut symbols = Symbols::new();
        let (tree, mut diagnostics) = read::read_tree(&source, notation, limits, &mut symbols);
        let (rules, form) = build::build(&tree, notation, symbols);
        if diagnostics.is_empty() && tree.roots.is_empty() {
            diagnostics.push(read::empty(&source));
        }
        let normal = normal::NormalRules::new(&rules);
        // Where nothing was read, missing roles and goals are no news.
        if !diagnostics.iter().any(read::is_about_nothing_read) {
            diagnostics.extend(form);
            diagnostics.extend(check::check(&rules, &normal));
        }
        diagnostics.sort_by_key(|diagnostic| (diagnostic.is_about_everything(), diagnostic.span, diagnostic.code.id));
        Description {
            source,
            notation,
            tree,
            rules,
            diagnostics,
            checked: Some(normal),
        }
    }

    /// Whether no diagnostic is an error.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The errors of the text itself (1xx): with these, what was read may not be what was meant.
    pub fn unreadable(&self) -> Vec<Diagnostic> {
        let errors = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.code.id.starts_with("E1"));
        errors.cloned().collect()
    }

    /// The rules in normal form.
    pub fn normal(&self) -> normal::NormalRules {
        normal::NormalRules::new(&self.rules)
    }

    /// Takes the normal form out, since making it takes a good part of the time of reading.
    pub fn take_normal(&mut self) -> normal::NormalRules {
        let checked = self.checked.take();
        checked.unwrap_or_else(|| self.normal())
    }
}
