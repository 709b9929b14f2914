//! Incremental evaluation: computes again only what may differ from the state before.
//!
//! A search evaluates states that follow each other or have the same predecessor, and most fluents are the same in
//! both. Only nodes that depend on the others can have another value. A node is computed as in a fresh evaluation, so
//! values are the same to the last bit.
//!
//! One change may carry on along chains of conditions through most of a graph, where computing all nodes in a row is
//! cheaper. So the work is counted, and where it was too much all nodes are computed for a while.

use ludens_engine::State;

/// A value of a node.
pub(crate) trait Value: Copy {
    /// Returns whether two values are the same bit by bit.
    fn is_same(self, other: Self) -> bool;
}

impl Value for f32 {
    fn is_same(self, other: f32) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Value for f64 {
    fn is_same(self, other: f64) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Value for (f64, bool) {
    fn is_same(self, other: (f64, bool)) -> bool {
        self.0.is_same(other.0) && self.1 == other.1
    }
}

/// The values of the nodes of a graph in the last state.
#[derive(Clone)]
pub(crate) struct Incremental<V> {
    values: Vec<V>,
    changes: Changes,
}

impl<V: Value + Default> Incremental<V> {
    pub(crate) fn new(nodes: usize) -> Incremental<V> {
        Incremental {
            values: vec![V::default(); nodes],
            changes: Changes::new(nodes),
        }
    }

    /// Goes to a state. `compute` returns the value of a node, given those of the nodes before it.
    pub(crate) fn go_to(&mut self, state: &State, dependents: &Dependents, compute: impl Fn(usize, &[V]) -> V) {
        let Incremental { values, changes } = self;
        if !changes.go_to(state.words(), dependents) {
            for place in 0..values.len() {
                values[place] = compute(place, values);
            }
            return;
        }
        let mut from = 0;
        while let Some(place) = changes.next(from) {
            from = place;
            let value = compute(place, values);
            if !value.is_same(values[place]) {
                values[place] = value;
                changes.changed(place, dependents);
            }
        }
    }

    /// Returns the value of a node in the last state.
    pub(crate) fn value(&self, node: u32) -> V {
        self.values[node as usize]
    }
}

/// The nodes that have to be computed again.
#[derive(Clone)]
pub(crate) struct Changes {
    /// The fluents of the state that was computed last.
    last: Vec<u64>,
    is_known: bool,
    /// Nodes to compute, a bit for each.
    open: Vec<u64>,
    nodes: usize,
    /// Number of states watched, and the work for them, in nodes computed in a row.
    watched: usize,
    work: usize,
    /// Number of states for which all nodes are still computed, because that was less work before.
    rest: usize,
}

/// Number of nodes that could be computed in a row in the time it takes to find and compute one alone.
const DEARER: usize = 2;
/// States after which it is decided how to go on, and for how many states computing in a row is then settled.
const WATCHED: usize = 32;
const RESTING: usize = 1024;

/// Lists of nodes by a key.
#[derive(Default)]
struct Lists {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

/// The nodes that depend on each fluent and on each node.
#[derive(Default)]
pub(crate) struct Dependents {
    /// The nodes that read each fluent themselves.
    of_fluent: Lists,
    /// The nodes that each node is an operand of.
    of_node: Lists,
    /// Nodes that depend on the whole state.
    on_all: Vec<u32>,
    /// Number of nodes that read fluents themselves.
    direct: usize,
}

impl Lists {
    fn new(count: usize, mut pairs: Vec<(u32, u32)>) -> Lists {
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=count as u32).map(|key| pairs.partition_point(|pair| pair.0 < key) as u32);
        Lists {
            starts: starts.collect(),
            nodes: pairs.into_iter().map(|pair| pair.1).collect(),
        }
    }

    fn of(&self, key: usize) -> &[u32] {
        match (self.starts.get(key), self.starts.get(key + 1)) {
            (Some(&start), Some(&end)) => &self.nodes[start as usize..end as usize],
            _ => &[],
        }
    }
}

impl Dependents {
    /// Takes the number of nodes, pairs of a fluent and a node that reads it, pairs of a node and a later one that it
    /// is an operand of, and the nodes that depend on the whole state.
    pub(crate) fn new(
        nodes: usize,
        by_fluent: Vec<(u32, u32)>,
        by_node: Vec<(u32, u32)>,
        on_all: Vec<u32>,
    ) -> Dependents {
        let fluents = by_fluent.iter().map(|pair| pair.0 as usize + 1).max().unwrap_or(0);
        let mut direct: Vec<u32> = by_fluent.iter().map(|pair| pair.1).collect();
        direct.sort_unstable();
        direct.dedup();
        Dependents {
            of_fluent: Lists::new(fluents, by_fluent),
            of_node: Lists::new(nodes, by_node),
            on_all,
            direct: direct.len(),
        }
    }
}

impl Changes {
    pub(crate) fn new(nodes: usize) -> Changes {
        Changes {
            last: Vec::new(),
            is_known: false,
            open: vec![0; nodes.div_ceil(64)],
            nodes,
            watched: 0,
            work: 0,
            rest: 0,
        }
    }

    fn mark(&mut self, node: u32) -> bool {
        let word = &mut self.open[node as usize / 64];
        let bit = 1 << (node % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Goes to a state, and returns whether to compute the nodes that [`Changes::next`] gives. Otherwise all have to be
    /// computed: there is no state before, half of the nodes that read fluents see a difference, or it was more work in
    /// the states before.
    pub(crate) fn go_to(&mut self, words: &[u64], dependents: &Dependents) -> bool {
        if !self.pays() {
            self.is_known = false;
            return false;
        }
        let is_known = std::mem::replace(&mut self.is_known, true) && self.last.len() == words.len();
        let mut touched = 0;
        if is_known {
            for (place, &word) in words.iter().enumerate() {
                let mut differing = word ^ self.last[place];
                while differing != 0 {
                    let fluent = place * 64 + differing.trailing_zeros() as usize;
                    differing &= differing - 1;
                    for &node in dependents.of_fluent.of(fluent) {
                        touched += usize::from(self.mark(node));
                    }
                }
            }
        }
        self.last.clear();
        self.last.extend_from_slice(words);
        if !is_known || 2 * touched >= dependents.direct {
            self.open.fill(0);
            self.work += self.nodes + touched;
            return false;
        }
        for &node in &dependents.on_all {
            self.mark(node);
        }
        true
    }

    /// Returns whether computing nodes one by one is less work than all in a row, by the last states.
    fn pays(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        if self.watched == WATCHED {
            let is_dear = self.work > WATCHED * self.nodes;
            (self.watched, self.work) = (0, 0);
            if is_dear {
                self.rest = RESTING;
                return false;
            }
        }
        self.watched += 1;
        true
    }

    /// Returns the next node to compute from a place on. Operands come before the nodes that use them.
    pub(crate) fn next(&mut self, from: usize) -> Option<usize> {
        let words = self.open.iter_mut().enumerate().skip(from / 64);
        for (place, word) in words {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                self.work += DEARER;
                return Some(place * 64 + bit);
            }
        }
        None
    }

    /// Marks the nodes that use a node whose value changed.
    pub(crate) fn changed(&mut self, node: usize, dependents: &Dependents) {
        for &other in dependents.of_node.of(node) {
            self.mark(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of nodes computed one by one in each of some states that differ in one fluent from the one before; `None`
    /// where all are computed in a row. Every computed node counts as changed.
    fn computed(dependents: &Dependents, nodes: usize, states: usize) -> Vec<Option<usize>> {
        let mut changes = Changes::new(nodes);
        let computed = (0..states as u64).map(|number| {
            changes.go_to(&[number % 2], dependents).then(|| {
                let (mut from, mut count) = (0, 0);
                while let Some(node) = changes.next(from) {
                    from = node;
                    count += 1;
                    changes.changed(node, dependents);
                }
                count
            })
        });
        computed.collect()
    }

    #[test]
    fn long_chains_are_computed_in_a_row_for_a_while() {
        const NODES: u32 = 10;
        let next = (1..NODES).map(|node| (node - 1, node)).collect();
        let others = (0..NODES).map(|node| (node + 1, node));
        let by_fluent: Vec<(u32, u32)> = others.chain([(0, 0)]).collect();
        let chain = Dependents::new(NODES as usize, by_fluent.clone(), next, Vec::new());
        let states = computed(&chain, NODES as usize, 2 * (WATCHED + RESTING));
        assert_eq!(states[0], None, "no state comes before the first one");
        assert!(states[1..WATCHED].iter().all(|&state| state == Some(NODES as usize)));
        let rest = &states[WATCHED..=WATCHED + RESTING];
        assert!(rest.iter().all(Option::is_none));
        assert!(states[WATCHED + RESTING + 2].is_some(), "it is tried again");

        let apart = Dependents::new(NODES as usize, by_fluent, Vec::new(), Vec::new());
        let states = computed(&apart, NODES as usize, 10 * WATCHED);
        assert!(states[1..].iter().all(|&state| state == Some(1)));
    }
}
