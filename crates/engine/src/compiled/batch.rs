//! Lane-parallel playouts: every node of the propositional network is a row of bits, one bit (lane) per playout.
//!
//! One pass over the gates advances all lanes by one step. Moves are drawn for each lane uniformly among its legal
//! moves: the legal bits of 64 moves and 64 lanes are transposed as a block, then each lane picks a set bit. A lane
//! whose playout ends gets the next start state at once, so no lane idles. A source that chooses moves or inspects
//! states is called lane by lane.

use super::rows::Rows;
use super::wide::{Level, Row, inversion};
use super::{CompiledParts, bits};
use crate::Rng;
use crate::lanes::Lanes;
use crate::machine::{PlayoutOptions, PlayoutSource};
use crate::playout::{Choice, End, Playout, play_tagged};
use crate::state::{Fluent, MoveId, Role, RoleMap, State};
use ludens_ground::network::{Block, Lit, Network};

/// `64 * W` playouts side by side.
pub(super) struct Batch<const W: usize> {
    parts: CompiledParts,
    values: Rows<W>,
    /// Number of passes over the gates.
    pass: u64,
    /// The pass in which each lane's playout started.
    started: Vec<u64>,
    /// The tag of each lane's playout.
    tags: Vec<u32>,
    /// Lower bound on `started` of the lanes in use.
    oldest: u64,
    /// The legal moves of 64 lanes, lane by lane, 64 moves per word.
    legal: Vec<u64>,
    scores: Vec<u8>,
    /// The choices made in each lane, if the options ask for them.
    choices: Vec<Vec<Choice>>,
    /// The state in which each choice was made, if the options ask for it.
    visited: Vec<Vec<State>>,
    /// Number of choices in each lane before this step.
    seen: Vec<u32>,
    /// The states of 64 lanes, lane by lane, if the options ask for them.
    states: Vec<u64>,
    options: PlayoutOptions,
    level: Level,
}

impl<const W: usize> Batch<W> {
    pub(super) fn new(parts: CompiledParts) -> Batch<W> {
        let network = &parts.network;
        let most_moves = network.legal.values().map(Vec::len).max().unwrap_or(0);
        Batch {
            values: Rows::new(network.nodes()),
            pass: 0,
            started: vec![0; W * 64],
            tags: vec![0; W * 64],
            oldest: 0,
            legal: vec![0; 64 * most_moves.div_ceil(64)],
            scores: vec![0; W * 64 * network.moves.len()],
            choices: vec![Vec::new(); W * 64],
            visited: vec![Vec::new(); W * 64],
            seen: vec![0; W * 64],
            states: vec![0; 64 * network.fluents.div_ceil(64)],
            options: PlayoutOptions::default(),
            level: Level::detect(),
            parts,
        }
    }
}

impl<const W: usize> Batch<W> {
    /// Implements [`Playouts::run`](crate::Playouts::run).
    pub(super) fn run(&mut self, rng: &mut Rng, max_steps: usize, source: &mut dyn PlayoutSource) {
        let network = self.parts.network.clone();
        self.options = source.options();
        let mut active = [0; W];
        self.refill([!0; W], &mut active, rng, max_steps, source);
        while active != [0; W] && !source.is_over() {
            compute(self.level, &network, &network.state_blocks, &mut self.values);
            let terminal = and(self.literal(network.terminal.unwrap_or(Lit::FALSE)), active);
            let too_long = self.too_long(and_not(active, terminal), max_steps);
            let stopped = self.stopped(and_not(and_not(active, terminal), too_long), source);
            let ended = or(or(terminal, too_long), stopped);
            let stuck = self.choose_moves(&network, and_not(active, ended), rng, source);
            let over = or(ended, stuck);
            if over != [0; W] {
                let ends = [
                    (terminal, End::Terminal),
                    (stuck, End::Stuck(Role(0))),
                    (too_long, End::TooLong),
                    (stopped, End::Stopped),
                ];
                self.report(&network, over, ends, source);
            }
            compute(self.level, &network, &network.move_blocks, &mut self.values);
            go_on(&network, &mut self.values);
            self.pass += 1;
            if over != [0; W] {
                self.refill(over, &mut active, rng, max_steps, source);
            }
        }
    }
}

