//! The function: a weighted sum of features for each role, on the scale of the goals.
//!
//! The value of a feature enters as its distance from the mean in standard deviations, so that weights of different
//! features can be compared. The weighted sum is mapped to goals by a straight line fitted to the sample (least
//! squares): what it says is an expected goal, and what each feature adds to it can be read in points. Near the least
//! and the greatest goal that occur, the line goes on a hundred times flatter, so that better is still better there.

use super::choose::{Candidates, Counted, columns};
use super::measure::{Measure, correlation, goals};
use super::pattern;
use super::pool::{Origin, Pool};
use super::{Options, Weights};
use crate::learned::sample::Sample;
use ludens_engine::{Fluent, Game, State};
use ludens_gdl::normal::Term;
use std::sync::Arc;

/// Two features that go along with each other like this say the same.
const SAME: f64 = 0.99;
/// The share of the scale at either end where the line is flat.
const END: f64 = 0.05;
/// How flat.
const FLATNESS: f64 = 0.01;
/// Ridge penalty of fitted weights, as a share of the number of sequences.
const RIDGE: f64 = 0.02;

/// The expressions that a feature counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The solutions of an expression.
    Count(Term),
    /// Those of the first minus those of the second.
    Difference(Term, Term),
    /// Those of the first as a share of those of both; a half where there are none.
    Ratio(Term, Term),
}

impl Shape {
    pub(super) fn difference(a: f32, b: f32) -> f32 {
        a - b
    }

    pub(super) fn ratio(a: f32, b: f32) -> f32 {
        match a + b > 0.0 {
            true => a / (a + b),
            false => 0.5,
        }
    }

    /// For people: an expression, `A - B` or `A : B`.
    fn text(&self, game: &Game) -> String {
        let text = |term| pattern::text(term, game.vocabulary().symbols());
        match self {
            Shape::Count(a) => text(a),
            Shape::Difference(a, b) => format!("{} - {}", text(a), text(b)),
            Shape::Ratio(a, b) => format!("{} : {}", text(a), text(b)),
        }
    }
}

/// A feature of the function.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The expressions that it counts.
    pub shape: Shape,
    /// The same for people: an expression, `A - B` or `A : B`.
    pub text: String,
    /// Where its first expression comes from.
    pub origin: Origin,
    /// Its statistics in the sample.
    pub measure: Measure,
}

impl Feature {
    /// Its value in a state, counted one fluent after the other.
    pub fn value(&self, game: &Game, state: &State) -> f64 {
        let count = |term: &Term| {
            let name = |fluent: Fluent| game.vocabulary().fluent_name(fluent);
            let counted = state
                .fluents()
                .filter(|&fluent| pattern::is_instance(term, &name(fluent).term));
            counted.count() as f32
        };
        f64::from(match &self.shape {
            Shape::Count(a) => count(a),
            Shape::Difference(a, b) => Shape::difference(count(a), count(b)),
            Shape::Ratio(a, b) => Shape::ratio(count(a), count(b)),
        })
    }
}

/// A feature in the function of a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Which feature of the function it is.
    pub feature: usize,
    /// Its weight: what a standard deviation more of it adds to the weighted sum.
    pub weight: f64,
    /// Points that one more solution adds to the expected goal.
    pub points: f64,
}

/// The function of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleFunction {
    /// Its features, best first.
    pub parts: Vec<Part>,
    /// Expected goal if every feature has its mean.
    pub middle: f64,
    /// The least and the greatest goal that it says.
    pub range: (f64, f64),
    /// The correlation of what it says with the goals of the sample.
    pub fit: f64,
}

impl RoleFunction {
    /// Returns a goal made of a point of the line.
    pub(crate) fn bounded(&self, value: f64) -> f64 {
        let (least, greatest) = self.range;
        let end = END * (greatest - least);
        let (low, high) = (least + end, greatest - end);
        let flat = if value < low {
            low + (value - low) * FLATNESS
        } else if value > high {
            high + (value - high) * FLATNESS
        } else {
            value
        };
        flat.clamp(least, greatest)
    }
}

