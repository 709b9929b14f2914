//! Text to [`Program`]: tokens, statements, and the checks on a program as a whole.
//!
//! `%` starts a comment; `p(a).` is a fact, `h <- a, b.` a strict rule, `h -< a, b.` a defeasible rule, `h -< .` a
//! presumption; `~` negates; capital letters and `_` start variables; `name: h -< a.` gives a rule a label, and
//! `one > other.` prefers a rule to another; `?- q.` asks. Reading never fails: statements that cannot be read are left
//! out, with a diagnostic.

use crate::codes;
use crate::program::{Literal, Name, Names, Program, Query, Rule, Term};
use ludens_gdl::diagnostic::{Diagnostic, Suggestions};
use ludens_gdl::{Source, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap};

mod token;

use token::{Token, tokens};

/// Conditions of a rule, arguments of a literal and variables of a rule: more are not written by people.
const MOST_CONDITIONS: usize = 256;
const MOST_ARGUMENTS: usize = 32;
const MOST_VARIABLES: usize = 64;

/// Diagnostics after which reading stops: a file with more is of another kind.
const MOST_DIAGNOSTICS: usize = 100;

impl Program {
    /// Reads a program. It holds what could be read, with diagnostics.
    pub fn read(source: Source) -> Program {
        let mut reader = Reader::new(&source, Names::default());
        reader.run();
        let Reader {
            names,
            rules,
            wishes,
            queries,
            diagnostics,
            ..
        } = reader;
        let mut program = Program {
            source,
            names,
            rules,
            priorities: Vec::new(),
            queries,
            diagnostics,
        };
        prefer(&mut program, &wishes);
        check(&mut program);
        program.diagnostics.sort_by_key(|found| (found.span, found.code.id));
        program
    }

    /// Reads a literal such as `~flies(tina)` as a query, or returns what is wrong with it. New names are added to the
    /// program.
    pub fn read_query(&mut self, text: &str) -> Result<Query, Box<(Source, Diagnostic)>> {
        let source = Source::new("query", text);
        let mut reader = Reader::new(&source, std::mem::take(&mut self.names));
        let read = reader.whole_query();
        let found = reader.diagnostics.first().cloned();
        self.names = reader.names;
        match (read, found) {
            (Ok(query), None) => Ok(query),
            (_, Some(diagnostic)) => Err(Box::new((source, diagnostic))),
            (Err(Broken), None) => {
                let diagnostic = Diagnostic::new(&codes::SYNTAX, Span::default(), "this is not a literal");
                Err(Box::new((source, diagnostic)))
            }
        }
    }
}

/// A statement that cannot be read; the diagnostic is made where it is raised.
struct Broken;

type Read<T> = Result<T, Broken>;

/// A priority as written: two labels with their places.
type Wish = ((Name, Span), (Name, Span));

