//! Many random playouts at once: every node of the network is a row of bits, one bit a playout.
//!
//! One pass over the gates advances all playouts ("lanes") by one step. Moves are drawn for each lane uniformly among
//! its legal moves: the legal bits of 64 moves and 64 lanes are transposed as a block, then each lane picks a set bit.
//! A lane whose match is over gets the next start state at once, so no lane ever idles.

use super::{CompiledParts, bits};
use crate::Rng;
use crate::machine::Playouts;
use crate::playout::{End, Playout};
use crate::state::{Fluent, Role, State};
use ludens_ground::network::{Block, Lit, Network};

/// Words in a row of bits.
const WIDTH: usize = 8;
/// Playouts at a time.
const LANES: usize = WIDTH * 64;

/// A row of bits, one a lane.
type Row = [u64; WIDTH];

pub(super) struct Batch {
    parts: CompiledParts,
    values: Vec<Row>,
    steps: Vec<u32>,
    /// The legal moves of each lane, 64 a word.
    legal: Vec<u64>,
    scores: Vec<u8>,
}

impl Batch {
    pub(super) fn new(parts: CompiledParts) -> Batch {
        let network = &parts.network;
        let most_moves = network.legal.iter().map(Vec::len).max().unwrap_or(0);
        Batch {
            values: vec![[0; WIDTH]; network.nodes()],
            steps: vec![0; LANES],
            legal: vec![0; LANES * most_moves.div_ceil(64)],
            scores: vec![0; LANES * network.moves.len()],
            parts,
        }
    }
}

impl Playouts for Batch {
    fn run(
        &mut self,
        rng: &mut Rng,
        most_steps: usize,
        next: &mut dyn FnMut() -> Option<State>,
        done: &mut dyn FnMut(&Playout),
    ) {
        let network = self.parts.network.clone();
        let mut active = [0; WIDTH];
        self.refill([!0; WIDTH], &mut active, next);
        while active != [0; WIDTH] {
            compute(&network, &network.state_blocks, &mut self.values);
            let terminal = and(self.literal(network.terminal.unwrap_or(Lit::FALSE)), active);
            let stuck = self.choose_moves(&network, and_not(active, terminal), rng);
            let too_long = self.count_steps(and_not(and_not(active, terminal), or(stuck, [0; WIDTH])), most_steps);
            let over = or(or(terminal, stuck), too_long);
            if over != [0; WIDTH] {
                self.report(&network, terminal, stuck, too_long, done);
            }
            compute(&network, &network.move_blocks, &mut self.values);
            self.go_on(&network);
            if over != [0; WIDTH] {
                self.refill(over, &mut active, next);
            }
        }
    }
}

impl Batch {
    fn literal(&self, lit: Lit) -> Row {
        let inverted = inversion(lit);
        self.values[lit.node()].map(|word| word ^ inverted)
    }

    /// Puts start states into lanes; a lane for which there is none becomes inactive.
    fn refill(&mut self, lanes: Row, active: &mut Row, next: &mut dyn FnMut() -> Option<State>) {
        let fluents = self.parts.network.fluents;
        for row in &mut self.values[1..=fluents] {
            *row = and_not(*row, lanes);
        }
        for lane in bits::ones(&lanes) {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            self.steps[lane] = 0;
            match next() {
                None => active[word] &= !bit,
                Some(state) => {
                    active[word] |= bit;
                    for Fluent(number) in state.fluents().filter(|fluent| (fluent.0 as usize) < fluents) {
                        self.values[1 + number as usize][word] |= bit;
                    }
                }
            }
        }
    }

    /// Draws a move for every role in these lanes; gives the lanes in which some role has none.
    fn choose_moves(&mut self, network: &Network, lanes: Row, rng: &mut Rng) -> Row {
        for row in &mut self.values[1 + network.fluents..network.first_latch()] {
            *row = [0; WIDTH];
        }
        let mut stuck = [0; WIDTH];
        for (role, legal) in network.legal.iter().enumerate() {
            let words = legal.len().div_ceil(64);
            let first = network.first_move(role);
            self.transpose_legal(legal, words);
            for lane in bits::ones(&lanes) {
                let (word, bit) = (lane / 64, 1 << (lane % 64));
                let moves = &self.legal[lane * words..(lane + 1) * words];
                match bits::random_one(moves, rng) {
                    None => stuck[word] |= bit,
                    Some(index) => self.values[first + legal[index].0 as usize][word] |= bit,
                }
            }
        }
        stuck
    }

