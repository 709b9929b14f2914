//! Mixed strategies: the probability of every move at every node of a graph.

use crate::graph::Graph;
use ludens_engine::{MoveId, Rng, weighted_index};

/// The probability of every move of every role at every node: one number for each [entry](Graph::entries) of a graph.
///
/// Functions about a single role read only the entries of that role, so a strategy of one role is a `Strategy` too, and
/// [`Strategy::with_role`] combines strategies of different roles.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy(Vec<f64>);

/// An initial strategy.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Start {
    /// All moves equally likely.
    #[default]
    Uniform,
    /// Always the first move.
    First,
    /// A given strategy.
    Given(Strategy),
}

impl Start {
    /// Returns the strategy.
    pub fn strategy(&self, graph: &Graph) -> Strategy {
        match self {
            Start::Uniform => Strategy::uniform(graph),
            Start::First => Strategy::pure(graph, |_, _| 0),
            Start::Given(strategy) => strategy.clone(),
        }
    }
}

impl Strategy {
    /// All moves equally likely.
    pub fn uniform(graph: &Graph) -> Strategy {
        Strategy::from_fn(graph, |_, _, at| at.fill(1.0 / at.len() as f64))
    }

    /// The move with the index that `choose` returns for each node and role; the first if there is no such index.
    pub fn pure(graph: &Graph, mut choose: impl FnMut(usize, usize) -> usize) -> Strategy {
        Strategy::from_fn(graph, |node, role, at| {
            let place = choose(node, role);
            at[if place < at.len() { place } else { 0 }] = 1.0;
        })
    }

    /// The probabilities that `fill` writes for each node and role with moves, over zeros.
    pub fn from_fn(graph: &Graph, mut fill: impl FnMut(usize, usize, &mut [f64])) -> Strategy {
        let mut probabilities = vec![0.0; graph.entry_count()];
        for node in 0..graph.len() {
            for role in 0..graph.roles() {
                let entries = graph.entries(node, role);
                if !entries.is_empty() {
                    fill(node, role, &mut probabilities[entries]);
                }
            }
        }
        Strategy(probabilities)
    }

    /// Normalises weights: probabilities in proportion to the positive weights, or uniform if there are none.
    pub fn from_weights(graph: &Graph, weights: &[f64]) -> Strategy {
        Strategy::from_fn(graph, |node, role, at| {
            at.copy_from_slice(&weights[graph.entries(node, role)]);
            normalise(at);
        })
    }

    /// Probabilities, one for each entry of the graph.
    pub fn probabilities(&self) -> &[f64] {
        &self.0
    }

    /// Probabilities, one for each entry of the graph. Those of a role at a node have to add up to one.
    pub fn probabilities_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }

    /// Probabilities of the moves of a role at a node.
    pub fn at(&self, graph: &Graph, node: usize, role: usize) -> &[f64] {
        &self.0[graph.entries(node, role)]
    }

    /// The same strategy, with another one for one role.
    pub fn with_role(&self, graph: &Graph, role: usize, other: &Strategy) -> Strategy {
        let mut mixed = self.clone();
        for node in 0..graph.len() {
            let entries = graph.entries(node, role);
            mixed.0[entries.clone()].copy_from_slice(&other.0[entries]);
        }
        mixed
    }

    /// The moves of a role at a node with their probabilities.
    pub fn mixture(&self, graph: &Graph, node: usize, role: usize) -> Vec<(MoveId, f64)> {
        let moves = graph.moves(node, role).iter().copied();
        moves.zip(self.at(graph, node, role).iter().copied()).collect()
    }

    /// Mean squared difference from another strategy over all entries, as in the thesis by Shafiei Khadem.
    pub fn mean_square_error(&self, other: &Strategy) -> f64 {
        let squares = self.0.iter().zip(&other.0).map(|(one, other)| (one - other).powi(2));
        squares.sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Greatest difference of a probability from that of another strategy.
    pub fn greatest_change(&self, other: &Strategy) -> f64 {
        let changes = self.0.iter().zip(&other.0).map(|(one, other)| (one - other).abs());
        changes.fold(0.0, f64::max)
    }
}

/// Normalises weights to probabilities. Negative weights count as zero; without a positive weight the result is
/// uniform.
pub fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().map(|&weight| weight.max(0.0)).sum();
    match sum > 0.0 {
        true => weights.iter_mut().for_each(|weight| *weight = weight.max(0.0) / sum),
        false => weights.fill(1.0 / weights.len() as f64),
    }
}

/// Draws an index with these probabilities; 0 if none is positive.
pub fn draw(probabilities: &[f64], rng: &mut Rng) -> usize {
    weighted_index(probabilities.iter().copied(), rng).unwrap_or(0)
}

impl From<Vec<f64>> for Strategy {
    /// One number for each entry of a graph.
    fn from(probabilities: Vec<f64>) -> Strategy {
        Strategy(probabilities)
    }
}

impl From<Strategy> for Vec<f64> {
    fn from(strategy: Strategy) -> Vec<f64> {
        strategy.0
    }
}
