//! The state graph as backward induction needs it: successors and predecessors.

use super::nodes::{Nodes, STUCK, TERMINAL};
use ludens_reach::Edges;

/// States and the steps between them.
pub(crate) trait Graph: Sync {
    /// Upper bound on the numbers of states; not every number need be a state.
    fn size(&self) -> usize;

    /// Kind of a state; see [`nodes`](super::nodes).
    fn kind(&self, state: usize) -> u8;

    /// Outcome of a terminal state.
    fn end(&self, state: usize) -> u16;

    /// Number of times that a state is visited as a predecessor.
    fn degree(&self, state: usize) -> usize;

    /// Visits the successors of a state.
    fn successors(&self, state: usize, visit: impl FnMut(usize));

    /// Visits the predecessors of a state; one that has several moves to it may come several times.
    fn predecessors(&self, state: usize, visit: impl FnMut(usize));
}

/// A graph with lists of successors and predecessors.
pub(crate) struct Listed<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) forward: &'a Edges,
    pub(crate) backward: Edges,
}

impl Graph for Listed<'_> {
    fn size(&self) -> usize {
        self.nodes.kinds.len()
    }

    fn kind(&self, state: usize) -> u8 {
        self.nodes.kinds[state]
    }

    fn end(&self, state: usize) -> u16 {
        self.nodes.ends[state]
    }

    fn degree(&self, state: usize) -> usize {
        match self.kind(state) {
            TERMINAL | STUCK => 0,
            _ => self.forward.of(state).len(),
        }
    }

    fn successors(&self, state: usize, mut visit: impl FnMut(usize)) {
        self.forward.of(state).iter().for_each(|&next| visit(next as usize));
    }

    fn predecessors(&self, state: usize, mut visit: impl FnMut(usize)) {
        let predecessors = self.backward.of(state).iter();
        predecessors.for_each(|&before| visit(before as usize));
    }
}