/// A linear function of features for each role.
#[derive(Clone)]
pub struct GuidedFunction {
    pub(super) game: Game,
    pub(super) features: Arc<[Feature]>,
    pub(super) roles: Arc<[RoleFunction]>,
    /// Number of sequences it was learned from.
    pub sequences: usize,
    /// Number of playouts it was learned from.
    pub matches: u64,
    /// Expressions that were looked at, and whether those were all.
    pub expressions: usize,
    /// Whether no expression was left out.
    pub is_complete: bool,
}

impl GuidedFunction {
    /// Returns the game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns what the function was learned from, in one line.
    pub fn summary(&self) -> String {
        let rest = if self.is_complete {
            ""
        } else {
            "; not all expressions were tried"
        };
        format!(
            "{} features of {} expressions, from {} sequences{rest}",
            self.features.len(),
            self.expressions,
            self.sequences
        )
    }

    /// Returns the features that any role uses.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Returns the function of each role.
    pub fn roles(&self) -> &[RoleFunction] {
        &self.roles
    }

    /// Returns what each part of a role's function adds in a state to what it says in the middle, in points.
    pub fn contributions(&self, role: usize, state: &State) -> Vec<f64> {
        let parts = self.roles[role].parts.iter();
        parts
            .map(|part| {
                let feature = &self.features[part.feature];
                part.points * (feature.value(&self.game, state) - feature.measure.mean)
            })
            .collect()
    }

    /// Returns what a role can expect in a state, by counting one fluent after the other. [`Guided`](super::Guided)
    /// says the same and is fast.
    pub fn value(&self, role: usize, state: &State) -> f64 {
        let function = &self.roles[role];
        function.bounded(function.middle + self.contributions(role, state).iter().sum::<f64>())
    }
}

/// Makes a function of the best candidates.
pub(super) fn combine(
    game: &Game,
    pool: &Pool,
    candidates: Candidates,
    sample: &Sample,
    options: &Options,
) -> GuidedFunction {
    let mut features: Vec<Feature> = Vec::new();
    let mut numbers: Vec<usize> = Vec::new();
    let mut roles = Vec::new();
    for (role, order) in candidates.order.iter().enumerate() {
        let (least, greatest) = sample.goals[role];
        let counted: Vec<Counted> = order.iter().map(|&number| candidates.features[number].0).collect();
        let columns = columns(pool, sample, &counted);
        let chosen = different(&columns, options.features);
        let measures: Vec<&Measure> = chosen
            .iter()
            .map(|&place| &candidates.features[order[place]].1)
            .collect();
        let columns: Vec<&[f32]> = chosen.iter().map(|&place| &columns[place][..]).collect();
        let line = fit(&columns, &measures, sample, role, options.weights);
        let parts = chosen
            .iter()
            .zip(&line.weights)
            .zip(&measures)
            .map(|((&place, &weight), measure)| {
                let number = order[place];
                let feature = numbers.iter().position(|&known| known == number).unwrap_or_else(|| {
                    numbers.push(number);
                    features.push(feature(game, pool, &candidates.features[number]));
                    numbers.len() - 1
                });
                Part {
                    feature,
                    weight,
                    points: line.slope * weight / measure.variance.sqrt(),
                }
            });
        roles.push(RoleFunction {
            parts: parts.collect(),
            middle: line.middle,
            range: (f64::from(least.min(greatest)), f64::from(greatest.max(least))),
            fit: line.fit,
        });
    }
    GuidedFunction {
        game: game.clone(),
        features: features.into(),
        roles: roles.into(),
        sequences: sample.sequences.len(),
        matches: sample.matches,
        expressions: candidates.features.len(),
        is_complete: pool.is_complete,
    }
}

fn feature(game: &Game, pool: &Pool, (counted, measure): &(Counted, Measure)) -> Feature {
    let expression = |number: usize| &pool.expressions()[number];
    let term = |number: usize| expression(number).pattern.clone();
    let (shape, first) = match *counted {
        Counted::One(a) => (Shape::Count(term(a)), a),
        Counted::Difference(a, b) => (Shape::Difference(term(a), term(b)), a),
        Counted::Ratio(a, b) => (Shape::Ratio(term(a), term(b)), a),
    };
    Feature {
        text: shape.text(game),
        shape,
        origin: expression(first).origin,
        measure: measure.clone(),
    }
}

