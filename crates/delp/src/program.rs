//! Defeasible programs as values: literals, facts, strict and defeasible rules, priorities and queries.
//!
//! A program is made by [`Program::read`](crate::read) or put together in code. Names are interned in the program, so
//! literals are small and compare fast; they mean something only together with their program.

use ludens_gdl::{Diagnostic, Source, Span};
use std::collections::HashMap;

/// An interned name of a predicate, a constant or a variable.
pub type Name = u32;

/// An argument of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A constant.
    Constant(Name),
    /// A variable, by its number within the rule.
    Variable(u32),
}

/// A literal: an atom or its strong negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// Whether it is negated with `~`.
    pub negated: bool,
    /// The predicate.
    pub predicate: Name,
    /// The arguments.
    pub args: Vec<Term>,
}

impl Literal {
    /// The literal that contradicts this one.
    pub fn complement(&self) -> Literal {
        Literal {
            negated: !self.negated,
            ..self.clone()
        }
    }

    /// Whether no argument is a variable.
    pub fn is_ground(&self) -> bool {
        self.args.iter().all(|term| matches!(term, Term::Constant(_)))
    }
}

/// A statement: a fact, a strict rule, a defeasible rule or a presumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it concludes.
    pub head: Literal,
    /// What it needs; empty for facts and presumptions.
    pub body: Vec<Literal>,
    /// Whether it is a fact or a strict rule.
    pub strict: bool,
    /// Names of the variables, by number.
    pub variables: Vec<Name>,
    /// Its label, if any: what priorities name it by.
    pub label: Option<Name>,
    /// Its place in the text.
    pub span: Span,
}

impl Rule {
    /// Whether it is a fact.
    pub fn is_fact(&self) -> bool {
        self.strict && self.body.is_empty()
    }

    /// Whether it is a presumption: a defeasible rule without conditions.
    pub fn is_presumption(&self) -> bool {
        !self.strict && self.body.is_empty()
    }
}

/// A query of the text, `?- literal.`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked. Variables stand for every constant.
    pub literal: Literal,
    /// Its place in the text.
    pub span: Span,
}

/// Interned names. Unlike those of GDL, capitals count.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, Name>,
}

impl Names {
    /// The number of a name.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as Name;
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), number);
        number
    }

    /// The number of a name that is known.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name as usize).map_or("", String::as_str)
    }
}

/// A defeasible program with the diagnostics of its text.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text.
    pub source: Source,
    /// Interned names.
    pub names: Names,
    /// Facts and rules, in the order of the text.
    pub rules: Vec<Rule>,
    /// Pairs of rules, by their numbers: the first is preferred to the second. Preferences are transitive.
    pub priorities: Vec<(usize, usize)>,
    /// Queries of the text.
    pub queries: Vec<Query>,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Program {
    /// Whether no diagnostic is an error.
    pub fn is_valid(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The same program with more facts, given as the text of statements, such as `losing(player).` Their diagnostics are
    /// added with places in `text`.
    pub fn extended(&self, text: &str) -> Program {
        let joined = format!("{}\n{text}", self.source.text());
        Program::read(Source::new(self.source.name(), joined))
    }

    /// Whether the predicate of a literal occurs in the program with this number of arguments, and all its constants
    /// occur too.
    pub fn has_in_signature(&self, literal: &Literal) -> bool {
        let literals = || self.rules.iter().flat_map(|rule| rule.body.iter().chain([&rule.head]));
        let has_predicate =
            literals().any(|other| other.predicate == literal.predicate && other.args.len() == literal.args.len());
        let has = |term: &Term| match term {
            Term::Variable(_) => true,
            Term::Constant(_) => literals().any(|other| other.args.contains(term)),
        };
        has_predicate && literal.args.iter().all(has)
    }

    /// Every constant of the program, without repetition, sorted by number.
    pub fn constants(&self) -> Vec<Name> {
        let literals = self.rules.iter().flat_map(|rule| rule.body.iter().chain([&rule.head]));
        let mut constants: Vec<Name> = literals
            .flat_map(|literal| &literal.args)
            .filter_map(|term| match term {
                Term::Constant(name) => Some(*name),
                Term::Variable(_) => None,
            })
            .collect();
        constants.sort_unstable();
        constants.dedup();
        constants
    }

    /// A literal as text; `variables` are the names of the variables of its rule.
    pub fn literal_text(&self, literal: &Literal, variables: &[Name]) -> String {
        let sign = if literal.negated { "~" } else { "" };
        let args: Vec<&str> = literal
            .args
            .iter()
            .map(|term| match term {
                Term::Constant(name) => self.names.text(*name),
                Term::Variable(number) => variables
                    .get(*number as usize)
                    .map_or("_", |name| self.names.text(*name)),
            })
            .collect();
        match args.is_empty() {
            true => format!("{sign}{}", self.names.text(literal.predicate)),
            false => format!("{sign}{}({})", self.names.text(literal.predicate), args.join(", ")),
        }
    }

    /// A rule as text, without its label and full stop.
    pub fn rule_text(&self, rule: &Rule) -> String {
        let head = self.literal_text(&rule.head, &rule.variables);
        let body: Vec<String> = rule
            .body
            .iter()
            .map(|literal| self.literal_text(literal, &rule.variables))
            .collect();
        statement_text(&head, &body, rule.strict)
    }

    /// The line of a rule in the text, counted from one.
    pub fn line(&self, rule: usize) -> usize {
        self.rules
            .get(rule)
            .map_or(0, |rule| self.source.place(rule.span.start).line)
    }
}

/// A fact or rule as text, without a full stop.
pub(crate) fn statement_text(head: &str, body: &[String], strict: bool) -> String {
    match (strict, body.is_empty()) {
        (true, true) => head.to_string(),
        (false, true) => format!("{head} -<"),
        (true, false) => format!("{head} <- {}", body.join(", ")),
        (false, false) => format!("{head} -< {}", body.join(", ")),
    }
}
