//! The order in which propositions can be computed, and which of them depend on each other.
//!
//! Tarjan's algorithm over propositions and bodies, without recursion. Bodies are nodes of their own because one body
//! often stands in many instances: following it once saves most of the edges.

use crate::ids::Proposition;
use crate::program::{Body, GroundProgram, Signal};

/// Propositions that depend on each other, or a single one.
pub struct Group {
    /// The propositions, in increasing order.
    pub members: Vec<Proposition>,
    /// Whether they depend on themselves.
    pub is_cyclic: bool,
}

/// Returns the propositions that the asked ones depend on, in groups, each after those that it depends on.
pub fn groups(program: &GroundProgram, asked: impl Iterator<Item = Proposition>) -> Vec<Group> {
    let propositions = program.propositions();
    let nodes = propositions + program.bodies.len();
    let mut walk = Walk {
        program,
        propositions,
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        open: Vec::new(),
        path: Vec::new(),
        next_index: 0,
        groups: Vec::new(),
    };
    for proposition in asked {
        walk.from(proposition.index());
    }
    walk.groups
}

const UNSEEN: u32 = u32::MAX;
const CLOSED: u32 = u32::MAX - 1;

struct Walk<'a> {
    program: &'a GroundProgram,
    propositions: usize,
    /// When each node was first seen; `CLOSED` once its group is known.
    index: Vec<u32>,
    /// The earliest node that can be reached back.
    low: Vec<u32>,
    /// Nodes whose group is not known yet.
    open: Vec<u32>,
    /// The nodes from the root to here, with the place of the next edge to follow.
    path: Vec<(usize, usize)>,
    next_index: u32,
    groups: Vec<Group>,
}

impl Walk<'_> {
    fn from(&mut self, root: usize) {
        self.enter(root);
        while let Some(&(node, edge)) = self.path.last() {
            match self.successor(node, edge) {
                Some(next) => {
                    let last = self.path.len() - 1;
                    self.path[last].1 = edge + 1;
                    self.follow(node, next);
                }
                None => self.leave(node),
            }
        }
    }

    fn follow(&mut self, node: usize, next: Option<usize>) {
        let Some(next) = next else {
            return;
        };
        match self.index[next] {
            UNSEEN => self.enter(next),
            CLOSED => {}
            seen => self.low[node] = self.low[node].min(seen),
        }
    }

    fn enter(&mut self, node: usize) {
        if self.index[node] != UNSEEN {
            return;
        }
        self.index[node] = self.next_index;
        self.low[node] = self.next_index;
        self.next_index += 1;
        self.open.push(node as u32);
        self.path.push((node, 0));
    }

    /// The end of an edge: `None` if there is no such edge, `Some(None)` if it leads to no proposition.
    fn successor(&self, node: usize, edge: usize) -> Option<Option<usize>> {
        if node < self.propositions {
            let bodies = self.program.derived(Proposition(node as u32));
            return bodies.get(edge).map(|body| Some(self.propositions + body.0 as usize));
        }
        let conditions = self.program.bodies.get(Body((node - self.propositions) as u32));
        conditions.get(edge).map(|condition| match condition.signal {
            Signal::Derived(proposition) => Some(proposition.index()),
            Signal::Fluent(_) | Signal::Move(..) => None,
        })
    }

    fn leave(&mut self, node: usize) {
        self.path.pop();
        let low = self.low[node];
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent] = self.low[parent].min(low);
        }
        if low != self.index[node] {
            return;
        }
        let start = self.open.iter().rposition(|&open| open as usize == node).unwrap_or(0);
        let nodes = self.open.split_off(start);
        // On a cycle, propositions and bodies alternate.
        let is_cyclic = nodes.len() > 1;
        for &member in &nodes {
            self.index[member as usize] = CLOSED;
        }
        let members = nodes
            .into_iter()
            .filter(|&member| (member as usize) < self.propositions);
        let mut members: Vec<Proposition> = members.map(Proposition).collect();
        members.sort_unstable();
        if !members.is_empty() {
            self.groups.push(Group { members, is_cyclic });
        }
    }
}
