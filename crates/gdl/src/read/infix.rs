//! The reader for the infix (Prolog-like) notation.
//!
//! One reader for the dialects in use: `&` or `,` for and; `|` or `;` for or; `~`, `not` or `\+` for not; `:-` or `<=`
//! for a rule; an optional full stop after a statement; `%` comments; `[a, b]` lists; `_` for a variable that
//! occurs once. The result is the tree that the KIF reader would give, so no later stage knows the difference.
//!
//! Binding, tightest first: `~`, `&`, `|`, `:-`. Precedence climbing with an explicit bound on the depth keeps the
//! recursion small.

use super::{Diagnostics, Limits, is_infix_word};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Source, Span};
use crate::symbol::{Symbol, Symbols, keyword};
use crate::tree::{Node, NodeId, Tree};

pub(super) fn read(source: &Source, limits: &Limits, symbols: &mut Symbols, diagnostics: &mut Diagnostics) -> Tree {
    let mut tree = Tree::default();
    let tokens = tokenize(source, &mut tree.comments, diagnostics);
    let mut reader = Reader {
        source,
        symbols,
        diagnostics,
        tree,
        tokens,
        at: 0,
        depth: 0,
        nesting: limits.nesting,
        wildcards: 0,
    };
    reader.run();
    reader.tree
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Word,
    Quoted,
    Variable,
    Open,
    Close,
    OpenList,
    CloseList,
    And,
    Comma,
    Or,
    Not,
    If,
    Stop,
    End,
}

fn tokenize(source: &Source, comments: &mut Vec<Span>, diagnostics: &mut Diagnostics) -> Vec<(Token, Span)> {
    let text = source.text();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut token = |token: Token, length: usize| {
            tokens.push((token, Span::new(at, at + length)));
            length
        };
        at += match c {
            _ if c.is_whitespace() => c.len_utf8(),
            '%' => {
                let length = rest.find('\n').unwrap_or(rest.len());
                comments.push(Span::new(at, at + rest[..length].trim_end().len()));
                length
            }
            '(' => token(Token::Open, 1),
            ')' => token(Token::Close, 1),
            '[' => token(Token::OpenList, 1),
            ']' => token(Token::CloseList, 1),
            '&' => token(Token::And, 1),
            ',' => token(Token::Comma, 1),
            '|' | ';' => token(Token::Or, 1),
            '~' => token(Token::Not, 1),
            '\\' if rest.starts_with("\\+") => token(Token::Not, 2),
            ':' if rest.starts_with(":-") => token(Token::If, 2),
            '<' if rest.starts_with("<=") => token(Token::If, 2),
            '"' if rest[1..].contains('"') => token(Token::Quoted, 2 + rest[1..].find('"').unwrap_or(0)),
            '?' if rest[1..].starts_with('"') && rest[2..].contains('"') => {
                token(Token::Variable, 3 + rest[2..].find('"').unwrap_or(0))
            }
            '?' => token(Token::Variable, 1 + word_length(&rest[1..])),
            _ if is_infix_word(c) => {
                let length = word_length(rest);
                match &rest[..length] {
                    "." => token(Token::Stop, 1),
                    "not" => token(Token::Not, 3),
                    word if word.ends_with('.') => {
                        let kind = word_kind(c);
                        token(kind, length - 1)
                    }
                    _ => {
                        let kind = word_kind(c);
                        token(kind, length)
                    }
                }
            }
            _ => {
                diagnostics.push(
                    Diagnostic::new(
                        &codes::INFIX_SYNTAX,
                        Span::new(at, at + c.len_utf8()),
                        format!("the character {c:?} has no meaning here"),
                    )
                    .label("left out")
                    .help("quote names with unusual characters: \"like this\""),
                );
                c.len_utf8()
            }
        };
        if diagnostics.is_full() {
            break;
        }
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_infix_word(c)).unwrap_or(text.len())
}

fn word_kind(first: char) -> Token {
    match first.is_uppercase() || first == '_' {
        true => Token::Variable,
        false => Token::Word,
    }
}

/// A statement or part of one that cannot be read; the diagnostic is made where it is raised.
struct Broken;

type Read<T> = Result<T, Broken>;

struct Reader<'a> {
    source: &'a Source,
    symbols: &'a mut Symbols,
    diagnostics: &'a mut Diagnostics,
    tree: Tree,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    nesting: usize,
    wildcards: usize,
}

