//! Many random playouts at once: every node of the network is a row of bits, one bit a playout.
//!
//! One pass over the gates advances all playouts ("lanes") by one step. Moves are drawn for each lane uniformly among
//! its legal moves: the legal bits of 64 moves and 64 lanes are transposed as a block, then each lane picks a set bit.
//! A lane whose match is over gets the next start state at once, so no lane ever idles.

use super::wide::{LANES, Level, Row, WIDTH, inversion};
use super::{CompiledParts, bits};
use crate::Rng;
use crate::machine::{Matches, Playouts};
use crate::playout::{End, Playout};
use crate::state::{Fluent, Role};
use ludens_ground::network::{Block, Lit, Network};

pub(super) struct Batch {
    parts: CompiledParts,
    values: Vec<Row>,
    /// How many passes were made over the gates.
    pass: u64,
    /// The pass in which each lane's match started.
    started: Vec<u64>,
    /// The tag of each lane's match.
    tags: Vec<u32>,
    /// No match that is under way started before this pass.
    oldest: u64,
    /// The legal moves of 64 lanes, 64 a word.
    legal: Vec<u64>,
    scores: Vec<u8>,
    level: Level,
}

impl Batch {
    pub(super) fn new(parts: CompiledParts) -> Batch {
        let network = &parts.network;
        let most_moves = network.legal.iter().map(Vec::len).max().unwrap_or(0);
        Batch {
            values: vec![[0; WIDTH]; network.nodes()],
            pass: 0,
            started: vec![0; LANES],
            tags: vec![0; LANES],
            oldest: 0,
            legal: vec![0; 64 * most_moves.div_ceil(64)],
            scores: vec![0; LANES * network.moves.len()],
            level: Level::detect(),
            parts,
        }
    }
}

impl Playouts for Batch {
    fn run(&mut self, rng: &mut Rng, most_steps: usize, matches: &mut dyn Matches) {
        let network = self.parts.network.clone();
        let mut active = [0; WIDTH];
        self.refill([!0; WIDTH], &mut active, matches);
        while active != [0; WIDTH] && !matches.is_over() {
            compute(self.level, &network, &network.state_blocks, &mut self.values);
            let terminal = and(self.literal(network.terminal.unwrap_or(Lit::FALSE)), active);
            let stuck = self.choose_moves(&network, and_not(active, terminal), rng);
            let too_long = self.too_long(and_not(and_not(active, terminal), stuck), most_steps);
            let over = or(or(terminal, stuck), too_long);
            if over != [0; WIDTH] {
                self.report(&network, terminal, stuck, too_long, matches);
            }
            compute(self.level, &network, &network.move_blocks, &mut self.values);
            go_on(&network, &mut self.values);
            self.pass += 1;
            if over != [0; WIDTH] {
                self.refill(over, &mut active, matches);
            }
        }
    }
}

impl Batch {
    fn literal(&self, lit: Lit) -> Row {
        literal(&self.values, lit)
    }

    /// Puts start states into lanes; a lane for which there is none becomes inactive.
    fn refill(&mut self, lanes: Row, active: &mut Row, matches: &mut dyn Matches) {
        let fluents = self.parts.network.fluents;
        for row in &mut self.values[1..=fluents] {
            *row = and_not(*row, lanes);
        }
        for lane in bits::ones(&lanes) {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            self.started[lane] = self.pass;
            match matches.start() {
                None => active[word] &= !bit,
                Some((state, tag)) => {
                    active[word] |= bit;
                    self.tags[lane] = tag;
                    for Fluent(number) in state.fluents().filter(|fluent| (fluent.0 as usize) < fluents) {
                        self.values[1 + number as usize][word] |= bit;
                    }
                }
            }
        }
    }

