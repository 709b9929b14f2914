//! Joint moves that lead to the same child, merged.
//!
//! With three roles of ten moves each a node has a thousand joint moves, but often only a handful of children, and the
//! same joint moves lead to the same one of them at many nodes. A [`Link`](Merged::links) is what leads from a node to one
//! of its children, by whichever joint moves; a [`Pattern`] says which joint moves belong to which link, and nodes share
//! patterns. Within a pattern, choices of all roles but the last that leave the last role the same links are one *row*:
//! most work is done once for each row.

use crate::graph::{Graph, Work};
use hashbrown::HashMap;
use std::ops::Range;

/// Nodes that have no pattern, because there is nothing to do at them.
const NONE: u32 = u32::MAX;

/// The links of all nodes, and what belongs to them.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    starts: Vec<u32>,
    children: Vec<u32>,
    of_nodes: Vec<u32>,
    patterns: Vec<Pattern>,
    /// For each node the links that lead to it from others, one node after the other.
    parent_starts: Vec<u32>,
    parents: Vec<u32>,
}

/// Which joint moves belong to which link.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Start of the moves of each role, and the end of the last ones.
    starts: Box<[usize]>,
    /// The row of each choice of all roles but the last.
    row_of: Box<[u32]>,
    /// For each row and move of the last role the link, counted from the first of the node.
    rows: Box<[u32]>,
}

impl Merged {
    pub(super) fn of(graph: &Graph) -> Merged {
        let mut merged = Merged {
            starts: vec![0],
            children: Vec::new(),
            of_nodes: vec![NONE; graph.len()],
            patterns: Vec::new(),
            parent_starts: vec![0; graph.len() + 1],
            parents: Vec::new(),
        };
        let mut known: HashMap<Vec<u32>, u32, foldhash::fast::FixedState> = HashMap::default();
        // Which link of the node that is looked at leads to each node, if any.
        let mut link_to = vec![NONE; graph.len()];
        let mut key = Vec::new();
        for run in graph.runs() {
            for node in run.nodes.clone() {
                if run.work != Work::Settled {
                    key.clear();
                    key.extend_from_slice(&run.shape);
                    let first = merged.children.len();
                    for &child in graph.children(node) {
                        let link = &mut link_to[child as usize];
                        if *link == NONE {
                            *link = (merged.children.len() - first) as u32;
                            merged.children.push(child);
                        }
                        key.push(*link);
                    }
                    for &child in &merged.children[first..] {
                        link_to[child as usize] = NONE;
                    }
                    merged.of_nodes[node] = known.get(&key).copied().unwrap_or_else(|| {
                        merged.patterns.push(Pattern::new(&run.shape, &key[run.shape.len()..]));
                        known.insert(key.clone(), merged.patterns.len() as u32 - 1);
                        merged.patterns.len() as u32 - 1
                    });
                }
                merged.starts.push(merged.children.len() as u32);
            }
        }
        merged.find_parents();
        merged
    }

    fn find_parents(&mut self) {
        let nodes = self.of_nodes.len();
        for node in 0..nodes {
            for link in self.links(node) {
                let child = self.children[link] as usize;
                self.parent_starts[child + 1] += u32::from(child != node);
            }
        }
        for node in 0..nodes {
            self.parent_starts[node + 1] += self.parent_starts[node];
        }
        self.parents = vec![0; self.parent_starts[nodes] as usize];
        let mut next = self.parent_starts.clone();
        for node in 0..nodes {
            for link in self.links(node) {
                let child = self.children[link] as usize;
                if child != node {
                    self.parents[next[child] as usize] = link as u32;
                    next[child] += 1;
                }
            }
        }
    }

    /// The links of a node.
    pub(super) fn links(&self, node: usize) -> Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Number of links.
    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// The children of a node, one for each of its links.
    pub(super) fn children(&self, node: usize) -> &[u32] {
        &self.children[self.links(node)]
    }

    /// The links that lead to a node from others.
    pub(super) fn parents(&self, node: usize) -> &[u32] {
        &self.parents[self.parent_starts[node] as usize..self.parent_starts[node + 1] as usize]
    }

    /// The pattern of a node where there is something to do.
    pub(super) fn pattern(&self, node: usize) -> &Pattern {
        &self.patterns[self.of_nodes[node] as usize]
    }

    /// Which nodes can be reached from one.
    pub(super) fn reachable(&self, from: usize) -> Vec<bool> {
        let mut is_reachable = vec![false; self.of_nodes.len()];
        is_reachable[from] = true;
        for node in from..is_reachable.len() {
            if is_reachable[node] {
                self.children(node)
                    .iter()
                    .for_each(|&child| is_reachable[child as usize] = true);
            }
        }
        is_reachable
    }
}

/// Numbers for single rows and choices, which every node needs anew.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    chosen: Vec<usize>,
    /// For each choice of all roles but the last and each role the product of the probabilities of the others in it.
    weights: Vec<f64>,
    by_row: Vec<f64>,
}

impl Pattern {
    fn new(shape: &[u32], links: &[u32]) -> Pattern {
        let mut starts = vec![0];
        for &count in shape {
            starts.push(starts[starts.len() - 1] + count as usize);
        }
        let width = shape[shape.len() - 1] as usize;
        let mut known: HashMap<&[u32], u32, foldhash::fast::FixedState> = HashMap::default();
        let mut rows = Vec::new();
        let row_of = links.chunks(width).map(|row| {
            let number = known.len() as u32;
            *known.entry(row).or_insert_with(|| {
                rows.extend_from_slice(row);
                number
            })
        });
        Pattern {
            row_of: row_of.collect(),
            starts: starts.into(),
            rows: rows.into(),
        }
    }

