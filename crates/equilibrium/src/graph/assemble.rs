//! Turns nodes in the order in which they were found into a [`Graph`]: levels, settled nodes, runs.

use super::{Graph, Run, Work};
use crate::EquilibriumError;
use ludens_engine::MoveId;
use ludens_reach::{Coding, Edges, NodeKind, PackedStates};

/// What is noted about each node.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    pub(super) kinds: Vec<NodeKind>,
    /// Number of moves for each node and role; 0 except at inner nodes.
    pub(super) counts: Vec<u32>,
    /// Moves, node by node and role by role.
    pub(super) moves: Vec<MoveId>,
    /// Goal for each node and role; meaningless at inner nodes.
    pub(super) goals: Vec<f64>,
}

/// Nodes as they were found: the root first, the others in any order.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    pub(super) roles: usize,
    pub(super) nodes: Nodes,
    /// Children of each node, one for each joint move.
    pub(super) edges: Edges,
}

impl Sketch {
    /// A sketch without nodes.
    pub fn new(roles: usize) -> Sketch {
        Sketch {
            roles,
            ..Sketch::default()
        }
    }

    /// Adds a terminal node with its goals and returns its number.
    pub fn add_end(&mut self, goals: &[f64]) -> u32 {
        self.add(NodeKind::Terminal, &vec![0; self.roles], goals, &[])
    }

    /// Adds an inner node with `counts` moves for the roles and returns its number. Moves are numbered from 0.
    pub fn add_inner(&mut self, counts: &[u32], children: &[u32]) -> u32 {
        for &count in counts {
            self.nodes.moves.extend((0..count).map(MoveId));
        }
        self.add(NodeKind::Inner, counts, &vec![0.0; self.roles], children)
    }

    fn add(&mut self, kind: NodeKind, counts: &[u32], goals: &[f64], children: &[u32]) -> u32 {
        self.nodes.kinds.push(kind);
        self.nodes.counts.extend_from_slice(counts);
        self.nodes.goals.extend_from_slice(goals);
        children.iter().for_each(|&child| self.edges.push(child));
        self.edges.end_list(children.len() as u32);
        self.nodes.kinds.len() as u32 - 1
    }

    /// Builds the graph. The states of such a graph belong to no game: it is for small graphs made by hand.
    ///
    /// # Panics
    ///
    /// If the numbers do not fit together.
    pub fn into_graph(self) -> Result<Graph, EquilibriumError> {
        let mut states = PackedStates::new(Coding::of_bits(1));
        (0..self.nodes.kinds.len() as u64).for_each(|number| {
            states.insert(&[number]);
        });
        self.assemble(&states, false)
    }

    fn shape(&self, node: usize) -> &[u32] {
        &self.nodes.counts[node * self.roles..(node + 1) * self.roles]
    }

