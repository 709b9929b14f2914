//! The ground program as a network of two-input gates.
//!
//! Every gate is the conjunction of two literals, a literal being a node or its negation (an and-inverter graph).
//! Equal gates are built once and constants fold away. Nodes are laid out as
//! `false, fluents, moves, latches, gates`, gates in an order in which they can be computed one after the other. Only
//! propositions that depend on each other in a cycle need more: they have *latches* that start as false, and the block
//! of gates between them is computed again until the latches no longer change, which is their least fixed point.

use crate::program::{Condition, GroundProgram, Signal};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_gdl::depend::components;
use ludens_gdl::normal::Term;
use std::ops::Range;

/// A node or its negation: twice the node's number, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub u32);

impl Lit {
    /// Never.
    pub const FALSE: Lit = Lit(0);
    /// Always.
    pub const TRUE: Lit = Lit(1);

    fn of(node: u32) -> Lit {
        Lit(node << 1)
    }

    /// The opposite.
    pub fn negated(self) -> Lit {
        Lit(self.0 ^ 1)
    }

    /// The node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Gates to be computed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// One after the other.
    Once(Range<usize>),
    /// Again and again, until no latch changes: each latch takes the value of its literal.
    UntilStable(Range<usize>, Vec<(u32, Lit)>),
}

/// A network of gates.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// How many fluents there are; their nodes follow node 0.
    pub fluents: usize,
    /// How many moves each role has; their nodes follow the fluents.
    pub moves: Vec<usize>,
    /// How many latches there are; their nodes follow the moves.
    pub latches: usize,
    /// The gates; their nodes follow the latches.
    pub gates: Vec<[Lit; 2]>,
    /// What to compute when the state is known.
    pub state_blocks: Vec<Block>,
    /// What to compute when the moves are known too.
    pub move_blocks: Vec<Block>,
    /// The end of the match.
    pub terminal: Option<Lit>,
    /// For each role the legality of its moves, by number of the move.
    pub legal: Vec<Vec<(u32, Lit)>>,
    /// For each role its goal values.
    pub goals: Vec<Vec<(u8, Lit)>>,
    /// For each fluent whether it holds next.
    pub next: Vec<(u32, Lit)>,
    /// For each role what it perceives.
    pub percepts: Vec<Vec<(Term, Lit)>>,
}

