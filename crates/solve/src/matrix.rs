//! Matrix games: two players choose simultaneously, and one wins what the other loses.
//!
//! [`solve`] computes the value and optimal strategies. Saddle points and games of two moves each are solved directly,
//! others as a linear program by the simplex method on a dense tableau, which is cheap for the small matrices of game
//! states. Every answer is checked: the value lies between what the two strategies guarantee.

/// The solution of a matrix game.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSolution {
    /// Expected payoff to the row player if both play optimally.
    pub value: f64,
    /// The probability of each row.
    pub row: Vec<f64>,
    /// The probability of each column.
    pub column: Vec<f64>,
    /// Upper bound on the error of the value: half the gap between the guarantees of the two strategies.
    pub error: f64,
}

/// The smallest number that counts as positive while pivots are chosen, for entries from one to two.
const TINY: f64 = 1e-11;

/// Solves a matrix game given by the payoffs to the row player, row by row. The row player maximises, the column player
/// minimises.
///
/// # Panics
///
/// If there are no rows or columns, or not as many payoffs as the matrix has places.
pub fn solve(payoffs: &[f64], rows: usize, columns: usize) -> MatrixSolution {
    assert!(rows > 0 && columns > 0 && payoffs.len() == rows * columns);
    let matrix = Matrix { payoffs, rows, columns };
    match matrix.saddle_point() {
        Some((row, column)) => matrix.checked(pure(row, rows), pure(column, columns)),
        None if rows == 2 && columns == 2 => matrix.two_by_two(),
        None => matrix.simplex(),
    }
}

fn pure(place: usize, count: usize) -> Vec<f64> {
    let mut strategy = vec![0.0; count];
    strategy[place] = 1.0;
    strategy
}

struct Matrix<'a> {
    payoffs: &'a [f64],
    rows: usize,
    columns: usize,
}

impl Matrix<'_> {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.payoffs[row * self.columns + column]
    }

    /// An entry that is least in its row and greatest in its column.
    fn saddle_point(&self) -> Option<(usize, usize)> {
        let least = |row: usize| -> f64 {
            (0..self.columns)
                .map(|column| self.at(row, column))
                .fold(f64::INFINITY, f64::min)
        };
        let most = |column: usize| -> f64 {
            (0..self.rows)
                .map(|row| self.at(row, column))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let row = (0..self.rows).max_by(|&one, &other| least(one).total_cmp(&least(other)))?;
        let column = (0..self.columns).min_by(|&one, &other| most(one).total_cmp(&most(other)))?;
        (least(row) == most(column)).then_some((row, column))
    }

    /// Without a saddle point both players mix so that the other one is indifferent.
    fn two_by_two(&self) -> MatrixSolution {
        let [a, b, c, d] = [self.at(0, 0), self.at(0, 1), self.at(1, 0), self.at(1, 1)];
        let total = a - b - c + d;
        let (row, column) = ((d - c) / total, (d - b) / total);
        self.checked(vec![row, 1.0 - row], vec![column, 1.0 - column])
    }

    /// The linear program of the column player: with all payoffs positive, maximise the sum of `y` such that no row
    /// gets more than one. The value is one over that sum, and the prices of the rows are the other player's strategy.
    fn simplex(&self) -> MatrixSolution {
        let least = self.payoffs.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.payoffs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let scale = most - least;
        // Payoffs from one to two, whatever they were.
        let mut tableau = Tableau::new(self.rows, self.columns, |row, column| {
            1.0 + (self.at(row, column) - least) / scale
        });
        tableau.optimise();
        let (row, column) = tableau.solution();
        self.checked(row, column)
    }

    /// Normalises weights to distributions and computes what they guarantee.
    fn checked(&self, row: Vec<f64>, column: Vec<f64>) -> MatrixSolution {
        let normal = |weights: Vec<f64>| -> Vec<f64> {
            let weights: Vec<f64> = weights.into_iter().map(|weight| weight.max(0.0)).collect();
            let sum: f64 = weights.iter().sum();
            match sum > 0.0 {
                true => weights.into_iter().map(|weight| weight / sum).collect(),
                false => vec![1.0 / weights.len() as f64; weights.len()],
            }
        };
        let (row, column) = (normal(row), normal(column));
        let against_column = |at: usize| -> f64 { (0..self.rows).map(|place| row[place] * self.at(place, at)).sum() };
        let against_row =
            |at: usize| -> f64 { (0..self.columns).map(|place| column[place] * self.at(at, place)).sum() };
        let lower = (0..self.columns).map(against_column).fold(f64::INFINITY, f64::min);
        let upper = (0..self.rows).map(against_row).fold(f64::NEG_INFINITY, f64::max);
        MatrixSolution {
            value: lower + (upper - lower) / 2.0,
            error: ((upper - lower) / 2.0).abs(),
            row,
            column,
        }
    }
}

/// The tableau of the simplex method: one line for each row of the game, and one for the objective. Columns are those
/// of the game, then one for the slack of each line, then the right-hand side.
struct Tableau {
    lines: Vec<Vec<f64>>,
    rows: usize,
    columns: usize,
    /// Which variable each line stands for.
    basis: Vec<usize>,
}

impl Tableau {
    fn new(rows: usize, columns: usize, payoff: impl Fn(usize, usize) -> f64) -> Tableau {
        let width = columns + rows + 1;
        let mut lines: Vec<Vec<f64>> = (0..rows)
            .map(|row| {
                let mut line = vec![0.0; width];
                (0..columns).for_each(|column| line[column] = payoff(row, column));
                line[columns + row] = 1.0;
                line[width - 1] = 1.0;
                line
            })
            .collect();
        let mut objective = vec![0.0; width];
        objective[..columns].fill(-1.0);
        lines.push(objective);
        Tableau {
            lines,
            rows,
            columns,
            basis: (columns..columns + rows).collect(),
        }
    }