    fn roles(&self) -> usize {
        self.starts.len() - 1
    }

    fn last(&self) -> Range<usize> {
        self.starts[self.roles() - 1]..self.starts[self.roles()]
    }

    /// Computes the weights that [`Pattern::flows`] and [`Pattern::value`] use, for a node whose moves have these
    /// probabilities.
    pub(super) fn weigh(&self, chances: &[f64], scratch: &mut Scratch) {
        let choosers = self.roles() - 1;
        let Scratch { chosen, weights, .. } = scratch;
        chosen.clear();
        chosen.extend_from_slice(&self.starts[..choosers]);
        weights.resize(self.row_of.len() * self.roles(), 0.0);
        for weights in weights.chunks_exact_mut(self.roles()) {
            // Products over the roles before each role, then times those after it.
            let mut product = 1.0;
            for role in 0..choosers {
                weights[role] = product;
                product *= chances[chosen[role]];
            }
            weights[choosers] = product;
            product = 1.0;
            for role in (0..choosers).rev() {
                weights[role] *= product;
                product *= chances[chosen[role]];
            }
            self.advance(chosen);
        }
    }

    /// Goes on to the next choice of all roles but the last.
    fn advance(&self, chosen: &mut [usize]) {
        for role in (0..chosen.len()).rev() {
            chosen[role] += 1;
            if chosen[role] < self.starts[role + 1] {
                return;
            }
            chosen[role] = self.starts[role];
        }
    }

    /// How likely each link is taken at a node that was [weighed](Pattern::weigh). `flows` gets for each link, for each role,
    /// the probabilities of the role's own moves that take it, added up over joint moves, then, for each role, those of
    /// the moves of all others. Numbers of roles that are not wanted stay as they are.
    pub(super) fn flows(&self, wanted: Range<usize>, chances: &[f64], scratch: &mut Scratch, flows: &mut [f64]) {
        let (roles, last) = (self.roles(), self.last());
        let width = 2 * roles;
        // The same numbers for each row, but for the last role, which has not chosen yet.
        scratch.by_row.clear();
        scratch.by_row.resize(self.rows.len() / last.len() * width, 0.0);
        let Scratch {
            chosen,
            weights,
            by_row,
        } = scratch;
        chosen.clear();
        chosen.extend_from_slice(&self.starts[..roles - 1]);
        for (&row, weights) in self.row_of.iter().zip(weights.chunks_exact(roles)) {
            let of_row = &mut by_row[row as usize * width..][..width];
            for role in wanted.clone() {
                of_row[role] += chosen.get(role).map_or(1.0, |&entry| chances[entry]);
                of_row[roles + role] += weights[role];
            }
            self.advance(chosen);
        }
        for flow in flows.chunks_mut(width) {
            flow[wanted.clone()].fill(0.0);
            flow[roles + wanted.start..roles + wanted.end].fill(0.0);
        }
        for (row, of_row) in self.rows.chunks(last.len()).zip(scratch.by_row.chunks(width)) {
            for (&link, &chance) in row.iter().zip(&chances[last.clone()]) {
                let flow = &mut flows[link as usize * width..][..width];
                for role in wanted.clone() {
                    let is_last = role == roles - 1;
                    flow[role] += of_row[role] * if is_last { chance } else { 1.0 };
                    flow[roles + role] += of_row[roles + role] * if is_last { 1.0 } else { chance };
                }
            }
        }
    }

    /// Values of the moves of a role at a node that was [weighed](Pattern::weigh), if links lead to these `values`.
    pub(super) fn value(
        &self,
        role: usize,
        chances: &[f64],
        values: &[f64],
        scratch: &mut Scratch,
        of_moves: &mut [f64],
    ) {
        let (roles, last) = (self.roles(), self.last());
        let rows = self.rows.chunks_exact(last.len());
        let Scratch { weights, by_row, .. } = scratch;
        let choices = || self.row_of.iter().zip(weights.iter().skip(role).step_by(roles));
        by_row.clear();
        of_moves.fill(0.0);
        if role == roles - 1 {
            by_row.resize(rows.len(), 0.0);
            choices().for_each(|(&row, weight)| by_row[row as usize] += weight);
            for (row, weight) in rows.zip(by_row) {
                for (of_move, &link) in of_moves.iter_mut().zip(row) {
                    *of_move += *weight * values[link as usize];
                }
            }
        } else {
            let mean = |row: &[u32]| -> f64 {
                let pairs = row.iter().zip(&chances[last.clone()]);
                pairs.map(|(&link, chance)| chance * values[link as usize]).sum()
            };
            by_row.extend(rows.map(mean));
            // Moves of the role change after all choices of those between it and the last.
            let behind: usize = (role + 1..roles - 1).map(|other| self.moves(other).len()).product();
            let (mut at, mut seen) = (0, 0);
            for (&row, weight) in choices() {
                of_moves[at] += weight * by_row[row as usize];
                seen += 1;
                if seen == behind {
                    (at, seen) = ((at + 1) % of_moves.len(), 0);
                }
            }
        }
    }

    /// The moves of a role, counted from the first of the node.
    pub(super) fn moves(&self, role: usize) -> Range<usize> {
        self.starts[role]..self.starts[role + 1]
    }
}
