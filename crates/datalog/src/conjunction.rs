//! Conjunctions asked once: the values that some variables can have, by backtracking over tables of facts.
//!
//! A [`Program`](crate::Program) plans its rules for many evaluations. Here a conjunction is joined as it comes: the
//! condition with the fewest matching rows is next, and indexes are made when they are first needed.

use crate::{TermId, TermPool};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use ludens_gdl::normal::Term;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

type Index = HashMap<Vec<TermId>, Vec<u32>, FixedState>;

/// Facts of one relation, with indexes by some columns that are made when they are first asked for.
pub struct Facts {
    width: usize,
    len: usize,
    rows: Vec<TermId>,
    indexes: RefCell<HashMap<u32, Arc<Index>, FixedState>>,
}

impl Facts {
    /// Creates an empty table with the given number of columns.
    pub fn new(width: usize) -> Facts {
        Facts {
            width,
            len: 0,
            rows: Vec::new(),
            indexes: RefCell::default(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[TermId]) {
        self.rows.extend_from_slice(row);
        self.len += 1;
    }

    /// Returns all rows.
    pub fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.len).map(|number| self.row(number))
    }

    fn row(&self, number: usize) -> &[TermId] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// Returns the number of the first row with these values; `None` if there is none.
    pub fn find(&self, row: &[TermId], work: &Cell<usize>) -> Option<usize> {
        let all = (1u32 << self.width.min(31)) - 1;
        let index = self.index(all, work);
        Some(*index.get(row)?.first()? as usize)
    }

    /// Returns the rows by some columns. Making an index counts as work, as there can be one for every set of columns.
    fn index(&self, columns: u32, work: &Cell<usize>) -> Arc<Index> {
        let mut indexes = self.indexes.borrow_mut();
        let index = indexes.entry(columns).or_insert_with(|| {
            work.set(work.get() + self.len);
            let mut index = Index::default();
            for number in 0..self.len {
                index
                    .entry(key(self.row(number), columns))
                    .or_default()
                    .push(number as u32);
            }
            Arc::new(index)
        });
        index.clone()
    }
}

fn key(row: &[TermId], columns: u32) -> Vec<TermId> {
    let chosen = row.iter().enumerate().filter(|(column, _)| columns >> column & 1 == 1);
    chosen.map(|(_, &term)| term).collect()
}

/// A positive condition: some row fits the patterns.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// `None` if there is no row at all.
    pub facts: Option<&'a Facts>,
    /// A pattern for each column.
    pub patterns: &'a [Term],
}

/// A condition that binds no variables.
pub enum Test<'a> {
    /// The terms differ.
    Distinct(&'a Term, &'a Term),
    /// No row equals the terms; always true without facts.
    Not(Source<'a>),
}

/// A conjunction to solve.
pub struct Conjunction<'a> {
    /// The terms of the facts.
    pub pool: &'a TermPool,
    /// Positive conditions.
    pub sources: Vec<Source<'a>>,
    /// Conditions that only filter.
    pub tests: Vec<Test<'a>>,
    /// Number of variables.
    pub variables: u32,
    /// The variables whose values are asked for.
    pub wanted: &'a [u32],
    /// Maximum number of solutions.
    pub most: usize,
    /// Maximum number of rows to visit.
    pub most_work: usize,
}

impl Conjunction<'_> {
    /// Returns the different values of the wanted variables; `None` if there are more than `most` or it is too much
    /// work. Adds the rows visited to `work`.
    pub fn solutions(self, work: &Cell<usize>) -> Option<Vec<Vec<TermId>>> {
        let Conjunction { most, most_work, .. } = self;
        let mut join = Join {
            slots: vec![None; self.variables as usize],
            found: HashSet::default(),
            order: Vec::new(),
            work: Cell::new(0),
            indexing: work,
            asked: &self,
        };
        join.run(self.sources.clone());
        let own = join.work.get();
        work.set(work.get() + own);
        (join.order.len() <= most && own <= most_work).then_some(join.order)
    }
}

struct Join<'a> {
    asked: &'a Conjunction<'a>,
    slots: Vec<Option<TermId>>,
    found: HashSet<Vec<TermId>, FixedState>,
    /// The solutions, in the order in which they were found.
    order: Vec<Vec<TermId>>,
    work: Cell<usize>,
    /// Counts the work for indexes.
    indexing: &'a Cell<usize>,
}

