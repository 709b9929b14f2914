//! Statements in prefix KIF.

use super::{WIDTH, comment_text};
use crate::Description;
use crate::read::Notation;
use crate::source::Span;
use crate::symbol::keyword;
use crate::tree::{Node, NodeId};

/// The text of a statement with the comments that stand inside it.
pub(super) fn statement(description: &Description, root: NodeId, comments: &[Span]) -> String {
    let mut writer = Writer {
        description,
        comments,
        out: String::new(),
        column: 0,
    };
    writer.node(root, 0);
    while let Some(comment) = writer.take_comment(u32::MAX) {
        writer.comment_line(comment, 0);
    }
    writer.out
}

struct Writer<'a> {
    description: &'a Description,
    comments: &'a [Span],
    out: String,
    column: usize,
}

impl Writer<'_> {
    fn node(&mut self, id: NodeId, indent: usize) {
        let is_rule = self.description.tree.operator(id) == Some(keyword::IMPLIED_BY)
            && self.description.tree.items(id).len() > 2;
        let flat = self.flat(id);
        let has_comment = self
            .comments
            .first()
            .is_some_and(|comment| comment.start < self.description.tree.span(id).end);
        let fits = self.column + flat.len() <= WIDTH && !has_comment && !is_rule;
        if fits || !matches!(self.description.tree.node(id), Node::List { .. }) {
            self.push(&flat);
            return;
        }
        self.broken_list(id, indent, is_rule);
    }

    /// A list over several lines: the name (and the head of a rule) first, then an item a line.
    fn broken_list(&mut self, id: NodeId, indent: usize, is_rule: bool) {
        let items = self.description.tree.items(id).to_vec();
        let on_first_line = if is_rule { 2 } else { 1 };
        let inner = indent + 4;
        self.push("(");
        for (number, &item) in items.iter().enumerate() {
            let span = self.description.tree.span(item);
            let mut on_own_line = number >= on_first_line;
            while let Some(comment) = self.take_comment(span.start) {
                self.comment_line(comment, inner);
                on_own_line = true;
            }
            if on_own_line || self.ends_in_comment() {
                self.new_line(inner);
            } else if number > 0 {
                self.push(" ");
            }
            self.node(item, inner);
            self.trailing_comment(span.end);
        }
        let mut needs_line = self.ends_in_comment();
        while let Some(comment) = self.take_comment(self.description.tree.span(id).end) {
            self.comment_line(comment, inner);
            needs_line = true;
        }
        if needs_line {
            self.new_line(inner);
        }
        self.push(")");
    }

    /// A comment on the line where an item ends stays there.
    fn trailing_comment(&mut self, end: u32) {
        if let Some(&comment) = self.comments.first() {
            let text = self.description.source.text();
            if comment.start >= end && !text[end as usize..comment.start as usize].contains(['\n', '(', ')']) {
                let between = text[end as usize..comment.start as usize].trim();
                if between.is_empty() {
                    self.comments = &self.comments[1..];
                    let text = comment_text(self.description, comment, Notation::Kif);
                    self.push(" ");
                    self.push(&text);
                }
            }
        }
    }

    fn take_comment(&mut self, before: u32) -> Option<Span> {
        let comment = *self.comments.first().filter(|comment| comment.start < before)?;
        self.comments = &self.comments[1..];
        Some(comment)
    }

    fn comment_line(&mut self, comment: Span, indent: usize) {
        self.new_line(indent);
        let text = comment_text(self.description, comment, Notation::Kif);
        self.push(&text);
    }

    fn ends_in_comment(&self) -> bool {
        let last = self.out.rsplit('\n').next().unwrap_or("");
        last.contains(';')
    }

    fn flat(&self, id: NodeId) -> String {
        let mut out = String::new();
        self.write_flat(id, &mut out);
        out
    }

    fn write_flat(&self, id: NodeId, out: &mut String) {
        match self.description.tree.node(id) {
            Node::Word(symbol) => out.push_str(&word(self.description, id, symbol)),
            Node::Variable(symbol) => {
                let spelled = self.description.source.slice(self.description.tree.span(id));
                match spelled.strip_prefix('?') {
                    Some(_) => out.push_str(spelled),
                    None => {
                        out.push('?');
                        out.push_str(self.description.rules.name(symbol));
                    }
                }
            }
            Node::List { .. } => {
                out.push('(');
                for (number, &item) in self.description.tree.items(id).iter().enumerate() {
                    if number > 0 {
                        out.push(' ');
                    }
                    self.write_flat(item, out);
                }
                out.push(')');
            }
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.push_str(&" ".repeat(indent));
        self.column = indent;
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.len();
    }
}

/// The author's spelling, or the interned name where the reader made the word up (infix operators, lists).
fn word(description: &Description, id: NodeId, symbol: crate::Symbol) -> String {
    let spelled = description.source.slice(description.tree.span(id));
    let name = description.rules.name(symbol);
    match spelled.eq_ignore_ascii_case(name) || spelled.to_lowercase() == name {
        true => spelled.to_string(),
        false => name.to_string(),
    }
}
