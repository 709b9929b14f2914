//! The normal form that engines run.
//!
//! From rules as written to rules whose bodies are plain lists of literals: `or` and nested `not` are expanded, equal
//! terms are unified away, constant `distinct` is decided, variables are numbered, and negation and `distinct` stand
//! after the literals that bind their variables. Two defects of published games are repaired as the field does: a free
//! role variable in the head of `legal`, `goal` or `sees` ranges over the roles, and a variable that occurs under `not`
//! alone is read as "for no value". Rules that no reading can save are left out and listed.

use crate::rule::{Relation, Rules};
use crate::symbol::{Symbol, Symbols, keyword};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

mod expand;
mod order;
mod strata;
mod unify;

pub use strata::{Strata, Stratum, Unstratified};
pub use unify::Substitution;

/// A term without places; variables are numbered within their rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// An object constant.
    Constant(Symbol),
    /// A variable of the rule.
    Variable(u32),
    /// A function applied to at least one argument.
    Function(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for every variable, with repetitions.
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Term::Constant(_) => {}
            Term::Variable(number) => visit(*number),
            Term::Function(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }

    /// Returns the functor (name and number of arguments) and the arguments; `None` for a variable.
    pub fn parts(&self) -> Option<((Symbol, usize), &[Term])> {
        match self {
            Term::Constant(name) => Some(((*name, 0), &[])),
            Term::Function(name, args) => Some(((*name, args.len()), args)),
            Term::Variable(_) => None,
        }
    }

    /// Whether it holds no variable.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Constant(_) => true,
            Term::Variable(_) => false,
            Term::Function(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// The term with numbers of variables that are greater by so much, to tell them from those of another rule.
    pub fn shifted(&self, by: u32) -> Term {
        match self {
            Term::Constant(name) => Term::Constant(*name),
            Term::Variable(number) => Term::Variable(number + by),
            Term::Function(name, args) => Term::Function(*name, args.iter().map(|arg| arg.shifted(by)).collect()),
        }
    }
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The relation's name.
    pub name: Symbol,
    /// Its arguments.
    pub args: Vec<Term>,
}

impl Atom {
    /// The relation of the atom.
    pub fn relation(&self) -> Relation {
        Relation::new(self.name, self.args.len())
    }

    /// Calls `visit` for every variable, with repetitions.
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        self.args.iter().for_each(|arg| arg.variables(visit));
    }

    /// The atom with greater numbers of variables; see [`Term::shifted`].
    pub fn shifted(&self, by: u32) -> Atom {
        Atom {
            name: self.name,
            args: self.args.iter().map(|arg| arg.shifted(by)).collect(),
        }
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// No instance of the atom holds; variables that nothing else binds are local to it.
    Negative(Atom),
    /// The terms differ.
    Distinct(Term, Term),
}

impl Literal {
    /// The atom and whether it is negated, unless it is a `distinct`.
    pub fn atom(&self) -> Option<(&Atom, bool)> {
        match self {
            Literal::Positive(atom) => Some((atom, false)),
            Literal::Negative(atom) => Some((atom, true)),
            Literal::Distinct(..) => None,
        }
    }

    /// Calls `visit` for every variable, with repetitions.
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.variables(visit),
            Literal::Distinct(a, b) => {
                a.variables(visit);
                b.variables(visit);
            }
        }
    }

    /// The literal with greater numbers of variables; see [`Term::shifted`].
    pub fn shifted(&self, by: u32) -> Literal {
        match self {
            Literal::Positive(atom) => Literal::Positive(atom.shifted(by)),
            Literal::Negative(atom) => Literal::Negative(atom.shifted(by)),
            Literal::Distinct(a, b) => Literal::Distinct(a.shifted(by), b.shifted(by)),
        }
    }
}

/// A rule in normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NormalRule {
    /// The atom that is derived.
    pub head: Atom,
    /// The conditions, with negation and `distinct` after the literals that bind their variables.
    pub body: Vec<Literal>,
    /// Number of variables of the rule.
    pub variables: u32,
    /// Index of the written rule that it comes from.
    pub source: usize,
}

/// A rule set in normal form.
#[derive(Clone, Debug)]
pub struct NormalRules {
    /// The names, with those of helper relations that the expansion introduced.
    pub symbols: Symbols,
    /// The rules; facts have an empty body.
    pub rules: Vec<NormalRule>,
    /// Indices of written rules that could not be saved.
    pub left_out: Vec<usize>,
}

impl NormalRules {
    /// The normal form of a rule set.
    pub fn new(rules: &Rules) -> NormalRules {
        expand::expand(rules)
    }

    /// The roles that facts list, in the order of the text.
    pub fn listed_roles(&self) -> Vec<Symbol> {
        let mut roles = Vec::new();
        let mut known: HashSet<Symbol, RandomState> = HashSet::default();
        let facts = self.rules.iter().filter(|rule| rule.body.is_empty());
        for rule in facts.filter(|rule| rule.head.relation() == Relation::new(keyword::ROLE, 1)) {
            if let Term::Constant(role) = rule.head.args[0]
                && known.insert(role)
            {
                roles.push(role);
            }
        }
        roles
    }

    /// The order in which engines can derive everything, or the reason why there is none.
    pub fn strata(&self) -> Result<Strata, Unstratified> {
        strata::strata(self)
    }
}
