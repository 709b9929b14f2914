//! The reader for prefix KIF.
//!
//! A first pass follows the parentheses strictly. Where they do not balance, a second pass assumes what people do:
//! statements begin at the left margin. That puts the diagnostic at the statement that lacks its parenthesis instead of
//! at the end of the file, and lets everything after it be checked.

use super::{Diagnostics, Limits};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Source, Span};
use crate::symbol::Symbols;
use crate::tree::{Node, NodeId, Tree};

pub(super) fn read(source: &Source, limits: &Limits, symbols: &mut Symbols, diagnostics: &mut Diagnostics) -> Tree {
    let statements_at_margin = !is_balanced(source.text());
    let mut reader = Reader {
        source,
        symbols,
        diagnostics,
        tree: Tree::default(),
        open: Vec::new(),
        pending: Vec::new(),
        too_deep: 0,
        nesting: limits.nesting,
    };
    reader.run(statements_at_margin);
    let mut tree = reader.tree;
    unwrap_sheet(&mut tree);
    tree
}

/// A rule sheet may come as one list of all statements, as in the START message of the protocol.
fn unwrap_sheet(tree: &mut Tree) {
    if let [only] = tree.roots[..] {
        let items = tree.items(only).to_vec();
        let is_list = |&item: &NodeId| matches!(tree.node(item), Node::List { .. });
        if items.len() > 1 && items.first().is_some_and(is_list) {
            tree.roots = items;
        }
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0i64;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b';' => {
                bytes.by_ref().find(|&byte| byte == b'\n');
            }
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

struct Reader<'a> {
    source: &'a Source,
    symbols: &'a mut Symbols,
    diagnostics: &'a mut Diagnostics,
    tree: Tree,
    /// The lists being read: where each opened, and how many of the pending items stand before it.
    open: Vec<(Span, usize)>,
    pending: Vec<NodeId>,
    /// Number of open lists beyond the nesting limit.
    too_deep: usize,
    nesting: usize,
}

impl Reader<'_> {
    fn run(&mut self, statements_at_margin: bool) {
        let source = self.source;
        let text = source.text();
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.diagnostics.is_full() {
            match bytes[at] {
                b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' => at += 1,
                b'(' => {
                    let at_margin = at == 0 || bytes[at - 1] == b'\n';
                    if statements_at_margin && at_margin && !self.open.is_empty() {
                        self.close_unclosed(at);
                    }
                    self.open_list(at);
                    at += 1;
                }
                b')' => {
                    self.close_list(at);
                    at += 1;
                }
                b';' => {
                    let end = line_end(bytes, at);
                    self.tree.comments.push(Span::new(at, end));
                    at = end;
                }
                _ => {
                    let end = word_end(bytes, at);
                    self.word(Span::new(at, end));
                    if bytes.get(end) == Some(&b';') {
                        self.comment_inside_word(end);
                    }
                    at = end;
                }
            }
        }
        self.close_unclosed(text.trim_end().len());
    }

    fn open_list(&mut self, at: usize) {
        if self.open.len() < self.nesting {
            self.open.push((Span::new(at, at + 1), self.pending.len()));
            return;
        }
        if self.too_deep == 0 {
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::NESTING_TOO_DEEP,
                    Span::new(at, at + 1),
                    format!("lists are nested more than {} deep", self.nesting),
                )
                .label("this list and everything in it is left out")
                .help("check for a missing closing parenthesis; real rules need a dozen levels"),
            );
        }
        self.too_deep += 1;
    }

    fn close_list(&mut self, at: usize) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        match self.open.pop() {
            Some((opened, before)) => self.finish_list(opened, before, at + 1),
            None => self.diagnostics.push(
                Diagnostic::new(
                    &codes::UNMATCHED_PARENTHESIS,
                    Span::new(at, at + 1),
                    "this closing parenthesis has no partner",
                )
                .label("nothing is open here")
                .help("delete it, or add the opening parenthesis that is missing before it"),
            ),
        }
    }

    fn finish_list(&mut self, opened: Span, before: usize, end: usize) {
        let span = Span::new(opened.start as usize, end);
        let list = self.tree.list(&self.pending[before..], span);
        self.pending.truncate(before);
        self.add(list);
    }

    fn add(&mut self, node: NodeId) {
        match self.open.is_empty() {
            true => self.tree.roots.push(node),
            false => self.pending.push(node),
        }
    }

    fn close_unclosed(&mut self, end: usize) {
        self.too_deep = 0;
        if let Some(&(outermost, _)) = self.open.first() {
            let count = self.open.len();
            let (innermost, _) = self.open[count - 1];
            let message = match count {
                1 => "this parenthesis is never closed".to_string(),
                _ => format!("{count} parentheses that open here are never closed"),
            };
            let mut diagnostic = Diagnostic::new(&codes::UNCLOSED_PARENTHESIS, outermost, message)
                .label("opened here")
                .help(format!(
                    "add `{}` at the end of this statement",
                    ")".repeat(count.min(40))
                ));
            if innermost != outermost {
                diagnostic = diagnostic.related(innermost, "the innermost of them");
            }
            self.diagnostics.push(diagnostic);
        }
        while let Some((opened, before)) = self.open.pop() {
            self.finish_list(opened, before, end.max(opened.end as usize));
        }
    }

    fn word(&mut self, span: Span) {
        if self.too_deep > 0 {
            return;
        }
        let text = self.source.slice(span);
        self.diagnostics.odd_characters(self.source, span);
        let node = match text.strip_prefix('?') {
            Some("") => {
                self.diagnostics.nameless_variable(span, "?x");
                Node::Variable(self.symbols.intern(""))
            }
            Some(name) => Node::Variable(self.symbols.intern(name)),
            None => {
                let symbol = self.symbols.intern(text);
                self.diagnostics.spelling(self.source, symbol, span);
                Node::Word(symbol)
            }
        };
        let leaf = self.tree.leaf(node, span);
        self.add(leaf);
    }

    fn comment_inside_word(&mut self, at: usize) {
        self.diagnostics.push(
            Diagnostic::new(
                &codes::COMMENT_INSIDE_WORD,
                Span::new(at, at + 1),
                "a comment starts right behind a word",
            )
            .label("everything from here to the end of the line is a comment")
            .note("some programs take the semicolon as part of the word")
            .help("put a space before the semicolon"),
        );
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let end = bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length);
    match bytes[at..end].last() {
        Some(b'\r') => end - 1,
        _ => end,
    }
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' | b'(' | b')' | b';');
    bytes[at..]
        .iter()
        .position(ends)
        .map_or(bytes.len(), |length| at + length)
}