    pub(super) fn assemble(mut self, states: &PackedStates, is_unrolled: bool) -> Result<Graph, EquilibriumError> {
        let size = self.nodes.kinds.len();
        let mut entry_starts = vec![0usize];
        for &count in &self.nodes.counts {
            entry_starts.push(entry_starts[entry_starts.len() - 1] + count as usize);
        }
        assert!(self.edges.lists() == size && entry_starts[size * self.roles] == self.nodes.moves.len());
        let found = self.edges.levels(false);
        if found.order.len() < size {
            return Err(EquilibriumError::Cycles {
                states: size,
                unordered: size - found.order.len(),
            });
        }
        let levels = found.depths;
        let endless = self.endless();
        let work = self.settle(&found.order, &endless);
        let Nodes {
            kinds, moves, goals, ..
        } = &self.nodes;

        // Nodes are renumbered from the order in which they were found to that of the graph.
        let mut sorted: Vec<u32> = (0..size as u32).collect();
        let key = |node: usize| (levels[node], work[node], kinds[node], self.shape(node));
        sorted.sort_by(|&one, &other| key(one as usize).cmp(&key(other as usize)));
        let mut numbers = vec![0u32; size];
        for (number, &node) in sorted.iter().enumerate() {
            numbers[node as usize] = number as u32;
        }
        let mut graph = Graph {
            roles: self.roles,
            kinds: Vec::with_capacity(size),
            runs: Vec::new(),
            levels: Vec::new(),
            entry_starts: Vec::with_capacity(size * self.roles + 1),
            moves: Vec::with_capacity(moves.len()),
            child_starts: Vec::with_capacity(size + 1),
            children: Vec::with_capacity(self.edges.targets().len()),
            goals: Vec::with_capacity(goals.len()),
            sum: None,
            endless,
            states: states.reordered(&sorted),
            is_unrolled,
        };
        let mut level = None;
        for (number, &node) in sorted.iter().enumerate() {
            let node = node as usize;
            let children = self.edges.of(node);
            let is_new_level = level != Some(levels[node]);
            let last = graph.runs.last();
            let is_new_run =
                is_new_level || last.is_none_or(|run| run.work != work[node] || run.shape[..] != *self.shape(node));
            if is_new_level {
                level = Some(levels[node]);
                graph.levels.push(graph.runs.len()..graph.runs.len());
            }
            if is_new_run {
                graph.runs.push(Run {
                    nodes: number..number,
                    shape: self.shape(node).into(),
                    work: work[node],
                    has_loops: false,
                    first_entry: graph.moves.len(),
                    first_child: graph.children.len(),
                });
                if let Some(level) = graph.levels.last_mut() {
                    level.end += 1;
                }
            }
            if let Some(run) = graph.runs.last_mut() {
                run.nodes.end += 1;
                run.has_loops |= children.contains(&(node as u32));
            }
            graph.kinds.push(kinds[node]);
            for role in 0..self.roles {
                graph.entry_starts.push(graph.moves.len() as u32);
                let at = node * self.roles + role;
                let own = &moves[entry_starts[at]..entry_starts[at + 1]];
                graph.moves.extend_from_slice(own);
            }
            graph.child_starts.push(graph.children.len() as u32);
            graph
                .children
                .extend(children.iter().map(|&child| numbers[child as usize]));
            let goals = &goals[node * self.roles..(node + 1) * self.roles];
            graph.goals.extend_from_slice(goals);
        }
        graph.entry_starts.push(graph.moves.len() as u32);
        graph.child_starts.push(graph.children.len() as u32);
        graph.sum_up();
        Ok(graph)
    }

    /// Returns the middle between the least and the greatest goal of each role.
    fn endless(&self) -> Vec<f64> {
        let goals = |role: usize| {
            let outer = (0..self.nodes.kinds.len()).filter(|&node| self.nodes.kinds[node] != NodeKind::Inner);
            outer.map(move |node| self.nodes.goals[node * self.roles + role])
        };
        (0..self.roles)
            .map(|role| {
                let least = goals(role).fold(f64::INFINITY, f64::min);
                let most = goals(role).fold(f64::NEG_INFINITY, f64::max);
                if least <= most { (least + most) / 2.0 } else { 50.0 }
            })
            .collect()
    }

    /// Finds the [`Work`] of each node and sets the goals of settled ones.
    fn settle(&mut self, order: &[u32], endless: &[f64]) -> Vec<Work> {
        let roles = self.roles;
        let mut work = vec![Work::Settled; self.nodes.kinds.len()];
        for &node in order.iter().rev() {
            let node = node as usize;
            if self.nodes.kinds[node] != NodeKind::Inner {
                continue;
            }
            let children = self.edges.of(node);
            let others = || {
                children
                    .iter()
                    .map(|&child| child as usize)
                    .filter(|&child| child != node)
            };
            let Some(first) = others().next() else {
                // Whatever is played, nothing changes any more.
                self.nodes.goals[node * roles..(node + 1) * roles].copy_from_slice(endless);
                continue;
            };
            let goals = |node: usize| &self.nodes.goals[node * roles..(node + 1) * roles];
            // Estimates of leaves change, so what leads to them is not settled.
            let is_settled = |child: usize| work[child] == Work::Settled && self.nodes.kinds[child] != NodeKind::Leaf;
            // Where a role may stay for ever, it chooses between that and the rest.
            let may_stay = others().count() < children.len();
            if !may_stay && others().all(|child| is_settled(child) && goals(child) == goals(first)) {
                let goals = goals(first).to_vec();
                self.nodes.goals[node * roles..(node + 1) * roles].copy_from_slice(&goals);
            } else if others().all(|child| work[child] == Work::Settled) {
                work[node] = Work::LastChoices;
            } else {
                work[node] = Work::Choices;
            }
        }
        work
    }
}
