//! Values of states as diagrams in a plain list of nodes, independent of the diagram library: small, fast to look up,
//! easy to save.

use super::backward::Buckets;
use super::diagram::{Diagrams, Link, Set};
use super::encoding::{Encoding, Group};
use crate::Order;
use crate::file::write_fluent;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_artifact::{Broken, Decoder, Encoder};
use ludens_engine::knowledge::Known;
use ludens_engine::{Fluent, Game, State};
use std::io::{self, Write};

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
    pub(super) order: Order,
    pub(super) encoding: Encoding,
    pub(super) parts: Vec<Part>,
}

/// Sets of states of the same value that were found together, such as those of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Maximum number of steps that best play takes to the end from these states, if known.
    pub distance: Option<u32>,
    /// Node `n` is element `n - 1`.
    pub nodes: Vec<Node>,
    /// The values with the sets of states that have them.
    pub buckets: Vec<(Vec<u8>, Edge)>,
}

impl Part {
    /// Copies sets out of the diagrams.
    pub fn new(diagrams: &Diagrams, buckets: &Buckets, distance: Option<u32>) -> Part {
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
            distance,
            nodes,
            buckets: buckets.keys().cloned().zip(roots).collect(),
        }
    }

    /// Returns the value of the state with these bits, if known.
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
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.parts.iter().map(|part| part.nodes.len()).sum()
    }

    /// Returns the part that contains a state and its value, if known.
    fn find(&self, state: &State) -> Option<(&Part, &[u8])> {
        let mut words = Vec::new();
        self.encoding.write(state, &mut words);
        let mut parts = self.parts.iter();
        parts.find_map(|part| part.value(&words).map(|value| (part, value)))
    }

    /// Returns the goals of all roles under best play from a state, if known.
    pub fn values(&self, state: &State) -> Option<Vec<f64>> {
        let (_, value) = self.find(state)?;
        Some(value.iter().map(|&goal| f64::from(goal)).collect())
    }

    /// Preferences of the roles that the values are for.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the maximum number of steps that best play takes from a state to the end, if known.
    pub fn distance(&self, state: &State) -> Option<u32> {
        self.find(state)?.0.distance
    }

    /// Whether distances are exact. With several roles only the rounds in which states were settled are known.
    pub fn has_exact_distances(&self) -> bool {
        let buckets = self.parts.iter().flat_map(|part| &part.buckets);
        buckets.into_iter().all(|(value, _)| value.len() == 1)
    }

    /// Writes what [`SymbolicSolution::read`] reads.
    pub(crate) fn write(&self, game: &Game, out: &mut dyn Write) -> io::Result<()> {
        let mut out = Encoder(out);
        out.number(self.encoding.always.len() as u64)?;
        for &fluent in &self.encoding.always {
            write_fluent(&mut out, game, fluent)?;
        }
        out.number(self.encoding.groups.len() as u64)?;
        for placed in &self.encoding.groups {
            out.number(u64::from(placed.group.exactly_one))?;
            out.number(placed.group.fluents.len() as u64)?;
            for &fluent in &placed.group.fluents {
                write_fluent(&mut out, game, fluent)?;
            }
        }
        out.number(self.parts.len() as u64)?;
        for part in &self.parts {
            out.number(part.distance.map_or(0, |distance| u64::from(distance) + 1))?;
            out.number(part.buckets.len() as u64)?;
            for (value, root) in &part.buckets {
                out.number(value.len() as u64)?;
                out.0.write_all(value)?;
                out.number(u64::from(*root))?;
            }
            out.number(part.nodes.len() as u64)?;
            out.list(&part.nodes, |node| {
                let mut bytes = [0; NODE_BYTES];
                bytes[..4].copy_from_slice(&node.bit.to_le_bytes());
                bytes[4..8].copy_from_slice(&node.one.to_le_bytes());
                bytes[8..].copy_from_slice(&node.zero.to_le_bytes());
                bytes
            })?;
        }
        Ok(())
    }

    /// Reads what [`SymbolicSolution::write`] wrote for the same rules.
    pub(crate) fn read(game: &Game, order: Order, bytes: &[u8]) -> Result<SymbolicSolution, Broken> {
        let mut input = Decoder(bytes);
        let encoding = read_encoding(game, &mut input)?;
        let parts = (0..input.count(24)?).map(|_| read_part(game, encoding.bits, &mut input));
        let parts = parts.collect::<Result<_, _>>()?;
        match input.0.is_empty() {
            true => Ok(SymbolicSolution { order, encoding, parts }),
            false => Err(Broken("there is more than there should be")),
        }
    }
}

/// Bytes of a node in a file.
const NODE_BYTES: usize = 12;

fn read_encoding(game: &Game, input: &mut Decoder<'_>) -> Result<Encoding, Broken> {
    let fluents = game.engine().circuit().map_or(0, |circuit| circuit.network.fluents);
    let names = (0..fluents as u32).map(|number| (game.vocabulary().fluent_name(Fluent(number)).text.clone(), number));
    let numbers: HashMap<String, u32, FixedState> = names.collect();
    let fluent = |input: &mut Decoder<'_>| {
        let number = numbers.get(input.text()?);
        number
            .map(|&number| Fluent(number))
            .ok_or(Broken("it names a fluent that does not exist"))
    };
    let always = (0..input.count(8)?).map(|_| fluent(input)).collect::<Result<_, _>>()?;
    let mut groups = Vec::new();
    for _ in 0..input.count(16)? {
        let exactly_one = input.number()? != 0;
        let fluents: Vec<Fluent> = (0..input.count(8)?).map(|_| fluent(input)).collect::<Result<_, _>>()?;
        if fluents.is_empty() {
            return Err(Broken("a group is empty"));
        }
        groups.push(Group { fluents, exactly_one });
    }
    Ok(Encoding::of_groups(groups, fluents, always))
}

fn read_part(game: &Game, bits: usize, input: &mut Decoder<'_>) -> Result<Part, Broken> {
    let distance = match input.number()? {
        0 => None,
        number => Some(u32::try_from(number - 1).map_err(|_| Broken("a distance is too large"))?),
    };
    let mut buckets = Vec::new();
    for _ in 0..input.count(16)? {
        let length = input.count(1)?;
        let value = input.bytes(length)?.to_vec();
        let root = u32::try_from(input.number()?).map_err(|_| Broken("a root is too large"))?;
        if length != game.roles().len() {
            return Err(Broken("a value has not one goal for each role"));
        }
        buckets.push((value, root));
    }
    let count = input.count(NODE_BYTES)?;
    let number = |bytes: &[u8; NODE_BYTES], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let nodes: Vec<Node> = input.list(count, |bytes: [u8; NODE_BYTES]| Node {
        bit: number(&bytes, 0),
        one: number(&bytes, 4),
        zero: number(&bytes, 8),
    })?;
    // Nodes lead to earlier ones only, so every walk ends.
    let leads_back = |place: usize, edge: Edge| (edge >> 1) as usize <= place;
    let is_sound = nodes
        .iter()
        .enumerate()
        .all(|(place, node)| (node.bit as usize) < bits && leads_back(place, node.one) && leads_back(place, node.zero));
    match is_sound && buckets.iter().all(|&(_, root)| leads_back(nodes.len(), root)) {
        true => Ok(Part {
            distance,
            nodes,
            buckets,
        }),
        false => Err(Broken("its diagrams are none")),
    }
}

impl Known for SymbolicSolution {
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool {
        match self.find(state) {
            Some((_, value)) => {
                goals.copy_from_slice(value);
                true
            }
            None => false,
        }
    }
}
