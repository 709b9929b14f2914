//! Lane-parallel successors: every question, a state and a joint move, is a lane, as in playouts (`batch`).
//!
//! Three passes over the gates answer 512 questions: the state and the moves of each, then the successor, unless only
//! its state is asked for. States and legal moves are read out by transposing blocks of 64 nodes and 64 lanes.

use super::rows::Rows;
use super::wide::{Level, Row, WIDE, inversion};
use super::{CompiledParts, batch, bits};
use crate::machine::{OneByOne, Successor, Successors};
use crate::observation::Percepts;
use crate::state::{Fluent, MoveId, PerceptId, Role, RoleMap, State};
use ludens_ground::network::{Lit, Network};
use std::time::Instant;

/// Questions per batch.
const LANES: usize = WIDE * 64;

pub(super) struct Expander {
    parts: CompiledParts,
    values: Rows<WIDE>,
    level: Level,
    /// Answers one by one for states outside of the network; made on first use.
    one_by_one: Option<OneByOne>,
    /// Deadline for answers outside of the network.
    deadline: Option<Instant>,
}

impl Expander {
    pub(super) fn new(parts: CompiledParts) -> Expander {
        Expander {
            values: Rows::new(parts.network.nodes()),
            level: Level::detect(),
            one_by_one: None,
            deadline: None,
            parts,
        }
    }

