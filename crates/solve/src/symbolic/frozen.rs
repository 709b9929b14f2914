//! Solved states as a plain list of nodes: small, quick to ask, easy to keep.

use super::backward::Buckets;
use super::diagram::{Diagrams, Link, Set};
use super::encoding::Encoding;
use ludens_engine::{Known, State};

/// An edge: twice the number of the node it leads to, plus one if it negates. Node 0 is the constant true.
type Edge = u32;

const TRUE: Edge = 0;

/// A node: the bit it tests, and where to go if that is one and if it is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub bit: u32,
    pub one: Edge,
    pub zero: Edge,
}

/// Sets of states of the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicSolution {
    pub(super) encoding: Encoding,
    pub(super) parts: Vec<Part>,
}

/// Sets of states of the same value that were found together, such as those of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Node `n` is element `n - 1`.
    pub nodes: Vec<Node>,
    /// The values with the sets of states that have them.
    pub buckets: Vec<(Vec<u8>, Edge)>,
}

impl Part {
    /// Copies sets out of the diagrams.
    pub fn new(diagrams: &Diagrams, buckets: &Buckets) -> Part {
        let edge = |link: Link| match link.node {
            None => Edge::from(link.negated),
            Some(node) => (node + 1) << 1 | Edge::from(link.negated),
        };
        let mut nodes = Vec::new();
        let sets: Vec<&Set> = buckets.values().collect();
        let roots = diagrams.walk(&sets, &mut |bit, one, zero| {
            nodes.push(Node {
                bit: bit as u32,
                one: edge(one),
                zero: edge(zero),
            });
        });
        let roots = roots.into_iter().map(edge);
        Part {
            nodes,
            buckets: buckets.keys().cloned().zip(roots).collect(),
        }
    }

    /// The value of the state with these bits, if it is known.
    fn value(&self, words: &[u64]) -> Option<&[u8]> {
        let found = self.buckets.iter().find(|(_, root)| self.contains(*root, words));
        found.map(|(value, _)| &value[..])
    }

    fn contains(&self, mut edge: Edge, words: &[u64]) -> bool {
        let mut negated = false;
        loop {
            negated ^= edge & 1 == 1;
            match edge & !1 {
                TRUE => return !negated,
                inner => {
                    let node = &self.nodes[(inner >> 1) as usize - 1];
                    let bit = node.bit as usize;
                    edge = match words[bit / 64] >> (bit % 64) & 1 {
                        0 => node.zero,
                        _ => node.one,
                    };
                }
            }
        }
    }
}

impl SymbolicSolution {
    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.parts.iter().map(|part| part.nodes.len()).sum()
    }

    /// The value of a state, if it is known.
    fn value(&self, state: &State) -> Option<&[u8]> {
        let mut words = Vec::new();
        self.encoding.write(state, &mut words);
        self.parts.iter().find_map(|part| part.value(&words))
    }

    /// The goals of all roles under best play from a state, if they are known.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        let value = self.value(state)?;
        Some(value.iter().map(|&goal| f64::from(goal)).collect())
    }

    /// How many steps best play takes from a state to the end, if that is known. Sets do not tell.
    pub fn distance(&self, _state: &State) -> Option<u32> {
        None
    }
}

impl Known for SymbolicSolution {
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool {
        match self.value(state) {
            Some(value) => {
                goals.copy_from_slice(value);
                true
            }
            None => false,
        }
    }
}
