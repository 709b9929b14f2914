//! The graph of joint moves in flat arrays: every state once, however it is reached.
//!
//! A *node* is a state. Its *children* are the successors, one for each joint move, the moves of the last role changing
//! fastest: with two roles a matrix, row by row. Data per node, role and move (probabilities, regrets) are arrays of
//! *entries*; those of a node are adjacent, role by role, and [`Graph::entries`] gives their range.
//!
//! Nodes are numbered so that loops over them are simple and fast:
//!
//! * The root is node 0, and children have greater numbers than their parents. A *level* is a range of nodes without
//!   steps between them: the level of a node is the length of the longest path to it.
//! * Within a level, nodes of the same shape (numbers of moves) and the same [`Work`] are adjacent: a [`Run`]. All
//!   nodes of a run have equally many entries and children, so these are chunks of a slice.
//!
//! A state that a joint move does not change is its own child. Longer cycles are impossible in this order. Games with
//! cycles are refused unless there is a maximum depth; then equal states at different depths are different nodes.

mod assemble;
mod grow;

pub use assemble::Sketch;
pub use grow::{GraphOptions, Growth, grow};

use ludens_engine::{MoveId, State};
use ludens_reach::{NodeKind, PackedStates};
use std::ops::Range;

/// What solvers have to do at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Work {
    /// Moves matter here and at some descendants.
    Choices,
    /// Moves matter here, but at none of the children.
    LastChoices,
    /// Nothing: the node has no moves, or all of them lead to the same goals.
    Settled,
}

/// Nodes of one level that have the same shape and the same work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The nodes.
    pub nodes: Range<usize>,
    /// Number of moves of each role at each of them; zeros if there are no children.
    pub shape: Box<[u32]>,
    /// What solvers have to do at them.
    pub work: Work,
    /// Whether any of them is its own child.
    pub has_loops: bool,
    /// Index of the first entry of the first node.
    pub first_entry: usize,
    /// Index of the first child of the first node.
    pub first_child: usize,
}

impl Run {
    /// Number of entries of a node.
    pub fn entries(&self) -> usize {
        self.shape.iter().map(|&count| count as usize).sum()
    }

    /// Number of children of a node.
    pub fn degree(&self) -> usize {
        match self.shape.contains(&0) {
            true => 0,
            false => self.shape.iter().map(|&count| count as usize).product(),
        }
    }
}

/// The graph of joint moves from a root state on.
#[derive(Clone, Debug)]
pub struct Graph {
    roles: usize,
    kinds: Vec<NodeKind>,
    /// The runs, in the order of their nodes.
    runs: Vec<Run>,
    /// The runs of each level.
    levels: Vec<Range<usize>>,
    /// Start of the entries of each role at each node, and the end of the last ones.
    entry_starts: Vec<u32>,
    moves: Vec<MoveId>,
    child_starts: Vec<u32>,
    children: Vec<u32>,
    /// Goals of each role at terminal and settled nodes, and estimates at leaves.
    goals: Vec<f64>,
    sum: Option<f64>,
    endless: Vec<f64>,
    states: PackedStates,
    is_unrolled: bool,
}

impl Graph {
    /// Number of roles.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Always false: there is a root.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Number of nodes of a kind.
    pub fn count(&self, kind: NodeKind) -> usize {
        self.kinds.iter().filter(|&&other| other == kind).count()
    }

    /// Number of joint moves at all nodes.
    pub fn transitions(&self) -> usize {
        self.children.len()
    }

    /// Number of entries: moves of all roles at all nodes.
    pub fn entry_count(&self) -> usize {
        self.moves.len()
    }

    /// Kind of a node.
    pub fn kind(&self, node: usize) -> NodeKind {
        self.kinds[node]
    }

    /// What solvers have to do at a node.
    pub fn work(&self, node: usize) -> Work {
        let run = self.runs.partition_point(|run| run.nodes.end <= node);
        self.runs[run].work
    }

    /// Nodes of the same shape and work, in the order of nodes.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// For each level the range of its runs in [`Graph::runs`].
    pub fn levels(&self) -> &[Range<usize>] {
        &self.levels
    }

    /// The entries of a role at a node: one for each legal move, in the order of [`Graph::moves`].
    pub fn entries(&self, node: usize, role: usize) -> Range<usize> {
        let at = node * self.roles + role;
        self.entry_starts[at] as usize..self.entry_starts[at + 1] as usize
    }

    /// The legal moves of a role at a node; none if it has no children.
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

    /// Goals of each role at a terminal, leaf or settled node; zeros at other nodes.
    pub fn goals(&self, node: usize) -> &[f64] {
        &self.goals[node * self.roles..(node + 1) * self.roles]
    }

    /// The goals of all nodes, role by role.
    pub fn all_goals(&self) -> &[f64] {
        &self.goals
    }

    /// Sum of the goals of all roles, if it is the same at all terminal nodes and leaves.
    pub fn sum(&self) -> Option<f64> {
        self.sum
    }

    /// Assumed goals of infinite matches, in which nothing changes any more: the middle between the least and the
    /// greatest goal. The rules define none.
    pub fn endless(&self) -> &[f64] {
        &self.endless
    }

    /// The state of a node.
    pub fn state(&self, node: usize) -> State {
        self.states.state(node)
    }

    /// Returns the node of a state; the first one if the graph is unrolled and has several.
    pub fn find(&self, state: &State) -> Option<usize> {
        self.states.find(state).map(|number| number as usize)
    }

    /// Whether equal states at different depths are different nodes.
    pub fn is_unrolled(&self) -> bool {
        self.is_unrolled
    }

    /// Whether any node is its own child.
    pub fn has_loops(&self) -> bool {
        self.runs.iter().any(|run| run.has_loops)
    }

    /// Whether there are leaves, so that values are estimates.
    pub fn has_leaves(&self) -> bool {
        self.kinds.contains(&NodeKind::Leaf)
    }

    /// Sets the estimated goals of a leaf. [`Graph::sum`] changes only with [`Graph::sum_up`].
    pub fn set_estimate(&mut self, leaf: usize, goals: &[f64]) {
        if self.kinds[leaf] == NodeKind::Leaf {
            self.goals[leaf * self.roles..(leaf + 1) * self.roles].copy_from_slice(goals);
        }
    }

    /// Recomputes [`Graph::sum`].
    pub fn sum_up(&mut self) {
        let mut sums = (0..self.len())
            .filter(|&node| self.kinds[node] != NodeKind::Inner)
            .map(|node| self.goals(node).iter().sum::<f64>());
        let first = sums.next();
        // Means of playouts have rounding errors.
        self.sum = first.filter(|first| sums.all(|sum| (sum - first).abs() < 1e-6));
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
            + self.kinds.len()
            + (self.entry_starts.len() + self.moves.len() + self.child_starts.len() + self.children.len()) * 4
            + self.goals.len() * 8
    }
}
