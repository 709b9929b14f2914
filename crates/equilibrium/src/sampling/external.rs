//! External sampling: the others' moves are drawn, all own moves are visited.

use super::Tables;
use crate::graph::{Graph, Work};
use crate::passes::FOR_EVER;
use crate::strategy::draw;
use ludens_engine::Rng;

/// Data of nodes within a turn.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// The level of each node.
    levels: Vec<u32>,
    /// The nodes reached in each level.
    reached: Vec<Vec<u32>>,
    /// Number of sequences of own moves that lead to each node.
    ways: Vec<f64>,
    values: Vec<f64>,
    /// Index of the first child for the drawn moves of the others; the children of further own moves follow with a
    /// stride.
    drawn: Vec<u32>,
}

impl Sweep {
    pub(super) fn new(graph: &Graph) -> Sweep {
        let mut levels = vec![0; graph.len()];
        for (level, runs) in graph.levels().iter().enumerate() {
            for run in &graph.runs()[runs.clone()] {
                levels[run.nodes.clone()].fill(level as u32);
                if run.work == Work::Settled {
                    levels[run.nodes.clone()].fill(SETTLED);
                }
            }
        }
        Sweep {
            levels,
            reached: vec![Vec::new(); graph.levels().len()],
            ways: vec![0.0; graph.len()],
            values: vec![0.0; graph.len()],
            drawn: vec![0; graph.len()],
        }
    }

    /// Updates a role.
    pub(super) fn turn(&mut self, graph: &Graph, tables: &mut Tables, role: usize, rng: &mut Rng) {
        let mut mixture = Vec::new();
        if self.levels[0] == SETTLED {
            return;
        }
        self.ways[0] = 1.0;
        self.reached[0].push(0);
        for level in 0..self.reached.len() {
            // A list is taken out while children are added to later ones.
            let nodes = std::mem::take(&mut self.reached[level]);
            for &node in &nodes {
                self.descend(graph, tables, role, node as usize, &mut mixture, rng);
            }
            self.reached[level] = nodes;
        }
        for level in (0..self.reached.len()).rev() {
            let mut nodes = std::mem::take(&mut self.reached[level]);
            for &node in &nodes {
                self.ascend(graph, tables, role, node as usize, &mut mixture);
            }
            nodes.clear();
            self.reached[level] = nodes;
        }
    }

    /// Stride of a role: the distance between the children of two consecutive moves.
    fn stride(graph: &Graph, node: usize, role: usize) -> usize {
        (role + 1..graph.roles())
            .map(|other| graph.entries(node, other).len())
            .product()
    }

    /// Draws the others' moves and visits the child of each own move.
    fn descend(
        &mut self,
        graph: &Graph,
        tables: &mut Tables,
        role: usize,
        node: usize,
        mixture: &mut Vec<f64>,
        rng: &mut Rng,
    ) {
        let mut first = 0;
        for other in (0..graph.roles()).filter(|&other| other != role) {
            let entries = graph.entries(node, other);
            tables.mixture(entries.clone(), mixture);
            for (total, chance) in tables.total[entries].iter_mut().zip(&*mixture) {
                *total += self.ways[node] * chance;
            }
            first += draw(mixture, rng) * Sweep::stride(graph, node, other);
        }
        self.drawn[node] = first as u32;
        let (children, stride) = (graph.children(node), Sweep::stride(graph, node, role));
        for place in 0..graph.entries(node, role).len() {
            let child = children[first + place * stride] as usize;
            let level = self.levels[child];
            if level == SETTLED || child == node {
                continue;
            }
            if self.ways[child] == 0.0 {
                self.reached[level as usize].push(child as u32);
            }
            self.ways[child] += self.ways[node];
        }
    }

    /// Computes the value of a node and updates its regrets.
    fn ascend(&mut self, graph: &Graph, tables: &mut Tables, role: usize, node: usize, mixture: &mut Vec<f64>) {
        let entries = graph.entries(node, role);
        tables.mixture(entries.clone(), mixture);
        let (children, stride) = (graph.children(node), Sweep::stride(graph, node, role));
        let first = self.drawn[node] as usize;
        let worth = |values: &[f64], place: usize| match children[first + place * stride] as usize {
            child if child == node => None,
            child if self.levels[child] == SETTLED => Some(graph.goals(child)[role]),
            child => Some(values[child]),
        };
        let (mut mean, mut stay) = (0.0, 0.0);
        for (place, chance) in mixture.iter().enumerate() {
            match worth(&self.values, place) {
                Some(value) => mean += chance * value,
                None => stay += chance,
            }
        }
        let mean = match stay {
            0.0 => mean,
            stay if stay < FOR_EVER => mean / (1.0 - stay),
            _ => graph.endless()[role],
        };
        let ways = std::mem::take(&mut self.ways[node]);
        for (place, entry) in entries.enumerate() {
            tables.regret[entry] += ways * (worth(&self.values, place).unwrap_or(mean) - mean);
        }
        self.values[node] = mean;
    }
}

/// Level of nodes without work.
const SETTLED: u32 = u32::MAX;
