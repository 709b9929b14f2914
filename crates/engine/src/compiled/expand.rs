//! Many successors at once: every question, a state and a joint move, is a lane, as in random playouts (`batch`).
//!
//! Three passes over the gates answer 512 questions: the state and the moves of each, then the successor. States and
//! legal moves are read out by transposing blocks of 64 nodes and 64 lanes.

use super::wide::{LANES, Level, Row, WIDTH, inversion};
use super::{CompiledParts, batch, bits};
use crate::machine::{Successor, Successors};
use crate::state::{Fluent, MoveId, State};
use ludens_ground::network::{Lit, Network};

pub(super) struct Expander {
    parts: CompiledParts,
    values: Vec<Row>,
    level: Level,
}

impl Expander {
    pub(super) fn new(parts: CompiledParts) -> Expander {
        Expander {
            values: vec![[0; WIDTH]; parts.network.nodes()],
            level: Level::detect(),
            parts,
        }
    }

    /// Puts states and moves into the lanes.
    fn ask(&mut self, network: &Network, questions: &[(&State, &[MoveId])]) {
        self.values[1..network.first_latch()].fill([0; WIDTH]);
        for (lane, (state, joint)) in questions.iter().enumerate() {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            for Fluent(number) in state.fluents().filter(|fluent| (fluent.0 as usize) < network.fluents) {
                self.values[1 + number as usize][word] |= bit;
            }
            for (role, &MoveId(number)) in joint.iter().enumerate() {
                // A move that the rules never make legal has no node: it has no effect either.
                if (number as usize) < network.moves[role] {
                    self.values[network.first_move(role) + number as usize][word] |= bit;
                }
            }
        }
    }

    /// For 64 lanes, the literals that hold: `holds` is told the lane and the number of the literal, which increases
    /// for each lane.
    fn read(&self, lits: impl Iterator<Item = Lit>, word: usize, mut holds: impl FnMut(usize, usize)) {
        let lits: Vec<Lit> = lits.collect();
        for (chunk, lits) in lits.chunks(64).enumerate() {
            let mut block = [0; 64];
            for (row, &lit) in block.iter_mut().zip(lits) {
                *row = self.values[lit.node()][word] ^ inversion(lit);
            }
            bits::transpose(&mut block);
            for (lane, &word) in block.iter().enumerate() {
                bits::ones(&[word]).for_each(|bit| holds(lane, chunk * 64 + bit));
            }
        }
    }

    /// Writes down the successors in 64 lanes.
    fn answer(&self, network: &Network, word: usize, successors: &mut [Successor]) {
        let fluents = (1..=network.fluents as u32).map(|node| Lit(node << 1));
        let mut states = vec![vec![0u64; network.fluents.div_ceil(64)]; successors.len()];
        self.read(fluents, word, |lane, fluent| {
            if let Some(words) = states.get_mut(lane) {
                words[fluent / 64] |= 1 << (fluent % 64);
            }
        });
        let terminal = network.terminal.unwrap_or(Lit::FALSE);
        let terminal = self.values[terminal.node()][word] ^ inversion(terminal);
        for (lane, (successor, words)) in successors.iter_mut().zip(states).enumerate() {
            successor.state = State::from_words(words);
            successor.is_terminal = terminal >> lane & 1 == 1;
            successor.scores.fill(0);
            successor.legal.iter_mut().for_each(Vec::clear);
        }
        for role in 0..network.moves.len() {
            // Goals come in increasing order and the lowest counts, so it is written last.
            let goals = &network.goals[role];
            self.read(goals.iter().rev().map(|&(_, lit)| lit), word, |lane, index| {
                if let Some(successor) = successors.get_mut(lane) {
                    successor.scores[role] = goals[goals.len() - 1 - index].0;
                }
            });
            let legal = &network.legal[role];
            self.read(legal.iter().map(|&(_, lit)| lit), word, |lane, index| {
                if let Some(successor) = successors.get_mut(lane).filter(|successor| !successor.is_terminal) {
                    successor.legal[role].push(MoveId(legal[index].0));
                }
            });
        }
    }
}

impl Successors for Expander {
    fn expand(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &Successor)) {
        let network = self.parts.network.clone();
        let roles = network.moves.len();
        let mut successors = vec![Successor::empty(roles); questions.len().min(64)];
        for (batch, questions) in questions.chunks(LANES).enumerate() {
            self.ask(&network, questions);
            batch::compute(self.level, &network, &network.state_blocks, &mut self.values);
            batch::compute(self.level, &network, &network.move_blocks, &mut self.values);
            batch::go_on(&network, &mut self.values);
            batch::compute(self.level, &network, &network.state_blocks, &mut self.values);
            for (word, questions) in questions.chunks(64).enumerate() {
                self.answer(&network, word, &mut successors[..questions.len()]);
                for (lane, successor) in successors[..questions.len()].iter().enumerate() {
                    answer(batch * LANES + word * 64 + lane, successor);
                }
            }
        }
    }
}
