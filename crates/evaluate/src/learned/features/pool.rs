//! The pool of expressions: what stands in the rules, generalised and specialised.
//!
//! Values for variables come from the fluents that can hold, as grounding found them: that is the domain of an
//! argument, and a smaller one than what can be read off the rules. Where a game is not ground, the fluents that were
//! seen in random play stand for all. An expression is specialised one variable at a time, the general ones first,
//! until the pool is full. Of expressions with the same instances one is kept.

use super::pattern;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, Named};
use ludens_gdl::normal::{Literal, Term};
use ludens_gdl::symbol::keyword;
use std::collections::VecDeque;
use std::sync::Arc;

/// How an expression came into the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It stands in the rules.
    Written,
    /// Constants were replaced by variables.
    Generalised,
    /// Variables were replaced by constants.
    Specialised,
}

impl Origin {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Written => "written",
            Origin::Generalised => "generalised",
            Origin::Specialised => "specialised",
        }
    }
}

/// An expression over fluents; its value in a state is the number of its instances that hold there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    pub(crate) pattern: Term,
    /// Its instances, by their places among all fluents, in increasing order.
    pub(crate) instances: Vec<u32>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Expression {
    /// Returns the expression as text: `?` for a variable that occurs once, `?a`, `?b` and so on for others.
    pub fn text(&self, game: &Game) -> String {
        pattern::text(&self.pattern, game.vocabulary().symbols())
    }
}

/// All expressions.
pub struct Pool {
    fluents: Vec<(Fluent, Arc<Named>)>,
    expressions: Vec<Expression>,
    /// Whether there was room for all.
    pub is_complete: bool,
}

impl Pool {
    /// Collects at most `most` expressions of a game over these fluents.
    pub fn new(game: &Game, fluents: &[Fluent], most: usize, budget: &Budget) -> Pool {
        let names = fluents
            .iter()
            .map(|&fluent| (fluent, game.vocabulary().fluent_name(fluent)));
        let mut pool = Filling {
            fluents: names.collect(),
            by_head: HashMap::default(),
            expressions: Vec::new(),
            patterns: HashSet::default(),
            extensions: HashSet::default(),
            most,
        };
        for (place, (_, named)) in pool.fluents.iter().enumerate() {
            pool.by_head.entry(functor(&named.term)).or_default().push(place as u32);
        }
        let written = written(game);
        for term in &written {
            pool.add_all_instances(term, Origin::Written);
        }
        for term in &written {
            for general in pattern::generalised(term) {
                pool.add_all_instances(&general, Origin::Generalised);
            }
        }
        let is_complete = pool.specialise(budget);
        Pool {
            fluents: pool.fluents,
            expressions: pool.expressions,
            is_complete,
        }
    }

    /// Returns the expressions, in the order in which they were found: written, generalised, specialised.
    pub fn expressions(&self) -> &[Expression] {
        &self.expressions
    }

    /// Returns the fluents that instances are counted by.
    pub fn fluents(&self) -> impl ExactSizeIterator<Item = Fluent> {
        self.fluents.iter().map(|(fluent, _)| *fluent)
    }

    /// Returns the instances of an expression.
    pub fn instances<'p>(&'p self, expression: &'p Expression) -> impl Iterator<Item = Fluent> + 'p {
        let places = expression.instances.iter();
        places.map(|&place| self.fluents[place as usize].0)
    }

    /// Returns for each fluent of the pool, by its place, the expressions that it is an instance of.
    pub(crate) fn index(&self) -> Vec<Vec<u32>> {
        let mut index = vec![Vec::new(); self.fluents.len()];
        for (number, expression) in (0..).zip(&self.expressions) {
            for &place in &expression.instances {
                index[place as usize].push(number);
            }
        }
        index
    }

    /// Pairs of expressions that are the same but for one constant, for those expressions of a list that have such
    /// siblings; each pair once, at most `most`.
    pub(crate) fn siblings(&self, of: &[usize], most: usize) -> Vec<(usize, usize)> {
        let mut families: HashMap<(Term, usize), Vec<usize>, FixedState> = HashMap::default();
        for (number, expression) in self.expressions.iter().enumerate() {
            for key in pattern::without_one_constant(&expression.pattern) {
                families.entry(key).or_default().push(number);
            }
        }
        let mut pairs = Vec::new();
        let mut seen: HashSet<(usize, usize), FixedState> = HashSet::default();
        for &number in of {
            for key in pattern::without_one_constant(&self.expressions[number].pattern) {
                for &other in families.get(&key).map_or(&[][..], |family| family) {
                    let pair = (number.min(other), number.max(other));
                    if other != number && seen.insert(pair) {
                        pairs.push(pair);
                        if pairs.len() >= most {
                            return pairs;
                        }
                    }
                }
            }
        }
        pairs
    }
}