    /// Returns the fallback if one of these states is outside of the network.
    fn one_by_one<'a>(&mut self, mut states: impl Iterator<Item = &'a State>) -> Option<&mut OneByOne> {
        let state = states.find(|state| self.parts.outside.has(state))?;
        let machine = || {
            let mut machine = OneByOne(Box::new(self.parts.machine_outside(state)));
            machine.set_deadline(self.deadline);
            machine
        };
        Some(self.one_by_one.get_or_insert_with(machine))
    }

    /// Puts states into the lanes. Equal states one after the other are put there at once.
    fn place<'a>(&mut self, network: &Network, states: impl ExactSizeIterator<Item = &'a State>) {
        self.values[1..network.first_latch()].fill([0; WIDE]);
        let end = states.len();
        let mut states = states.enumerate().peekable();
        while let Some((first, state)) = states.next() {
            while states.next_if(|(_, next)| std::ptr::eq(*next, state)).is_some() {}
            let after = states.peek().map_or(end, |&(lane, _)| lane);
            let mut lanes: Row<WIDE> = [0; WIDE];
            (first..after).for_each(|lane| lanes[lane / 64] |= 1 << (lane % 64));
            let words = first / 64..after.div_ceil(64);
            for Fluent(number) in state.fluents().filter(|fluent| (fluent.0 as usize) < network.fluents) {
                let row = &mut self.values[1 + number as usize];
                words.clone().for_each(|word| row[word] |= lanes[word]);
            }
        }
    }

    /// Puts states and moves into the lanes.
    fn ask(&mut self, network: &Network, questions: &[(&State, &[MoveId])]) {
        self.place(network, questions.iter().map(|&(state, _)| state));
        let first_moves: RoleMap<usize> = network.moves.roles().map(|role| network.first_move(role)).collect();
        for (lane, (_, joint)) in questions.iter().enumerate() {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            for (role, &chosen) in network.moves.roles().zip(*joint) {
                // A move that is never legal has no node and no effect.
                if chosen.index() < network.moves[role] {
                    self.values[first_moves[role] + chosen.index()][word] |= bit;
                }
            }
        }
    }

    /// Calls `holds` with the lane and the number of each literal that holds in 64 lanes; within a lane, numbers
    /// increase.
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

    /// Makes the moves in the lanes.
    fn step(&mut self, network: &Network, questions: &[(&State, &[MoveId])]) {
        self.derive(network, questions);
        batch::go_on(network, &mut self.values);
    }

    /// Computes all that follows from the states and the moves in the lanes.
    fn derive(&mut self, network: &Network, questions: &[(&State, &[MoveId])]) {
        self.ask(network, questions);
        batch::compute(self.level, network, &network.state_blocks, &mut self.values);
        batch::compute(self.level, network, &network.move_blocks, &mut self.values);
    }

    /// The lanes, of the first `lanes`, in which a role perceives exactly what is wanted.
    fn matching(&self, network: &Network, wanted: Option<(Role, &[PerceptId])>, lanes: usize) -> Row<WIDE> {
        let mut fits: Row<WIDE> = std::array::from_fn(|word| match lanes.saturating_sub(word * 64) {
            0 => 0,
            left if left >= 64 => !0,
            left => (1 << left) - 1,
        });
        let Some((role, wanted)) = wanted else {
            return fits;
        };
        let percepts = &network.percepts[role];
        if wanted.last().is_some_and(|last| last.index() >= percepts.len()) {
            // Only the reference interpreter knows this percept: no step of the network brings it about.
            return [0; WIDE];
        }
        let mut wanted = wanted.iter().peekable();
        for (index, (_, lit)) in percepts.iter().enumerate() {
            let is_wanted = wanted.next_if(|next| next.index() == index).is_some();
            let flip = inversion(*lit) ^ if is_wanted { 0 } else { !0 };
            let row = &self.values[lit.node()];
            fits.iter_mut().zip(row).for_each(|(fits, row)| *fits &= row ^ flip);
        }
        fits
    }

    /// The percepts of every role in the lanes of `fits`, by lane.
    fn read_percepts(&self, network: &Network, fits: Row<WIDE>, lanes: usize) -> Vec<Percepts> {
        let mut percepts = vec![RoleMap::filled(network.moves.len(), Vec::new()); lanes];
        for role in network.moves.roles() {
            for word in (0..WIDE).filter(|&word| fits[word] != 0) {
                let lits = network.percepts[role].iter().map(|&(_, lit)| lit);
                self.read(lits, word, |lane, index| {
                    if fits[word] >> lane & 1 == 1 {
                        percepts[word * 64 + lane][role].push(PerceptId(index as u32));
                    }
                });
            }
        }
        percepts
    }

    /// Writes the states of 64 lanes, one after the other.
    fn states(&self, network: &Network, word: usize, words: &mut [u64]) {
        let width = network.fluents.div_ceil(64);
        for (column, rows) in self.values[1..=network.fluents].chunks(64).enumerate() {
            let mut block = [0; 64];
            for (bits, row) in block.iter_mut().zip(rows) {
                *bits = row[word];
            }
            bits::transpose(&mut block);
            for (lane, bits) in block.into_iter().enumerate() {
                words[lane * width + column] = bits;
            }
        }
    }

    /// Computes legal moves and scores in the lanes and reports them.
    fn describe(
        &mut self,
        network: &Network,
        batch: usize,
        lanes: usize,
        successors: &mut [Successor],
        answer: &mut dyn FnMut(usize, &Successor),
    ) {
        batch::compute(self.level, network, &network.state_blocks, &mut self.values);
        for word in 0..lanes.div_ceil(64) {
            let successors = &mut successors[..(lanes - word * 64).min(64)];
            self.answer(network, word, successors);
            for (lane, successor) in successors.iter().enumerate() {
                answer(batch * LANES + word * 64 + lane, successor);
            }
        }
    }

    /// Describes the states of 64 lanes.
    fn answer(&self, network: &Network, word: usize, successors: &mut [Successor]) {
        let width = network.fluents.div_ceil(64);
        let mut words = vec![0; width * 64];
        self.states(network, word, &mut words);
        let terminal = network.terminal.unwrap_or(Lit::FALSE);
        let terminal = self.values[terminal.node()][word] ^ inversion(terminal);
        for (lane, successor) in successors.iter_mut().enumerate() {
            successor.state = State::from_words(words[lane * width..(lane + 1) * width].to_vec());
            successor.is_terminal = terminal >> lane & 1 == 1;
            successor.scores.as_mut_slice().fill(0);
            successor.legal.values_mut().for_each(Vec::clear);
        }
        for role in network.moves.roles() {
            // The first value that holds counts, so it is written last.
            let goals = &network.goals[role];
            self.read(goals.iter().rev().map(|&(_, lit)| lit), word, |lane, index| {
                if let Some(successor) = successors.get_mut(lane) {
                    successor.scores[role] = goals[goals.len() - 1 - index].0;
                }
            });
            let legal = &network.legal[role];
            self.read(legal.iter().map(|&(_, lit)| lit), word, |lane, index| {
                if let Some(successor) = successors.get_mut(lane).filter(|successor| !successor.is_terminal) {
                    successor.legal[role].push(legal[index].0);
                }
            });
        }
    }
}