impl Reader<'_> {
    fn run(&mut self) {
        while self.peek() != Token::End && !self.diagnostics.is_full() {
            if self.take(Token::Stop) {
                continue;
            }
            self.depth = 0;
            match self.statement() {
                Ok(root) => self.tree.roots.push(root),
                Err(Broken) => self.skip_statement(),
            }
        }
    }

    /// After an error, skips to the next statement, which begins after a full stop or at the left margin.
    fn skip_statement(&mut self) {
        loop {
            match self.peek() {
                Token::End => return,
                Token::Stop => return,
                _ => self.at += 1,
            }
            let (token, span) = self.tokens[self.at];
            let start = span.start as usize;
            let at_margin = start == 0 || self.source.text().as_bytes()[start - 1] == b'\n';
            if at_margin && token == Token::Word {
                return;
            }
        }
    }

    fn statement(&mut self) -> Read<NodeId> {
        let head = self.negation()?;
        let (token, span) = self.tokens[self.at];
        if token != Token::If {
            return Ok(head);
        }
        self.at += 1;
        let mut items = vec![self.word(keyword::IMPLIED_BY, span), head];
        if !matches!(self.peek(), Token::Stop | Token::End) {
            let body = self.disjunction(true)?;
            match self.tree.operator(body) {
                Some(keyword::AND) if !self.tree.items(body).is_empty() => {
                    items.extend_from_slice(&self.tree.items(body)[1..]);
                }
                _ => items.push(body),
            }
        }
        let end = self.tree.span(items[items.len() - 1]);
        let span = self.tree.span(head).to(span).to(end);
        Ok(self.tree.list(&items, span))
    }

    /// `a | b | c`; `comma` says whether a comma means and, as in a body, or ends an argument.
    fn disjunction(&mut self, comma: bool) -> Read<NodeId> {
        let first = self.conjunction(comma)?;
        let mut items = vec![first];
        let operator = self.tokens[self.at].1;
        while self.take(Token::Or) {
            items.push(self.conjunction(comma)?);
        }
        Ok(self.operation(keyword::OR, operator, items))
    }

    fn conjunction(&mut self, comma: bool) -> Read<NodeId> {
        let first = self.negation()?;
        let mut items = vec![first];
        let operator = self.tokens[self.at].1;
        while self.take(Token::And) || (comma && self.take(Token::Comma)) {
            items.push(self.negation()?);
        }
        Ok(self.operation(keyword::AND, operator, items))
    }

    /// An operator applied to several parts; a single part stands for itself.
    fn operation(&mut self, name: Symbol, operator: Span, parts: Vec<NodeId>) -> NodeId {
        if let [only] = parts[..] {
            return only;
        }
        let span = self.tree.span(parts[0]).to(self.tree.span(parts[parts.len() - 1]));
        let mut items = vec![self.word(name, operator)];
        items.extend(parts);
        self.tree.list(&items, span)
    }

    fn negation(&mut self) -> Read<NodeId> {
        let (token, span) = self.tokens[self.at];
        match token {
            Token::Not => {
                self.at += 1;
                let inner = self.deeper(Reader::negation)?;
                let items = [self.word(keyword::NOT, span), inner];
                let span = span.to(self.tree.span(inner));
                Ok(self.tree.list(&items, span))
            }
            Token::Open => {
                self.at += 1;
                let inner = self.deeper(|reader| reader.disjunction(true))?;
                self.expect(Token::Close, ")", span)?;
                Ok(inner)
            }
            _ => self.term(),
        }
    }

    fn term(&mut self) -> Read<NodeId> {
        let (token, span) = self.tokens[self.at];
        self.at += 1;
        match token {
            Token::Variable => Ok(self.variable(span)),
            Token::OpenList => self.deeper(|reader| reader.list_items(span)),
            Token::Word | Token::Quoted => {
                let name_span = match token {
                    Token::Quoted => Span::new(span.start as usize + 1, span.end as usize - 1),
                    _ => span,
                };
                if self
                    .source
                    .slice(name_span)
                    .contains([' ', '\t', '\n', '\r', '(', ')', ';'])
                {
                    return self.broken(
                        span,
                        "a quoted name may not hold spaces, parentheses or semicolons".to_string(),
                    );
                }
                let symbol = self.name(name_span);
                let word = self.word(symbol, span);
                match self.peek() == Token::Open && self.tokens[self.at].1.start == span.end {
                    true => self.deeper(|reader| reader.arguments(word, span)),
                    false => Ok(word),
                }
            }
            _ => {
                self.at -= 1;
                let found = match token {
                    Token::End => "the end of the text".to_string(),
                    _ => format!("`{}`", self.source.slice(span)),
                };
                self.broken(span, format!("expected a name, a variable or a literal, found {found}"))
            }
        }
    }

    fn arguments(&mut self, word: NodeId, span: Span) -> Read<NodeId> {
        let open = self.tokens[self.at].1;
        self.at += 1;
        let mut items = vec![word];
        if self.peek() != Token::Close {
            // Arguments are terms, but `or(p & q, r)` and `not(p)` may be written as calls too.
            items.push(self.disjunction(false)?);
            while self.take(Token::Comma) {
                items.push(self.disjunction(false)?);
            }
        }
        let close = self.tokens[self.at].1;
        self.expect(Token::Close, ")", open)?;
        Ok(self.tree.list(&items, span.to(close)))
    }

    fn list_items(&mut self, open: Span) -> Read<NodeId> {
        let mut items = Vec::new();
        if self.peek() != Token::CloseList {
            items.push(self.term()?);
            while self.take(Token::Comma) {
                items.push(self.term()?);
            }
        }
        let close = self.tokens[self.at].1;
        self.expect(Token::CloseList, "]", open)?;
        if items.len() + self.depth > self.nesting {
            return self.too_deep(open);
        }
        let mut list = self.word(keyword::NIL, close);
        for &item in items.iter().rev() {
            let span = self.tree.span(item).to(close);
            let cons = self.word(keyword::CONS, self.tree.span(item));
            list = self.tree.list(&[cons, item, list], span);
        }
        Ok(list)
    }

    fn variable(&mut self, span: Span) -> NodeId {
        let text = self.source.slice(span);
        let name = text.strip_prefix('?').unwrap_or(text).trim_matches('"');
        if name.is_empty() {
            self.diagnostics.nameless_variable(span, "X");
        }
        // A question mark makes a variable of any name; only a bare underscore is a new variable each time.
        let symbol = match text {
            "_" => {
                self.wildcards += 1;
                self.symbols.intern(&format!("_{}", self.wildcards))
            }
            _ => self.symbols.intern(name),
        };
        self.tree.leaf(Node::Variable(symbol), span)
    }

    fn name(&mut self, span: Span) -> Symbol {
        let symbol = self.symbols.intern(self.source.slice(span));
        self.diagnostics.spelling(self.source, symbol, span);
        symbol
    }

    fn word(&mut self, symbol: Symbol, span: Span) -> NodeId {
        self.tree.leaf(Node::Word(symbol), span)
    }

    fn peek(&self) -> Token {
        self.tokens[self.at].0
    }

    fn take(&mut self, token: Token) -> bool {
        if self.peek() != token {
            return false;
        }
        self.at += 1;
        true
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= self.nesting {
            return self.too_deep(self.tokens[self.at].1);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn too_deep<T>(&mut self, span: Span) -> Read<T> {
        self.diagnostics.push(
            Diagnostic::new(
                &codes::NESTING_TOO_DEEP,
                span,
                format!("terms are nested more than {} deep", self.nesting),
            )
            .label("this statement is left out"),
        );
        Err(Broken)
    }

    fn expect(&mut self, token: Token, text: &str, opened: Span) -> Read<()> {
        if self.take(token) {
            return Ok(());
        }
        let (found, span) = self.tokens[self.at];
        let found = match found {
            Token::End => "the end of the text".to_string(),
            _ => format!("`{}`", self.source.slice(span)),
        };
        self.diagnostics.push(
            Diagnostic::new(&codes::INFIX_SYNTAX, span, format!("expected `{text}`, found {found}"))
                .label("this statement is left out")
                .related(opened, "opened here")
                .help(format!("close it with `{text}`")),
        );
        Err(Broken)
    }

    fn broken<T>(&mut self, span: Span, message: String) -> Read<T> {
        self.diagnostics.push(
            Diagnostic::new(&codes::INFIX_SYNTAX, span, message)
                .label("this statement is left out")
                .help("a rule reads `head :- literal & ~literal`, a fact `name(a, b)`"),
        );
        Err(Broken)
    }
}