struct Reader<'a> {
    source: &'a Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    names: Names,
    rules: Vec<Rule>,
    wishes: Vec<Wish>,
    queries: Vec<Query>,
    diagnostics: Vec<Diagnostic>,
    /// Variables of the statement that is being read.
    variables: Vec<Name>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, names: Names) -> Reader<'a> {
        let mut diagnostics = Vec::new();
        let tokens = tokens(source, &mut diagnostics);
        Reader {
            source,
            tokens,
            at: 0,
            names,
            rules: Vec::new(),
            wishes: Vec::new(),
            queries: Vec::new(),
            diagnostics,
            variables: Vec::new(),
        }
    }

    fn run(&mut self) {
        while self.peek() != Token::End && self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.variables.clear();
            if self.statement().is_err() {
                // Goes on behind the next full stop.
                while !matches!(self.peek(), Token::Stop | Token::End) {
                    self.at += 1;
                }
                self.take(Token::Stop);
            }
        }
    }

    fn whole_query(&mut self) -> Read<Query> {
        let start = self.span();
        self.take(Token::Ask);
        let literal = self.literal()?;
        let span = start.to(self.last_span());
        self.take(Token::Stop);
        match self.peek() {
            Token::End => Ok(Query { literal, span }),
            _ => Err(self.unexpected("the end of the query", "ask for one literal at a time")),
        }
    }

    fn statement(&mut self) -> Read<()> {
        let start = self.span();
        if self.take(Token::Ask) {
            let literal = self.literal()?;
            let span = start.to(self.last_span());
            self.stop()?;
            self.queries.push(Query { literal, span });
            return Ok(());
        }
        let label = self.label();
        if label.is_none() && self.peek() == Token::Word && self.peek_at(1) == Token::Above {
            return self.priority();
        }
        let head = self.literal()?;
        let (strict, body) = match self.peek() {
            Token::Stop => (true, Vec::new()),
            Token::Strict => {
                self.at += 1;
                (true, self.body(false)?)
            }
            Token::Defeasible => {
                self.at += 1;
                (false, self.body(true)?)
            }
            _ => return Err(self.unexpected("`.`, `<-` or `-<`", "end a fact with a full stop")),
        };
        let span = start.to(self.last_span());
        self.stop()?;
        if strict && body.is_empty() && !head.is_ground() {
            let text = self.source.slice(span);
            self.diagnostics.push(
                Diagnostic::new(
                    &codes::VARIABLE_IN_FACT,
                    span,
                    format!("the fact `{text}` holds a variable"),
                )
                .label("facts speak of constants only")
                .help(format!(
                    "write the constants out, give it conditions (`{text} <- ...`), or presume it (`{text} -< .`)"
                )),
            );
            return Ok(());
        }
        self.rules.push(Rule {
            head,
            body,
            strict,
            variables: std::mem::take(&mut self.variables),
            label,
            span,
        });
        Ok(())
    }

    /// The label before a rule, if there is one.
    fn label(&mut self) -> Option<Name> {
        if self.peek() != Token::Word || self.peek_at(1) != Token::Colon {
            return None;
        }
        let name = self.names.intern(self.source.slice(self.span()));
        self.at += 2;
        Some(name)
    }

    /// `one > other > third.`
    fn priority(&mut self) -> Read<()> {
        let mut above = self.word("the label of a rule")?;
        while self.take(Token::Above) {
            let below = self.word("the label of a rule")?;
            self.wishes.push((above, below));
            above = below;
        }
        self.stop()
    }

    fn word(&mut self, wanted: &str) -> Read<(Name, Span)> {
        let span = self.span();
        match self.take(Token::Word) {
            true => Ok((self.names.intern(self.source.slice(span)), span)),
            false => Err(self.unexpected(wanted, "labels start with a small letter")),
        }
    }

    fn body(&mut self, may_be_empty: bool) -> Read<Vec<Literal>> {
        let mut body = Vec::new();
        if self.peek() == Token::Stop {
            return match may_be_empty {
                true => Ok(body),
                false => Err(self.unexpected(
                    "a condition",
                    "a strict rule without conditions is a fact: leave `<-` out",
                )),
            };
        }
        loop {
            if body.len() == MOST_CONDITIONS {
                return Err(self.too_many("conditions", MOST_CONDITIONS));
            }
            body.push(self.literal()?);
            if !self.take(Token::Comma) {
                return Ok(body);
            }
        }
    }

    fn literal(&mut self) -> Read<Literal> {
        let negated = self.take(Token::Not);
        if negated && self.peek() == Token::Not {
            return Err(self.unexpected("a predicate", "two negations cancel each other: leave both out"));
        }
        let span = self.span();
        if self.peek() == Token::Variable {
            return Err(self.unexpected(
                "a predicate",
                "predicates start with a small letter, variables with a capital",
            ));
        }
        if !self.take(Token::Word) {
            return Err(self.unexpected(
                "a literal",
                "a literal is a predicate with arguments, such as `flies(tina)`",
            ));
        }
        let predicate = self.names.intern(self.source.slice(span).trim_matches('"'));
        let mut args = Vec::new();
        if self.take(Token::Open) {
            loop {
                if args.len() == MOST_ARGUMENTS {
                    return Err(self.too_many("arguments", MOST_ARGUMENTS));
                }
                args.push(self.term()?);
                if self.variables.len() > MOST_VARIABLES {
                    return Err(self.too_many("variables", MOST_VARIABLES));
                }
                if !self.take(Token::Comma) {
                    break;
                }
            }
            if !self.take(Token::Close) {
                return Err(self.unexpected("`)` or `,`", "close the list of arguments"));
            }
        }
        Ok(Literal {
            negated,
            predicate,
            args,
        })
    }

    fn term(&mut self) -> Read<Term> {
        let span = self.span();
        let text = self.source.slice(span);
        match self.peek() {
            Token::Word if self.peek_at(1) == Token::Open => {
                let message = format!("the term `{text}(...)` has arguments of its own");
                self.diagnostics.push(
                    Diagnostic::new(&codes::COMPOUND_TERM, span, message)
                        .label("only constants and variables stand here")
                        .help("give the predicate another argument, or name the thing by a constant"),
                );
                Err(Broken)
            }
            Token::Word => {
                self.at += 1;
                Ok(Term::Constant(self.names.intern(text.trim_matches('"'))))
            }
            Token::Variable => {
                self.at += 1;
                Ok(Term::Variable(self.variable(text)))
            }
            _ => Err(self.unexpected("a constant or a variable", "arguments are names, separated by commas")),
        }
    }

    /// The number of a variable in this statement; every `_` is another one.
    fn variable(&mut self, text: &str) -> u32 {
        let name = self.names.intern(text);
        let known = self.variables.iter().position(|&other| other == name && text != "_");
        known.unwrap_or_else(|| {
            self.variables.push(name);
            self.variables.len() - 1
        }) as u32
    }

    fn stop(&mut self) -> Read<()> {
        match self.take(Token::Stop) {
            true => Ok(()),
            false => Err(self.unexpected(
                "`.`",
                "end the statement with a full stop, conditions with commas between them",
            )),
        }
    }

    fn too_many(&mut self, what: &str, most: usize) -> Broken {
        let diagnostic = Diagnostic::new(
            &codes::SYNTAX,
            self.visible(self.span()),
            format!("there are more than {most} {what}"),
        );
        self.diagnostics.push(
            diagnostic
                .label("the rest is not read")
                .help("split the rule into several"),
        );
        Broken
    }

    fn unexpected(&mut self, wanted: &str, help: &str) -> Broken {
        let span = self.span();
        let message = match self.peek() {
            Token::End => format!("the text ends where {wanted} is expected"),
            _ => format!("`{}` stands where {wanted} is expected", self.source.slice(span)),
        };
        let diagnostic = Diagnostic::new(&codes::SYNTAX, self.visible(span), message);
        self.diagnostics
            .push(diagnostic.label(format!("expected {wanted}")).help(help));
        Broken
    }

    /// The end of the text has no width: the last token is shown instead.
    fn visible(&self, span: Span) -> Span {
        match span.start == span.end && self.at > 0 {
            true => self.last_span(),
            false => span,
        }
    }

    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |&(token, _)| token)
    }

    fn span(&self) -> Span {
        let end = self.source.text().len();
        self.tokens.get(self.at).map_or(Span::new(end, end), |&(_, span)| span)
    }

    fn last_span(&self) -> Span {
        match self.at.checked_sub(1).and_then(|last| self.tokens.get(last)) {
            Some(&(_, span)) => span,
            None => self.span(),
        }
    }

    fn take(&mut self, token: Token) -> bool {
        let is_next = self.peek() == token && token != Token::End;
        self.at += usize::from(is_next);
        is_next
    }
}