    /// Draws a move for every role in these lanes; gives the lanes in which some role has none.
    ///
    /// Lanes in which a role has exactly one legal move are settled for all of them at once. In games in which players
    /// take turns that is half of the work.
    fn choose_moves(&mut self, network: &Network, lanes: Row, rng: &mut Rng) -> Row {
        let mut stuck = [0; WIDTH];
        for (role, legal) in network.legal.iter().enumerate() {
            let first = network.first_move(role);
            let (mut once, mut twice) = ([0; WIDTH], [0; WIDTH]);
            for &(_, lit) in legal {
                let row = self.literal(lit);
                twice = or(twice, and(once, row));
                once = or(once, row);
            }
            stuck = or(stuck, and_not(lanes, once));
            let single = and_not(lanes, twice);
            for &(number, lit) in legal {
                self.values[first + number as usize] = and(self.literal(lit), single);
            }
            for (word, &lanes) in and(lanes, twice).iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
                self.draw(legal, first, word, lanes, rng);
            }
        }
        stuck
    }

    /// Draws one of several legal moves in some lanes of one word.
    fn draw(&mut self, legal: &[(u32, Lit)], first: usize, word: usize, lanes: u64, rng: &mut Rng) {
        let words = legal.len().div_ceil(64);
        for (chunk, moves) in legal.chunks(64).enumerate() {
            let mut block = [0; 64];
            for (row, &(_, lit)) in block.iter_mut().zip(moves) {
                *row = self.values[lit.node()][word] ^ inversion(lit);
            }
            bits::transpose(&mut block);
            for (lane, &moves) in block.iter().enumerate() {
                self.legal[lane * words + chunk] = moves;
            }
        }
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let Some(index) = bits::random_one(&self.legal[lane * words..(lane + 1) * words], rng) {
                self.values[first + legal[index].0 as usize][word] |= 1 << lane;
            }
        }
    }

    /// The lanes, of these, that have made the greatest number of steps.
    fn too_long(&mut self, lanes: Row, most_steps: usize) -> Row {
        let mut too_long = [0; WIDTH];
        if self.pass - self.oldest >= most_steps as u64 {
            self.oldest = self.pass;
            for lane in bits::ones(&lanes) {
                self.oldest = self.oldest.min(self.started[lane]);
                if self.steps(lane) >= most_steps {
                    too_long[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
        too_long
    }

    fn steps(&self, lane: usize) -> usize {
        (self.pass - self.started[lane]) as usize
    }

    fn report(&mut self, network: &Network, terminal: Row, stuck: Row, too_long: Row, matches: &mut dyn Matches) {
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
                playout.steps = self.steps(lane);
                playout
                    .scores
                    .copy_from_slice(&self.scores[lane * roles..(lane + 1) * roles]);
                matches.finish(self.tags[lane], &playout);
            }
        }
    }
}

/// The next state becomes the state.
pub(super) fn go_on(network: &Network, values: &mut [Row]) {
    // Fluents are nodes of their own and no gate reads them any more in this step, but a `next` may be a fluent itself:
    // collect first, write afterwards.
    let rows: Vec<Row> = network.next.iter().map(|&(_, lit)| literal(values, lit)).collect();
    values[1..=network.fluents].fill([0; WIDTH]);
    for (&(fluent, _), row) in network.next.iter().zip(rows) {
        values[1 + fluent as usize] = row;
    }
}

fn literal(values: &[Row], lit: Lit) -> Row {
    let inverted = inversion(lit);
    values[lit.node()].map(|word| word ^ inverted)
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

/// Computes blocks of gates in all lanes.
pub(super) fn compute(level: Level, network: &Network, blocks: &[Block], values: &mut [Row]) {
    let first = network.first_gate();
    for block in blocks {
        match block {
            Block::Once(range) => level.gates(&network.gates, first, range.clone(), values),
            Block::UntilStable(range, latches) => {
                for &(latch, _) in latches {
                    values[latch as usize] = [0; WIDTH];
                }
                loop {
                    level.gates(&network.gates, first, range.clone(), values);
                    let mut changed = 0;
                    for &(latch, lit) in latches {
                        let new = literal(values, lit);
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
