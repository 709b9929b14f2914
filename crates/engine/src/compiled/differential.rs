//! Single states by differences: the values of all nodes are kept from one state to the next, and only what reads a
//! changed value is computed again. The cost of a state depends on how much changes, not on the size of the network.
//!
//! Items to compute are marked in a set and taken out of it in computing order, so each is computed once, after
//! everything it reads. Items that depend on the moves stay marked until moves are made. A cycle that is touched
//! restarts: its latches are reset to false, and changes run round it until it is stable. Its operations are
//! monotone, so that the order does not matter and the least fixed point is reached.

use super::stepper::Stepper;
use super::wiring::{Item, Section, Wiring};
use crate::state::{MoveId, PerceptId, Role, State};
use ludens_ground::network::{Lit, Network};
use std::ops::Range;
use std::sync::Arc;

/// A cursor that goes from state to state by differences.
#[derive(Clone)]
pub(super) struct Differential {
    network: Arc<Network>,
    wiring: Arc<Wiring>,
    nodes: Nodes,
    /// The fluents that hold.
    state: Vec<u64>,
    /// The nodes of the moves that are being made.
    moves: Vec<usize>,
}

impl Differential {
    /// Starts at the state in which no fluent holds.
    pub(super) fn new(network: Arc<Network>) -> Differential {
        let wiring = Arc::new(Wiring::new(&network));
        let mut differential = Differential {
            nodes: Nodes::new(&wiring),
            state: vec![0; network.fluents.div_ceil(64)],
            moves: Vec::new(),
            network,
            wiring,
        };
        differential.settle_moves(&[]);
        differential
    }

    fn settle_state(&mut self) {
        self.nodes.sweep(&self.wiring, 0..self.wiring.state_items);
    }

    fn settle_moves(&mut self, joint: &[MoveId]) {
        let network = &self.network;
        let moves = network.moves.roles().zip(joint);
        let moves = moves
            .filter_map(|(role, &chosen)| network.move_node(role, chosen))
            .collect();
        let before = std::mem::replace(&mut self.moves, moves);
        for &node in before.iter().filter(|node| !self.moves.contains(node)) {
            self.nodes.toggle(&self.wiring, node);
        }
        for &node in self.moves.iter().filter(|node| !before.contains(node)) {
            self.nodes.toggle(&self.wiring, node);
        }
        self.nodes.sweep(&self.wiring, 0..self.wiring.items());
    }

    /// The numbers of the outputs of a section that hold.
    fn held(&self, section: &Section) -> impl Iterator<Item = usize> {
        super::bits::ones_of(&self.nodes.outputs[section.clone()])
    }
}

impl Stepper for Differential {
    fn load(&mut self, state: &State) {
        let words = state.words();
        for (index, known) in self.state.iter_mut().enumerate() {
            let mut word = words.get(index).copied().unwrap_or(0);
            // Fluents that the rules never make true have no nodes.
            if index == self.network.fluents / 64 {
                word &= (1 << (self.network.fluents % 64)) - 1;
            }
            let mut changed = std::mem::replace(known, word) ^ word;
            while changed != 0 {
                let node = 1 + index * 64 + changed.trailing_zeros() as usize;
                self.nodes.toggle(&self.wiring, node);
                changed &= changed - 1;
            }
        }
    }

    fn is_terminal(&mut self) -> bool {
        self.settle_state();
        self.nodes.outputs[self.wiring.outputs.terminal.start] == 1
    }

    fn legal(&mut self, role: Role, list: &mut Vec<MoveId>) {
        self.settle_state();
        let legal = &self.network.legal[role];
        let held = self.held(&self.wiring.outputs.legal[role]);
        list.extend(held.map(|index| legal[index].0));
    }

    fn goal_values(&mut self, role: Role, list: &mut Vec<u8>) {
        self.settle_state();
        let goals = &self.network.goals[role];
        let held = self.held(&self.wiring.outputs.goals[role]);
        list.extend(held.map(|index| goals[index].0));
    }

    fn next(&mut self, joint: &[MoveId]) -> State {
        self.settle_moves(joint);
        State::from_words(self.nodes.outputs[self.wiring.outputs.next.clone()].to_vec())
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId> {
        self.settle_moves(joint);
        let held = self.held(&self.wiring.outputs.percepts[role]);
        held.map(|index| PerceptId(index as u32)).collect()
    }

    fn work(&self) -> u64 {
        self.nodes.work
    }
}

/// The values of all nodes, and the items to compute to bring them up to date.
#[derive(Clone)]
struct Nodes {
    /// 0 or 1 for each node. A byte each, as in the plain way.
    values: Vec<u8>,
    outputs: Vec<u64>,
    marked: Marks,
    /// Items computed so far.
    work: u64,
}

impl Nodes {
    /// All are false, and nothing is up to date.
    fn new(wiring: &Wiring) -> Nodes {
        let mut marked = Marks::new(wiring.items());
        for item in 0..wiring.items() {
            marked.mark(item);
        }
        let mut values = vec![0; wiring.first_item + wiring.items()];
        for cycle in &wiring.cycles {
            // Heads have no value; this makes every change mark them.
            values[wiring.first_item + cycle.head] = 1;
        }
        Nodes {
            values,
            outputs: wiring.outputs.at_rest.clone(),
            marked,
            work: 0,
        }
    }