/// Turns wishes into pairs of rules, and refuses cycles.
fn prefer(program: &mut Program, wishes: &[Wish]) {
    let mut labels: BTreeMap<Name, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (number, rule) in program.rules.iter().enumerate() {
        let Some(label) = rule.label else { continue };
        if let Some(&first) = labels.get(&label) {
            let text = program.names.text(label);
            found.push(
                Diagnostic::new(
                    &codes::DUPLICATE_LABEL,
                    rule.span,
                    format!("another rule has the label `{text}`"),
                )
                .related(program.rules[first].span, "the first one")
                .help("give each rule a label of its own"),
            );
        }
        labels.entry(label).or_insert(number);
    }
    let mut places = Vec::new();
    for &((above, above_span), (under, under_span)) in wishes {
        let mut number = |name: Name, span: Span| {
            let number = labels.get(&name).copied();
            if number.is_none() {
                found.push(unknown_label(program, &labels, name, span));
            }
            number
        };
        if let (Some(above), Some(under)) = (number(above, above_span), number(under, under_span)) {
            program.priorities.push((above, under));
            places.push(above_span.to(under_span));
        }
    }
    let cyclic = cyclic(&program.priorities);
    if let Some(at) = (0..places.len()).rev().find(|&at| {
        let (above, under) = program.priorities[at];
        cyclic.contains(&above) && cyclic.contains(&under)
    }) {
        let message = "this preference closes a cycle: a rule would be preferred to itself";
        found.push(
            Diagnostic::new(&codes::CYCLIC_PRIORITIES, places[at], message)
                .help("take one of the preferences of the cycle back"),
        );
    }
    program.diagnostics.extend(found);
}

