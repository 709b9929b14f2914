//! The rules as the author wrote them: terms, atoms, formulas and rules, each with its span.
//!
//! This is what the checks look at. It still has `or`, nested `not` and unordered bodies; [`crate::normal`] removes
//! them. A name without arguments and the same name in parentheses are one and the same: `(f)` is `f`.

use crate::keyword;
use crate::normal;
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};

/// A term with its place.
#[derive(Clone, Debug)]
pub struct Term {
    /// The kind of term.
    pub kind: TermKind,
    /// Its span in the text.
    pub span: Span,
}

/// The three kinds of terms.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// An object constant.
    Constant(Symbol),
    /// A variable; its scope is one rule.
    Variable(Symbol),
    /// A function applied to at least one argument.
    Function(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for this term and all terms inside it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        visit(self);
        if let TermKind::Function(_, args) = &self.kind {
            args.iter().for_each(|arg| arg.walk(visit));
        }
    }

    /// Calls `visit` for every variable with its place.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.walk(&mut |term| {
            if let TermKind::Variable(name) = term.kind {
                visit(name, term.span);
            }
        });
    }

    /// The name and number of arguments, unless it is a variable.
    pub fn shape(&self) -> Option<(Symbol, usize)> {
        match &self.kind {
            TermKind::Constant(name) => Some((*name, 0)),
            TermKind::Function(name, args) => Some((*name, args.len())),
            TermKind::Variable(_) => None,
        }
    }

    /// Equal but for places.
    pub fn same(&self, other: &Term) -> bool {
        match (&self.kind, &other.kind) {
            (TermKind::Constant(a), TermKind::Constant(b)) => a == b,
            (TermKind::Variable(a), TermKind::Variable(b)) => a == b,
            (TermKind::Function(f, a), TermKind::Function(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }

    /// The same term without places, or `None` if it contains a variable.
    pub fn to_ground(&self) -> Option<normal::Term> {
        Some(match &self.kind {
            TermKind::Constant(name) => normal::Term::Constant(*name),
            TermKind::Variable(_) => return None,
            TermKind::Function(name, args) => {
                let args: Option<Vec<normal::Term>> = args.iter().map(Term::to_ground).collect();
                normal::Term::Function(*name, args?)
            }
        })
    }

    /// Whether it holds no variable.
    pub fn is_ground(&self) -> bool {
        let mut ground = true;
        self.variables(&mut |_, _| ground = false);
        ground
    }
}

/// The identity of a relation: its name and number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation {
    /// The name.
    pub name: Symbol,
    /// The number of arguments.
    pub arity: usize,
}

impl Relation {
    /// The relation of this name and arity.
    pub const fn new(name: Symbol, arity: usize) -> Relation {
        Relation { name, arity }
    }
}

/// The goal value that a constant stands for: a whole number from 0 to 100 in digits.
pub fn goal_value(text: &str) -> Option<u8> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&value| is_number && value <= 100)
}

/// A relation applied to terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation's name.
    pub name: Symbol,
    /// The arguments, none for a proposition.
    pub args: Vec<Term>,
    /// Its span in the text.
    pub span: Span,
}

impl Atom {
    /// The relation of the atom.
    pub fn relation(&self) -> Relation {
        Relation::new(self.name, self.args.len())
    }

    /// Calls `visit` for every variable with its place.
    pub fn variables(&self, visit: &mut impl FnMut(Symbol, Span)) {
        self.args.iter().for_each(|arg| arg.variables(visit));
    }
}

/// A condition in a body.
#[derive(Clone, Debug)]
pub enum Formula {
    /// The atom holds.
    Atom(Atom),
    /// The formula does not hold.
    Not(Box<Formula>, Span),
    /// One of the formulas holds.
    Or(Vec<Formula>, Span),
    /// All of the formulas hold.
    And(Vec<Formula>, Span),
    /// The terms differ.
    Distinct(Term, Term, Span),
}

impl Formula {
    /// Its span in the text.
    pub fn span(&self) -> Span {
        match self {
            Formula::Atom(atom) => atom.span,
            Formula::Not(_, span) | Formula::Or(_, span) | Formula::And(_, span) => *span,
            Formula::Distinct(_, _, span) => *span,
        }
    }

    /// Calls `visit` for every atom, with whether it stands under an odd number of `not`.
    pub fn atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        self.atoms_under(false, visit);
    }

    fn atoms_under<'a>(&'a self, negated: bool, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Formula::Atom(atom) => visit(atom, negated),
            Formula::Not(inner, _) => inner.atoms_under(!negated, visit),
            Formula::Or(parts, _) | Formula::And(parts, _) => {
                parts.iter().for_each(|part| part.atoms_under(negated, visit));
            }
            Formula::Distinct(..) => {}
        }
    }

    /// Calls `visit` for every `distinct`.
    pub fn distincts<'a>(&'a self, visit: &mut impl FnMut(&'a Term, &'a Term, Span)) {
        match self {
            Formula::Atom(_) => {}
            Formula::Not(inner, _) => inner.distincts(visit),
            Formula::Or(parts, _) | Formula::And(parts, _) => {
                parts.iter().for_each(|part| part.distincts(visit));
            }
            Formula::Distinct(a, b, span) => visit(a, b, *span),
        }
    }
}

/// A fact or rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The atom that is derived.
    pub head: Atom,
    /// Under which conditions, all of which must hold.
    pub body: Vec<Formula>,
    /// The whole statement.
    pub span: Span,
}

impl Rule {
    /// Calls `visit` for every atom of the body, with whether it is negated.
    pub fn body_atoms<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        self.body.iter().for_each(|formula| formula.atoms(visit));
    }
}

/// All rules of a text, with the names they use.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The names.
    pub symbols: Symbols,
    /// The rules, in the order of the text.
    pub rules: Vec<Rule>,
}

impl Rules {
    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// Whether some rule says what a role `sees` (GDL-II), so that information is hidden from roles.
    pub fn hide_information(&self) -> bool {
        self.rules.iter().any(|rule| rule.head.name == keyword::SEES)
    }
}