/// Returns the indices of the first `most` columns that do not say the same as an earlier one.
pub(crate) fn different(columns: &[Vec<f32>], most: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for place in 0..columns.len() {
        if chosen.len() == most {
            break;
        }
        let is_new = |&other: &usize| correlation(&columns[place], &columns[other]).abs() < SAME;
        if chosen.iter().all(is_new) {
            chosen.push(place);
        }
    }
    chosen
}

/// A weighted sum of features and the line that maps it to goals.
pub(crate) struct Line {
    pub(crate) weights: Vec<f64>,
    pub(crate) slope: f64,
    pub(crate) middle: f64,
    pub(crate) fit: f64,
}

/// Finds weights and the line.
pub(crate) fn fit(columns: &[&[f32]], measures: &[&Measure], sample: &Sample, role: usize, weights: Weights) -> Line {
    let targets: Vec<f64> = goals(&sample.sequences, role).collect();
    let count = targets.len().max(1) as f64;
    let mean = targets.iter().sum::<f64>() / count;
    // In standard deviations from the mean.
    let standard: Vec<Vec<f64>> = columns
        .iter()
        .zip(measures)
        .map(|(column, measure)| {
            let deviation = measure.variance.sqrt();
            column
                .iter()
                .map(|&value| (f64::from(value) - measure.mean) / deviation)
                .collect()
        })
        .collect();
    let weights = match weights {
        Weights::Product => measures
            .iter()
            .map(|measure| measure.stability * measure.correlations[role])
            .collect(),
        Weights::Fitted => ridge(&standard, &targets),
        Weights::Stability => measures
            .iter()
            .map(|measure| measure.stability * measure.correlations[role].signum())
            .collect(),
    };
    let mut sums = vec![0.0; targets.len()];
    for (column, weight) in standard.iter().zip(&weights) {
        sums.iter_mut()
            .zip(column)
            .for_each(|(sum, value)| *sum += weight * value);
    }
    let middle_sum = sums.iter().sum::<f64>() / count;
    let pairs = || sums.iter().zip(&targets);
    let together: f64 = pairs().map(|(sum, target)| (sum - middle_sum) * (target - mean)).sum();
    let own: f64 = sums.iter().map(|sum| (sum - middle_sum).powi(2)).sum();
    let others: f64 = targets.iter().map(|target| (target - mean).powi(2)).sum();
    let slope = if own > 1e-9 { together / own } else { 0.0 };
    Line {
        weights,
        slope,
        middle: mean - slope * middle_sum,
        fit: if own * others > 1e-9 {
            together / (own * others).sqrt()
        } else {
            0.0
        },
    }
}

/// Returns the weights that fit targets best, kept small: ridge regression by elimination.
pub(crate) fn ridge(columns: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
    let (size, count) = (columns.len(), targets.len().max(1) as f64);
    let mean = |column: &[f64]| column.iter().sum::<f64>() / count;
    let means: Vec<f64> = columns.iter().map(|column| mean(column)).collect();
    let target_mean = mean(targets);
    // The normal equations, with the targets as the last column.
    let mut rows: Vec<Vec<f64>> = (0..size)
        .map(|a| {
            let product = |other: &[f64], other_mean: f64| -> f64 {
                let pairs = columns[a].iter().zip(other);
                pairs.map(|(x, y)| (x - means[a]) * (y - other_mean)).sum()
            };
            let mut row: Vec<f64> = (0..size).map(|b| product(&columns[b], means[b])).collect();
            row[a] += RIDGE * count;
            row.push(product(targets, target_mean));
            row
        })
        .collect();
    // The matrix is positive definite, so the diagonal serves as it is.
    for pivot in 0..size {
        let row = rows[pivot].clone();
        for other in (0..size).filter(|&other| other != pivot) {
            let factor = rows[other][pivot] / row[pivot];
            rows[other]
                .iter_mut()
                .zip(&row)
                .for_each(|(value, above)| *value -= factor * above);
        }
    }
    (0..size).map(|place| rows[place][size] / rows[place][place]).collect()
}
