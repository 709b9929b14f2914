//! The average goal after each move, wherever it was made (move-average sampling, MAST; Finnsson and Björnsson, 2008).

use ludens_engine::MoveId;
use ludens_engine::playout::Choice;

/// The value of a move that was never made: a little hope.
pub(super) const UNKNOWN: f32 = 75.0;

/// A mean that changes with every result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Average {
    pub(super) count: f32,
    pub(super) mean: f32,
}

impl Average {
    pub(super) fn add(&mut self, value: f32) {
        self.count += 1.0;
        self.mean += (value - self.mean) / self.count;
    }
}

/// The averages of all moves of all roles. Tables grow with the moves that are met.
pub(super) struct Averages {
    table: Vec<Vec<Average>>,
    /// The weights of the moves in Gibbs draws, as of the last refresh.
    weights: Vec<Vec<f32>>,
}

impl Averages {
    pub(super) fn new(roles: usize) -> Averages {
        Averages {
            table: vec![Vec::new(); roles],
            weights: vec![Vec::new(); roles],
        }
    }

    pub(super) fn mean(&self, role: usize, MoveId(number): MoveId) -> Option<f32> {
        let average = self.table[role].get(number as usize)?;
        (average.count > 0.0).then_some(average.mean)
    }

    /// The weight of a move in a Gibbs draw.
    pub(super) fn weight(&self, role: usize, MoveId(number): MoveId) -> f32 {
        let known = self.weights[role].get(number as usize);
        known.copied().unwrap_or(1.0)
    }

    /// Computes the weights anew. They are relative to that of an unknown move.
    pub(super) fn refresh(&mut self, temperature: f64) {
        let temperature = temperature.max(1e-3) as f32;
        for (table, weights) in self.table.iter().zip(&mut self.weights) {
            weights.clear();
            weights.extend(table.iter().map(|average| match average.count > 0.0 {
                // At very low temperatures weights must stay numbers.
                true => ((average.mean - UNKNOWN) / temperature).clamp(-80.0, 80.0).exp(),
                false => 1.0,
            }));
        }
    }

    pub(super) fn learn(&mut self, choices: &[Choice], goals: &[f64]) {
        for choice in choices {
            let table = &mut self.table[choice.role.index()];
            let number = choice.move_id.0 as usize;
            if number >= table.len() {
                table.resize(number + 1, Average::default());
            }
            table[number].add(goals[choice.role.index()] as f32);
        }
    }

    pub(super) fn fade(&mut self, keep: f64) {
        for average in self.table.iter_mut().flatten() {
            average.count *= keep as f32;
        }
    }
}
