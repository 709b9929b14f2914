//! External sampling: the others' moves are drawn, all own moves are tried.

use super::Tables;
use crate::graph::{Graph, Work};
use crate::passes::FOR_EVER;
use crate::strategy::draw;
use ludens_engine::Rng;

/// What is known of nodes within a turn.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// The level of each node.
    levels: Vec<u32>,
    /// The nodes reached in each level.
    reached: Vec<Vec<u32>>,
    /// On how many ways of own moves each node is reached.
    ways: Vec<f64>,
    values: Vec<f64>,
    /// The place of the first child with the others' moves that were drawn; the rest follow in steps.
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

    /// Lets a role learn.
    pub(super) fn turn(&mut self, graph: &Graph, tables: &mut Tables, role: usize, rng: &mut Rng) {
        let mut mixture = Vec::new();
        if self.levels[0] == SETTLED {
            return;
        }
        self.ways[0] = 1.0;
        self.reached[0].push(0);
        for level in 0..self.reached.len() {
            // Lists are taken out while children are put into those behind.
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

    /// How far apart the children of two moves of a role are that follow each other.
    fn stride(graph: &Graph, node: usize, role: usize) -> usize {
        (role + 1..graph.roles())
            .map(|other| graph.entries(node, other).len())
            .product()
    }

    /// Draws the others' moves and reaches what follows them with each own one.
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

    /// Values a node and takes in the regrets of its moves.
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

/// The level of nodes where there is nothing to do.
const SETTLED: u32 = u32::MAX;
