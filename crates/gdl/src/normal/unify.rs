//! Unification of terms: to merge terms that must be equal, and to ask whether a literal can ever match a head.

use super::{Atom, Literal, Term};

/// Values of numbered variables; unbound ones stand for themselves.
#[derive(Clone, Debug)]
pub struct Substitution {
    values: Vec<Option<Term>>,
}

impl Substitution {
    /// Nothing is bound yet of so many variables.
    pub fn new(variables: u32) -> Substitution {
        Substitution {
            values: vec![None; variables as usize],
        }
    }

    /// Makes the two terms equal, or says that they cannot be.
    pub fn unify(&mut self, a: &Term, b: &Term) -> bool {
        let (a, b) = (self.walk(a), self.walk(b));
        match (&a, &b) {
            (Term::Variable(x), Term::Variable(y)) if x == y => true,
            (Term::Variable(x), other) | (other, Term::Variable(x)) => {
                if self.occurs(*x, other) {
                    return false;
                }
                self.values[*x as usize] = Some(other.clone());
                true
            }
            (Term::Constant(x), Term::Constant(y)) => x == y,
            (Term::Function(f, xs), Term::Function(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify(x, y))
            }
            _ => false,
        }
    }

    fn walk(&self, term: &Term) -> Term {
        let mut term = term;
        while let Term::Variable(number) = term {
            match &self.values[*number as usize] {
                Some(value) => term = value,
                None => break,
            }
        }
        term.clone()
    }

    fn occurs(&self, variable: u32, term: &Term) -> bool {
        match self.walk(term) {
            Term::Constant(_) => false,
            Term::Variable(number) => number == variable,
            Term::Function(_, args) => args.iter().any(|arg| self.occurs(variable, arg)),
        }
    }

    /// The term with the values of its variables.
    pub fn apply(&self, term: &Term) -> Term {
        match self.walk(term) {
            Term::Function(name, args) => Term::Function(name, args.iter().map(|arg| self.apply(arg)).collect()),
            other => other,
        }
    }

    /// The same for an atom.
    pub fn apply_atom(&self, atom: &Atom) -> Atom {
        Atom {
            name: atom.name,
            args: atom.args.iter().map(|arg| self.apply(arg)).collect(),
        }
    }

    /// The same for a literal.
    pub fn apply_literal(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.apply_atom(atom)),
            Literal::Negative(atom) => Literal::Negative(self.apply_atom(atom)),
            Literal::Distinct(a, b) => Literal::Distinct(self.apply(a), self.apply(b)),
        }
    }
}

/// Whether instances of two atoms from different rules can be the same.
pub(crate) fn can_match(a: &Atom, a_variables: u32, b: &Atom, b_variables: u32) -> bool {
    if a.relation() != b.relation() {
        return false;
    }
    let mut substitution = Substitution::new(a_variables + b_variables);
    a.args
        .iter()
        .zip(&b.args)
        .all(|(x, y)| substitution.unify(x, &y.shifted(a_variables)))
}
