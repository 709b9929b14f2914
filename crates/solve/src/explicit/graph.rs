//! Which state follows which, both ways.

use super::expand::{END, STUCK};
use super::forward::{Edges, Found};

/// States and the steps between them.
pub(crate) trait Graph: Sync {
    /// Numbers of states are less than this; not every one need be a state.
    fn size(&self) -> usize;

    /// Who chooses in a state; see [`expand`](super::expand).
    fn kind(&self, state: usize) -> u8;

    /// The outcome of an end.
    fn end(&self, state: usize) -> u16;

    /// How many of its successors' lists of predecessors a state is in.
    fn degree(&self, state: usize) -> usize;

    /// Visits the successors of a state.
    fn successors(&self, state: usize, visit: impl FnMut(usize));

    /// Visits the predecessors of a state, one that is a predecessor in several ways perhaps several times.
    fn predecessors(&self, state: usize, visit: impl FnMut(usize));
}

/// Lists of successors and predecessors.
pub(crate) struct Listed<'a> {
    pub(crate) found: &'a Found,
    pub(crate) forward: &'a Edges,
    pub(crate) backward: Edges,
}

impl<'a> Listed<'a> {
    pub(crate) fn new(found: &'a Found, forward: &'a Edges) -> Listed<'a> {
        Listed {
            found,
            forward,
            backward: reversed(forward),
        }
    }
}

/// Bytes that the lists of predecessors will take.
pub(crate) fn bytes_of_reversed(edges: &Edges) -> usize {
    (edges.targets.len() + edges.starts.len() + 1) * 4
}

/// For each state those that lead to it.
fn reversed(edges: &Edges) -> Edges {
    let states = edges.starts.len() - 1;
    // Counted one place further on, and summed up, they are where lists start; filling a list moves its start to its
    // end, which is the start of the next.
    let mut starts = vec![0u32; states + 2];
    for &target in &edges.targets {
        starts[target as usize + 2] += 1;
    }
    for state in 2..starts.len() {
        starts[state] += starts[state - 1];
    }
    let mut targets = vec![0; edges.targets.len()];
    for state in 0..states {
        for &target in edges.of(state) {
            let place = &mut starts[target as usize + 1];
            targets[*place as usize] = state as u32;
            *place += 1;
        }
    }
    starts.pop();
    Edges { starts, targets }
}

impl Graph for Listed<'_> {
    fn size(&self) -> usize {
        self.found.kinds.len()
    }

    fn kind(&self, state: usize) -> u8 {
        self.found.kinds[state]
    }

    fn end(&self, state: usize) -> u16 {
        self.found.ends[state]
    }

    fn degree(&self, state: usize) -> usize {
        match self.kind(state) {
            END | STUCK => 0,
            _ => self.forward.of(state).len(),
        }
    }

    fn successors(&self, state: usize, mut visit: impl FnMut(usize)) {
        self.forward.of(state).iter().for_each(|&next| visit(next as usize));
    }

    fn predecessors(&self, state: usize, mut visit: impl FnMut(usize)) {
        self.backward
            .of(state)
            .iter()
            .for_each(|&before| visit(before as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_can_be_reversed() {
        let edges = Edges {
            starts: vec![0, 2, 2, 5],
            targets: vec![1, 2, 0, 1, 1],
        };
        let back = reversed(&edges);
        let lists: Vec<&[u32]> = (0..3).map(|state| back.of(state)).collect();
        assert_eq!(lists, [&[2][..], &[0, 2, 2], &[0]]);
    }
}
