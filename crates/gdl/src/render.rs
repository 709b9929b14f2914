//! Diagnostics as text for people: code, place, an excerpt with the place underlined, notes and help.
//!
//! The look comes from `annotate-snippets`. It is given a window of the text only, so that a diagnostic in a file of
//! many megabytes, or in a line of that length, costs and prints no more than any other.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// Excerpts larger than this are cut down to the place itself.
const LARGEST_EXCERPT: usize = 20_000;
/// Number of columns of an over-long line shown on either side of the place.
const AROUND: usize = 100;

/// The diagnostic as several lines of text. `severity` may differ from the code's own where warnings count as errors.
pub fn render(source: &Source, diagnostic: &Diagnostic, severity: Severity, colour: bool) -> String {
    let level = match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    if diagnostic.is_about_everything() {
        return render_without_excerpt(source, diagnostic, level, colour);
    }
    let window = Window::around(source, diagnostic);
    let mut group = Group::with_title(level.primary_title(&*diagnostic.message).id(diagnostic.code.id));
    let path = match window.is_cut {
        true => None,
        false => Some(source.name()),
    };
    let place = source.place(diagnostic.span.start);
    if window.is_cut {
        group = group.element(Origin::path(source.name()).line(place.line).char_column(place.column));
    }
    let mut primary = AnnotationKind::Primary.span(window.inside(diagnostic.span));
    if !diagnostic.label.is_empty() {
        primary = primary.label(&*diagnostic.label);
    }
    let mut snippet = Snippet::source(&source.text()[window.bytes.clone()])
        .line_start(window.first_line)
        .path(path)
        .annotation(primary);
    let mut elsewhere = Vec::new();
    for (span, words) in &diagnostic.related {
        match window.holds(*span) {
            true => {
                let annotation = AnnotationKind::Context.span(window.inside(*span));
                snippet = snippet.annotation(annotation.label(&**words));
            }
            false => {
                let place = source.place(span.start);
                elsewhere.push(format!("{words}: line {}, column {}", place.line, place.column));
            }
        }
    }
    group = group.element(snippet);
    for note in diagnostic.notes.iter().chain(&elsewhere) {
        group = group.element(Level::NOTE.message(&**note));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer(colour).render(&[group]).to_string()
}

/// A diagnostic about the whole text, such as a missing relation, has no place to underline.
fn render_without_excerpt(source: &Source, diagnostic: &Diagnostic, level: Level<'_>, colour: bool) -> String {
    let mut group = Group::with_title(level.primary_title(&*diagnostic.message).id(diagnostic.code.id))
        .element(Origin::path(source.name()));
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(&**note));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer(colour).render(&[group]).to_string()
}

fn renderer(colour: bool) -> Renderer {
    match colour {
        true => Renderer::styled(),
        false => Renderer::plain(),
    }
}

/// The part of the text that is shown.
struct Window {
    bytes: Range<usize>,
    first_line: usize,
    is_cut: bool,
}

impl Window {
    fn around(source: &Source, diagnostic: &Diagnostic) -> Window {
        let all = diagnostic
            .related
            .iter()
            .fold(diagnostic.span, |all, (span, _)| all.to(*span));
        [all, diagnostic.span]
            .into_iter()
            .map(|span| Window::lines(source, span))
            .find(|window| window.bytes.len() <= LARGEST_EXCERPT)
            .unwrap_or_else(|| Window::cut(source, diagnostic.span))
    }

    fn lines(source: &Source, span: Span) -> Window {
        let first = source.line_index(span.start);
        let last = source.line_index(span.end.saturating_sub(1).max(span.start));
        Window {
            bytes: source.line_span(first).range().start..source.line_span(last).range().end,
            first_line: first + 1,
            is_cut: false,
        }
    }

    fn cut(source: &Source, span: Span) -> Window {
        let line = source.line_index(span.start);
        let range = source.line_span(line).range();
        let at = span.start as usize;
        let mut start = at.saturating_sub(AROUND).max(range.start);
        let mut end = (at + AROUND).min(range.end);
        while !source.text().is_char_boundary(start) {
            start -= 1;
        }
        while !source.text().is_char_boundary(end) {
            end += 1;
        }
        Window {
            bytes: start..end,
            first_line: line + 1,
            is_cut: true,
        }
    }

    fn holds(&self, span: Span) -> bool {
        self.bytes.start <= span.start as usize && span.end as usize <= self.bytes.end
    }

    fn inside(&self, span: Span) -> Range<usize> {
        let clamp = |at: u32| (at as usize).clamp(self.bytes.start, self.bytes.end) - self.bytes.start;
        clamp(span.start)..clamp(span.end)
    }
}
