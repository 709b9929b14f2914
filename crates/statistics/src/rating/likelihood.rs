//! Likelihood of results given strengths, with its gradient and curvature.
//!
//! Strengths are natural logarithms here. Player i gets the share σ(θᵢ − θⱼ) of the points against player j, where σ(x)
//! is 1 / (1 + e⁻ˣ). The logarithm of the likelihood is the sum of pᵢⱼ ln σ(θᵢ − θⱼ) with the points pᵢⱼ of i against
//! j, where each player also has virtual draws against a player of strength 0. It has one maximum, as it is concave and
//! the virtual draws bound it.

use super::matrix::Matrix;

/// Far below any error of the strengths, far above the errors of floating-point sums, each relative.
const ROUNDING: f64 = 1e-12;

/// Points of players against each other, and the virtual draws of each.
pub(super) struct Likelihood {
    points: Matrix,
    prior_draws: f64,
}

impl Likelihood {
    pub(super) fn new(points: Matrix, prior_draws: f64) -> Likelihood {
        Likelihood { points, prior_draws }
    }

    /// The number of players.
    pub(super) fn players(&self) -> usize {
        self.points.size()
    }

    /// The points that a player got, virtual ones included.
    pub(super) fn got(&self, player: usize) -> f64 {
        let real: f64 = (0..self.points.size())
            .map(|other| self.points.get(player, other))
            .sum();
        real + self.prior_draws / 2.0
    }

    /// The points that a player with these strengths is expected to get, virtual ones included.
    pub(super) fn expected(&self, strengths: &[f64], player: usize) -> f64 {
        let against = |other: usize| {
            let matches = self.points.get(player, other) + self.points.get(other, player);
            matches * share(strengths[player] - strengths[other])
        };
        let real: f64 = (0..strengths.len()).map(against).sum();
        real + self.prior_draws * share(strengths[player])
    }

    /// The logarithm of the likelihood, virtual draws included.
    pub(super) fn logarithm(&self, strengths: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (player, &own) in strengths.iter().enumerate() {
            for (other, &theirs) in strengths.iter().enumerate() {
                sum += self.points.get(player, other) * ln_share(own - theirs);
            }
            sum += self.prior_draws / 2.0 * (ln_share(own) + ln_share(-own));
        }
        sum
    }

    /// The observed information: minus the second derivatives of the logarithm of the likelihood.
    pub(super) fn information(&self, strengths: &[f64]) -> Matrix {
        let mut information = Matrix::zero(strengths.len());
        for player in 0..strengths.len() {
            information.add(player, player, self.prior_draws * spread(strengths[player]));
            for other in 0..player {
                let matches = self.points.get(player, other) + self.points.get(other, player);
                let known = matches * spread(strengths[player] - strengths[other]);
                information.add(player, player, known);
                information.add(other, other, known);
                information.add(player, other, -known);
                information.add(other, player, -known);
            }
        }
        // With very many matches rounding could make the matrix singular; this much more keeps it from that.
        for player in 0..strengths.len() {
            information.add(player, player, information.get(player, player) * ROUNDING);
        }
        information
    }

    /// The variances of strengths of which only the virtual draws are known.
    pub(super) fn only_virtual(&self) -> Matrix {
        let mut matrix = Matrix::zero(self.players());
        (0..self.players()).for_each(|player| matrix.add(player, player, 4.0 / self.prior_draws));
        matrix
    }
}

/// σ: the expected share of a player who is this much stronger.
fn share(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// ln σ, without overflow for large differences.
fn ln_share(difference: f64) -> f64 {
    difference.min(0.0) - (-difference.abs()).exp().ln_1p()
}

/// σ (1 − σ): the derivative of σ, which is the variance of a match without draws.
fn spread(difference: f64) -> f64 {
    share(difference) * share(-difference)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Likelihoods of points given row by row.
    pub(in crate::rating) fn of_rows(rows: &[&[f64]], prior_draws: f64) -> Likelihood {
        let mut matrix = Matrix::zero(rows.len());
        for (row, cells) in rows.iter().enumerate() {
            cells
                .iter()
                .enumerate()
                .for_each(|(column, &value)| matrix.add(row, column, value));
        }
        Likelihood::new(matrix, prior_draws)
    }

    /// The information is minus the second derivative, which differences of the likelihood show too.
    #[test]
    fn information_by_differences() {
        let likelihood = of_rows(&[&[0.0, 7.0, 4.5], &[3.0, 0.0, 6.0], &[5.5, 2.0, 0.0]], 1.0);
        let (strengths, step) = ([0.3, -0.2, 0.1], 1e-4);
        let at = |changes: &[(usize, f64)]| {
            let mut moved = strengths;
            changes.iter().for_each(|&(player, change)| moved[player] += change);
            likelihood.logarithm(&moved)
        };
        let information = likelihood.information(&strengths);
        for a in 0..3 {
            for b in 0..3 {
                let corners = at(&[(a, step), (b, step)]) - at(&[(a, step), (b, -step)]) - at(&[(a, -step), (b, step)])
                    + at(&[(a, -step), (b, -step)]);
                assert!((information.get(a, b) + corners / (4.0 * step * step)).abs() < 1e-4);
            }
        }
    }
}
