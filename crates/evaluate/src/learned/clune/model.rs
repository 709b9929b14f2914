//! Payoff, control and termination from candidates.

use super::basic::Meter;
use super::candidates::{Candidates, turns};
use super::relevance::Matters;
use super::{CluneFunction, Evaluation, Feature, Options, RoleModel, Shape};
use crate::learned::features::{Measure, Part, RoleFunction, Weights, correlation, different, fit, measure, ridge};
use crate::learned::sample::{Sample, Sequence};
use ludens_budget::Budget;
use ludens_engine::{Game, State};

/// Features that are less stable than this are dropped.
const LEAST_STABILITY: f64 = 0.1;
/// Features below this rank do not predict goals.
const LEAST_RANK: f64 = 0.01;
/// Standard deviations, as chance alone would give them, from which a correlation counts.
const SIGNIFICANT: f64 = 3.0;
/// Features to choose from, for each function.
const KEPT: usize = 300;
/// Features in a function that is fitted.
const FITTED: usize = 16;
/// The stability of a function of features is taken to be at most this.
const MOST_STABLE: f64 = 100.0;

/// A sum of features with weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// Value if every feature is 0.
    pub start: f64,
    /// Features with their weights.
    pub parts: Vec<(usize, f64)>,
    /// The mean of what it was fitted to.
    pub mean: f64,
    /// The correlation of what it says with what it was fitted to.
    pub fit: f64,
}

impl Linear {
    /// Its value, by the values of features.
    pub(super) fn value(&self, feature: impl Fn(usize) -> f64) -> f64 {
        let parts = self.parts.iter();
        self.start + parts.map(|&(number, weight)| weight * feature(number)).sum::<f64>()
    }
}

/// Makes a function of candidates.
pub(super) fn make(
    game: &Game,
    options: &Options,
    candidates: &mut Candidates,
    sample: &Sample,
    budget: &Budget,
) -> CluneFunction {
    let payoffs: Vec<RoleFunction> = (0..sample.goals.len())
        .map(|role| payoff(candidates, sample, role, options.features))
        .collect();
    let turns = match options.control {
        true => turns(game, sample, budget),
        false => vec![Vec::new(); payoffs.len()],
    };
    let for_moves = stable(candidates, Matters::LEGAL);
    let freedoms = turns.into_iter().map(|turns| {
        let (states, moves): (Vec<&State>, Vec<f64>) = turns.into_iter().unzip();
        fitted(candidates, &for_moves, &states, &moves)
    });
    let freedoms: Vec<Linear> = freedoms.collect();
    let over = |sequence: &Sequence| {
        let steps = sequence.steps as f64;
        steps / (steps + sequence.steps_left).max(1.0)
    };
    let last: Vec<&State> = sample.sequences.iter().map(Sequence::last).collect();
    let over: Vec<f64> = sample.sequences.iter().map(over).collect();
    let for_end = stable(candidates, Matters::END);
    let termination = fitted(candidates, &for_end, &last, &over);
    let roles = payoffs.into_iter().zip(freedoms).map(|(payoff, freedom)| RoleModel {
        payoff,
        freedom,
        control: 0.0,
    });
    let mut function = compact(game, candidates, roles.collect(), termination);
    function.sequences = sample.sequences.len();
    function.matches = sample.matches;
    if options.control {
        share_control(&mut function, sample, budget);
    }
    function
}

/// Returns the payoff of a role: features of the goals by their stability.
fn payoff(candidates: &mut Candidates, sample: &Sample, role: usize, most: usize) -> RoleFunction {
    let (least, greatest) = sample.goals[role];
    let by_chance = SIGNIFICANT / (sample.sequences.len() as f64).sqrt();
    let measure_of = |number: usize, features: &[Feature]| -> f64 {
        let measure = &features[number].measure;
        let counts = measure.stability > LEAST_STABILITY && measure.correlations[role].abs() > by_chance;
        if counts { measure.rank(role) } else { 0.0 }
    };
    let features = &candidates.features;
    let mut order: Vec<usize> = (0..features.len())
        .filter(|&number| candidates.matters[number].includes(Matters::GOAL))
        .filter(|&number| measure_of(number, features) > LEAST_RANK)
        .collect();
    order.sort_by(|&a, &b| measure_of(b, features).total_cmp(&measure_of(a, features)));
    order.truncate(KEPT);
    let last: Vec<&State> = sample.sequences.iter().map(Sequence::last).collect();
    let columns = candidates.columns(&last, &order);
    let chosen = different(&columns, most);
    let measures: Vec<&Measure> = (chosen.iter())
        .map(|&place| &candidates.features[order[place]].measure)
        .collect();
    let columns: Vec<&[f32]> = chosen.iter().map(|&place| &columns[place][..]).collect();
    let line = fit(&columns, &measures, sample, role, Weights::Stability);
    let parts = chosen.iter().zip(&line.weights).zip(&measures);
    RoleFunction {
        parts: parts
            .map(|((&place, &weight), measure)| Part {
                feature: order[place],
                weight,
                points: line.slope * weight / measure.variance.sqrt(),
            })
            .collect(),
        middle: line.middle,
        range: (f64::from(least.min(greatest)), f64::from(greatest.max(least))),
        fit: line.fit,
    }
}

/// Stable features that matter for something, the most stable first; if there are none, any.
fn stable(candidates: &Candidates, matters: Matters) -> Vec<usize> {
    let stability = |number: usize| candidates.features[number].measure.stability;
    let stable = |wanted: Matters| -> Vec<usize> {
        let all = 0..candidates.features.len();
        all.filter(|&number| candidates.matters[number].includes(wanted) && stability(number) > LEAST_STABILITY)
            .collect()
    };
    let mut features = stable(matters);
    if features.is_empty() {
        features = stable(Matters::default());
    }
    features.sort_by(|&a, &b| stability(b).total_cmp(&stability(a)));
    features.truncate(KEPT);
    features
}