impl Network {
    /// Builds the network; nothing if what is asked of a state depends on moves.
    pub fn new(program: &GroundProgram) -> Option<Network> {
        Builder::new(program).build()
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    /// The node of the first move of a role.
    pub fn first_move(&self, role: usize) -> usize {
        1 + self.fluents + self.moves[..role].iter().sum::<usize>()
    }

    /// The node of the first latch.
    pub fn first_latch(&self) -> usize {
        self.first_move(self.moves.len())
    }

    /// The node of the first gate.
    pub fn first_gate(&self) -> usize {
        self.first_latch() + self.latches
    }
}

struct Builder<'a> {
    program: &'a GroundProgram,
    network: Network,
    shared: HashMap<[Lit; 2], Lit, RandomState>,
    /// The literal of each derived proposition, once it is built.
    built: Vec<Option<Lit>>,
    /// For each proposition on a cycle its latch.
    latch_of: Vec<Option<u32>>,
    depends_on_move: Vec<bool>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a GroundProgram) -> Builder<'a> {
        let network = Network {
            fluents: program.fluents.len(),
            moves: program.moves.iter().map(Vec::len).collect(),
            ..Network::default()
        };
        Builder {
            program,
            network,
            shared: HashMap::default(),
            built: vec![None; program.derived.len()],
            latch_of: vec![None; program.derived.len()],
            depends_on_move: vec![false; program.derived.len()],
        }
    }

    fn build(mut self) -> Option<Network> {
        let program = self.program;
        let groups = components(program.derived.len(), self.edges());
        self.place_latches(&groups);
        let asked_of_state = program.legal.iter().flatten().map(|&(_, atom)| atom);
        let asked_of_state = asked_of_state.chain(program.goals.iter().flatten().map(|&(_, atom)| atom));
        let asked_of_state: Vec<u32> = asked_of_state.chain(program.terminal).collect();
        let asked_of_moves = program.next.iter().map(|&(_, atom)| atom);
        let asked_of_moves: Vec<u32> = asked_of_moves
            .chain(program.percepts.iter().flatten().map(|&(_, atom)| atom))
            .collect();
        let state_blocks = self.blocks(&groups, &asked_of_state);
        if asked_of_state.iter().any(|&atom| self.depends_on_move[atom as usize]) {
            return None;
        }
        self.network.state_blocks = state_blocks;
        self.network.move_blocks = self.blocks(&groups, &asked_of_moves);
        self.connect_outputs();
        Some(self.network)
    }

    /// From each proposition to those that it depends on.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let derived = self.program.derived.iter().enumerate();
        derived.flat_map(|(from, instances)| {
            instances
                .iter()
                .flatten()
                .filter_map(move |condition| match condition.signal {
                    Signal::Derived(to) => Some((from, to as usize)),
                    Signal::Fluent(_) | Signal::Move(..) => None,
                })
        })
    }

    fn place_latches(&mut self, groups: &[Vec<usize>]) {
        let depends_on_itself = |atom: usize| {
            let conditions = self.program.derived[atom].iter().flatten();
            conditions
                .into_iter()
                .any(|condition| condition.signal == Signal::Derived(atom as u32))
        };
        for group in groups {
            if group.len() > 1 || depends_on_itself(group[0]) {
                for &atom in group {
                    self.latch_of[atom] = Some(self.network.latches as u32);
                    self.network.latches += 1;
                }
            }
        }
    }

    /// Builds what some propositions need, in order, as far as it is not built yet.
    fn blocks(&mut self, groups: &[Vec<usize>], asked: &[u32]) -> Vec<Block> {
        let needed = self.needed(asked);
        let mut blocks: Vec<Block> = Vec::new();
        for group in groups {
            if !group.iter().any(|&atom| needed[atom]) || self.built[group[0]].is_some() {
                continue;
            }
            let start = self.network.gates.len();
            self.note_moves(group);
            let latches: Vec<(u32, Lit)> = match self.latch_of[group[0]] {
                None => {
                    let lit = self.proposition(group[0]);
                    self.built[group[0]] = Some(lit);
                    Vec::new()
                }
                Some(_) => self.cycle(group),
            };
            let range = start..self.network.gates.len();
            match (latches.is_empty(), blocks.last_mut()) {
                (true, Some(Block::Once(before))) => before.end = range.end,
                (true, _) => blocks.push(Block::Once(range)),
                (false, _) => blocks.push(Block::UntilStable(range, latches)),
            }
        }
        blocks
    }

    fn needed(&self, asked: &[u32]) -> Vec<bool> {
        let mut needed = vec![false; self.program.derived.len()];
        let mut queue: Vec<usize> = asked.iter().map(|&atom| atom as usize).collect();
        while let Some(atom) = queue.pop() {
            if std::mem::replace(&mut needed[atom], true) {
                continue;
            }
            for condition in self.program.derived[atom].iter().flatten() {
                if let Signal::Derived(next) = condition.signal {
                    queue.push(next as usize);
                }
            }
        }
        needed
    }

    fn note_moves(&mut self, group: &[usize]) {
        let depends = group.iter().any(|&atom| {
            let mut conditions = self.program.derived[atom].iter().flatten();
            conditions.any(|condition| match condition.signal {
                Signal::Move(..) => true,
                Signal::Fluent(_) => false,
                Signal::Derived(other) => self.depends_on_move[other as usize],
            })
        });
        for &atom in group {
            self.depends_on_move[atom] = depends;
        }
    }

    /// Propositions that depend on each other: latches stand for them while their gates are built.
    fn cycle(&mut self, group: &[usize]) -> Vec<(u32, Lit)> {
        let first = self.network.first_latch() as u32;
        let latch = |builder: &Self, atom: usize| builder.latch_of[atom].unwrap_or(0);
        for &atom in group {
            self.built[atom] = Some(Lit::of(first + latch(self, atom)));
        }
        let built: Vec<(u32, Lit)> = group
            .iter()
            .map(|&atom| (latch(self, atom), self.proposition(atom)))
            .collect();
        built.into_iter().map(|(latch, lit)| (first + latch, lit)).collect()
    }

    /// The disjunction of a proposition's instances.
    fn proposition(&mut self, atom: usize) -> Lit {
        let instances: &'a [Vec<Condition>] = &self.program.derived[atom];
        let mut lits: Vec<Lit> = instances
            .iter()
            .map(|conditions| {
                let lits = conditions.iter().map(|&condition| self.condition(condition)).collect();
                self.all(lits).negated()
            })
            .collect();
        lits.sort_unstable();
        lits.dedup();
        self.all(lits).negated()
    }

    fn condition(&self, condition: Condition) -> Lit {
        let lit = match condition.signal {
            Signal::Fluent(number) => Lit::of(1 + number),
            Signal::Move(role, number) => Lit::of(self.network.first_move(usize::from(role)) as u32 + number),
            // Everything that is needed was built before; what can never hold has no literal.
            Signal::Derived(atom) => self.built[atom as usize].unwrap_or(Lit::FALSE),
        };
        match condition.negated {
            true => lit.negated(),
            false => lit,
        }
    }

    /// The conjunction of literals, as a balanced tree.
    fn all(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.sort_unstable();
        lits.dedup();
        while lits.len() > 1 {
            let pairs: Vec<Lit> = lits
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.and(a, b),
                    _ => pair[0],
                })
                .collect();
            lits = pairs;
        }
        lits.first().copied().unwrap_or(Lit::TRUE)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::FALSE, _) => return Lit::FALSE,
            (Lit::TRUE, _) => return b,
            _ if a == b => return a,
            _ if a == b.negated() => return Lit::FALSE,
            _ => {}
        }
        let next = Lit::of((self.network.first_gate() + self.network.gates.len()) as u32);
        let lit = *self.shared.entry([a, b]).or_insert(next);
        if lit == next {
            self.network.gates.push([a, b]);
        }
        lit
    }

    fn connect_outputs(&mut self) {
        let program = self.program;
        let lit = |atom: u32| self.built[atom as usize].unwrap_or(Lit::FALSE);
        self.network.terminal = program.terminal.map(lit);
        self.network.legal = program
            .legal
            .iter()
            .map(|moves| moves.iter().map(|&(number, atom)| (number, lit(atom))).collect())
            .collect();
        self.network.goals = program
            .goals
            .iter()
            .map(|goals| goals.iter().map(|&(value, atom)| (value, lit(atom))).collect())
            .collect();
        self.network.next = program.next.iter().map(|&(fluent, atom)| (fluent, lit(atom))).collect();
        self.network.percepts = program
            .percepts
            .iter()
            .map(|percepts| percepts.iter().map(|(term, atom)| (term.clone(), lit(*atom))).collect())
            .collect();
    }
}