    fn value(&self, lit: Lit) -> u8 {
        self.values[lit.node()] ^ u8::from(lit.is_negated())
    }

    /// Changes a value and marks what changes with it.
    ///
    /// An item that is not marked agrees with the present values of what it reads. So if one of its literals becomes
    /// true, it changes only if the other one is true; if one becomes false, only if it was true itself. Most readers
    /// of values such as whose turn it is are passed over by that.
    fn toggle(&mut self, wiring: &Wiring, node: usize) {
        self.values[node] ^= 1;
        let rising = Lit((node as u32) << 1 | u32::from(self.values[node] ^ 1));
        for reader in wiring.item_readers(rising) {
            if self.value(reader.other) == 1 {
                self.marked.mark(reader.item as usize);
            }
        }
        for reader in wiring.item_readers(rising.negated()) {
            if self.values[wiring.first_item + reader.item as usize] == 1 {
                self.marked.mark(reader.item as usize);
            }
        }
        for &bit in wiring.output_readers(node) {
            self.outputs[bit as usize / 64] ^= 1 << (bit % 64);
        }
    }

    /// Brings the marked items of a range up to date, from the first to the last; whether there were any.
    fn sweep(&mut self, wiring: &Wiring, range: Range<usize>) -> bool {
        let before = self.work;
        let mut from = range.start;
        while let Some(item) = self.marked.take(from, range.end) {
            self.work += 1;
            from = item + 1;
            match wiring.item(item) {
                Item::Gate(a, b) => {
                    let node = wiring.first_item + item;
                    if self.value(a) & self.value(b) != self.values[node] {
                        self.toggle(wiring, node);
                    }
                }
                Item::Head(cycle) => self.settle_cycle(wiring, cycle),
            }
        }
        self.work > before
    }

    fn settle_cycle(&mut self, wiring: &Wiring, cycle: usize) {
        let cycle = &wiring.cycles[cycle];
        for latch in cycle.latches.clone() {
            let node = wiring.first_item + latch;
            if self.values[node] == 1 {
                self.toggle(wiring, node);
                // Its input may stay true and so not mark it.
                self.marked.mark(latch);
            }
        }
        // Latches mark gates that stand before them, for the next round.
        while self.sweep(wiring, cycle.items.clone()) {}
    }
}

/// A set of items whose next member is found quickly: one bit per item, and one bit per word of those.
#[derive(Clone)]
struct Marks {
    words: Vec<u64>,
    /// Words that may not be empty.
    used: Vec<u64>,
}

impl Marks {
    fn new(items: usize) -> Marks {
        let words = items / 64 + 1;
        Marks {
            words: vec![0; words],
            used: vec![0; words / 64 + 1],
        }
    }

    fn mark(&mut self, item: usize) {
        self.words[item / 64] |= 1 << (item % 64);
        self.used[item / 4096] |= 1 << (item / 64 % 64);
    }

    /// Takes out the first item of a range.
    fn take(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.words[word] & !0 << (from % 64);
        while bits == 0 {
            word = self.next_used(word + 1)?;
            bits = self.words[word];
        }
        let item = word * 64 + bits.trailing_zeros() as usize;
        if item >= end {
            return None;
        }
        self.words[word] &= !(1 << (item % 64));
        Some(item)
    }

    /// The first word from this one on that may not be empty.
    fn next_used(&mut self, from: usize) -> Option<usize> {
        let mut index = from / 64;
        let mut bits = self.used.get(index)? & !0 << (from % 64);
        loop {
            while bits != 0 {
                let word = index * 64 + bits.trailing_zeros() as usize;
                if self.words[word] != 0 {
                    return Some(word);
                }
                self.used[index] &= !(1 << (word % 64));
                bits &= bits - 1;
            }
            index += 1;
            bits = *self.used.get(index)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn marks_are_a_set() {
        let mut rng = Rng::with_seed(1);
        for items in [1, 63, 64, 65, 5000, 20_000] {
            let mut marks = Marks::new(items);
            let mut expected = BTreeSet::new();
            for _ in 0..2000 {
                if rng.bool() {
                    let item = rng.usize(..items);
                    marks.mark(item);
                    expected.insert(item);
                } else {
                    let from = rng.usize(..items);
                    let end = rng.usize(from..=items);
                    let first = expected.range(from..end).next().copied();
                    assert_eq!(marks.take(from, end), first);
                    first.map(|item| expected.remove(&item));
                }
            }
        }
    }
}
