//! Statistics of features on a sample.

use crate::learned::sample::{Sample, Sequence};
use ludens_budget::Budget;
use ludens_engine::State;

/// How much a feature that changes within sequences loses of its stability.
const RESTLESSNESS: f64 = 10.0;

/// Statistics of a feature on a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The mean of its values over all states.
    pub mean: f64,
    /// The mean of their absolute values.
    pub mean_absolute: f64,
    /// Their variance.
    pub variance: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
    /// The mean of the variances within sequences.
    pub variance_within: f64,
    /// From 0, it changes within sequences as much as between them, to 1, it never changes within one: the variance as
    /// a part of itself and ten times the variance within sequences.
    pub stability: f64,
    /// The correlation with the goal that each role can expect, over the last states of sequences.
    pub correlations: Vec<f64>,
}

impl Measure {
    /// Returns the rank of a feature: the smaller of its stability and the strength of its correlation.
    pub fn rank(&self, role: usize) -> f64 {
        self.stability.min(self.correlations[role].abs())
    }
}

/// Sums over a sample, for one feature.
#[derive(Clone, Debug)]
struct Sums {
    sum: f64,
    absolute: f64,
    squares: f64,
    least: f32,
    greatest: f32,
    /// Of the variances within sequences.
    within: f64,
    /// Over the last states.
    last: f64,
    last_squares: f64,
}

/// Measures features on a sample; `values` writes the values of all of them in a state. When the budget is spent, the
/// rest of the sample is left out.
pub(crate) fn measure(
    sample: &Sample,
    features: usize,
    budget: &Budget,
    mut values: impl FnMut(&State, &mut [f32]),
) -> Vec<Measure> {
    let roles = sample.goals.len();
    let mut sums = vec![
        Sums {
            sum: 0.0,
            absolute: 0.0,
            squares: 0.0,
            least: f32::INFINITY,
            greatest: f32::NEG_INFINITY,
            within: 0.0,
            last: 0.0,
            last_squares: 0.0,
        };
        features
    ];
    // Products of values and goals, and the goals themselves.
    let mut products = vec![0.0; features * roles];
    let (mut goals, mut goal_squares) = (vec![0.0; roles], vec![0.0; roles]);
    let (mut states, mut sequences, mut long) = (0.0, 0.0, 0.0);
    let mut row = vec![0.0; features];
    let (mut inner, mut inner_squares) = (vec![0.0f32; features], vec![0.0f32; features]);
    for (number, sequence) in sample.sequences.iter().enumerate() {
        if number % 64 == 63 && budget.is_spent() {
            break;
        }
        let length = sequence.states.len();
        inner.fill(0.0);
        inner_squares.fill(0.0);
        for state in &sequence.states {
            values(state, &mut row);
            let inner = inner.iter_mut().zip(&mut inner_squares);
            for ((sums, &value), (sum, squares)) in sums.iter_mut().zip(&row).zip(inner) {
                sums.absolute += f64::from(value.abs());
                sums.least = sums.least.min(value);
                sums.greatest = sums.greatest.max(value);
                *sum += value;
                *squares += value * value;
            }
        }
        let inner = inner.iter().zip(&inner_squares);
        for ((sums, &value), (&sum, &squares)) in sums.iter_mut().zip(&row).zip(inner) {
            let (value, sum, squares) = (f64::from(value), f64::from(sum), f64::from(squares));
            sums.sum += sum;
            sums.squares += squares;
            if length > 1 {
                sums.within += variance(sum, squares, length as f64);
            }
            sums.last += value;
            sums.last_squares += value * value;
        }
        for (products, &value) in products.chunks_mut(roles).zip(&row) {
            for (product, goal) in products.iter_mut().zip(&sequence.goals) {
                *product += f64::from(value) * goal;
            }
        }
        for (role, &goal) in sequence.goals.iter().enumerate() {
            goals[role] += goal;
            goal_squares[role] += goal * goal;
        }
        states += length as f64;
        sequences += 1.0;
        long += if length > 1 { 1.0 } else { 0.0 };
    }
    let of = |(sums, products): (&Sums, &[f64])| {
        let total = variance(sums.sum, sums.squares, states);
        let within = if long > 0.0 { sums.within / long } else { 0.0 };
        let own = variance(sums.last, sums.last_squares, sequences);
        let correlation = |role: usize| {
            let others = variance(goals[role], goal_squares[role], sequences);
            let together = products[role] / sequences - sums.last / sequences * (goals[role] / sequences);
            match own > 1e-9 && others > 1e-9 {
                true => (together / (own * others).sqrt()).clamp(-1.0, 1.0),
                false => 0.0,
            }
        };
        Measure {
            mean: sums.sum / f64::max(states, 1.0),
            mean_absolute: sums.absolute / f64::max(states, 1.0),
            variance: total,
            least: f64::from(sums.least),
            greatest: f64::from(sums.greatest),
            variance_within: within,
            stability: match total > 1e-9 {
                true => total / (total + RESTLESSNESS * within),
                false => 0.0,
            },
            correlations: (0..roles).map(correlation).collect(),
        }
    };
    sums.iter().zip(products.chunks(roles.max(1))).map(of).collect()
}

