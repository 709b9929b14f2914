//! Readers of every node of the network, along which changes propagate (`differential`).
//!
//! Nodes get numbers of their own: `false, fluents, moves, items`, items in an order in which they can be computed. An
//! item is a gate; or a latch, which is a gate that passes its only input on; or the *head* of a cycle, which stands
//! before the gates and latches of the cycle and says that they have to be settled together. What is asked of the game
//! is a bit of a row of *outputs*, so that only those that change have to be visited.

use crate::state::RoleMap;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_ground::network::{Block, Lit, Network};
use std::ops::Range;

/// In place of the first input of an item: it is the head of a cycle, whose number is the second.
const HEAD: Lit = Lit(u32::MAX);

/// Kind of an item.
pub(super) enum Item {
    /// The conjunction of two literals.
    Gate(Lit, Lit),
    /// The start of a cycle.
    Head(usize),
}

/// Items that depend on each other.
pub(super) struct Cycle {
    pub(super) head: usize,
    /// The gates, then the latches.
    pub(super) items: Range<usize>,
    /// The latches alone.
    pub(super) latches: Range<usize>,
}

/// A section of outputs: a range of words, in which the outputs are numbered from the first bit.
pub(super) type Section = Range<usize>;

/// Sections of the outputs.
pub(super) struct Outputs {
    pub(super) terminal: Section,
    /// For each role, one bit for each entry of its list in the network.
    pub(super) goals: RoleMap<Section>,
    pub(super) legal: RoleMap<Section>,
    pub(super) percepts: RoleMap<Section>,
    /// One bit for each fluent.
    pub(super) next: Section,
    /// All outputs while all nodes are false.
    pub(super) at_rest: Vec<u64>,
}

/// The readers of all nodes.
pub(super) struct Wiring {
    /// The node of the first item.
    pub(super) first_item: usize,
    items: Vec<[Lit; 2]>,
    /// Items before this one depend on the state alone.
    pub(super) state_items: usize,
    pub(super) cycles: Vec<Cycle>,
    pub(super) outputs: Outputs,
    /// The items that read each literal.
    item_readers: Lists<Reader>,
    /// The outputs that read each node.
    output_readers: Lists<u32>,
}

/// An item that reads a literal.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) item: u32,
    /// The other literal that it reads; `true` for heads and latches.
    pub(super) other: Lit,
}

impl Wiring {
    /// Collects the readers of all nodes.
    pub(super) fn new(network: &Network) -> Wiring {
        let mut layout = Layout::new(network);
        layout.append_blocks(&network.state_blocks);
        let state_items = layout.order.len();
        layout.append_blocks(&network.move_blocks);
        let items = layout.items();
        let (outputs, read_by_outputs) = layout.outputs();
        let nodes = layout.first_item + items.len();
        let item_readers = Lists::new(2 * nodes, |found| layout.read_by_items(&items, found));
        let output_readers = Lists::new(nodes, |found| {
            read_by_outputs.iter().for_each(|&(lit, bit)| found(lit.node(), bit));
        });
        Wiring {
            first_item: layout.first_item,
            items,
            state_items,
            cycles: layout.cycles,
            outputs,
            item_readers,
            output_readers,
        }
    }

    /// Number of items.
    pub(super) fn items(&self) -> usize {
        self.items.len()
    }

    /// Kind of an item.
    pub(super) fn item(&self, item: usize) -> Item {
        match self.items[item] {
            [HEAD, number] => Item::Head(number.0 as usize),
            [a, b] => Item::Gate(a, b),
        }
    }

    /// The items that read a literal.
    pub(super) fn item_readers(&self, lit: Lit) -> &[Reader] {
        self.item_readers.get(lit.0 as usize)
    }

    /// The outputs that read a node.
    pub(super) fn output_readers(&self, node: usize) -> &[u32] {
        self.output_readers.get(node)
    }
}

/// Many lists, one after the other in the same memory.
struct Lists<T> {
    /// Start of each list, and end of the last one.
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Collects `lists` lists from a visitor that reports the number of a list and an entry for it. The visitor is
    /// called twice and must report the same entries.
    fn new(lists: usize, visit: impl Fn(&mut dyn FnMut(usize, T))) -> Lists<T> {
        let mut starts = vec![0u32; lists + 2];
        let mut any = None;
        visit(&mut |list, entry| {
            starts[list + 2] += 1;
            any = Some(entry);
        });
        for list in 1..starts.len() {
            starts[list] += starts[list - 1];
        }
        // While the lists are filled, the start of each is kept one place too far up and moves to its end.
        let mut entries: Vec<T> = any.map_or(Vec::new(), |entry| vec![entry; starts[lists + 1] as usize]);
        visit(&mut |list, entry| {
            entries[starts[list + 1] as usize] = entry;
            starts[list + 1] += 1;
        });
        starts.pop();
        Lists { starts, entries }
    }

