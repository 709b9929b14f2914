//! Statements in the infix notation.
//!
//! Comments inside a statement are put before the condition that they stand before, or after the statement.

use super::{WIDTH, comment_text};
use crate::Description;
use crate::read::{Notation, is_infix_word};
use crate::source::Span;
use crate::symbol::{Symbol, keyword};
use crate::tree::{Node, NodeId};

/// The text of a statement with the comments that stand inside it.
pub(super) fn statement(description: &Description, root: NodeId, comments: &[Span]) -> String {
    let writer = Writer { description };
    let tree = &description.tree;
    let items = tree.items(root);
    let is_rule = tree.operator(root) == Some(keyword::IMPLIED_BY) && items.len() > 1;
    let mut out = String::new();
    let mut comments = comments.iter().copied().peekable();
    match is_rule {
        false => writer.formula(root, Strength::Statement, &mut out),
        true => {
            writer.formula(items[1], Strength::Literal, &mut out);
            let body = flattened(description, &items[2..]);
            // Without conditions a rule is a fact; an arrow would swallow the next statement.
            if !body.is_empty() {
                out.push_str(" :-");
            }
            let mut one_line = out.clone();
            for (number, &literal) in body.iter().enumerate() {
                one_line.push_str(if number > 0 { " & " } else { " " });
                writer.formula(literal, Strength::Conjunction, &mut one_line);
            }
            let last = body.last().map_or(u32::MAX, |&literal| tree.span(literal).start);
            let is_short = body.len() < 2 && one_line.len() <= WIDTH;
            let body = match is_short && comments.peek().is_none_or(|comment| comment.start >= last) {
                true => {
                    out = one_line;
                    Vec::new()
                }
                false => body,
            };
            for (number, &literal) in body.iter().enumerate() {
                while let Some(comment) = comments.next_if(|comment| comment.start < tree.span(literal).start) {
                    out.push_str("\n    ");
                    out.push_str(&comment_text(description, comment, Notation::Infix));
                }
                out.push_str("\n    ");
                writer.formula(literal, Strength::Conjunction, &mut out);
                if number + 1 < body.len() {
                    out.push_str(" &");
                }
            }
        }
    }
    for comment in comments {
        out.push('\n');
        out.push_str(&comment_text(description, comment, Notation::Infix));
    }
    out
}

/// The conditions of a body; an `and` among them is the same as its parts.
fn flattened(description: &Description, body: &[NodeId]) -> Vec<NodeId> {
    let tree = &description.tree;
    body.iter()
        .flat_map(|&literal| match tree.items(literal).split_first() {
            Some((_, parts)) if tree.operator(literal) == Some(keyword::AND) => flattened(description, parts),
            _ => vec![literal],
        })
        .collect()
}

/// Context of a formula, weakest first: parentheses are needed inside something that binds tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Statement,
    Disjunction,
    Conjunction,
    Literal,
}

struct Writer<'a> {
    description: &'a Description,
}

impl Writer<'_> {
    fn formula(&self, id: NodeId, around: Strength, out: &mut String) {
        let tree = &self.description.tree;
        let args = tree.items(id).get(1..).unwrap_or(&[]);
        match tree.operator(id) {
            Some(keyword::NOT) if args.len() == 1 => {
                out.push('~');
                self.formula(args[0], Strength::Literal, out);
            }
            Some(keyword::OR) if args.len() > 1 => {
                self.chain(args, " | ", Strength::Disjunction, around, out);
            }
            Some(keyword::AND) if args.len() > 1 => {
                self.chain(args, " & ", Strength::Conjunction, around, out);
            }
            _ => self.term(id, out),
        }
    }

    fn chain(&self, parts: &[NodeId], sign: &str, strength: Strength, around: Strength, out: &mut String) {
        let needs_parentheses = around >= strength;
        if needs_parentheses {
            out.push('(');
        }
        for (number, &part) in parts.iter().enumerate() {
            if number > 0 {
                out.push_str(sign);
            }
            self.formula(part, strength, out);
        }
        if needs_parentheses {
            out.push(')');
        }
    }

    fn term(&self, id: NodeId, out: &mut String) {
        let tree = &self.description.tree;
        match tree.node(id) {
            Node::Word(symbol) => self.name(symbol, out),
            Node::Variable(symbol) => self.variable(symbol, out),
            Node::List { .. } => {
                let items = tree.items(id);
                match items.split_first() {
                    None => out.push_str("\"\"()"),
                    Some((&name, args)) => {
                        self.term(name, out);
                        out.push('(');
                        for (number, &arg) in args.iter().enumerate() {
                            if number > 0 {
                                out.push_str(", ");
                            }
                            self.formula(arg, Strength::Statement, out);
                        }
                        out.push(')');
                    }
                }
            }
        }
    }

    /// Names are printed folded: an upper-case initial would make a variable of them.
    fn name(&self, symbol: Symbol, out: &mut String) {
        let name = self.description.rules.name(symbol);
        let plain = name.chars().all(is_infix_word)
            && !name.starts_with(|c: char| c == '_' || c.is_uppercase())
            && !name.ends_with('.')
            && name != "not"
            && !name.is_empty();
        match plain {
            true => out.push_str(name),
            false => {
                out.push('"');
                out.push_str(name);
                out.push('"');
            }
        }
    }

    fn variable(&self, symbol: Symbol, out: &mut String) {
        let name = self.description.rules.name(symbol);
        let mut chars = name.chars();
        match chars.next() {
            Some(first) if first.is_ascii_alphabetic() && name.chars().all(is_infix_word) && !name.ends_with('.') => {
                out.push(first.to_ascii_uppercase());
                out.push_str(chars.as_str());
            }
            _ if name.chars().all(is_infix_word) && !name.ends_with('.') => {
                out.push('?');
                out.push_str(name);
            }
            _ => {
                out.push_str("?\"");
                out.push_str(name);
                out.push('"');
            }
        }
    }
}
