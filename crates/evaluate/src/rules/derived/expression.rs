//! Expressions: conjunctions with variables of their own, which hold if they have a solution, and what can be measured
//! of them.

use super::Kind;
use ludens_gdl::Relation;
use ludens_gdl::normal::{Atom, Literal, Substitution, Term};

/// Conditions that must hold together; variables are numbered in the order in which they occur.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Conjunction {
    pub(super) literals: Vec<Literal>,
    pub(super) variables: u32,
}

impl Conjunction {
    pub(super) fn new(literals: &[Literal]) -> Conjunction {
        let mut numbers: Vec<u32> = Vec::new();
        for literal in literals {
            literal.variables(&mut |variable| {
                if !numbers.contains(&variable) {
                    numbers.push(variable);
                }
            });
        }
        let mut substitution =
            Substitution::new(numbers.iter().max().map_or(0, |most| most + 1) + numbers.len() as u32);
        // Two steps, so that old and new numbers do not mix.
        let offset = numbers.iter().max().map_or(0, |most| most + 1);
        for (new, &old) in (0..).zip(&numbers) {
            substitution.unify(&Term::Variable(old), &Term::Variable(offset + new));
        }
        let literals = literals
            .iter()
            .map(|literal| lowered(&substitution.apply_literal(literal), offset));
        Conjunction {
            literals: literals.collect(),
            variables: numbers.len() as u32,
        }
    }

    /// Returns the variables that positive conditions give values to.
    pub(super) fn bound(literals: &[Literal]) -> Vec<u32> {
        let mut bound = Vec::new();
        for literal in literals {
            if let Literal::Positive(atom) = literal {
                atom.variables(&mut |variable| bound.push(variable));
            }
        }
        bound.sort_unstable();
        bound.dedup();
        bound
    }
}

/// Returns the literal with numbers of variables that are lower by so much.
fn lowered(literal: &Literal, by: u32) -> Literal {
    fn term(of: &Term, by: u32) -> Term {
        match of {
            Term::Constant(name) => Term::Constant(*name),
            Term::Variable(number) => Term::Variable(number - by),
            Term::Function(name, args) => Term::Function(*name, args.iter().map(|arg| term(arg, by)).collect()),
        }
    }
    let atom = |of: &Atom| Atom {
        name: of.name,
        args: of.args.iter().map(|arg| term(arg, by)).collect(),
    };
    match literal {
        Literal::Positive(of) => Literal::Positive(atom(of)),
        Literal::Negative(of) => Literal::Negative(atom(of)),
        Literal::Distinct(a, b) => Literal::Distinct(term(a, by), term(b, by)),
    }
}

/// A leaf that is no single fluent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) conjunction: Conjunction,
    /// Kinds of features that its form allows.
    pub(super) kinds: Vec<Kind>,
    /// For an order or a distance between two values: which they are.
    pub(super) pair: Option<Pair>,
}

/// Two sides that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// The conditions of each side, by their numbers.
    pub(super) sides: [Vec<usize>; 2],
    /// The comparison: of two ordered terms, of arguments of two fluents, or of arguments of one relation.
    pub(super) compared: Compared,
}

/// The values of two sides that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// These two terms, by this relation.
    Order(Relation, [Term; 2]),
    /// These arguments of two fluents of the same name.
    Fluents(Vec<usize>),
    /// These two arguments of a relation that depends on itself, which have the same variable.
    Arguments([usize; 2]),
}

/// Sets of literals that have variables in common, directly or not, in the order of their first members.
pub(super) fn components(literals: &[Literal]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
    for (number, literal) in literals.iter().enumerate() {
        let mut variables = Vec::new();
        literal.variables(&mut |variable| variables.push(variable));
        let mut members = vec![number];
        let (joined, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(_, known)| known.iter().any(|variable| variables.contains(variable)));
        groups = apart;
        for (other, known) in joined {
            members.extend(other);
            variables.extend(known);
        }
        members.sort_unstable();
        groups.push((members, variables));
    }
    let mut groups: Vec<Vec<usize>> = groups.into_iter().map(|(members, _)| members).collect();
    groups.sort_unstable();
    groups
}
