//! Functions computed for 256 assignments at once, one in each bit of four machine words.
//!
//! Assignments are arbitrary, not states of play: symmetries must hold for functions as a whole, and counting and
//! comparing them visits assignments that no match reaches.

use crate::model::{FALSE, Lit, Model, Node, TRUE};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_analysis::{Formula, Literal};

/// A truth value in each of 256 lanes.
pub(crate) type Word = [u64; 4];

pub(crate) const NONE: Word = [0; 4];
pub(crate) const ALL: Word = [u64::MAX; 4];
/// Number of lanes.
pub(crate) const WIDTH: usize = 256;

pub(crate) fn negated_if(word: Word, is_negated: bool) -> Word {
    let mask = 0u64.wrapping_sub(u64::from(is_negated));
    word.map(|bits| bits ^ mask)
}

pub(crate) fn and(a: Word, b: Word) -> Word {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}

pub(crate) fn xor(a: Word, b: Word) -> Word {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

pub(crate) fn ones(word: Word) -> u64 {
    word.iter().map(|bits| u64::from(bits.count_ones())).sum()
}

/// Nodes that are computed together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part {
    gates: std::ops::Range<u32>,
    /// Latches with what they become; the nodes are computed until these no longer change.
    latches: Vec<(u32, Lit)>,
}

/// The nodes that some functions depend on, renumbered: 0 is never true, inputs follow in the order of their points.
/// Cones that differ only in the points of their inputs are equal but for `inputs`.
#[derive(Clone, Debug)]
pub(crate) struct Cone {
    /// The points of the inputs, in increasing order.
    pub(crate) inputs: Vec<u32>,
    pub(crate) shape: Shape,
}

/// A cone without the names of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    /// Each gate: its node, and where its conditions end.
    gates: Vec<(u32, u32)>,
    conditions: Vec<Lit>,
    parts: Vec<Part>,
    nodes: u32,
    pub(crate) roots: Vec<Lit>,
}

impl Cone {
    /// The cone of some literals of a model.
    pub(crate) fn new(model: &Model, roots: &[Lit]) -> Cone {
        let needed = needed(model, roots);
        let mut inputs: Vec<u32> = Vec::new();
        let mut local: HashMap<u32, u32, FixedState> = HashMap::default();
        local.insert(0, 0);
        // Inputs come first among the nodes of a model, in the order of their points.
        for &node in &needed {
            if let Node::Input(point) = model.nodes[node as usize] {
                inputs.push(point);
                local.insert(node, inputs.len() as u32);
            }
        }
        let mut shape = Shape {
            width: inputs.len(),
            gates: Vec::new(),
            conditions: Vec::new(),
            parts: Vec::new(),
            nodes: inputs.len() as u32 + 1,
            roots: Vec::new(),
        };
        let mut rest = needed.iter().copied().peekable();
        for block in &model.blocks {
            let first = shape.gates.len() as u32;
            while let Some(node) = rest.next_if(|&node| node < block.nodes.end) {
                if matches!(model.nodes[node as usize], Node::Input(_) | Node::Never) {
                    continue;
                }
                local.insert(node, shape.nodes);
                shape.nodes += 1;
                if let Node::And(lits) = &model.nodes[node as usize] {
                    shape.conditions.extend(lits.iter().map(|&lit| translated(&local, lit)));
                    shape.gates.push((shape.nodes - 1, shape.conditions.len() as u32));
                }
            }
            let of_cone = block.latches.iter().filter(|(latch, _)| local.contains_key(latch));
            let latches: Vec<(u32, Lit)> = of_cone
                .map(|&(latch, lit)| (translated(&local, latch << 1) >> 1, translated(&local, lit)))
                .collect();
            let gates = first..shape.gates.len() as u32;
            match shape.parts.last_mut() {
                Some(last) if latches.is_empty() && last.latches.is_empty() => last.gates.end = gates.end,
                _ if gates.is_empty() && latches.is_empty() => {}
                _ => shape.parts.push(Part { gates, latches }),
            }
        }
        shape.roots = roots.iter().map(|&root| translated(&local, root)).collect();
        Cone { inputs, shape }
    }
}

impl Shape {
    /// A value for each node, to be filled by [`Shape::compute`].
    pub(crate) fn values(&self) -> Vec<Word> {
        vec![NONE; self.nodes as usize]
    }

    /// Computes all nodes from the inputs, which are `values[1..=width]`.
    pub(crate) fn compute(&self, values: &mut [Word]) {
        for part in &self.parts {
            for &(latch, _) in &part.latches {
                values[latch as usize] = NONE;
            }
            loop {
                self.gates(part, values);
                let mut is_stable = true;
                for &(latch, lit) in &part.latches {
                    let value = value(values, lit);
                    is_stable &= value == values[latch as usize];
                    values[latch as usize] = value;
                }
                if is_stable {
                    break;
                }
            }
        }
    }

