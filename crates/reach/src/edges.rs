//! Steps between states as adjacency lists in two flat arrays.

/// For each state a list of states, such as its successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edges {
    /// Start of the list of each state, and the end of the last list.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Default for Edges {
    fn default() -> Edges {
        Edges {
            starts: vec![0],
            targets: Vec::new(),
        }
    }
}

/// A topological order of a graph, as far as it has one.
#[derive(Clone, Debug)]
pub struct Levels {
    /// States in an order in which every state comes after its predecessors. States on cycles and those that can only
    /// be reached through one are missing.
    pub order: Vec<u32>,
    /// Length of the longest path to each state of the order.
    pub depths: Vec<u32>,
    /// For each state the number of steps to it from states outside the order; not 0 for states that are missing.
    pub unresolved: Vec<u32>,
}

impl Edges {
    /// Number of lists.
    pub fn lists(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the list of a state.
    pub fn of(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// All lists, one after the other.
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.starts.capacity() + self.targets.capacity()) * 4
    }

    /// Bytes that may be held for a moment while `more` targets are added, beyond those held now.
    pub(crate) fn growth(&self, more: usize) -> usize {
        match self.targets.len() + more > self.targets.capacity() {
            true => (self.targets.capacity() * 2).max(more) * 4,
            false => 0,
        }
    }

    /// Adds a target to the list that [`Edges::end_list`] ends.
    pub fn push(&mut self, target: u32) {
        self.targets.push(target);
    }

    /// Ends the list of the next state after `length` more targets than the list before.
    pub fn end_list(&mut self, length: u32) {
        let end = self.starts[self.starts.len() - 1] + length;
        self.starts.push(end);
    }

    /// Bytes that [`Edges::reversed`] will take.
    pub fn reversed_bytes(&self) -> usize {
        (self.targets.len() + self.starts.len() + 1) * 4
    }

    /// Returns the predecessors of each state, one for each step.
    pub fn reversed(&self) -> Edges {
        let states = self.lists();
        // Counted one index further on, and summed up, they are where lists start; filling a list moves its start to
        // its end, which is the start of the next.
        let mut starts = vec![0u32; states + 2];
        for &target in &self.targets {
            starts[target as usize + 2] += 1;
        }
        for state in 2..starts.len() {
            starts[state] += starts[state - 1];
        }
        let mut targets = vec![0; self.targets.len()];
        for state in 0..states {
            for &target in self.of(state) {
                let slot = &mut starts[target as usize + 1];
                targets[*slot as usize] = state as u32;
                *slot += 1;
            }
        }
        starts.pop();
        Edges { starts, targets }
    }

    /// Orders the states topologically (Kahn's algorithm), with or without steps from a state to itself. Every state
    /// needs a list.
    pub fn levels(&self, with_loops: bool) -> Levels {
        let size = self.lists();
        let counts = |state: usize, target: u32| with_loops || target as usize != state;
        let mut unresolved = vec![0u32; size];
        for state in 0..size {
            for &target in self.of(state) {
                unresolved[target as usize] += u32::from(counts(state, target));
            }
        }
        let mut depths = vec![0u32; size];
        let mut order: Vec<u32> = (0..size as u32)
            .filter(|&state| unresolved[state as usize] == 0)
            .collect();
        let mut at = 0;
        while at < order.len() {
            let state = order[at] as usize;
            at += 1;
            for &target in self.of(state).iter().filter(|&&target| counts(state, target)) {
                let next = target as usize;
                depths[next] = depths[next].max(depths[state] + 1);
                unresolved[next] -= 1;
                if unresolved[next] == 0 {
                    order.push(target);
                }
            }
        }
        Levels {
            order,
            depths,
            unresolved,
        }
    }
}

/// One list for each state, in order.
impl<L: AsRef<[u32]>> FromIterator<L> for Edges {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Edges {
        let mut edges = Edges::default();
        for list in lists {
            edges.targets.extend_from_slice(list.as_ref());
            edges.end_list(list.as_ref().len() as u32);
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_can_be_reversed() {
        let edges: Edges = [&[1, 2][..], &[], &[0, 1, 1]].into_iter().collect();
        let back: Edges = [&[2][..], &[0, 2, 2], &[0]].into_iter().collect();
        assert_eq!(edges.reversed(), back);
    }

    #[test]
    fn levels_are_longest_paths_and_leave_cycles_out() {
        let edges: Edges = [&[1, 2, 2][..], &[2], &[]].into_iter().collect();
        let levels = edges.levels(true);
        assert_eq!((levels.order, levels.depths), (vec![0, 1, 2], vec![0, 1, 2]));
        // State 1 leads to itself, 2 and 3 to each other.
        let edges: Edges = [&[1][..], &[1, 2], &[3], &[2, 4], &[]].into_iter().collect();
        assert_eq!(edges.levels(true).order, [0]);
        let levels = edges.levels(false);
        assert_eq!((levels.order, levels.unresolved), (vec![0, 1], vec![0, 0, 1, 1, 1]));
    }
}