impl Successors for Expander {
    fn expand(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &Successor)) {
        if let Some(one_by_one) = self.one_by_one(questions.iter().map(|&(state, _)| state)) {
            return one_by_one.expand(questions, answer);
        }
        let network = self.parts.network.clone();
        let mut successors = vec![Successor::empty(network.moves.len()); questions.len().min(64)];
        for (batch, questions) in questions.chunks(LANES).enumerate() {
            self.step(&network, questions);
            self.describe(&network, batch, questions.len(), &mut successors, answer);
        }
    }

    fn look(&mut self, states: &[&State], answer: &mut dyn FnMut(usize, &Successor)) {
        if let Some(one_by_one) = self.one_by_one(states.iter().copied()) {
            return one_by_one.look(states, answer);
        }
        let network = self.parts.network.clone();
        let mut successors = vec![Successor::empty(network.moves.len()); states.len().min(64)];
        for (batch, states) in states.chunks(LANES).enumerate() {
            self.place(&network, states.iter().copied());
            self.describe(&network, batch, states.len(), &mut successors, answer);
        }
    }

    fn follow(&mut self, questions: &[(&State, &[MoveId])], answer: &mut dyn FnMut(usize, &[u64])) {
        if let Some(one_by_one) = self.one_by_one(questions.iter().map(|&(state, _)| state)) {
            return one_by_one.follow(questions, answer);
        }
        let network = self.parts.network.clone();
        let width = network.fluents.div_ceil(64);
        let mut words = vec![0; width * 64];
        for (batch, questions) in questions.chunks(LANES).enumerate() {
            self.step(&network, questions);
            for (word, questions) in questions.chunks(64).enumerate() {
                self.states(&network, word, &mut words);
                for lane in 0..questions.len() {
                    answer(
                        batch * LANES + word * 64 + lane,
                        &words[lane * width..(lane + 1) * width],
                    );
                }
            }
        }
    }

    fn perceive(
        &mut self,
        questions: &[(&State, &[MoveId])],
        wanted: Option<(Role, &[PerceptId])>,
        answer: &mut dyn FnMut(usize, &Successor, &Percepts),
    ) {
        if let Some(one_by_one) = self.one_by_one(questions.iter().map(|&(state, _)| state)) {
            return one_by_one.perceive(questions, wanted, answer);
        }
        let network = self.parts.network.clone();
        let mut successors = vec![Successor::empty(network.moves.len()); questions.len().min(64)];
        for (batch, questions) in questions.chunks(LANES).enumerate() {
            self.derive(&network, questions);
            let fits = self.matching(&network, wanted, questions.len());
            if fits == [0; WIDE] {
                continue;
            }
            let percepts = self.read_percepts(&network, fits, questions.len());
            batch::go_on(&network, &mut self.values);
            self.describe(
                &network,
                batch,
                questions.len(),
                &mut successors,
                &mut |number, successor| {
                    let lane = number % LANES;
                    if fits[lane / 64] >> (lane % 64) & 1 == 1 {
                        answer(number, successor, &percepts[lane]);
                    }
                },
            );
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        if let Some(one_by_one) = &mut self.one_by_one {
            one_by_one.set_deadline(deadline);
        }
    }

    fn fault(&self) -> Option<&str> {
        self.one_by_one.as_ref()?.fault()
    }
}