fn unknown_label(program: &Program, labels: &BTreeMap<Name, usize>, name: Name, span: Span) -> Diagnostic {
    let text = program.names.text(name);
    let known = labels.keys().map(|&label| program.names.text(label));
    let help = match ludens_gdl::diagnostic::closest(text, known) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("put the label before a rule: `{text}: head -< body.`"),
    };
    Diagnostic::new(&codes::UNKNOWN_LABEL, span, format!("no rule has the label `{text}`")).help(help)
}

/// Rules that are on a cycle of preferences, or between two: what is left when rules that nothing is preferred to are
/// taken away again and again, and then the same from the other end.
fn cyclic(pairs: &[(usize, usize)]) -> BTreeSet<usize> {
    let forward = left_over(pairs.iter().copied());
    let inside = |&(above, under): &(usize, usize)| forward.contains(&above) && forward.contains(&under);
    left_over(
        pairs
            .iter()
            .copied()
            .filter(inside)
            .map(|(above, under)| (under, above)),
    )
}

fn left_over(pairs: impl Iterator<Item = (usize, usize)>) -> BTreeSet<usize> {
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for (above, under) in pairs {
        below.entry(above).or_default().push(under);
        *count.entry(under).or_default() += 1;
        count.entry(above).or_default();
    }
    let mut open: Vec<usize> = count
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(&rule, _)| rule)
        .collect();
    while let Some(rule) = open.pop() {
        count.remove(&rule);
        for under in below.get(&rule).into_iter().flatten() {
            if let Some(left) = count.get_mut(under) {
                *left -= 1;
                if *left == 0 {
                    open.push(*under);
                }
            }
        }
    }
    count.into_keys().collect()
}

/// The checks on a program as a whole.
fn check(program: &mut Program) {
    let mut found = Vec::new();
    check_arities(program, &mut found);
    check_names(program, &mut found);
    let mut seen: HashMap<(&Literal, &[Literal], bool), Span> = HashMap::new();
    for rule in &program.rules {
        let first = *seen.entry((&rule.head, &rule.body, rule.strict)).or_insert(rule.span);
        if first != rule.span {
            let message = format!("`{}` stands twice", program.rule_text(rule));
            found.push(
                Diagnostic::new(&codes::DUPLICATE_STATEMENT, rule.span, message)
                    .related(first, "the first one")
                    .help("delete one of them"),
            );
        }
    }
    program.diagnostics.extend(found);
}

fn check_arities(program: &Program, found: &mut Vec<Diagnostic>) {
    let mut arities: HashMap<Name, (usize, Span)> = HashMap::new();
    let mut reported = BTreeSet::new();
    for rule in &program.rules {
        for literal in rule.body.iter().chain([&rule.head]) {
            let &mut (arity, first) = arities
                .entry(literal.predicate)
                .or_insert((literal.args.len(), rule.span));
            if arity != literal.args.len() && reported.insert(literal.predicate) {
                let name = program.names.text(literal.predicate);
                let message = format!(
                    "`{name}` has {} here and {arity} elsewhere; these are two predicates",
                    count(literal.args.len())
                );
                found.push(
                    Diagnostic::new(&codes::TWO_ARITIES_OF_PREDICATE, rule.span, message)
                        .related(first, "used differently here")
                        .help("give it the same number of arguments everywhere, or another name"),
                );
            }
        }
    }
}

fn count(number: usize) -> String {
    match number {
        1 => "1 argument".to_string(),
        _ => format!("{number} arguments"),
    }
}

/// Predicates that only conditions name are common, because facts may be added later. One that looks like a defined
/// predicate is most likely misspelt.
fn check_names(program: &Program, found: &mut Vec<Diagnostic>) {
    let defined: BTreeSet<Name> = program.rules.iter().map(|rule| rule.head.predicate).collect();
    let candidates: Vec<&str> = defined.iter().map(|&name| program.names.text(name)).collect();
    let mut suggestions = Suggestions::default();
    let mut reported = BTreeSet::new();
    for rule in &program.rules {
        for literal in &rule.body {
            let predicate = literal.predicate;
            if defined.contains(&predicate) || !reported.insert(predicate) {
                continue;
            }
            let name = program.names.text(predicate);
            if let Some(close) = suggestions.closest(name, &candidates) {
                let message = format!("no fact or rule defines `{name}`");
                found.push(
                    Diagnostic::new(&codes::UNDEFINED_PREDICATE, rule.span, message)
                        .label("so this rule never applies")
                        .help(format!("did you mean `{close}`?")),
                );
            }
        }
    }
}
