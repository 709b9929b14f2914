//! Pretty-printing and conversion between the notations.
//!
//! The formatter works on the syntax tree and the text, not on the rules: it keeps the author's spelling, order and
//! comments, and formats even games that do not pass the checks. Formatting twice changes nothing the second time.
//!
//! Layout: one statement a block; a rule has its head on the first line and each condition on a line of its own,
//! indented by four; what does not fit into [`WIDTH`] columns is broken at its arguments. At most one empty line
//! between statements is kept.

use crate::Description;
use crate::read::Notation;
use crate::source::Span;

mod infix;
mod kif;
mod term;

pub use term::{canonical_atom, canonical_literal, canonical_rule, canonical_term};

/// Lines are kept within this width where that is possible.
pub const WIDTH: usize = 96;

/// The text of a description in the given notation.
pub fn format(description: &Description, notation: Notation) -> String {
    let mut out = String::new();
    let mut writer = Statements {
        description,
        notation,
        next_comment: 0,
        last_end: None,
    };
    for &root in &description.tree.roots {
        let span = description.tree.span(root);
        writer.comments_before(span.start, &mut out);
        writer.gap(span.start, &mut out);
        let inside = writer.comments_inside(span);
        let text = match notation {
            Notation::Kif => kif::statement(description, root, &inside),
            Notation::Infix => infix::statement(description, root, &inside),
        };
        out.push_str(&text);
        out.push('\n');
        writer.last_end = Some(span.end);
    }
    writer.comments_before(u32::MAX, &mut out);
    out
}

/// Writes what stands between statements.
struct Statements<'a> {
    description: &'a Description,
    notation: Notation,
    next_comment: usize,
    last_end: Option<u32>,
}

impl Statements<'_> {
    /// The comments up to a place: after the last statement if they stand on its line, else on lines of their own.
    fn comments_before(&mut self, before: u32, out: &mut String) {
        let comments = &self.description.tree.comments;
        while let Some(&comment) = comments.get(self.next_comment).filter(|comment| comment.start < before) {
            self.next_comment += 1;
            let text = comment_text(self.description, comment, self.notation);
            let same_line = self.last_end.is_some_and(|end| self.on_one_line(end, comment.start));
            if same_line && out.ends_with('\n') {
                out.pop();
                out.push(' ');
            } else {
                self.gap(comment.start, out);
            }
            out.push_str(&text);
            out.push('\n');
            self.last_end = Some(comment.end);
        }
    }

    fn comments_inside(&mut self, span: Span) -> Vec<Span> {
        let comments = &self.description.tree.comments[self.next_comment..];
        let inside: Vec<Span> = comments
            .iter()
            .copied()
            .take_while(|comment| comment.start < span.end)
            .collect();
        self.next_comment += inside.len();
        inside
    }

    fn on_one_line(&self, from: u32, to: u32) -> bool {
        from <= to && !self.description.source.text()[from as usize..to as usize].contains('\n')
    }

    /// Keeps an empty line, where the author left at least one.
    fn gap(&self, until: u32, out: &mut String) {
        let Some(end) = self.last_end.filter(|&end| end <= until) else {
            return;
        };
        let between = &self.description.source.text()[end as usize..until as usize];
        if between.matches('\n').count() > 1 {
            out.push('\n');
        }
    }
}

/// A comment with the sign of the notation.
fn comment_text(description: &Description, comment: Span, notation: Notation) -> String {
    let text = description.source.slice(comment).trim_end();
    match (description.notation, notation) {
        (Notation::Kif, Notation::Infix) => {
            let signs = text.len() - text.trim_start_matches(';').len();
            format!("{}{}", "%".repeat(signs), &text[signs..])
        }
        (Notation::Infix, Notation::Kif) => {
            let signs = text.len() - text.trim_start_matches('%').len();
            format!("{}{}", ";".repeat(signs), &text[signs..])
        }
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn check(text: &str, notation: Notation, expected: &str) {
        let description = Description::read(Source::new("test", text));
        let formatted = format(&description, notation);
        assert_eq!(formatted, expected);
        let again = Description::read_as(Source::new("test", formatted), Some(notation), &Default::default());
        assert_eq!(format(&again, notation), expected, "formatting is not idempotent");
    }

    #[test]
    fn rules_and_comments_are_laid_out() {
        check(
            "; head\n(role w)(role b) ; two\n\n\n\n(<= (next (f ?X)) (true (f ?X)) ; keep\n; why\n (not (does w a)))\n(<= h)\n; end",
            Notation::Kif,
            "; head\n(role w)\n(role b) ; two\n\n(<= (next (f ?X))\n    (true (f ?X)) ; keep\n    ; why\n    (not (does w a)))\n(<= h)\n; end\n",
        );
    }

    #[test]
    fn a_comment_before_the_closing_parenthesis_does_not_swallow_it() {
        check(
            "(<= terminal (true f) ; last\n)",
            Notation::Kif,
            "(<= terminal\n    (true f) ; last\n    )\n",
        );
    }

    #[test]
    fn kif_becomes_infix_and_back() {
        let kif = "; c\n(<= (legal ?p (mark ?x 1))\n    (true (cell ?x 1 b))\n    (or (true f) (not (p ?x)))\n    (distinct ?x 3))\n";
        let infix =
            "% c\nlegal(P, mark(X, 1)) :-\n    true(cell(X, 1, b)) &\n    (true(f) | ~p(X)) &\n    distinct(X, 3)\n";
        check(kif, Notation::Infix, infix);
        check(infix, Notation::Kif, kif);
    }

    #[test]
    fn long_terms_are_broken() {
        let long = format!("(init (f {}))", "argument_with_a_name ".repeat(8).trim_end());
        let description = Description::read(Source::new("test", long));
        let formatted = format(&description, Notation::Kif);
        assert!(formatted.lines().all(|line| line.len() <= WIDTH), "{formatted}");
    }
}
