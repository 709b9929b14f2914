//! Candidates for features: what can be measured, differences of what is alike at the start, and what a sample says
//! about them.

use super::basic::{Asked, Basic, Meter, Parts, Way};
use super::relevance::{Matters, Relevance};
use super::{Feature, Options, Shape};
use crate::learned::features::{Measure, Pool, fluents, measure};
use crate::learned::sample::Sample;
use crate::rules::structures::Structures;
use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, State};
use std::sync::Arc;

/// The best expressions for each role, which differences are made of.
const PARENTS: usize = 100;
/// Pairs of expressions that are made differences of.
const MOST_PAIRS: usize = 500;
/// Ways and conditions that differences are made of.
const MOST_OTHERS: usize = 60;
/// Values that differ by less are the same.
const SAME: f32 = 1e-6;

/// All candidates.
pub(super) struct Candidates {
    pub(super) features: Vec<Feature>,
    /// The functions that each is relevant to.
    pub(super) matters: Vec<Matters>,
    pub(super) basics: Vec<Basic>,
    pub(super) structures: Arc<Structures>,
    pub(super) parts: Option<Parts>,
    pub(super) meter: Meter,
}

impl Candidates {
    /// Those of a game, measured on a sample.
    pub(super) fn new(game: &Game, options: &Options, sample: &Sample, budget: &Budget) -> Candidates {
        let fluents = fluents(game, sample);
        let pool = Pool::new(game, &fluents, options.expressions, budget);
        let structures = Arc::new(Structures::new(game, &fluents));
        let parts = Parts::new(game);
        let relevance = Relevance::new(game);
        let mut basics: Vec<Basic> = (pool.expressions().iter())
            .map(|expression| Basic::Count(expression.pattern.clone()))
            .collect();
        let counts = basics.len();
        let mut matters = of_expressions(game, &pool, &relevance);
        for (of, basic) in others(game, options, &relevance, &structures, parts.as_ref()) {
            basics.push(basic);
            matters.push(of);
        }
        let known: Vec<(Fluent, Vec<u32>)> = pool.fluents().zip(pool.index()).collect();
        let meter = Meter::new(game, &structures, basics.clone(), parts.clone());
        let mut candidates = Candidates {
            features: Vec::new(),
            matters,
            structures,
            parts,
            meter: meter.with_solutions(known.into_iter(), counts),
            basics,
        };
        candidates.measure(game, sample, budget, &pool);
        candidates
    }

    /// Measures all candidates, and the most promising differences.
    fn measure(&mut self, game: &Game, sample: &Sample, budget: &Budget, pool: &Pool) {
        let mut meter = self.meter.clone();
        let basics = self.basics.len();
        let measures = measure(sample, basics, budget, |state, row| meter.measure(state, row));
        let mut at_start = vec![0.0; basics];
        meter.measure(game.initial(), &mut at_start);
        let is_even = |&(a, b): &(usize, usize)| (at_start[a] - at_start[b]).abs() < SAME;
        let pairs: Vec<(usize, usize)> = self.pairs(pool, &measures).into_iter().filter(is_even).collect();
        let mut values = vec![0.0; basics];
        let differences = measure(sample, pairs.len(), budget, |state, row| {
            meter.measure(state, &mut values);
            for (value, &(a, b)) in row.iter_mut().zip(&pairs) {
                *value = values[a] - values[b];
            }
        });
        let single = (0..basics).zip(measures).map(|(basic, measure)| Feature {
            shape: Shape::One(basic),
            measure,
        });
        let double = pairs.into_iter().zip(differences).map(|((a, b), measure)| Feature {
            shape: Shape::Difference(a, b),
            measure,
        });
        self.features = single.chain(double).collect();
        for feature in &self.features[basics..] {
            if let Shape::Difference(a, b) = feature.shape {
                self.matters.push(self.matters[a].or(self.matters[b]));
            }
        }
    }

    /// Pairs whose differences may be features: expressions that differ in one constant, ways of the same kind, and
    /// the same goal of different roles.
    fn pairs(&self, pool: &Pool, measures: &[Measure]) -> Vec<(usize, usize)> {
        let roles = measures.first().map_or(0, |measure| measure.correlations.len());
        let rank = |number: usize| (0..roles).map(|role| measures[number].rank(role)).fold(0.0, f64::max);
        let counts = pool.expressions().len();
        let mut parents: Vec<usize> = (0..counts).filter(|&number| rank(number) > 0.01).collect();
        parents.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
        parents.truncate(PARENTS);
        let mut pairs = pool.siblings(&parents, MOST_PAIRS);
        let others = counts..self.basics.len().min(counts + MOST_OTHERS);
        for a in others.clone() {
            pairs.extend(
                (a + 1..others.end)
                    .filter(|&b| are_alike(&self.basics[a], &self.basics[b]))
                    .map(|b| (a, b)),
            );
        }
        pairs
    }