impl<const W: usize> Batch<W> {
    fn literal(&self, lit: Lit) -> Row<W> {
        literal(&self.values, lit)
    }

    /// Puts start states into lanes; a lane without one becomes inactive. A playout whose start state the network
    /// cannot represent runs at once on a machine.
    fn refill(
        &mut self,
        lanes: Row<W>,
        active: &mut Row<W>,
        rng: &mut Rng,
        max_steps: usize,
        source: &mut dyn PlayoutSource,
    ) {
        let fluents = self.parts.network.fluents;
        for row in &mut self.values[1..=fluents] {
            *row = and_not(*row, lanes);
        }
        for lane in bits::ones(&lanes) {
            let (word, bit) = (lane / 64, 1 << (lane % 64));
            self.started[lane] = self.pass;
            self.choices[lane].clear();
            self.visited[lane].clear();
            loop {
                match source.start() {
                    None => active[word] &= !bit,
                    Some((state, tag)) if self.parts.outside.has(state) => {
                        let machine = &mut self.parts.machine_outside(state);
                        if let Some(playout) = play_tagged(machine, rng, max_steps, tag, source) {
                            source.finish(tag, &playout);
                            continue;
                        }
                        // The source drops all playouts.
                        active[word] &= !bit;
                    }
                    Some((state, tag)) => {
                        active[word] |= bit;
                        self.tags[lane] = tag;
                        for Fluent(number) in state.fluents() {
                            self.values[1 + number as usize][word] |= bit;
                        }
                    }
                }
                break;
            }
        }
    }

