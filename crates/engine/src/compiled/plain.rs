//! Single states by passes over all gates: first those that depend on the state alone, then, when moves are made, the
//! others. The cost of a state depends on the size of the network alone.

use super::stepper::Stepper;
use crate::state::{Fluent, MoveId, PerceptId, Role, State};
use ludens_ground::network::{Block, Lit, Network};
use std::ops::Range;
use std::sync::Arc;

/// The values of all nodes, 0 or 1. A byte each: words would be no faster and leave the cache earlier, bits would have
/// to be picked out of words.
#[derive(Clone)]
pub(super) struct Plain {
    network: Arc<Network>,
    values: Vec<u8>,
    /// Whether the gates that depend on the state alone are up to date.
    is_computed: bool,
    work: u64,
}

impl Plain {
    pub(super) fn new(network: Arc<Network>) -> Plain {
        Plain {
            values: vec![0; network.nodes()],
            network,
            is_computed: false,
            work: 0,
        }
    }

    fn compute_state(&mut self) {
        if !std::mem::replace(&mut self.is_computed, true) {
            self.work += compute(&self.network, &self.network.state_blocks, &mut self.values);
        }
    }

    fn compute_moves(&mut self, joint: &[MoveId]) {
        self.compute_state();
        let network = &*self.network;
        self.values[1 + network.fluents..network.first_latch()].fill(0);
        for (role, &chosen) in network.moves.roles().zip(joint) {
            if let Some(node) = network.move_node(role, chosen) {
                self.values[node] = 1;
            }
        }
        self.work += compute(network, &network.move_blocks, &mut self.values);
    }

    fn holds(&self, lit: Lit) -> bool {
        value(&self.values, lit) == 1
    }
}

impl Stepper for Plain {
    fn load(&mut self, state: &State) {
        let fluents = self.network.fluents;
        self.values[1..=fluents].fill(0);
        for Fluent(number) in state.fluents() {
            if (number as usize) < fluents {
                self.values[1 + number as usize] = 1;
            }
        }
        self.is_computed = false;
    }

    fn is_terminal(&mut self) -> bool {
        self.compute_state();
        self.network.terminal.is_some_and(|lit| self.holds(lit))
    }

    fn legal(&mut self, role: Role, list: &mut Vec<MoveId>) {
        self.compute_state();
        let legal = self.network.legal[role].iter();
        list.extend(legal.filter(|&&(_, lit)| self.holds(lit)).map(|&(number, _)| number));
    }

    fn goal_values(&mut self, role: Role, list: &mut Vec<u8>) {
        self.compute_state();
        let goals = self.network.goals[role].iter();
        list.extend(goals.filter(|&&(_, lit)| self.holds(lit)).map(|&(value, _)| value));
    }

    fn next(&mut self, joint: &[MoveId]) -> State {
        self.compute_moves(joint);
        let mut words = vec![0; self.network.fluents.div_ceil(64)];
        for &(fluent, lit) in &self.network.next {
            words[fluent.index() / 64] |= u64::from(value(&self.values, lit)) << (fluent.0 % 64);
        }
        State::from_words(words)
    }

    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<PerceptId> {
        self.compute_moves(joint);
        let percepts = self.network.percepts[role].iter().enumerate();
        percepts
            .filter(|(_, (_, lit))| self.holds(*lit))
            .map(|(index, _)| PerceptId(index as u32))
            .collect()
    }

    fn work(&self) -> u64 {
        self.work
    }
}

fn value(values: &[u8], lit: Lit) -> u8 {
    values[lit.node()] ^ u8::from(lit.is_negated())
}

/// Computes blocks of gates; gives how many gates were computed.
fn compute(network: &Network, blocks: &[Block], values: &mut [u8]) -> u64 {
    let first = network.first_gate();
    let mut work = 0;
    for block in blocks {
        match block {
            Block::Once(range) => {
                gates(network, first, range.clone(), values);
                work += range.len() as u64;
            }
            Block::UntilStable(range, latches) => {
                for &(latch, _) in latches {
                    values[latch as usize] = 0;
                }
                loop {
                    gates(network, first, range.clone(), values);
                    work += (range.len() + latches.len()) as u64;
                    let mut changed = 0;
                    for &(latch, lit) in latches {
                        let new = value(values, lit);
                        changed |= new ^ values[latch as usize];
                        values[latch as usize] = new;
                    }
                    if changed == 0 {
                        break;
                    }
                }
            }
        }
    }
    work
}

fn gates(network: &Network, first: usize, range: Range<usize>, values: &mut [u8]) {
    for (number, [a, b]) in range.clone().zip(&network.gates[range]) {
        values[first + number] = value(values, *a) & value(values, *b);
    }
}
