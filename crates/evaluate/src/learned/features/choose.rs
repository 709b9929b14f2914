//! Selection of features.
//!
//! All expressions of the pool are measured. Of the best ones, differences and ratios with their siblings (the same
//! expression but for one constant) are measured too; a compound stays if it ranks clearly higher than both of its
//! parts. What is left for each role is in the order of its rank.

use super::function::Shape;
use super::measure::{Measure, measure};
use super::pool::Pool;
use crate::learned::sample::Sample;
use ludens_budget::Budget;
use ludens_engine::State;

/// The best expressions for each role, which compounds are made of.
const PARENTS: usize = 100;
/// Pairs of expressions that are made compounds of.
const MOST_PAIRS: usize = 500;
/// Features that are kept for each role, to choose from.
const KEPT: usize = 200;
/// Features below this rank are dropped.
const LEAST_RANK: f64 = 0.01;
/// How much higher than its parts a compound must rank. Most say the same as one of them, and ratios of rare things at
/// that.
const CLEARLY: f64 = 1.1;

/// The expressions that a feature counts, as indices into the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    One(usize),
    Difference(usize, usize),
    Ratio(usize, usize),
}

impl Counted {
    /// Returns the value, by the counts of all expressions.
    fn value(self, counts: &[f32]) -> f32 {
        match self {
            Counted::One(number) => counts[number],
            Counted::Difference(a, b) => Shape::difference(counts[a], counts[b]),
            Counted::Ratio(a, b) => Shape::ratio(counts[a], counts[b]),
        }
    }
}

/// Candidate features, with their measures on the sample.
pub(super) struct Candidates {
    pub(super) features: Vec<(Counted, Measure)>,
    /// For each role the features by their rank, best first.
    pub(super) order: Vec<Vec<usize>>,
}

/// Finds the candidate features.
pub(super) fn candidates(pool: &Pool, sample: &Sample, compounds: bool, budget: &Budget) -> Candidates {
    let mut counter = Counter::new(pool);
    let expressions = pool.expressions().len();
    let measures = measure(sample, expressions, budget, |state, row| counter.count(state, row));
    let roles = sample.goals.len();
    let mut features: Vec<(Counted, Measure)> = Vec::new();
    if compounds {
        let mut parents: Vec<usize> = (0..roles)
            .flat_map(|role| best(measures.len(), PARENTS, |number| measures[number].rank(role)))
            .collect();
        parents.sort_unstable();
        parents.dedup();
        // The best ones first, by the role for which they rank highest.
        let greatest = |number: &usize| (0..roles).map(|role| measures[*number].rank(role)).fold(0.0, f64::max);
        parents.sort_by(|a, b| greatest(b).total_cmp(&greatest(a)));
        let pairs = pool.siblings(&parents, MOST_PAIRS);
        let made: Vec<Counted> = pairs
            .iter()
            .flat_map(|&(a, b)| [Counted::Difference(a, b), Counted::Ratio(a, b)])
            .collect();
        let mut counts = vec![0.0; expressions];
        let measured = measure(sample, made.len(), budget, |state, row| {
            counter.count(state, &mut counts);
            for (value, counted) in row.iter_mut().zip(&made) {
                *value = counted.value(&counts);
            }
        });
        features.extend(made.into_iter().zip(measured));
    }
    // Simple features come first among equal ranks.
    let simple = measures
        .into_iter()
        .enumerate()
        .map(|(number, measure)| (Counted::One(number), measure));
    features.splice(0..0, simple);
    let rank = |number: usize, role: usize| {
        let (counted, measure) = &features[number];
        let parts = match *counted {
            Counted::One(_) => 0.0,
            Counted::Difference(a, b) | Counted::Ratio(a, b) => features[a].1.rank(role).max(features[b].1.rank(role)),
        };
        let own = measure.rank(role);
        if own >= CLEARLY * parts { own } else { 0.0 }
    };
    let order = (0..roles).map(|role| best(features.len(), KEPT, |number| rank(number, role)));
    Candidates {
        order: order.collect(),
        features,
    }
}

/// Returns the numbers of the highest rank, best first.
fn best(count: usize, most: usize, rank: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).filter(|&number| rank(number) > LEAST_RANK).collect();
    order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
    order.truncate(most);
    order
}

/// Returns the values of some features in the last state of every sequence, one column a feature.
pub(super) fn columns(pool: &Pool, sample: &Sample, features: &[Counted]) -> Vec<Vec<f32>> {
    let mut counter = Counter::new(pool);
    let mut counts = vec![0.0; pool.expressions().len()];
    let mut columns = vec![Vec::with_capacity(sample.sequences.len()); features.len()];
    for sequence in &sample.sequences {
        counter.count(sequence.last(), &mut counts);
        for (column, feature) in columns.iter_mut().zip(features) {
            column.push(feature.value(&counts));
        }
    }
    columns
}

/// Counts the solutions of all expressions of a pool in a state.
struct Counter {
    /// By number of fluent the expressions that it is an instance of.
    index: Vec<Vec<u32>>,
}

impl Counter {
    fn new(pool: &Pool) -> Counter {
        let fluents = pool.fluents();
        let most = fluents.map(|fluent| fluent.0 as usize + 1).max().unwrap_or(0);
        let mut index = vec![Vec::new(); most];
        for (fluent, expressions) in pool.fluents().zip(pool.index()) {
            index[fluent.0 as usize] = expressions;
        }
        Counter { index }
    }

    fn count(&mut self, state: &State, counts: &mut [f32]) {
        counts.fill(0.0);
        for fluent in state.fluents() {
            for &expression in self.index.get(fluent.0 as usize).map_or(&[][..], |list| list) {
                counts[expression as usize] += 1.0;
            }
        }
    }
}