    /// Turns rows of lanes into words of moves.
    fn transpose_legal(&mut self, legal: &[(u32, Lit)], words: usize) {
        for (chunk, moves) in legal.chunks(64).enumerate() {
            for word in 0..WIDTH {
                let mut block = [0; 64];
                for (row, &(_, lit)) in block.iter_mut().zip(moves) {
                    *row = self.values[lit.node()][word] ^ inversion(lit);
                }
                bits::transpose(&mut block);
                for (lane, &moves) in block.iter().enumerate() {
                    self.legal[(word * 64 + lane) * words + chunk] = moves;
                }
            }
        }
    }

    /// Counts a step in these lanes; gives those that have had too many.
    fn count_steps(&mut self, lanes: Row, most_steps: usize) -> Row {
        let mut too_long = [0; WIDTH];
        for lane in bits::ones(&lanes) {
            if self.steps[lane] as usize >= most_steps {
                too_long[lane / 64] |= 1 << (lane % 64);
            } else {
                self.steps[lane] += 1;
            }
        }
        too_long
    }

    fn report(&mut self, network: &Network, terminal: Row, stuck: Row, too_long: Row, done: &mut dyn FnMut(&Playout)) {
        let over = or(or(terminal, stuck), too_long);
        let roles = network.moves.len();
        for lane in bits::ones(&over) {
            self.scores[lane * roles..(lane + 1) * roles].fill(0);
        }
        for (role, goals) in network.goals.iter().enumerate() {
            // Goals come in increasing order: the lowest value that holds counts.
            let mut open = over;
            for &(value, lit) in goals {
                let holds = and(self.literal(lit), open);
                for lane in bits::ones(&holds) {
                    self.scores[lane * roles + role] = value;
                }
                open = and_not(open, holds);
            }
        }
        let mut playout = Playout {
            end: End::Terminal,
            steps: 0,
            scores: vec![0; roles],
        };
        for (lanes, end) in [
            (terminal, End::Terminal),
            (stuck, End::Stuck(Role(0))),
            (too_long, End::TooLong),
        ] {
            playout.end = end;
            for lane in bits::ones(&lanes) {
                playout.steps = self.steps[lane] as usize;
                playout
                    .scores
                    .copy_from_slice(&self.scores[lane * roles..(lane + 1) * roles]);
                done(&playout);
            }
        }
    }

    /// The next state becomes the state.
    fn go_on(&mut self, network: &Network) {
        let mut next = network.next.iter().peekable();
        // Fluents are nodes of their own and no gate reads them any more in this step, but a `next` may be a fluent
        // itself: collect first, write afterwards.
        let rows: Vec<Row> = next.by_ref().map(|&(_, lit)| self.literal(lit)).collect();
        for row in &mut self.values[1..=network.fluents] {
            *row = [0; WIDTH];
        }
        for (&(fluent, _), row) in network.next.iter().zip(rows) {
            self.values[1 + fluent as usize] = row;
        }
    }
}

fn inversion(lit: Lit) -> u64 {
    0u64.wrapping_sub(u64::from(lit.0 & 1))
}

fn and(a: Row, b: Row) -> Row {
    std::array::from_fn(|word| a[word] & b[word])
}

fn or(a: Row, b: Row) -> Row {
    std::array::from_fn(|word| a[word] | b[word])
}

fn and_not(a: Row, b: Row) -> Row {
    std::array::from_fn(|word| a[word] & !b[word])
}

fn compute(network: &Network, blocks: &[Block], values: &mut [Row]) {
    let first = network.first_gate();
    for block in blocks {
        match block {
            Block::Once(range) => gates(network, first, range.clone(), values),
            Block::UntilStable(range, latches) => {
                for &(latch, _) in latches {
                    values[latch as usize] = [0; WIDTH];
                }
                loop {
                    gates(network, first, range.clone(), values);
                    let mut changed = 0;
                    for &(latch, lit) in latches {
                        let inverted = inversion(lit);
                        let new = values[lit.node()].map(|word| word ^ inverted);
                        let old = std::mem::replace(&mut values[latch as usize], new);
                        changed |= old.iter().zip(&new).fold(0, |bits, (old, new)| bits | (old ^ new));
                    }
                    if changed == 0 {
                        break;
                    }
                }
            }
        }
    }
}

fn gates(network: &Network, first: usize, range: std::ops::Range<usize>, values: &mut [Row]) {
    for (number, &[a, b]) in range.clone().zip(&network.gates[range]) {
        let (computed, rest) = values.split_at_mut(first + number);
        let (left, right) = (&computed[a.node()], &computed[b.node()]);
        let (invert_left, invert_right) = (inversion(a), inversion(b));
        for word in 0..WIDTH {
            rest[0][word] = (left[word] ^ invert_left) & (right[word] ^ invert_right);
        }
    }
}
