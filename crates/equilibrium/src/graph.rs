//! The graph of joint moves: every state once, whatever the way to it, in flat arrays.
//!
//! A *node* is a state. Its *children* are the nodes that its joint moves lead to, one for each joint move, in the order
//! of the moves of the roles, those of the last role changing fastest: with two roles a matrix, row by row. Everything
//! that is kept for each move of each role at each node (probabilities, regrets) is an array of *entries*; those of a
//! node are side by side, role by role, and [`Graph::entries`] says where.
//!
//! Nodes are numbered so that loops over them are simple and fast:
//!
//! * The root is node 0, and children have greater numbers than their parents. A *level* is a range of nodes without
//!   steps between them: the level of a node is the length of the longest way to it.
//! * Within a level, nodes of the same shape (numbers of moves) and the same [`Work`] are side by side: a [`Run`]. The
//!   entries and children of the nodes of a run have equal lengths, so they are chunks of a slice.
//!
//! A state that a joint move does not change is its own child. Longer cycles have no place in such an order; graphs of
//! games with cycles are refused unless they end at some depth, and then states are nodes once for each depth.

mod assemble;
mod grow;

pub use assemble::Sketch;
pub use grow::{GraphOptions, Growth, grow};

use ludens_engine::{MoveId, State};
use ludens_reach::{NodeKind, PackedStates};
use std::ops::Range;

/// What there is to do at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// Moves matter here and further on.
    Choices,
    /// Moves matter here, but at none of the children.
    LastChoices,
    /// Nothing: the node has no moves, or they do not matter because all ways lead to the same goals.
    Settled,
}

/// Nodes of one level that have the same shape and the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The nodes.
    pub nodes: Range<usize>,
    /// How many moves each role has at each of them; zeros where there are none.
    pub shape: Box<[u32]>,
    /// What there is to do at them.
    pub work: Work,
    /// Whether any of them is its own child.
    pub has_loops: bool,
    /// Where the entries of the first node start.
    pub first_entry: usize,
    /// Where the children of the first node start.
    pub first_child: usize,
}

impl Run {
    /// How many entries a node has.
    pub fn entries(&self) -> usize {
        self.shape.iter().map(|&count| count as usize).sum()
    }

    /// How many children a node has.
    pub fn degree(&self) -> usize {
        match self.shape.contains(&0) {
            true => 0,
            false => self.shape.iter().map(|&count| count as usize).product(),
        }
    }
}

/// The graph of joint moves from some state on.
#[derive(Clone, Debug)]
pub struct Graph {
    roles: usize,
    kinds: Vec<NodeKind>,
    /// The runs, in the order of their nodes.
    runs: Vec<Run>,
    /// The runs of each level.
    levels: Vec<Range<usize>>,
    /// Where the entries of each role at each node start, and behind them all.
    entry_starts: Vec<u32>,
    moves: Vec<MoveId>,
    child_starts: Vec<u32>,
    children: Vec<u32>,
    /// The goals of each role: those of the end, the estimate of a leaf, what a settled node leads to.
    goals: Vec<f64>,
    sum: Option<f64>,
    endless: Vec<f64>,
    states: PackedStates,
    is_unrolled: bool,
}

impl Graph {
    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// How many nodes are of a kind.
    pub fn count(&self, kind: NodeKind) -> usize {
        self.kinds.iter().filter(|&&other| other == kind).count()
    }

    /// How many joint moves there are at all nodes together.
    pub fn transitions(&self) -> usize {
        self.children.len()
    }

    /// How many entries there are: moves of all roles at all nodes.
    pub fn entry_count(&self) -> usize {
        self.moves.len()
    }

    /// What a node is.
    pub fn kind(&self, node: usize) -> NodeKind {
        self.kinds[node]
    }

    /// What there is to do at a node.
    pub fn work(&self, node: usize) -> Work {
        let run = self.runs.partition_point(|run| run.nodes.end <= node);
        self.runs[run].work
    }

    /// Nodes of the same shape and work, in the order of nodes.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// For each level the places of its runs in [`Graph::runs`].
    pub fn levels(&self) -> &[Range<usize>] {
        &self.levels
    }

    /// The entries of a role at a node: one for each legal move, in the order of [`Graph::moves`].
    pub fn entries(&self, node: usize, role: usize) -> Range<usize> {
        let at = node * self.roles + role;
        self.entry_starts[at] as usize..self.entry_starts[at + 1] as usize
    }

    /// The legal moves of a role at a node; none where there are no children.
    pub fn moves(&self, node: usize, role: usize) -> &[MoveId] {
        &self.moves[self.entries(node, role)]
    }

    /// The children of a node, one for each joint move, the moves of the last role changing fastest.
    pub fn children(&self, node: usize) -> &[u32] {
        &self.children[self.child_starts[node] as usize..self.child_starts[node + 1] as usize]
    }

    /// The children of all nodes, one after the other.
    pub fn all_children(&self) -> &[u32] {
        &self.children
    }

    /// The goals of each role at an end, a leaf or a settled node; zeros at other nodes.
    pub fn goals(&self, node: usize) -> &[f64] {
        &self.goals[node * self.roles..(node + 1) * self.roles]
    }

    /// The goals of all nodes, role by role.
    pub fn all_goals(&self) -> &[f64] {
        &self.goals
    }

    /// The sum of the goals of all roles, if it is the same at all ends and leaves.
    pub fn sum(&self) -> Option<f64> {
        self.sum
    }

    /// What each role is taken to get if a match goes on for ever where nothing changes: the middle of what there is
    /// to get. The rules say nothing about such matches.
    pub fn endless(&self) -> &[f64] {
        &self.endless
    }

    /// The state of a node.
    pub fn state(&self, node: usize) -> State {
        self.states.state(node)
    }

    /// The node of a state; of several, as there are in graphs with a node for each depth, the first.
    pub fn find(&self, state: &State) -> Option<usize> {
        self.states.find(state).map(|number| number as usize)
    }

    /// Whether states are nodes once for each depth, because the game has cycles.
    pub fn is_unrolled(&self) -> bool {
        self.is_unrolled
    }

    /// Whether any node is its own child.
    pub fn has_loops(&self) -> bool {
        self.runs.iter().any(|run| run.has_loops)
    }

    /// Whether there is a leaf, so that values are estimates.
    pub fn has_leaves(&self) -> bool {
        self.kinds.contains(&NodeKind::Leaf)
    }

    /// Says what a leaf is worth to each role. [`Graph::sum`] is not looked at again until [`Graph::sum_up`].
    pub fn set_estimate(&mut self, leaf: usize, goals: &[f64]) {
        if self.kinds[leaf] == NodeKind::Leaf {
            self.goals[leaf * self.roles..(leaf + 1) * self.roles].copy_from_slice(goals);
        }
    }

    /// Looks again whether goals have the same sum everywhere.
    pub fn sum_up(&mut self) {
        let mut sums = (0..self.len())
            .filter(|&node| self.kinds[node] != NodeKind::Inner)
            .map(|node| self.goals(node).iter().sum::<f64>());
        let first = sums.next();
        // Means of playouts are exact but for rounding.
        self.sum = first.filter(|first| sums.all(|sum| (sum - first).abs() < 1e-6));
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + self.kinds.len()
            + (self.entry_starts.len() + self.moves.len() + self.child_starts.len() + self.children.len()) * 4
            + self.goals.len() * 8
    }
}