    fn gates(&self, part: &Part, values: &mut [Word]) {
        let gates = &self.gates[part.gates.start as usize..part.gates.end as usize];
        let mut start = self.start(part);
        for &(node, end) in gates {
            let mut word = ALL;
            for &lit in &self.conditions[start..end as usize] {
                word = and(word, value(values, lit));
            }
            values[node as usize] = word;
            start = end as usize;
        }
    }

    /// Number of nodes.
    pub(crate) fn size(&self) -> usize {
        self.nodes as usize
    }

    /// Adds the function of the first root to a formula; `None` if that takes more than `most_gates`. Latches start as
    /// false and take as many rounds as there are latches, after which none can change any more.
    pub(crate) fn encode(&self, formula: &mut Formula, inputs: &[Literal], most_gates: usize) -> Option<Literal> {
        let never = formula.never();
        let mut values = vec![never; self.nodes as usize];
        values[1..=self.width].copy_from_slice(inputs);
        let mut gates = 0;
        for part in &self.parts {
            for round in 0..=part.latches.len() {
                gates += part.gates.len();
                if gates > most_gates {
                    return None;
                }
                self.encode_gates(part, formula, &mut values);
                if round == part.latches.len() {
                    break;
                }
                let after: Vec<Literal> = part.latches.iter().map(|&(_, lit)| signed(&values, lit)).collect();
                let before = part.latches.iter().map(|&(latch, _)| values[latch as usize]);
                if before.eq(after.iter().copied()) {
                    break;
                }
                for (&(latch, _), value) in part.latches.iter().zip(after) {
                    values[latch as usize] = value;
                }
            }
        }
        Some(signed(&values, self.roots[0]))
    }

    fn encode_gates(&self, part: &Part, formula: &mut Formula, values: &mut [Literal]) {
        let never = formula.never();
        let mut start = self.start(part);
        for &(node, end) in &self.gates[part.gates.start as usize..part.gates.end as usize] {
            let lits = self.conditions[start..end as usize].iter();
            let conditions: Vec<Literal> = lits
                .map(|&lit| signed(values, lit))
                .filter(|&literal| literal != !never)
                .collect();
            start = end as usize;
            // In the first rounds most latches are false, and so is most of what depends on them.
            values[node as usize] = match conditions[..] {
                [] => !never,
                [only] => only,
                _ if conditions.contains(&never) => never,
                _ => {
                    let gate = formula.fresh();
                    formula.define_and(gate, &conditions);
                    gate
                }
            };
        }
    }

    /// Where the conditions of the first gate of a part start.
    fn start(&self, part: &Part) -> usize {
        match part.gates.start {
            0 => 0,
            first => self.gates[first as usize - 1].1 as usize,
        }
    }

    /// The value of a root.
    pub(crate) fn root(&self, values: &[Word], number: usize) -> Word {
        value(values, self.roots[number])
    }
}

fn value(values: &[Word], lit: Lit) -> Word {
    negated_if(values[(lit >> 1) as usize], lit & 1 == 1)
}

fn signed(values: &[Literal], lit: Lit) -> Literal {
    let value = values[(lit >> 1) as usize];
    match lit & 1 {
        0 => value,
        _ => !value,
    }
}

fn translated(local: &HashMap<u32, u32, FixedState>, lit: Lit) -> Lit {
    match lit {
        FALSE | TRUE => lit,
        _ => local.get(&(lit >> 1)).map_or(FALSE, |node| node << 1 | (lit & 1)),
    }
}

/// The nodes that some literals depend on, in order.
pub(crate) fn needed(model: &Model, roots: &[Lit]) -> Vec<u32> {
    let mut seen: HashMap<u32, (), FixedState> = HashMap::default();
    let mut stack: Vec<u32> = roots.iter().map(|lit| lit >> 1).collect();
    let mut needed: Vec<u32> = Vec::new();
    while let Some(node) = stack.pop() {
        if seen.insert(node, ()).is_some() {
            continue;
        }
        needed.push(node);
        match &model.nodes[node as usize] {
            Node::Never | Node::Input(_) => {}
            Node::And(lits) => stack.extend(lits.iter().map(|lit| lit >> 1)),
            Node::Latch => {
                let place = model.blocks.partition_point(|block| block.nodes.end <= node);
                let latches = model.blocks.get(place).map_or(&[][..], |block| &block.latches);
                let definition = latches.iter().find(|&&(latch, _)| latch == node);
                stack.extend(definition.map(|&(_, lit)| lit >> 1));
            }
        }
    }
    needed.sort_unstable();
    needed
}
