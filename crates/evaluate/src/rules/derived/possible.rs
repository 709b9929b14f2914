//! Possible facts by relation, and joins over them: the values that the variables of a conjunction can have.
//!
//! Fluents are those that grounding found, and `ground` derives what can hold if they can. Relations that depend on
//! themselves and on the state are left out, because they can be huge, and what depends on them as well: no join needs
//! those.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_datalog::{Conjunction, Facts, Limits, Source, TermId, TermPool, Test};
use ludens_engine::{Fluent, Game};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, Literal, Term};
use ludens_gdl::{Relation, keyword};
use ludens_ground::possible_facts;
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) const TRUE: Relation = Relation::new(keyword::TRUE, 1);
pub(super) const DOES: Relation = Relation::new(keyword::DOES, 2);
pub(super) const GOAL: Relation = Relation::new(keyword::GOAL, 2);
pub(super) const TERMINAL: Relation = Relation::new(keyword::TERMINAL, 0);

/// Facts that may follow.
const MOST_FACTS: usize = 2_000_000;
/// Time that deriving them may take at most, in seconds.
const MOST_SECONDS: u64 = 10;
/// Steps that it may take where there is no clock.
const MOST_STEPS: u64 = 100_000_000;
/// Rows that one join may look at, and all joins together.
const MOST_WORK: usize = 300_000;
const MOST_WORK_OF_ALL: usize = 20_000_000;

/// How the truth of a relation comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// It never changes.
    Static,
    /// It depends on the state, but not on itself.
    Changing,
    /// It depends on moves, but not on itself.
    Moving,
    /// It depends on the state and on itself.
    Recursive,
}

/// Facts that can hold.
pub(super) struct Possible {
    pub(super) pool: Arc<TermPool>,
    /// The facts of relations other than `true`.
    relations: HashMap<Relation, Facts, FixedState>,
    /// The arguments of fluents by functor, with the fluents themselves.
    fluents: HashMap<(ludens_gdl::Symbol, usize), (Facts, Vec<Fluent>), FixedState>,
    natures: HashMap<Relation, Nature, FixedState>,
    /// Rows that joins have looked at so far.
    work: Cell<usize>,
    budget: Budget,
}

impl Possible {
    /// Derives them for a game; `None` if it is not compiled or too much can hold.
    pub(super) fn new(game: &Game, budget: &Budget) -> Option<Possible> {
        let fluents = &game.engine().circuit()?.program.names.fluents;
        let rules = game.rules();
        let dependencies = Dependencies::of_normal(rules);
        let changing = dependencies.dependents(&[TRUE, DOES]);
        let moving = dependencies.dependents(&[DOES]);
        let itself: Vec<Relation> = (0..dependencies.relations.len())
            .filter(|&relation| changing[relation] && (dependencies.is_recursive(relation) || moving[relation]))
            .map(|relation| dependencies.relations[relation])
            .collect();
        let unknown = dependencies.dependents(&itself);
        let natures = dependencies.relations.iter().enumerate().map(|(number, &relation)| {
            let nature = match (changing[number], dependencies.is_recursive(number)) {
                (false, _) => Nature::Static,
                (true, true) => Nature::Recursive,
                (true, false) if moving[number] => Nature::Moving,
                (true, false) => Nature::Changing,
            };
            (relation, nature)
        });
        let natures: HashMap<Relation, Nature, FixedState> = natures.collect();
        let is_known = |relation: Relation| {
            let number = dependencies.find(relation);
            number.is_none_or(|number| !unknown[number]) && relation != DOES
        };
        // Everything that goals are made of, and what never changes and can order values.
        let mut needed = dependencies.needed_by(&[GOAL, TERMINAL]);
        for (number, relation) in dependencies.relations.iter().enumerate() {
            needed[number] |= !changing[number] && relation.arity == 2;
        }
        let asked: Vec<Relation> = (0..needed.len())
            .filter(|&number| needed[number] && is_known(dependencies.relations[number]))
            .map(|number| dependencies.relations[number])
            .collect();
        let facts = possible_facts(rules, fluents, &asked, limits(budget))?;
        let mut possible = Possible {
            pool: facts.pool,
            relations: facts.relations.into_iter().filter(|known| known.0 != TRUE).collect(),
            fluents: HashMap::default(),
            natures,
            work: Cell::new(0),
            budget: budget.clone(),
        };
        for (number, fluent) in (0..).map(Fluent).zip(fluents) {
            let (functor, args) = fluent.term.parts()?;
            let args = possible.find_all(args)?;
            let entry = possible.fluents.entry(functor);
            let (facts, numbers) = entry.or_insert_with(|| (Facts::new(functor.1), Vec::new()));
            facts.push(&args);
            numbers.push(number);
        }
        Some(possible)
    }

    /// Returns the number of a ground term, if it occurs anywhere.
    pub(super) fn find(&self, term: &Term) -> Option<TermId> {
        self.pool.value(term, &[]).flatten()
    }

    fn find_all(&self, terms: &[Term]) -> Option<Vec<TermId>> {
        terms.iter().map(|term| self.find(term)).collect()
    }

