//! From nodes in any order to a graph in its order: levels, what is settled, runs.

use super::states::States;
use super::{Graph, Kind, Run, Work};
use crate::EquilibriumError;
use ludens_engine::MoveId;

/// Nodes as they were found: the root first, the others in any order.
#[derive(Clone, Debug, Default)]
pub struct Sketch {
    /// How many roles there are.
    pub roles: usize,
    /// What each node is.
    pub kinds: Vec<Kind>,
    /// For each node and role how many moves there are; none but at inner nodes.
    pub counts: Vec<u32>,
    /// The moves, node by node and role by role.
    pub moves: Vec<MoveId>,
    /// For each node and role the goal; it does not matter at inner nodes.
    pub goals: Vec<f64>,
    /// The children of each node, one for each joint move, node by node.
    pub children: Vec<u32>,
}

impl Sketch {
    /// No nodes yet.
    pub fn new(roles: usize) -> Sketch {
        Sketch {
            roles,
            ..Sketch::default()
        }
    }

    /// Adds an end with its goals; gives its number.
    pub fn add_end(&mut self, goals: &[f64]) -> u32 {
        self.add(Kind::End, &vec![0; self.roles], goals, &[])
    }

    /// Adds a node with so many moves for each role; gives its number. Moves are numbered from 0.
    pub fn add_inner(&mut self, counts: &[u32], children: &[u32]) -> u32 {
        for &count in counts {
            self.moves.extend((0..count).map(MoveId));
        }
        self.add(Kind::Inner, counts, &vec![0.0; self.roles], children)
    }

    fn add(&mut self, kind: Kind, counts: &[u32], goals: &[f64], children: &[u32]) -> u32 {
        self.kinds.push(kind);
        self.counts.extend_from_slice(counts);
        self.goals.extend_from_slice(goals);
        self.children.extend_from_slice(children);
        self.kinds.len() as u32 - 1
    }

    /// Puts the nodes in order. The states of such a graph have no fluents in common with any game: it is for looking at
    /// small graphs by hand.
    ///
    /// # Panics
    ///
    /// If the numbers do not fit together.
    pub fn into_graph(self) -> Result<Graph, EquilibriumError> {
        let mut states = States::new(1);
        (0..self.kinds.len() as u64).for_each(|number| {
            states.insert(&[number]);
        });
        self.assemble(&states, false)
    }

    fn degree(&self, node: usize) -> usize {
        match self.kinds[node] {
            Kind::Inner => self.shape(node).iter().map(|&count| count as usize).product(),
            _ => 0,
        }
    }

    fn shape(&self, node: usize) -> &[u32] {
        &self.counts[node * self.roles..(node + 1) * self.roles]
    }