    /// Pivots until the objective cannot grow. The greatest gain is fastest; after many pivots, when it may be cycling,
    /// the least index is taken instead (Bland's rule).
    fn optimise(&mut self) {
        let patience = 20 * (self.rows + self.columns);
        for round in 0..50 * patience {
            let Some(column) = self.entering(round > patience) else {
                return;
            };
            let Some(line) = self.leaving(column) else {
                return;
            };
            self.pivot(line, column);
        }
    }

    fn entering(&self, by_number: bool) -> Option<usize> {
        let costs = &self.lines[self.rows][..self.columns + self.rows];
        let mut gains = (0..costs.len()).filter(|&column| costs[column] < -TINY);
        match by_number {
            true => gains.next(),
            false => gains.min_by(|&one, &other| costs[one].total_cmp(&costs[other])),
        }
    }

    /// The line with the least ratio; among equals the one whose variable has the least number.
    fn leaving(&self, column: usize) -> Option<usize> {
        let right = self.columns + self.rows;
        let mut best: Option<(f64, usize)> = None;
        for line in 0..self.rows {
            let entry = self.lines[line][column];
            if entry <= TINY {
                continue;
            }
            let ratio = self.lines[line][right] / entry;
            let is_better = match best {
                None => true,
                Some((least, chosen)) => {
                    ratio < least - 1e-12 || (ratio < least + 1e-12 && self.basis[line] < self.basis[chosen])
                }
            };
            if is_better {
                best = Some((ratio, line));
            }
        }
        best.map(|(_, line)| line)
    }

    fn pivot(&mut self, line: usize, column: usize) {
        let pivot = self.lines[line][column];
        self.lines[line].iter_mut().for_each(|entry| *entry /= pivot);
        let chosen = self.lines[line].clone();
        for (number, other) in self.lines.iter_mut().enumerate() {
            let factor = other[column];
            if number != line && factor != 0.0 {
                for (entry, &by) in other.iter_mut().zip(&chosen) {
                    *entry -= factor * by;
                }
                other[column] = 0.0;
            }
        }
        self.basis[line] = column;
    }

    /// Weights of rows and columns.
    fn solution(&self) -> (Vec<f64>, Vec<f64>) {
        let right = self.columns + self.rows;
        let mut column = vec![0.0; self.columns];
        for (line, &variable) in self.basis.iter().enumerate() {
            if variable < self.columns {
                column[variable] = self.lines[line][right];
            }
        }
        (self.lines[self.rows][self.columns..right].to_vec(), column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn known_games_have_their_values() {
        // Rock, paper, scissors.
        let game = solve(&[50.0, 0.0, 100.0, 100.0, 50.0, 0.0, 0.0, 100.0, 50.0], 3, 3);
        assert!(close(game.value, 50.0) && game.error < 1e-9);
        assert!(
            game.row
                .iter()
                .chain(&game.column)
                .all(|&chance| close(chance, 1.0 / 3.0))
        );
        // Rock wins by little, paper by a middling amount, scissors by all: 1/16, 10/16, 5/16.
        let game = solve(&[50.0, 25.0, 100.0, 75.0, 50.0, 45.0, 0.0, 55.0, 50.0], 3, 3);
        assert!(close(game.value, 50.0));
        let expected = [1.0 / 16.0, 10.0 / 16.0, 5.0 / 16.0];
        assert!(
            game.row
                .iter()
                .zip(expected)
                .all(|(&chance, other)| close(chance, other))
        );
        // Two moves each.
        let game = solve(&[23.0, 77.0, 73.0, 27.0], 2, 2);
        assert!(close(game.value, 50.0) && close(game.row[0], 0.46) && close(game.column[0], 0.5));
        // A saddle point.
        let game = solve(&[1.0, 5.0, 4.0, 7.0], 2, 2);
        assert_eq!(
            (game.value, game.row, game.column),
            (4.0, vec![0.0, 1.0], vec![1.0, 0.0])
        );
        // One row, one column.
        assert_eq!(solve(&[3.0, 1.0, 2.0], 1, 3).value, 1.0);
        assert_eq!(solve(&[3.0, 1.0, 2.0], 3, 1).value, 3.0);
    }

    #[test]
    fn guarantees_meet_in_random_games() {
        let mut rng = ludens_engine::Rng::with_seed(9);
        for round in 0..4_000 {
            let (rows, columns) = (rng.usize(1..13), rng.usize(1..13));
            // Few different payoffs make for degenerate tableaus.
            let payoff = |rng: &mut ludens_engine::Rng| match round % 3 {
                0 => f64::from(rng.u8(0..3)) * 50.0,
                1 => f64::from(rng.u8(0..101)),
                _ => rng.f64() * 100.0,
            };
            let payoffs: Vec<f64> = (0..rows * columns).map(|_| payoff(&mut rng)).collect();
            let game = solve(&payoffs, rows, columns);
            // What the strategies guarantee is computed from the payoffs, so this is a proof.
            assert!(game.error < 1e-9, "{rows}x{columns} in round {round}: {}", game.error);
            assert!(close(game.row.iter().sum(), 1.0) && close(game.column.iter().sum(), 1.0));
        }
    }
}