    /// How a relation comes about.
    pub(super) fn nature(&self, relation: Relation) -> Nature {
        match relation {
            TRUE => Nature::Changing,
            DOES => Nature::Moving,
            // A relation without rules and facts never holds.
            _ => self.natures.get(&relation).copied().unwrap_or(Nature::Static),
        }
    }

    /// Returns the fluent of a conjunction in which nothing else depends on the state.
    pub(super) fn only_fluent<'l>(&self, literals: &'l [Literal]) -> Option<&'l Term> {
        let mut changing = literals.iter().filter(|literal| {
            let atom = literal.atom();
            atom.is_some_and(|(atom, _)| self.nature(atom.relation()) != Nature::Static)
        });
        match (changing.next()?, changing.next()) {
            (Literal::Positive(atom), None) if atom.relation() == TRUE => {
                atom.args[0].parts().is_some().then_some(&atom.args[0])
            }
            _ => None,
        }
    }

    /// Returns the rows of a relation other than `true`; `None` if they are not known.
    pub(super) fn rows(&self, relation: Relation) -> Option<impl Iterator<Item = &[TermId]>> {
        Some(self.relations.get(&relation)?.rows())
    }

    /// Returns all fluents of a name and number of arguments, with their arguments.
    pub(super) fn fluents(&self, head: (ludens_gdl::Symbol, usize)) -> impl Iterator<Item = (Fluent, &[TermId])> {
        let known = self.fluents.get(&head).into_iter();
        known.flat_map(|(facts, fluents)| fluents.iter().copied().zip(facts.rows()))
    }

    /// Returns the fluent of a ground term, if it can hold.
    pub(super) fn fluent(&self, term: &Term) -> Option<Fluent> {
        let (head, args) = term.parts()?;
        let (facts, fluents) = self.fluents.get(&head)?;
        Some(fluents[facts.find(&self.find_all(args)?, &self.work)?])
    }

    /// Returns whether a ground atom can hold; it does if its relation never changes. `None` if that is not known.
    pub(super) fn contains(&self, atom: &Atom) -> Option<bool> {
        if atom.relation() == TRUE {
            return Some(self.fluent(&atom.args[0]).is_some());
        }
        let Some(facts) = self.relations.get(&atom.relation()) else {
            return (self.natures.get(&atom.relation()).is_none()).then_some(false);
        };
        let args = self.find_all(&atom.args);
        Some(args.is_some_and(|args| facts.find(&args, &self.work).is_some()))
    }

    /// Returns the different values that some variables can have where a conjunction can hold; `None` if they are more
    /// than `most`, finding them is too much work, the budget is spent, or a condition is not known.
    pub(super) fn solutions(&self, literals: &[Literal], wanted: &[u32], most: usize) -> Option<Vec<Vec<TermId>>> {
        if self.work.get() > MOST_WORK_OF_ALL || self.budget.is_spent() {
            return None;
        }
        let mut variables = 0;
        for literal in literals {
            literal.variables(&mut |variable| variables = variables.max(variable + 1));
        }
        let (mut sources, mut tests) = (Vec::new(), Vec::new());
        for literal in literals {
            match literal {
                Literal::Positive(atom) => sources.push(self.source(atom)?),
                Literal::Negative(atom) if self.nature(atom.relation()) != Nature::Static => {}
                Literal::Negative(atom) => tests.push(Test::Not(Source {
                    facts: self.relations.get(&atom.relation()),
                    patterns: &atom.args,
                })),
                Literal::Distinct(one, other) => tests.push(Test::Distinct(one, other)),
            }
        }
        let conjunction = Conjunction {
            pool: &self.pool,
            sources,
            tests,
            variables,
            wanted,
            most,
            most_work: MOST_WORK,
        };
        conjunction.solutions(&self.work)
    }

    /// Returns the facts of an atom and the patterns for its columns; `None` if its facts are not known.
    fn source<'a>(&'a self, atom: &'a Atom) -> Option<Source<'a>> {
        if atom.relation() == TRUE {
            let (functor, patterns) = atom.args[0].parts()?;
            let facts = self.fluents.get(&functor).map(|(facts, _)| facts);
            return Some(Source { facts, patterns });
        }
        let facts = self.relations.get(&atom.relation());
        let is_known = facts.is_some() || !self.natures.contains_key(&atom.relation());
        is_known.then_some(Source {
            facts,
            patterns: &atom.args,
        })
    }

    /// Returns whether a fluent with these arguments fits a pattern.
    pub(super) fn fits(&self, patterns: &[Term], args: &[TermId], variables: u32) -> bool {
        let mut slots = vec![None; variables as usize];
        let mut trail = Vec::new();
        let mut pairs = patterns.iter().zip(args);
        pairs.all(|(pattern, &arg)| self.pool.bind(pattern, arg, &mut slots, &mut trail))
    }
}

/// Limits on what may be derived within a budget. Without a clock they must not depend on time.
pub(super) fn limits(budget: &Budget) -> Limits {
    let (setup, steps) = match budget.deadline() {
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            (left.min(Duration::from_secs(MOST_SECONDS)), u64::MAX)
        }
        None => (Duration::MAX, MOST_STEPS),
    };
    Limits {
        facts: MOST_FACTS,
        memory: 256 << 20,
        setup,
        steps,
        ..Limits::default()
    }
}