/// Least squares over the features that go along best with targets in some states.
fn fitted(candidates: &mut Candidates, features: &[usize], states: &[&State], targets: &[f64]) -> Linear {
    let count = targets.len() as f64;
    let mean = targets.iter().sum::<f64>() / count.max(1.0);
    let mut linear = Linear {
        start: mean,
        mean,
        ..Linear::default()
    };
    if targets.len() < 2 * FITTED {
        return linear;
    }
    let columns = candidates.columns(states, features);
    let narrow: Vec<f32> = targets.iter().map(|&target| target as f32).collect();
    let strength: Vec<f64> = columns
        .iter()
        .map(|column| correlation(column, &narrow).abs())
        .collect();
    let mut order: Vec<usize> = (0..columns.len())
        .filter(|&place| strength[place] > SIGNIFICANT / count.sqrt())
        .collect();
    order.sort_by(|&a, &b| strength[b].total_cmp(&strength[a]));
    let sorted: Vec<Vec<f32>> = order.iter().map(|&place| columns[place].clone()).collect();
    let chosen = different(&sorted, FITTED);
    let standards: Vec<(f64, f64, Vec<f64>)> = chosen.iter().map(|&place| standard(&sorted[place])).collect();
    let standard: Vec<Vec<f64>> = standards.iter().map(|(_, _, column)| column.clone()).collect();
    let weights = ridge(&standard, targets);
    for ((&place, &weight), (middle, deviation, _)) in chosen.iter().zip(&weights).zip(&standards) {
        linear.parts.push((features[order[place]], weight / deviation));
        linear.start -= weight * middle / deviation;
    }
    let predicted: Vec<f32> = (0..targets.len())
        .map(|row| {
            let parts = standard.iter().zip(&weights);
            parts.map(|(column, weight)| weight * column[row]).sum::<f64>() as f32
        })
        .collect();
    linear.fit = correlation(&predicted, &narrow);
    linear
}

/// Returns the mean of a column, its deviation, and the column in deviations from the mean.
fn standard(column: &[f32]) -> (f64, f64, Vec<f64>) {
    let count = column.len().max(1) as f64;
    let mean = column.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let squares: f64 = column.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum();
    let deviation = (squares / count).sqrt().max(1e-9);
    let values = column.iter().map(|&value| (f64::from(value) - mean) / deviation);
    (mean, deviation, values.collect())
}

/// Returns a function with the features alone that it uses, and what they are made of.
fn compact(game: &Game, candidates: &Candidates, mut roles: Vec<RoleModel>, mut termination: Linear) -> CluneFunction {
    let (mut numbers, mut features) = (Vec::new(), Vec::new());
    let mut renumber = |number: &mut usize| {
        let known = numbers.iter().position(|known| *known == *number);
        *number = known.unwrap_or_else(|| {
            numbers.push(*number);
            features.push(candidates.features[*number].clone());
            numbers.len() - 1
        });
    };
    for role in &mut roles {
        role.payoff
            .parts
            .iter_mut()
            .for_each(|part| renumber(&mut part.feature));
        role.freedom.parts.iter_mut().for_each(|(number, _)| renumber(number));
    }
    termination.parts.iter_mut().for_each(|(number, _)| renumber(number));
    let (mut numbers, mut basics) = (Vec::new(), Vec::new());
    let mut renumber = |number: &mut usize| {
        let known = numbers.iter().position(|known| *known == *number);
        *number = known.unwrap_or_else(|| {
            numbers.push(*number);
            basics.push(candidates.basics[*number].clone());
            numbers.len() - 1
        });
    };
    for feature in &mut features {
        match &mut feature.shape {
            Shape::One(basic) => renumber(basic),
            Shape::Difference(a, b) => {
                renumber(a);
                renumber(b);
            }
        }
    }
    CluneFunction {
        game: game.clone(),
        meter: Meter::new(game, &candidates.structures, basics.clone(), candidates.parts.clone()),
        values: vec![0.0; basics.len()],
        basics: basics.into(),
        features: features.into(),
        roles: roles.into(),
        termination: termination.into(),
        sequences: 0,
        matches: 0,
        candidates: candidates.features.len(),
    }
}

/// Finds the share of control for each role: as stable as it is beside the payoff.
fn share_control(function: &mut CluneFunction, sample: &Sample, budget: &Budget) {
    let roles = function.roles.len();
    let mut scratch = function.clone();
    let mut evaluation = Evaluation::default();
    let measures = measure(sample, 2 * roles, budget, |state, row| {
        scratch.measure(state);
        scratch.write(&mut evaluation);
        let values = evaluation.payoff.iter().chain(&evaluation.control);
        row.iter_mut()
            .zip(values)
            .for_each(|(cell, &value)| *cell = value as f32);
    });
    let mut models = function.roles.to_vec();
    for (role, model) in models.iter_mut().enumerate() {
        let (payoff, control) = (stability(&measures[role]), stability(&measures[roles + role]));
        model.control = if control > 0.0 {
            control / (control + payoff)
        } else {
            0.0
        };
    }
    function.roles = models.into();
}

/// Returns the variance over all states as a multiple of that within sequences; 0 for what never changes.
fn stability(measure: &Measure) -> f64 {
    match measure.variance > 1e-9 {
        true => (measure.variance / measure.variance_within.max(1e-12)).clamp(1.0, MOST_STABLE),
        false => 0.0,
    }
}