    /// Draws a move for every role in these lanes; returns the lanes in which some role has no legal move.
    ///
    /// Lanes in which a role has exactly one legal move are settled for all of them at once. In games in which players
    /// take turns that is half of the work.
    fn choose_moves(
        &mut self,
        network: &Network,
        lanes: Row<W>,
        rng: &mut Rng,
        source: &mut dyn PlayoutSource,
    ) -> Row<W> {
        let mut stuck = [0; W];
        let records_choices = self.options.guided || self.options.choices || self.options.choice_states;
        if records_choices {
            let lengths = self.choices.iter().map(|choices| choices.len() as u32);
            self.seen
                .iter_mut()
                .zip(lengths)
                .for_each(|(seen, length)| *seen = length);
        }
        for (role, legal) in network.legal.iter() {
            let first = network.first_move(role);
            let (mut once, mut twice) = ([0; W], [0; W]);
            for &(_, lit) in legal {
                let row = self.literal(lit);
                twice = or(twice, and(once, row));
                once = or(once, row);
            }
            stuck = or(stuck, and_not(lanes, once));
            let single = and_not(lanes, twice);
            for &(number, lit) in legal {
                self.values[first + number.index()] = and(self.literal(lit), single);
            }
            for (word, &lanes) in and(lanes, twice).iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
                self.list_legal(legal, word);
                match records_choices {
                    true => self.choose(legal, (role, first), word, lanes, rng, source),
                    false => self.draw(legal, first, word, lanes, rng),
                }
            }
        }
        if records_choices {
            // An incomplete joint move is not made.
            for lane in bits::ones(&stuck) {
                self.choices[lane].truncate(self.seen[lane] as usize);
                self.visited[lane].truncate(self.seen[lane] as usize);
            }
        }
        stuck
    }

    /// Fills `legal` for the 64 lanes of a word.
    fn list_legal(&mut self, legal: &[(MoveId, Lit)], word: usize) {
        let words = legal.len().div_ceil(64);
        let values = &*self.values;
        for (chunk, moves) in legal.chunks(64).enumerate() {
            let mut block = [0; 64];
            for (row, &(_, lit)) in block.iter_mut().zip(moves) {
                *row = values[lit.node()][word] ^ inversion(lit);
            }
            bits::transpose(&mut block);
            for (lane, &moves) in block.iter().enumerate() {
                self.legal[lane * words + chunk] = moves;
            }
        }
    }

    /// Draws one of several legal moves in some lanes of one word.
    fn draw(&mut self, legal: &[(MoveId, Lit)], first: usize, word: usize, lanes: u64, rng: &mut Rng) {
        let words = legal.len().div_ceil(64);
        let values = &mut *self.values;
        for lane in bits::ones(&[lanes]) {
            if let Some(index) = bits::random_one(&self.legal[lane * words..(lane + 1) * words], rng) {
                values[first + legal[index].0.index()][word] |= 1 << lane;
            }
        }
    }

    /// As [`Batch::draw`], for sources that choose moves or want to know the choices. The role comes with the node of
    /// its first move.
    fn choose(
        &mut self,
        legal: &[(MoveId, Lit)],
        (role, first): (Role, usize),
        word: usize,
        lanes: u64,
        rng: &mut Rng,
        source: &mut dyn PlayoutSource,
    ) {
        let words = legal.len().div_ceil(64);
        let mut moves: Vec<MoveId> = Vec::new();
        let needs_states = self.options.states || self.options.choice_states;
        if needs_states {
            self.list_states(word);
        }
        if self.options.lanes {
            let is_legal = |lit: Lit| (self.values[lit.node()][word] ^ inversion(lit)) & lanes != 0;
            moves.extend(legal.iter().filter(|(_, lit)| is_legal(*lit)).map(|legal| legal.0));
            let rows = &self.values[1..=self.parts.network.fluents];
            source.survey(role, &moves, &Lanes::of_rows(rows.as_flattened(), W, word, lanes));
        }
        for bit in bits::ones(&[lanes]) {
            let lane = word * 64 + bit;
            let row = &self.legal[bit * words..(bit + 1) * words];
            let state = needs_states.then(|| self.listed_state(bit));
            let move_id = if self.options.guided {
                moves.clear();
                moves.extend(bits::ones_of(row).map(|index| legal[index].0));
                // Roles choose at the same time: none sees what the others choose in this step.
                let before = &self.choices[lane][..self.seen[lane] as usize];
                moves[source.choose(self.tags[lane], role, &moves, before, state.as_ref(), rng)]
            } else {
                match bits::random_one(row, rng) {
                    Some(index) => legal[index].0,
                    None => continue,
                }
            };
            self.values[first + move_id.index()][word] |= 1 << bit;
            self.choices[lane].push(Choice { role, move_id });
            if self.options.choice_states {
                self.visited[lane].extend(state);
            }
        }
    }

    /// Fills `states` for the 64 lanes of a word.
    fn list_states(&mut self, word: usize) {
        let fluents = self.parts.network.fluents;
        let words = fluents.div_ceil(64);
        for (chunk, rows) in self.values[1..=fluents].chunks(64).enumerate() {
            let mut block = [0; 64];
            for (bits, row) in block.iter_mut().zip(rows) {
                *bits = row[word];
            }
            bits::transpose(&mut block);
            for (lane, &bits) in block.iter().enumerate() {
                self.states[lane * words + chunk] = bits;
            }
        }
    }

    /// Copies one state out of `states`.
    fn listed_state(&self, bit: usize) -> State {
        let words = self.parts.network.fluents.div_ceil(64);
        State::from_words(self.states[bit * words..(bit + 1) * words].to_vec())
    }

    /// Returns the lanes, of these, whose playout the source stops.
    fn stopped(&mut self, lanes: Row<W>, source: &mut dyn PlayoutSource) -> Row<W> {
        let mut stopped = [0; W];
        if let Some(from) = self.options.watched_from {
            for lane in bits::ones(&lanes) {
                let (tag, steps) = (self.tags[lane], self.steps(lane));
                if steps >= from && source.is_watched(tag, steps) && source.watch(tag, steps, &self.state(lane)) {
                    stopped[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
        stopped
    }

    /// The state of one lane.
    fn state(&self, lane: usize) -> State {
        let fluents = self.parts.network.fluents;
        let rows = self.values[1..=fluents].chunks(64);
        State::from_words(
            rows.map(|rows| {
                let bits = rows.iter().enumerate();
                bits.fold(0, |word, (bit, row)| word | (row[lane / 64] >> (lane % 64) & 1) << bit)
            })
            .collect(),
        )
    }

    /// Returns the lanes, of these, that have reached the maximum number of steps.
    fn too_long(&mut self, lanes: Row<W>, max_steps: usize) -> Row<W> {
        let mut too_long = [0; W];
        if self.pass - self.oldest >= max_steps as u64 {
            self.oldest = self.pass;
            for lane in bits::ones(&lanes) {
                self.oldest = self.oldest.min(self.started[lane]);
                if self.steps(lane) >= max_steps {
                    too_long[lane / 64] |= 1 << (lane % 64);
                }
            }
        }
        too_long
    }

    fn steps(&self, lane: usize) -> usize {
        (self.pass - self.started[lane]) as usize
    }

    fn report(&mut self, network: &Network, over: Row<W>, ends: [(Row<W>, End); 4], source: &mut dyn PlayoutSource) {
        let roles = network.moves.len();
        for lane in bits::ones(&over) {
            self.scores[lane * roles..(lane + 1) * roles].fill(0);
        }
        for (role, goals) in network.goals.iter() {
            // The first value that holds counts.
            let mut open = over;
            for &(value, lit) in goals {
                let holds = and(self.literal(lit), open);
                for lane in bits::ones(&holds) {
                    self.scores[lane * roles + role.index()] = value;
                }
                open = and_not(open, holds);
            }
        }
        let mut playout = Playout {
            end: End::Terminal,
            steps: 0,
            scores: RoleMap::filled(roles, 0),
            choices: Vec::new(),
            states: Vec::new(),
            state: None,
        };
        for (lanes, end) in ends {
            playout.end = end;
            for lane in bits::ones(&lanes) {
                playout.steps = self.steps(lane);
                playout
                    .scores
                    .as_mut_slice()
                    .copy_from_slice(&self.scores[lane * roles..(lane + 1) * roles]);
                playout.state = self.options.last_state.then(|| self.state(lane));
                std::mem::swap(&mut playout.choices, &mut self.choices[lane]);
                std::mem::swap(&mut playout.states, &mut self.visited[lane]);
                source.finish(self.tags[lane], &playout);
                std::mem::swap(&mut playout.choices, &mut self.choices[lane]);
                std::mem::swap(&mut playout.states, &mut self.visited[lane]);
            }
        }
    }
}

/// Replaces the state by the next state.
pub(super) fn go_on<const W: usize>(network: &Network, values: &mut [Row<W>]) {
    // Fluents are nodes of their own and no gate reads them any more in this step, but a `next` may be a fluent itself:
    // collect first, write afterwards.
    let rows: Vec<Row<W>> = network.next.iter().map(|&(_, lit)| literal(values, lit)).collect();
    values[1..=network.fluents].fill([0; W]);
    for (&(fluent, _), row) in network.next.iter().zip(rows) {
        values[1 + fluent.index()] = row;
    }
}

fn literal<const W: usize>(values: &[Row<W>], lit: Lit) -> Row<W> {
    let inverted = inversion(lit);
    values[lit.node()].map(|word| word ^ inverted)
}

fn and<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

fn or<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|word| a[word] | b[word])
}

fn and_not<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}

/// Computes blocks of gates in all lanes.
pub(super) fn compute<const W: usize>(level: Level, network: &Network, blocks: &[Block], values: &mut [Row<W>]) {
    let first = network.first_gate();
    for block in blocks {
        match block {
            Block::Once(range) => level.gates(&network.gates, first, range.clone(), values),
            Block::UntilStable(range, latches) => {
                for &(latch, _) in latches {
                    values[latch as usize] = [0; W];
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