    /// Returns the values of some features in some states, one column a feature.
    pub(super) fn columns(&mut self, states: &[&State], features: &[usize]) -> Vec<Vec<f32>> {
        let mut values = vec![0.0; self.basics.len()];
        let mut columns = vec![Vec::with_capacity(states.len()); features.len()];
        for state in states {
            self.meter.measure(state, &mut values);
            for (column, &feature) in columns.iter_mut().zip(features) {
                column.push(self.features[feature].shape.value(&values));
            }
        }
        columns
    }
}

/// Returns whether the difference of two ways, or of two conditions, can say who is ahead.
fn are_alike(one: &Basic, other: &Basic) -> bool {
    match (one, other) {
        (Basic::Near(_), Basic::Near(_)) | (Basic::Least(_), Basic::Least(_)) => true,
        (Basic::Part(Asked::Goal(role, value)), Basic::Part(Asked::Goal(other_role, other_value))) => {
            role != other_role && value == other_value
        }
        _ => false,
    }
}

/// Returns what expressions matter for: everything that one of their instances matters for.
fn of_expressions(game: &Game, pool: &Pool, relevance: &Relevance) -> Vec<Matters> {
    let of_fluents: Vec<Matters> = pool
        .fluents()
        .map(|fluent| relevance.of(&game.vocabulary().fluent_name(fluent).term))
        .collect();
    let expressions = pool.expressions().iter().map(|expression| {
        let instances = expression.instances.iter();
        instances.fold(Matters::default(), |all, &place| all.or(of_fluents[place as usize]))
    });
    expressions.collect()
}

/// Returns what can be measured beyond solutions.
fn others(
    game: &Game,
    options: &Options,
    relevance: &Relevance,
    structures: &Structures,
    parts: Option<&Parts>,
) -> Vec<(Matters, Basic)> {
    let of_asked = |asked: Asked| match asked {
        Asked::Goal(..) => Matters::GOAL,
        Asked::End => Matters::END,
    };
    let mut others: Vec<(Matters, Basic)> = Vec::new();
    if options.distances {
        let written = relevance.aims().map(|(matters, term)| (matters, term.clone()));
        let ground = parts.iter().flat_map(|parts| parts.aims(game, structures));
        let ground = ground.map(|(asked, term)| (of_asked(asked), term));
        for (matters, term) in ground.chain(written) {
            let Some(way) = Way::new(&term, structures) else {
                continue;
            };
            for basic in [Basic::Near(way.clone()), Basic::Least(way)] {
                match others.iter_mut().find(|(_, known)| *known == basic) {
                    Some((known, _)) => *known = known.or(matters),
                    None => others.push((matters, basic)),
                }
            }
        }
    }
    if options.parts {
        let asked = parts.iter().filter(|parts| parts.is_cheap);
        let asked = asked.flat_map(|parts| parts.asked.iter());
        others.extend(asked.map(|&asked| (of_asked(asked), Basic::Part(asked))));
    }
    others
}

impl Shape {
    /// By the values of everything that is measured.
    pub(super) fn value(self, values: &[f32]) -> f32 {
        match self {
            Shape::One(basic) => values[basic],
            Shape::Difference(a, b) => values[a] - values[b],
        }
    }
}

/// Returns for each role the latest states of sequences in which it had a turn, with how many moves it could choose
/// from. A role has a turn if it has a choice, or if no role has one.
pub(super) fn turns<'s>(game: &Game, sample: &'s Sample, budget: &Budget) -> Vec<Vec<(&'s State, f64)>> {
    let roles = game.roles().len();
    let mut turns = vec![Vec::new(); roles];
    let mut successors = game.engine().successors();
    for chunk in sample.sequences.chunks(CHUNK) {
        if budget.is_spent() {
            break;
        }
        let owners = (0..).zip(chunk);
        let owners: Vec<usize> = owners
            .flat_map(|(number, sequence)| std::iter::repeat_n(number, sequence.states.len()))
            .collect();
        let states: Vec<&State> = chunk.iter().flat_map(|sequence| &sequence.states).collect();
        let mut latest = vec![vec![None; roles]; chunk.len()];
        successors.look(&states, &mut |place, successor| {
            let nobody_chooses = successor.legal.values().all(|legal| legal.len() < 2);
            for (latest, legal) in latest[owners[place]].iter_mut().zip(successor.legal.values()) {
                if legal.len() > 1 || nobody_chooses {
                    // Answers need not come in order.
                    let is_later = latest.is_none_or(|(known, _)| known < place);
                    if is_later {
                        *latest = Some((place, legal.len() as f64));
                    }
                }
            }
        });
        for of_sequence in latest {
            for (turns, turn) in turns.iter_mut().zip(of_sequence) {
                turns.extend(turn.map(|(place, moves)| (states[place], moves)));
            }
        }
    }
    turns
}

/// Sequences that are looked at at once.
const CHUNK: usize = 128;
