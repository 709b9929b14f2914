//! The most likely strengths, and how sure they are.
//!
//! Hunter's MM algorithm climbs the likelihood without a step size to choose: each player's strength is multiplied by
//! the ratio of the points that it got to the points that it was expected to get. It is safe from any start, but creeps
//! where groups of players are held together by few matches. So it only brings the strengths near, and Newton's method,
//! whose matrix is needed for the intervals in any case, finishes.

use super::likelihood::Likelihood;
use super::matrix::Matrix;

/// Rounds of the MM algorithm. The rest is left to Newton's method.
const ROUNDS: usize = 100;

/// Steps of Newton's method. Some five are the rule, as the error is squared each time.
const STEPS: usize = 50;

/// A change of strength that does not matter: less than a millionth of an Elo point.
const SMALL: f64 = 1e-9;

/// The most likely strengths, as natural logarithms with mean 0.
pub(super) struct Fit {
    pub(super) strengths: Vec<f64>,
    /// Variances and covariances of the strengths.
    pub(super) covariance: Matrix,
}

impl Fit {
    /// The strengths of greatest likelihood measured from their mean, with their covariances.
    pub(super) fn new(likelihood: &Likelihood) -> Fit {
        let mut strengths = maximum(likelihood);
        let inverse = match likelihood.information(&strengths).cholesky() {
            Some(triangle) => triangle.inverse(),
            None => likelihood.only_virtual(),
        };
        let mean = strengths.iter().sum::<f64>() / strengths.len().max(1) as f64;
        strengths.iter_mut().for_each(|strength| *strength -= mean);
        Fit {
            covariance: centred(&inverse),
            strengths,
        }
    }
}

/// The strengths of greatest likelihood, measured from that of the virtual player.
fn maximum(likelihood: &Likelihood) -> Vec<f64> {
    let mut strengths = vec![0.0; likelihood.players()];
    approach(likelihood, &mut strengths);
    finish(likelihood, &mut strengths);
    strengths
}

/// Rounds of Hunter's MM algorithm.
fn approach(likelihood: &Likelihood, strengths: &mut [f64]) {
    for _ in 0..ROUNDS {
        let mut greatest = 0f64;
        for player in 0..strengths.len() {
            let change = (likelihood.got(player) / likelihood.expected(strengths, player)).ln();
            if change.is_finite() {
                strengths[player] += change;
                greatest = greatest.max(change.abs());
            }
        }
        if greatest < SMALL {
            return;
        }
    }
}

/// Steps of Newton's method, each made shorter until it does not lead downhill.
fn finish(likelihood: &Likelihood, strengths: &mut Vec<f64>) {
    for _ in 0..STEPS {
        let slope: Vec<f64> = (0..strengths.len())
            .map(|player| likelihood.got(player) - likelihood.expected(strengths, player))
            .collect();
        let Some(triangle) = likelihood.information(strengths).cholesky() else {
            return;
        };
        let step = triangle.solve(&slope);
        let Some(better) = climb(likelihood, strengths, &step) else {
            return;
        };
        *strengths = better;
        if step.iter().all(|change| change.abs() < SMALL) {
            return;
        }
    }
}

/// The strengths after as much of the step as does not lead downhill; `None` if nothing of it is left.
fn climb(likelihood: &Likelihood, strengths: &[f64], step: &[f64]) -> Option<Vec<f64>> {
    let here = likelihood.logarithm(strengths);
    let mut part = 1.0;
    for _ in 0..STEPS {
        let there: Vec<f64> = strengths
            .iter()
            .zip(step)
            .map(|(strength, change)| strength + part * change)
            .collect();
        if likelihood.logarithm(&there) >= here {
            return Some(there);
        }
        part /= 2.0;
    }
    None
}

/// The covariances of values from whose mean they are then measured: rows and columns with their means taken away.
fn centred(covariance: &Matrix) -> Matrix {
    let size = covariance.size();
    let count = size.max(1) as f64;
    let row_means: Vec<f64> = (0..size)
        .map(|row| (0..size).map(|column| covariance.get(row, column)).sum::<f64>() / count)
        .collect();
    let mean = row_means.iter().sum::<f64>() / count;
    let mut centred = Matrix::zero(size);
    for row in 0..size {
        for column in 0..size {
            centred.add(
                row,
                column,
                covariance.get(row, column) - row_means[row] - row_means[column] + mean,
            );
        }
    }
    centred
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::likelihood::tests::of_rows;
    use proptest::prelude::*;

    /// The greatest likelihood found by trying: one strength at a time, by ever smaller steps.
    fn by_trying(likelihood: &Likelihood) -> Vec<f64> {
        let mut strengths = vec![0.0; likelihood.players()];
        let mut step = 1.0;
        while step > 1e-8 {
            let before = likelihood.logarithm(&strengths);
            for player in 0..strengths.len() {
                for change in [step, -step] {
                    let (here, old) = (likelihood.logarithm(&strengths), strengths[player]);
                    strengths[player] += change;
                    if likelihood.logarithm(&strengths) <= here {
                        strengths[player] = old;
                    }
                }
            }
            if likelihood.logarithm(&strengths) <= before {
                step /= 2.0;
            }
        }
        let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
        strengths.iter().map(|strength| strength - mean).collect()
    }

    #[test]
    fn the_maximum_is_the_one_found_by_trying() {
        for prior in [0.1, 1.0, 5.0] {
            for rows in [
                &[&[0.0, 7.0, 4.5][..], &[3.0, 0.0, 6.0], &[5.5, 2.0, 0.0]][..],
                &[&[0.0, 10.0, 0.0], &[0.0, 0.0, 10.0], &[0.0, 0.0, 0.0]],
                &[
                    &[0.0, 3.0, 0.0, 0.0],
                    &[1.0, 0.0, 0.0, 0.0],
                    &[0.0, 0.0, 0.0, 2.0],
                    &[0.0, 0.0, 2.0, 0.0],
                ],
            ] {
                let likelihood = of_rows(rows, prior);
                let (fit, tried) = (Fit::new(&likelihood), by_trying(&likelihood));
                for (one, other) in fit.strengths.iter().zip(&tried) {
                    assert!((one - other).abs() < 1e-4, "{:?} against {tried:?}", fit.strengths);
                }
            }
        }
    }

    proptest! {
        /// At the maximum every player got what was to be expected, whatever the points are.
        #[test]
        fn expectations_are_met(
            size in 1usize..6,
            cells in prop::collection::vec(0.0..1e6f64, 36),
            prior in 0.01..10.0f64,
        ) {
            let mut matrix = Matrix::zero(size);
            for row in 0..size {
                for column in (0..size).filter(|&column| column != row) {
                    // Some pairs never met, and some players never won.
                    let value = cells[row * 6 + column];
                    matrix.add(row, column, if value < 2e5 { 0.0 } else { value });
                }
            }
            let likelihood = Likelihood::new(matrix, prior);
            let strengths = maximum(&likelihood);
            let fit = Fit::new(&likelihood);
            for player in 0..size {
                let (got, expected) = (likelihood.got(player), likelihood.expected(&strengths, player));
                prop_assert!((got - expected).abs() < 1e-6 * got, "{got} but {expected}");
                prop_assert!(fit.covariance.get(player, player) >= -1e-9);
            }
        }
    }
}
