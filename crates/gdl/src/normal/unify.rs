//! Unification of terms: to merge terms that must be equal, and to ask whether a literal can ever match a head.

use super::{Atom, Literal, Term};

/// Values of numbered variables; unbound ones stand for themselves.
#[derive(Clone, Debug)]
pub struct Substitution {
    values: Vec<Option<Term>>,
    /// Steps that the current call may still take.
    steps: u32,
    exhausted: bool,
}

/// Steps of one unification. Variables that stand for terms with variables that stand for terms, and so on, can make
/// terms that are exponentially larger than the rules; these take more.
const MOST_STEPS: u32 = 100_000;
/// Nesting of terms that unification follows.
const MOST_DEPTH: u32 = 2_000;

impl Substitution {
    /// Starts with `variables` unbound variables.
    pub fn new(variables: u32) -> Substitution {
        Substitution {
            values: vec![None; variables as usize],
            steps: 0,
            exhausted: false,
        }
    }

    /// Makes the two terms equal, or says that they cannot be or that it takes too long to find out.
    pub fn unify(&mut self, a: &Term, b: &Term) -> bool {
        self.steps = MOST_STEPS;
        self.equate(a, b, MOST_DEPTH)
    }

    /// Whether a unification took too long.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Returns the number of symbols of a term with the values of its variables, or `None` if there are more than
    /// `most` or it is nested too deeply.
    pub(super) fn size(&self, term: &Term, most: usize) -> Option<usize> {
        self.size_within(term, most, MOST_DEPTH)
    }

    fn size_within(&self, term: &Term, most: usize, depth: u32) -> Option<usize> {
        match self.walk(term) {
            Term::Function(_, args) => args.iter().try_fold(1usize, |size, arg| {
                let size = size + self.size_within(arg, most.checked_sub(size)?, depth.checked_sub(1)?)?;
                (size <= most).then_some(size)
            }),
            Term::Constant(_) | Term::Variable(_) => (most > 0).then_some(1),
        }
    }

    /// Counts a step; false if there were too many, or so deeply nested ones that recursion has to end.
    fn count(&mut self, depth: u32) -> bool {
        self.exhausted |= self.steps == 0 || depth == 0;
        self.steps = self.steps.saturating_sub(1);
        !self.exhausted
    }

    fn equate(&mut self, a: &Term, b: &Term, depth: u32) -> bool {
        if !self.count(depth) {
            return false;
        }
        let (a, b) = (self.walk(a), self.walk(b));
        match (&a, &b) {
            (Term::Variable(x), Term::Variable(y)) if x == y => true,
            (Term::Variable(x), other) | (other, Term::Variable(x)) => {
                if self.occurs(*x, other, depth) {
                    return false;
                }
                self.values[*x as usize] = Some(other.clone());
                true
            }
            (Term::Constant(x), Term::Constant(y)) => x == y,
            (Term::Function(f, xs), Term::Function(g, ys)) => {
                f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.equate(x, y, depth - 1))
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

    fn occurs(&mut self, variable: u32, term: &Term, depth: u32) -> bool {
        if !self.count(depth) {
            return true;
        }
        match self.walk(term) {
            Term::Constant(_) => false,
            Term::Variable(number) => number == variable,
            Term::Function(_, args) => args.iter().any(|arg| self.occurs(variable, arg, depth - 1)),
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
