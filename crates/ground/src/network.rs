//! The propositional network: the ground program as two-input gates.
//!
//! Every gate is the conjunction of two literals, a literal being a node or its negation (an and-inverter graph).
//! Equal gates are built once and constants fold away. Nodes are laid out as
//! `false, fluents, moves, latches, gates`, gates in an order in which they can be computed one after the other. Only
//! propositions that depend on each other in a cycle need more: they have *latches* that start as false, and the block
//! of gates between them is computed again until the latches no longer change, which is their least fixed point.

use crate::Names;
use crate::ids::{Fluent, MoveId, Proposition, Role, RoleMap};
use crate::order::{Group, groups};
use crate::program::{Body, Condition, GroundProgram, Signal};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_datalog::{LimitHit, Meter};
use ludens_gdl::normal::Term;
use std::ops::Range;
use std::sync::Arc;

/// A node or its negation: twice the node's number, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub u32);

impl Lit {
    /// Never.
    pub const FALSE: Lit = Lit(0);
    /// Always.
    pub const TRUE: Lit = Lit(1);

    /// The node itself.
    pub(crate) fn of(node: u32) -> Lit {
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

/// A propositional network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The terms of fluents and moves.
    pub names: Arc<Names>,
    /// The fluents that hold at the start.
    pub initial: Vec<Fluent>,
    /// Number of fluents; their nodes follow node 0.
    pub fluents: usize,
    /// Number of moves of each role; their nodes follow the fluents.
    pub moves: RoleMap<usize>,
    /// Number of latches; their nodes follow the moves.
    pub latches: usize,
    /// The gates; their nodes follow the latches.
    pub gates: Vec<[Lit; 2]>,
    /// Gates to compute when the state is known.
    pub state_blocks: Vec<Block>,
    /// Gates to compute when the moves are known too.
    pub move_blocks: Vec<Block>,
    /// The end of the match.
    pub terminal: Option<Lit>,
    /// For each role the legality of its moves, by move.
    pub legal: RoleMap<Vec<(MoveId, Lit)>>,
    /// For each role its goal values.
    pub goals: RoleMap<Vec<(u8, Lit)>>,
    /// For each fluent whether it holds next.
    pub next: Vec<(Fluent, Lit)>,
    /// For each role its percepts.
    pub percepts: RoleMap<Vec<(Term, Lit)>>,
}

impl Network {
    /// Builds the network; `None` if `terminal`, `legal` or `goal` depends on moves.
    pub fn new(program: &GroundProgram) -> Option<Network> {
        // Without limits nothing is refused.
        Network::within(program, &mut Meter::default()).ok().flatten()
    }

