//! Symmetric positive definite matrices, as small as the number of players: solving and inverting.
//!
//! Both go by Cholesky's decomposition A = L Lᵀ, which needs no pivoting for such matrices and shows by a root of a
//! number that is not positive if the matrix is not one of them.

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// All cells are 0.
    pub(super) fn zero(size: usize) -> Matrix {
        Matrix {
            size,
            cells: vec![0.0; size * size],
        }
    }

    /// The number of rows, and of columns.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] = value;
    }

    /// The lower triangle L with L Lᵀ = the matrix, or `None` if the matrix is not positive definite.
    pub(super) fn cholesky(&self) -> Option<Triangle> {
        let mut lower = Matrix::zero(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|at| lower.get(row, at) * lower.get(column, at)).sum();
                let rest = self.get(row, column) - known;
                if row == column {
                    if rest.is_nan() || rest <= 0.0 {
                        return None;
                    }
                    lower.set(row, row, rest.sqrt());
                } else {
                    lower.set(row, column, rest / lower.get(column, column));
                }
            }
        }
        Some(Triangle { lower })
    }
}

/// The lower triangle of Cholesky's decomposition.
pub(super) struct Triangle {
    lower: Matrix,
}

impl Triangle {
    /// The vector x with L Lᵀ x = `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = self.lower.size;
        let mut x = right.to_vec();
        for row in 0..size {
            let known: f64 = (0..row).map(|column| self.lower.get(row, column) * x[column]).sum();
            x[row] = (x[row] - known) / self.lower.get(row, row);
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size)
                .map(|column| self.lower.get(column, row) * x[column])
                .sum();
            x[row] = (x[row] - known) / self.lower.get(row, row);
        }
        x
    }

    /// The inverse of L Lᵀ.
    pub(super) fn inverse(&self) -> Matrix {
        let size = self.lower.size;
        let mut inverse = Matrix::zero(size);
        let mut unit = vec![0.0; size];
        for column in 0..size {
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse.set(row, column, value);
            }
            unit[column] = 0.0;
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(rows: &[&[f64]]) -> Matrix {
        Matrix {
            size: rows.len(),
            cells: rows.concat(),
        }
    }

    /// An example that can be checked by hand: the determinant is 4 · 3 − 2 · 2 = 8.
    #[test]
    fn two_by_two() {
        let triangle = matrix(&[&[4.0, 2.0], &[2.0, 3.0]]).cholesky().unwrap();
        let inverse = triangle.inverse();
        for (at, expected) in [0.375, -0.25, -0.25, 0.5].into_iter().enumerate() {
            assert!((inverse.cells[at] - expected).abs() < 1e-15);
        }
        let solution = triangle.solve(&[8.0, 8.0]);
        assert!((solution[0] - 1.0).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn not_positive_definite() {
        assert!(matrix(&[&[1.0, 2.0], &[2.0, 1.0]]).cholesky().is_none());
        assert!(matrix(&[&[f64::NAN]]).cholesky().is_none());
        assert!(Matrix::zero(0).cholesky().is_some());
    }

    proptest! {
        /// A = B Bᵀ + 1 is positive definite; A times its inverse is the unit matrix.
        #[test]
        fn inverses(size in 1usize..7, values in prop::collection::vec(-2.0..2.0f64, 36)) {
            let mut a = Matrix::zero(size);
            for row in 0..size {
                a.add(row, row, 1.0);
                for column in 0..size {
                    let product = (0..size).map(|at| values[row * 6 + at] * values[column * 6 + at]).sum();
                    a.add(row, column, product);
                }
            }
            let inverse = a.cholesky().unwrap().inverse();
            for row in 0..size {
                for column in 0..size {
                    let cell: f64 = (0..size).map(|at| a.get(row, at) * inverse.get(at, column)).sum();
                    let unit = if row == column { 1.0 } else { 0.0 };
                    prop_assert!((cell - unit).abs() < 1e-9);
                }
            }
        }
    }
}