    fn get(&self, list: usize) -> &[T] {
        &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// New numbers of the nodes of a network.
struct Layout<'a> {
    network: &'a Network,
    first_item: usize,
    /// The old node of each item; `None` for the head of a cycle.
    order: Vec<Option<u32>>,
    /// The new number of each node.
    place: Vec<u32>,
    /// The input of each latch.
    latch_inputs: Vec<Lit>,
    cycles: Vec<Cycle>,
}

impl<'a> Layout<'a> {
    fn new(network: &'a Network) -> Layout<'a> {
        Layout {
            network,
            first_item: network.first_latch(),
            order: Vec::with_capacity(network.latches + network.gates.len()),
            place: (0..network.nodes() as u32).collect(),
            latch_inputs: vec![Lit::FALSE; network.latches],
            cycles: Vec::new(),
        }
    }

    fn append_blocks(&mut self, blocks: &[Block]) {
        let first_gate = self.network.first_gate() as u32;
        let nodes = |range: &Range<usize>| range.start as u32 + first_gate..range.end as u32 + first_gate;
        for block in blocks {
            match block {
                Block::Once(range) => nodes(range).for_each(|gate| self.append(gate)),
                Block::UntilStable(range, latches) => {
                    self.order.push(None);
                    let start = self.order.len();
                    nodes(range).for_each(|gate| self.append(gate));
                    let middle = self.order.len();
                    for &(latch, input) in latches {
                        self.append(latch);
                        self.latch_inputs[latch as usize - self.network.first_latch()] = input;
                    }
                    let end = self.order.len();
                    self.cycles.push(Cycle {
                        head: start - 1,
                        items: start..end,
                        latches: middle..end,
                    });
                }
            }
        }
    }

    fn append(&mut self, node: u32) {
        self.place[node as usize] = (self.first_item + self.order.len()) as u32;
        self.order.push(Some(node));
    }

    fn lit(&self, lit: Lit) -> Lit {
        Lit(self.place[lit.node()] << 1 | lit.0 & 1)
    }

    /// The inputs of all items.
    fn items(&self) -> Vec<[Lit; 2]> {
        let (first_latch, first_gate) = (self.network.first_latch(), self.network.first_gate());
        let mut heads = 0..;
        let inputs = |node: &Option<u32>| match node.map(|node| node as usize) {
            None => [HEAD, Lit(heads.next().unwrap_or(0))],
            Some(node) if node < first_gate => [self.lit(self.latch_inputs[node - first_latch]), Lit::TRUE],
            Some(node) => self.network.gates[node - first_gate].map(|lit| self.lit(lit)),
        };
        self.order.iter().map(inputs).collect()
    }

    /// All literals that items read. What a cycle reads from outside it is also read by its head.
    fn read_by_items(&self, items: &[[Lit; 2]], found: &mut dyn FnMut(usize, Reader)) {
        let mut cycles = self.cycles.iter().peekable();
        // For each literal the last head that was found to read it, so that none is listed twice.
        let mut last_head: HashMap<Lit, u32, RandomState> = HashMap::default();
        for (number, &[a, b]) in items.iter().enumerate().filter(|(_, inputs)| inputs[0] != HEAD) {
            while cycles.next_if(|cycle| cycle.items.end <= number).is_some() {}
            let around = cycles.peek().filter(|cycle| cycle.items.contains(&number));
            for (lit, other) in [(a, b), (b, a)].into_iter().filter(|(lit, _)| lit.node() != 0) {
                let item = number as u32;
                found(lit.0 as usize, Reader { item, other });
                let Some(cycle) = around else { continue };
                let place = lit.node().checked_sub(self.first_item);
                let is_inside = place.is_some_and(|item| cycle.items.contains(&item));
                let item = cycle.head as u32;
                if !is_inside && last_head.insert(lit, item) != Some(item) {
                    let other = Lit::TRUE;
                    found(lit.0 as usize, Reader { item, other });
                }
            }
        }
    }

    /// Lays out the outputs; also returns the literal that each reads.
    fn outputs(&self) -> (Outputs, Vec<(Lit, u32)>) {
        let network = self.network;
        let mut words = 0;
        let mut readings: Vec<(Lit, u32)> = Vec::new();
        let mut section = |bits: usize, entries: &mut dyn Iterator<Item = (usize, Lit)>| -> Section {
            let first = words;
            readings.extend(entries.map(|(bit, lit)| (self.lit(lit), (first * 64 + bit) as u32)));
            words += bits.div_ceil(64);
            first..words
        };
        let terminal = section(1, &mut network.terminal.iter().map(|&lit| (0, lit)));
        let next = section(
            network.fluents,
            &mut network.next.iter().map(|&(fluent, lit)| (fluent.index(), lit)),
        );
        let mut by_role = |list: &mut dyn ExactSizeIterator<Item = Lit>| section(list.len(), &mut list.enumerate());
        let goals = network
            .goals
            .values()
            .map(|list| by_role(&mut list.iter().map(|&(_, lit)| lit)))
            .collect();
        let legal = network
            .legal
            .values()
            .map(|list| by_role(&mut list.iter().map(|&(_, lit)| lit)))
            .collect();
        let percepts = network
            .percepts
            .values()
            .map(|list| by_role(&mut list.iter().map(|&(_, lit)| lit)))
            .collect();
        let mut at_rest = vec![0; words];
        for &(_, bit) in readings.iter().filter(|(lit, _)| lit.is_negated()) {
            at_rest[bit as usize / 64] |= 1 << (bit % 64);
        }
        let outputs = Outputs {
            at_rest,
            terminal,
            goals,
            legal,
            percepts,
            next,
        };
        (outputs, readings)
    }
}