/// Returns the name and the number of arguments of a fluent; `None` for a variable.
fn functor(term: &Term) -> Option<(ludens_gdl::Symbol, usize)> {
    term.parts().map(|(functor, _)| functor)
}

/// Returns the expressions over fluents that stand in the rules, each once.
fn written(game: &Game) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen: HashSet<Term, FixedState> = HashSet::default();
    let mut add = |name, args: &[Term]| {
        if let (keyword::TRUE | keyword::NEXT | keyword::INIT, [term]) = (name, args)
            // A variable alone matches every fluent.
            && !matches!(term, Term::Variable(_))
        {
            let term = pattern::numbered(term);
            if seen.insert(term.clone()) {
                found.push(term);
            }
        }
    };
    for rule in &game.rules().rules {
        add(rule.head.name, &rule.head.args);
        for (atom, _) in rule.body.iter().filter_map(Literal::atom) {
            add(atom.name, &atom.args);
        }
    }
    found
}

/// A pool that is being filled.
struct Filling {
    fluents: Vec<(Fluent, Arc<Named>)>,
    by_head: HashMap<Option<(ludens_gdl::Symbol, usize)>, Vec<u32>, FixedState>,
    expressions: Vec<Expression>,
    patterns: HashSet<Term, FixedState>,
    extensions: HashSet<Vec<u32>, FixedState>,
    most: usize,
}

impl Filling {
    /// Adds an expression with all its instances.
    fn add_all_instances(&mut self, term: &Term, origin: Origin) {
        let mut values = Vec::new();
        let candidates = self.by_head.get(&functor(term)).map_or(&[][..], |places| places);
        let instances = candidates.iter().copied().filter(|&place| {
            let term_there = &self.fluents[place as usize].1.term;
            pattern::matches(term, term_there, &mut values)
        });
        let instances = instances.collect();
        self.add(term.clone(), instances, origin);
    }

    /// Adds an expression unless it is known, has no instances or there is no room; returns whether it did.
    fn add(&mut self, pattern: Term, instances: Vec<u32>, origin: Origin) -> bool {
        if instances.is_empty() || self.expressions.len() >= self.most || self.patterns.contains(&pattern) {
            return false;
        }
        self.patterns.insert(pattern.clone());
        if !self.extensions.insert(instances.clone()) {
            return false;
        }
        self.expressions.push(Expression {
            pattern,
            instances,
            origin,
        });
        true
    }

    /// Specialises everything, the general before the special; returns whether that came to an end.
    fn specialise(&mut self, budget: &Budget) -> bool {
        let mut queue: VecDeque<usize> = (0..self.expressions.len()).collect();
        while let Some(number) = queue.pop_front() {
            if self.expressions.len() >= self.most || budget.is_spent() {
                return false;
            }
            let pattern = self.expressions[number].pattern.clone();
            for variable in 0..pattern::variables(&pattern) {
                for (special, instances) in self.split(number, &pattern, variable) {
                    if self.add(special, instances, Origin::Specialised) {
                        queue.push_back(self.expressions.len() - 1);
                    }
                }
            }
        }
        true
    }

    /// Returns the specialisations of one variable, with their instances, by the first of these.
    fn split(&self, number: usize, pattern: &Term, variable: u32) -> Vec<(Term, Vec<u32>)> {
        let mut place_of: HashMap<&Term, usize, FixedState> = HashMap::default();
        let mut parts: Vec<(&Term, Vec<u32>)> = Vec::new();
        let mut values = Vec::new();
        for &place in &self.expressions[number].instances {
            if pattern::matches(pattern, &self.fluents[place as usize].1.term, &mut values)
                && let Some(value) = values[variable as usize]
            {
                let part = *place_of.entry(value).or_insert_with(|| {
                    parts.push((value, Vec::new()));
                    parts.len() - 1
                });
                parts[part].1.push(place);
            }
        }
        let special = |(value, instances)| (pattern::specialised(pattern, variable, value), instances);
        parts.into_iter().map(special).collect()
    }
}