impl Join<'_> {
    /// Goes on with the conditions that are left; returns whether they can hold.
    fn run(&mut self, mut left: Vec<Source<'_>>) -> bool {
        let asked = self.asked;
        if self.order.len() > asked.most
            || self.work.get() > asked.most_work
            || !asked.tests.iter().all(|test| self.passes(test))
        {
            return false;
        }
        let values = asked.wanted.iter().map(|&variable| self.slots[variable as usize]);
        let values: Option<Vec<TermId>> = values.collect();
        let is_settled = values.is_some();
        if left.is_empty() {
            // A variable that no condition binds is one of those that negations have for themselves.
            if let Some(values) = values
                && self.found.insert(values.clone())
            {
                self.order.push(values);
            }
            return true;
        }
        let Some((next, rows)) = self.choose(&left) else {
            return false;
        };
        let Source { facts, patterns } = left.swap_remove(next);
        let Some(facts) = facts else {
            return false;
        };
        let mut is_found = false;
        let mut trail = Vec::new();
        for row in rows {
            self.work.set(self.work.get() + 1);
            let mut pairs = patterns.iter().zip(facts.row(row as usize));
            if pairs.all(|(pattern, &term)| asked.pool.bind(pattern, term, &mut self.slots, &mut trail)) {
                is_found |= self.run(left.clone());
            }
            for variable in trail.drain(..) {
                self.slots[variable as usize] = None;
            }
            // Once the wanted values are known, one way to go on is enough.
            if is_found && is_settled {
                break;
            }
        }
        is_found
    }

    /// Returns the condition with the fewest rows that fit, and these.
    fn choose(&self, left: &[Source<'_>]) -> Option<(usize, Vec<u32>)> {
        let mut best: Option<(usize, Vec<u32>)> = None;
        for (number, source) in left.iter().enumerate() {
            let facts = source.facts?;
            let mut columns = 0u32;
            let mut values = Vec::new();
            for (column, pattern) in source.patterns.iter().enumerate().take(31) {
                if let Some(value) = self.asked.pool.value(pattern, &self.slots) {
                    columns |= 1 << column;
                    values.push(value?);
                }
            }
            let rows = match columns {
                0 => (0..facts.len as u32).collect(),
                _ => facts
                    .index(columns, self.indexing)
                    .get(&values)
                    .cloned()
                    .unwrap_or_default(),
            };
            self.work.set(self.work.get() + rows.len() / 16 + 1);
            if rows.is_empty() {
                return None;
            }
            if best.as_ref().is_none_or(|(_, known)| rows.len() < known.len()) {
                best = Some((number, rows));
            }
        }
        best
    }

    /// Returns whether a test does not fail yet.
    fn passes(&self, test: &Test<'_>) -> bool {
        let value = |term| self.asked.pool.value(term, &self.slots);
        match test {
            Test::Distinct(a, b) => match (value(a), value(b)) {
                (Some(a), Some(b)) => a != b || a.is_none(),
                _ => true,
            },
            Test::Not(Source { facts, patterns }) => {
                let Some(values) = patterns.iter().map(value).collect::<Option<Vec<_>>>() else {
                    return true;
                };
                let values: Option<Vec<TermId>> = values.into_iter().collect();
                match (values, facts) {
                    (Some(values), Some(facts)) => facts.find(&values, self.indexing).is_none(),
                    _ => true,
                }
            }
        }
    }
}

impl TermPool {
    /// Returns the value of a term with bound variables: `None` if one is not bound, an inner `None` if no such term
    /// occurs.
    pub fn value(&self, term: &Term, slots: &[Option<TermId>]) -> Option<Option<TermId>> {
        match term {
            Term::Constant(name) => Some(self.find(*name, &[])),
            Term::Variable(variable) => slots.get(*variable as usize).copied().flatten().map(Some),
            Term::Function(name, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    match self.value(arg, slots)? {
                        Some(value) => values.push(value),
                        None => return Some(None),
                    }
                }
                Some(self.find(*name, &values))
            }
        }
    }

    /// Makes a pattern equal to a term by binding variables, which are noted on the trail; returns whether that is
    /// possible.
    pub fn bind(&self, pattern: &Term, term: TermId, slots: &mut [Option<TermId>], trail: &mut Vec<u32>) -> bool {
        match pattern {
            Term::Constant(name) => self.name(term) == *name && self.args(term).is_empty(),
            Term::Variable(variable) => match slots[*variable as usize] {
                Some(known) => known == term,
                None => {
                    slots[*variable as usize] = Some(term);
                    trail.push(*variable);
                    true
                }
            },
            Term::Function(name, patterns) => {
                let args = self.args(term);
                self.name(term) == *name
                    && args.len() == patterns.len()
                    && patterns
                        .iter()
                        .zip(args)
                        .all(|(pattern, &arg)| self.bind(pattern, arg, slots, trail))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Symbols;

    /// Solves `(edge ?0 ?1) (edge ?1 ?2)` with tests over a cycle of four, and returns the number of solutions.
    fn paths(wanted: &[u32], most: usize, most_work: usize, is_tested: bool) -> Option<usize> {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c", "d"].map(|name| symbols.intern(name));
        let mut pool = TermPool::default();
        let terms = names.map(|name| pool.intern(name, &[]));
        let mut edges = Facts::new(2);
        for from in 0..4 {
            edges.push(&[terms[from], terms[(from + 1) % 4]]);
        }
        // A chord, so that `a` leads to `c` in two ways.
        edges.push(&[terms[0], terms[3]]);
        edges.push(&[terms[3], terms[2]]);
        let variables = [0, 1, 2].map(Term::Variable);
        let source = |patterns| Source {
            facts: Some(&edges),
            patterns,
        };
        let a = Term::Constant(names[0]);
        let ends = [variables[0].clone(), variables[2].clone()];
        let tests = match is_tested {
            true => vec![Test::Distinct(&variables[0], &a), Test::Not(source(&ends))],
            false => Vec::new(),
        };
        let conjunction = Conjunction {
            pool: &pool,
            sources: vec![source(&variables[..2]), source(&variables[1..])],
            tests,
            variables: 3,
            wanted,
            most,
            most_work,
        };
        Some(conjunction.solutions(&Cell::new(0))?.len())
    }

    #[test]
    fn solutions_are_the_different_values_of_the_wanted_variables() {
        // There are nine paths of two edges.
        assert_eq!(paths(&[0, 1, 2], 100, 1000, false), Some(9));
        assert_eq!(paths(&[0, 2], 100, 1000, false), Some(7));
        assert_eq!(paths(&[], 100, 1000, false), Some(1));
        assert_eq!(paths(&[0, 2], 100, 1000, true), Some(5));
    }

    #[test]
    fn too_many_solutions_or_too_much_work_give_none() {
        assert_eq!(paths(&[0, 2], 6, 1000, false), None);
        assert_eq!(paths(&[0, 2], 100, 3, false), None);
    }
}