/// Returns the variance of `count` values by their sum and their sum of squares.
fn variance(sum: f64, squares: f64, count: f64) -> f64 {
    match count > 0.0 {
        true => (squares / count - (sum / count).powi(2)).max(0.0),
        false => 0.0,
    }
}

/// Returns the correlation of two columns of numbers; 0 if one of them never changes.
pub(crate) fn correlation(a: &[f32], b: &[f32]) -> f64 {
    let count = a.len().min(b.len()) as f64;
    let (mut sums, mut squares, mut product) = ((0.0, 0.0), (0.0, 0.0), 0.0);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b) = (f64::from(a), f64::from(b));
        sums = (sums.0 + a, sums.1 + b);
        squares = (squares.0 + a * a, squares.1 + b * b);
        product += a * b;
    }
    let (own, other) = (variance(sums.0, squares.0, count), variance(sums.1, squares.1, count));
    match own > 1e-9 && other > 1e-9 {
        true => (product / count - sums.0 / count * (sums.1 / count)) / (own * other).sqrt(),
        false => 0.0,
    }
}

/// Returns the goals of a role in the last states of all sequences.
pub(super) fn goals(sequences: &[Sequence], role: usize) -> impl Iterator<Item = f64> {
    sequences.iter().map(move |sequence| sequence.goals[role])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_engine::Fluent;

    /// Returns a sequence of states that are numbers: the value of a feature is the number of fluents that hold.
    fn sequence(values: &[u32], goals: [f64; 2]) -> Sequence {
        Sequence {
            states: values.iter().map(|&value| State::new((0..value).map(Fluent))).collect(),
            goals: goals.to_vec(),
            playouts: 1,
            steps: 0,
            steps_left: 1.0,
        }
    }

    #[test]
    fn a_sample_made_by_hand() {
        let sample = Sample {
            sequences: vec![
                sequence(&[1, 1, 1], [10.0, 90.0]),
                sequence(&[2, 4], [20.0, 80.0]),
                sequence(&[5, 5], [30.0, 70.0]),
                sequence(&[1], [0.0, 70.0]),
            ],
            goals: vec![(0, 100), (0, 100)],
            ..Sample::default()
        };
        let values = |state: &State, row: &mut [f32]| {
            row[0] = state.len() as f32;
            row[1] = -1.0;
        };
        let measures = measure(&sample, 2, &Budget::default(), values);
        let first = &measures[0];
        // The values are 1 1 1 2 4 5 5 1: their sum is 20, that of their squares 74.
        assert_eq!((first.mean, first.mean_absolute), (2.5, 2.5));
        assert_eq!((first.least, first.greatest), (1.0, 5.0));
        assert!((first.variance - (74.0 / 8.0 - 6.25)).abs() < 1e-12);
        // Within the three sequences that have several states: 0, 1 and 0.
        assert!((first.variance_within - 1.0 / 3.0).abs() < 1e-12);
        assert!((first.stability - 3.0 / (3.0 + 10.0 / 3.0)).abs() < 1e-12);
        // The last values are 1 4 5 1 with mean 2.75, the goals 10 20 30 0 with mean 15.
        let own = (43.0 / 4.0 - 2.75f64 * 2.75) * (1400.0 / 4.0 - 225.0);
        assert!((first.correlations[0] - (240.0 / 4.0 - 2.75 * 15.0) / own.sqrt()).abs() < 1e-12);
        // The other goals are 90 80 70 70 with mean 77.5.
        let own = (43.0 / 4.0 - 2.75f64 * 2.75) * (24_300.0 / 4.0 - 77.5 * 77.5);
        assert!((first.correlations[1] - (830.0 / 4.0 - 2.75 * 77.5) / own.sqrt()).abs() < 1e-12);
        assert_eq!(first.rank(0), first.stability);
        let never = &measures[1];
        assert_eq!((never.stability, never.mean_absolute), (0.0, 1.0));
        assert_eq!(never.correlations, [0.0, 0.0]);
    }

    #[test]
    fn columns_that_go_along() {
        assert!((correlation(&[1.0, 2.0, 3.0], &[5.0, 3.0, 1.0]) + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[4.0, 4.0, 4.0]), 0.0);
    }
}