    pub(super) fn assemble(mut self, states: &States, is_unrolled: bool) -> Result<Graph, EquilibriumError> {
        let size = self.kinds.len();
        let mut child_starts = vec![0usize];
        let mut entry_starts = vec![0usize];
        for node in 0..size {
            child_starts.push(child_starts[node] + self.degree(node));
        }
        for &count in &self.counts {
            entry_starts.push(entry_starts[entry_starts.len() - 1] + count as usize);
        }
        assert!(child_starts[size] == self.children.len() && entry_starts[size * self.roles] == self.moves.len());
        let (order, levels) = self.levels(&child_starts)?;
        let endless = self.endless();
        let work = self.settle(&order, &child_starts, &endless);

        // From the numbers in the order of finding to those of the graph.
        let mut sorted: Vec<u32> = (0..size as u32).collect();
        let key = |node: usize| (levels[node], work[node], self.kinds[node], self.shape(node));
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
            moves: Vec::with_capacity(self.moves.len()),
            child_starts: Vec::with_capacity(size + 1),
            children: Vec::with_capacity(self.children.len()),
            goals: Vec::with_capacity(self.goals.len()),
            sum: None,
            endless,
            states: states.reordered(&sorted),
            is_unrolled,
        };
        let mut level = None;
        for (number, &node) in sorted.iter().enumerate() {
            let node = node as usize;
            let children = &self.children[child_starts[node]..child_starts[node + 1]];
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
            graph.kinds.push(self.kinds[node]);
            for role in 0..self.roles {
                graph.entry_starts.push(graph.moves.len() as u32);
                let at = node * self.roles + role;
                graph
                    .moves
                    .extend_from_slice(&self.moves[entry_starts[at]..entry_starts[at + 1]]);
            }
            graph.child_starts.push(graph.children.len() as u32);
            graph
                .children
                .extend(children.iter().map(|&child| numbers[child as usize]));
            graph
                .goals
                .extend_from_slice(&self.goals[node * self.roles..(node + 1) * self.roles]);
        }
        graph.entry_starts.push(graph.moves.len() as u32);
        graph.child_starts.push(graph.children.len() as u32);
        graph.sum_up();
        Ok(graph)
    }

    /// All nodes, parents before children, and the length of the longest way to each of them.
    fn levels(&self, child_starts: &[usize]) -> Result<(Vec<u32>, Vec<u32>), EquilibriumError> {
        let size = self.kinds.len();
        let mut parents = vec![0u32; size];
        for node in 0..size {
            for &child in &self.children[child_starts[node]..child_starts[node + 1]] {
                parents[child as usize] += u32::from(child as usize != node);
            }
        }
        let mut levels = vec![0u32; size];
        let mut order: Vec<u32> = (0..size as u32).filter(|&node| parents[node as usize] == 0).collect();
        let mut at = 0;
        while at < order.len() {
            let node = order[at] as usize;
            at += 1;
            for &child in &self.children[child_starts[node]..child_starts[node + 1]] {
                let child = child as usize;
                if child == node {
                    continue;
                }
                levels[child] = levels[child].max(levels[node] + 1);
                parents[child] -= 1;
                if parents[child] == 0 {
                    order.push(child as u32);
                }
            }
        }
        match order.len() == size {
            true => Ok((order, levels)),
            false => Err(EquilibriumError::Cycles {
                states: size,
                unordered: size - order.len(),
            }),
        }
    }

    /// The middle of what each role can get.
    fn endless(&self) -> Vec<f64> {
        let goals = |role: usize| {
            let outer = (0..self.kinds.len()).filter(|&node| self.kinds[node] != Kind::Inner);
            outer.map(move |node| self.goals[node * self.roles + role])
        };
        (0..self.roles)
            .map(|role| {
                let least = goals(role).fold(f64::INFINITY, f64::min);
                let most = goals(role).fold(f64::NEG_INFINITY, f64::max);
                if least <= most { (least + most) / 2.0 } else { 50.0 }
            })
            .collect()
    }

    /// What there is to do at each node; gives settled nodes their goals.
    fn settle(&mut self, order: &[u32], child_starts: &[usize], endless: &[f64]) -> Vec<Work> {
        let roles = self.roles;
        let mut work = vec![Work::Settled; self.kinds.len()];
        for &node in order.iter().rev() {
            let node = node as usize;
            if self.kinds[node] != Kind::Inner {
                continue;
            }
            let children = &self.children[child_starts[node]..child_starts[node + 1]];
            let others = || {
                children
                    .iter()
                    .map(|&child| child as usize)
                    .filter(|&child| child != node)
            };
            let Some(first) = others().next() else {
                // Whatever is played, nothing changes any more.
                self.goals[node * roles..(node + 1) * roles].copy_from_slice(endless);
                continue;
            };
            let goals = |node: usize| &self.goals[node * roles..(node + 1) * roles];
            // Estimates of leaves change, so what leads to them is not settled.
            let is_settled = |child: usize| work[child] == Work::Settled && self.kinds[child] != Kind::Leaf;
            // Where a role may stay for ever, it chooses between that and the rest.
            let may_stay = others().count() < children.len();
            if !may_stay && others().all(|child| is_settled(child) && goals(child) == goals(first)) {
                let goals = goals(first).to_vec();
                self.goals[node * roles..(node + 1) * roles].copy_from_slice(&goals);
            } else if others().all(|child| work[child] == Work::Settled) {
                work[node] = Work::LastChoices;
            } else {
                work[node] = Work::Choices;
            }
        }
        work
    }
}