    /// Builds the network within limits. The memory is charged while it is built.
    pub fn within(program: &GroundProgram, meter: &mut Meter) -> Result<Option<Network>, LimitHit> {
        let taken = meter.bytes();
        let network = Builder::new(program).build(meter);
        meter.give_back(meter.bytes().saturating_sub(taken));
        debug_assert!(!matches!(&network, Ok(Some(network)) if crate::verify::network(network).is_err()));
        network
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    /// The node of the first move of a role.
    pub fn first_move(&self, role: Role) -> usize {
        1 + self.fluents + self.moves.values().take(role.index()).sum::<usize>()
    }

    /// The node of a move, or `None` if the move is never legal: it has no node and no effect.
    pub fn move_node(&self, role: Role, chosen: MoveId) -> Option<usize> {
        (chosen.index() < self.moves[role]).then(|| self.first_move(role) + chosen.index())
    }

    /// The node of the first latch.
    pub fn first_latch(&self) -> usize {
        1 + self.fluents + self.moves.values().sum::<usize>()
    }

    /// The node of the first gate.
    pub fn first_gate(&self) -> usize {
        self.first_latch() + self.latches
    }
}

/// Memory of a gate, its place in the table of all gates, and what engines note about it, roughly.
const BYTES_OF_A_GATE: usize = 64;
const GATES_BETWEEN_CHARGES: usize = 4096;

/// No literal yet.
const UNBUILT: Lit = Lit(u32::MAX);

struct Builder<'a> {
    program: &'a GroundProgram,
    network: Network,
    shared: HashMap<[Lit; 2], Lit, RandomState>,
    /// The literal of each body, once it is built.
    bodies: Vec<Lit>,
    /// The literal of each derived proposition, once it is built.
    built: Vec<Option<Lit>>,
    /// For each proposition on a cycle its latch.
    latch_of: Vec<Option<u32>>,
    depends_on_move: Vec<bool>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a GroundProgram) -> Builder<'a> {
        let network = Network {
            names: program.names.clone(),
            initial: program.initial.clone(),
            fluents: program.names.fluents.len(),
            moves: program.names.moves.values().map(Vec::len).collect(),
            ..Network::default()
        };
        Builder {
            program,
            network,
            shared: HashMap::default(),
            bodies: vec![UNBUILT; program.bodies.len()],
            built: vec![None; program.propositions()],
            latch_of: vec![None; program.propositions()],
            depends_on_move: vec![false; program.propositions()],
        }
    }

    fn build(mut self, meter: &mut Meter) -> Result<Option<Network>, LimitHit> {
        let program = self.program;
        meter.take(program.bytes())?;
        meter.spend(program.work())?;
        // Propositions asked of the state come first, so they form the front part of the order.
        let groups = groups(program, program.asked_of_state().chain(program.asked_of_moves()));
        self.place_latches(&groups);
        let needed = self.needed(program.asked_of_state());
        let (of_state, of_moves): (Vec<&Group>, Vec<&Group>) =
            groups.iter().partition(|group| needed[group.members[0].index()]);
        self.network.state_blocks = self.blocks(&of_state, meter)?;
        if program.asked_of_state().any(|atom| self.depends_on_move[atom.index()]) {
            return Ok(None);
        }
        self.network.move_blocks = self.blocks(&of_moves, meter)?;
        self.connect_outputs();
        Ok(Some(self.network))
    }

    fn place_latches(&mut self, groups: &[Group]) {
        for &atom in groups
            .iter()
            .filter(|group| group.is_cyclic)
            .flat_map(|group| &group.members)
        {
            self.latch_of[atom.index()] = Some(self.network.latches as u32);
            self.network.latches += 1;
        }
    }

    /// Builds groups of propositions, in order.
    fn blocks(&mut self, groups: &[&Group], meter: &mut Meter) -> Result<Vec<Block>, LimitHit> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut charged = self.network.gates.len();
        for group in groups {
            let start = self.network.gates.len();
            let conditions = group.members.iter().flat_map(|&atom| self.program.instances_of(atom));
            meter.spend(1 + conditions.map(|conditions| 1 + conditions.len() as u64).sum::<u64>())?;
            if start - charged >= GATES_BETWEEN_CHARGES {
                meter.take(BYTES_OF_A_GATE * (start - charged))?;
                charged = start;
            }
            self.note_moves(&group.members);
            let latches: Vec<(u32, Lit)> = match group.is_cyclic {
                true => self.cycle(&group.members),
                false => {
                    let atom = group.members[0];
                    self.built[atom.index()] = Some(self.proposition(atom));
                    Vec::new()
                }
            };
            let range = start..self.network.gates.len();
            match (latches.is_empty(), blocks.last_mut()) {
                (true, Some(Block::Once(before))) => before.end = range.end,
                (true, _) => blocks.push(Block::Once(range)),
                (false, _) => blocks.push(Block::UntilStable(range, latches)),
            }
        }
        Ok(blocks)
    }

    fn needed(&self, asked: impl Iterator<Item = Proposition>) -> Vec<bool> {
        let program = self.program;
        let mut needed = vec![false; program.propositions()];
        let mut is_known_body = vec![false; program.bodies.len()];
        let mut queue: Vec<Proposition> = asked.collect();
        while let Some(atom) = queue.pop() {
            if std::mem::replace(&mut needed[atom.index()], true) {
                continue;
            }
            for &body in program.derived(atom) {
                if std::mem::replace(&mut is_known_body[body.0 as usize], true) {
                    continue;
                }
                queue.extend(
                    program
                        .bodies
                        .get(body)
                        .iter()
                        .filter_map(|condition| match condition.signal {
                            Signal::Derived(next) => Some(next),
                            Signal::Fluent(_) | Signal::Move(..) => None,
                        }),
                );
            }
        }
        needed
    }

    fn note_moves(&mut self, group: &[Proposition]) {
        let depends = group.iter().any(|&atom| {
            let mut conditions = self.program.instances_of(atom).flatten();
            conditions.any(|condition| match condition.signal {
                Signal::Move(..) => true,
                Signal::Fluent(_) => false,
                Signal::Derived(other) => self.depends_on_move[other.index()],
            })
        });
        for &atom in group {
            self.depends_on_move[atom.index()] = depends;
        }
    }

    /// Propositions that depend on each other: latches stand for them while their gates are built.
    fn cycle(&mut self, group: &[Proposition]) -> Vec<(u32, Lit)> {
        let first = self.network.first_latch() as u32;
        let latch = |builder: &Self, atom: Proposition| builder.latch_of[atom.index()].unwrap_or(0);
        for &atom in group {
            self.built[atom.index()] = Some(Lit::of(first + latch(self, atom)));
        }
        let built: Vec<(u32, Lit)> = group
            .iter()
            .map(|&atom| (latch(self, atom), self.proposition(atom)))
            .collect();
        built.into_iter().map(|(latch, lit)| (first + latch, lit)).collect()
    }

    /// The disjunction of a proposition's instances.
    fn proposition(&mut self, atom: Proposition) -> Lit {
        let program = self.program;
        let lits = program
            .derived(atom)
            .iter()
            .map(|&body| self.body(body).negated())
            .collect();
        self.all(lits).negated()
    }

    /// The conjunction of a body's conditions.
    fn body(&mut self, body: Body) -> Lit {
        let known = self.bodies[body.0 as usize];
        if known != UNBUILT {
            return known;
        }
        let conditions = self.program.bodies.get(body);
        let lits = conditions.iter().map(|&condition| self.condition(condition)).collect();
        let lit = self.all(lits);
        self.bodies[body.0 as usize] = lit;
        lit
    }

    fn condition(&self, condition: Condition) -> Lit {
        let lit = match condition.signal {
            Signal::Fluent(fluent) => Lit::of(1 + fluent.0),
            Signal::Move(role, chosen) => Lit::of(self.network.first_move(role) as u32 + chosen.0),
            // Everything that is needed was built before; what can never hold has no literal.
            Signal::Derived(atom) => self.built[atom.index()].unwrap_or(Lit::FALSE),
        };
        match condition.negated {
            true => lit.negated(),
            false => lit,
        }
    }

    /// The conjunction of literals.
    fn all(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.sort_unstable();
        lits.dedup();
        self.tree(&lits)
    }

    /// The conjunction of sorted literals as a tree that depends on their numbers alone: split where the highest bit
    /// differs. Sets that differ in one element so share all gates but those on one path.
    fn tree(&mut self, lits: &[Lit]) -> Lit {
        match *lits {
            [] => Lit::TRUE,
            [lit] => lit,
            [first, .., last] => {
                let bit = (first.0 ^ last.0).ilog2();
                let (low, high) = lits.split_at(lits.partition_point(|lit| lit.0 >> bit == first.0 >> bit));
                let (low, high) = (self.tree(low), self.tree(high));
                self.and(low, high)
            }
        }
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
        if let Some(simpler) = self.absorbed(a, b).or_else(|| self.absorbed(b, a)) {
            return simpler;
        }
        let next = Lit::of((self.network.first_gate() + self.network.gates.len()) as u32);
        let lit = *self.shared.entry([a, b]).or_insert(next);
        if lit == next {
            self.network.gates.push([a, b]);
        }
        lit
    }

    /// Returns the conjunction of `a` and `b` if the gate of `b` shows that it is a known literal.
    fn absorbed(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        let gate = b.node().checked_sub(self.network.first_gate())?;
        let [left, right] = self.network.gates[gate];
        match b.is_negated() {
            // a and (a and r) = a and r; a and (not a and r) = false
            false if a == left || a == right => Some(b),
            false if a == left.negated() || a == right.negated() => Some(Lit::FALSE),
            // a and not (not a and r) = a; a and not (a and r) = a and not r
            true if a == left.negated() || a == right.negated() => Some(a),
            true if a == left => Some(self.and(a, right.negated())),
            true if a == right => Some(self.and(a, left.negated())),
            _ => None,
        }
    }

    fn connect_outputs(&mut self) {
        let program = self.program;
        let lit = |atom: Proposition| self.built[atom.index()].unwrap_or(Lit::FALSE);
        self.network.terminal = program.terminal.map(lit);
        self.network.legal = program
            .legal
            .values()
            .map(|moves| moves.iter().map(|&(number, atom)| (number, lit(atom))).collect())
            .collect();
        self.network.goals = program
            .goals
            .values()
            .map(|goals| goals.iter().map(|&(value, atom)| (value, lit(atom))).collect())
            .collect();
        self.network.next = program.next.iter().map(|&(fluent, atom)| (fluent, lit(atom))).collect();
        self.network.percepts = program
            .percepts
            .values()
            .map(|percepts| percepts.iter().map(|(term, atom)| (term.clone(), lit(*atom))).collect())
            .collect();
    }
}
