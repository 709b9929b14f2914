//! Constants: propositions that are always or never true, as far as the initial state and `next` show.
//!
//! Everything starts without a value. Fluents may have the value that they have at the start; a proposition may be true
//! where all conditions of an instance may be met, and false where every instance may fail; a fluent may take the
//! values of its `next`, and a move may be made where it may be legal. What has only one of two values in the end is
//! constant. Values are only ever added, each once, so this takes time in proportion to the program.

use crate::ids::{Fluent, Proposition, RoleMap};
use crate::order::groups;
use crate::program::{Body, Condition, GroundProgram, Signal};
use ludens_datalog::{LimitHit, Meter};

/// The constants among fluents, moves and propositions.
pub(crate) struct Constants {
    pub(crate) fluents: Vec<Option<bool>>,
    moves: RoleMap<Vec<Option<bool>>>,
    propositions: Vec<Option<bool>>,
}

impl Constants {
    /// The value of a signal, if it is constant.
    pub(crate) fn value(&self, signal: Signal) -> Option<bool> {
        match signal {
            Signal::Fluent(fluent) => self.fluents[fluent.index()],
            Signal::Move(role, chosen) => self.moves[role][chosen.index()],
            Signal::Derived(proposition) => self.propositions.get(proposition.index()).copied().flatten(),
        }
    }

    /// No constants.
    pub(crate) fn none(program: &GroundProgram) -> Constants {
        let moves = program.names.moves.values();
        Constants {
            fluents: vec![None; program.names.fluents.len()],
            moves: moves.map(|moves| vec![None; moves.len()]).collect(),
            propositions: Vec::new(),
        }
    }

    /// Clears the values of propositions, for a program in which they are numbered differently.
    pub(crate) fn forget_propositions(&mut self) {
        self.propositions.clear();
    }
}

/// Finds the constants.
pub(crate) fn find(program: &GroundProgram, meter: &mut Meter) -> Result<Constants, LimitHit> {
    meter.spend(program.work())?;
    let mut search = Search::new(program);
    meter.spend(program.work())?;
    search.start();
    while let Some((node, value)) = search.queue.pop() {
        meter.spend(1 + search.used_in.get(node).len() as u64)?;
        search.spread(node, value);
    }
    Ok(search.constants())
}

/// A list of lists in one piece of memory.
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts pairs of key and item by key.
    fn new(keys: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for key in 0..keys {
            starts[key + 1] += starts[key];
        }
        let mut items = vec![0; starts[keys] as usize];
        let mut ends = starts[..keys].to_vec();
        for (key, item) in pairs {
            items[ends[key as usize] as usize] = item;
            ends[key as usize] += 1;
        }
        Lists { ends, items }
    }

    fn get(&self, key: usize) -> std::ops::Range<usize> {
        let start = match key {
            0 => 0,
            _ => self.ends[key - 1],
        };
        start as usize..self.ends[key] as usize
    }
}

struct Search<'a> {
    program: &'a GroundProgram,
    first_move: RoleMap<usize>,
    first_proposition: usize,
    /// For each node which values it may have: bit 0 false, bit 1 true.
    may: Vec<u8>,
    /// Values that are new.
    queue: Vec<(usize, bool)>,
    /// For each node the bodies with it as a condition, twice the number, plus one if negated.
    used_in: Lists,
    /// For each body the propositions with it as an instance.
    instance_of: Lists,
    /// For each body how many conditions cannot be met yet.
    unmet: Vec<u32>,
    /// For each body whether it may fail.
    may_fail: Vec<bool>,
    /// For each proposition how many instances cannot fail yet.
    firm: Vec<u32>,
    /// For each proposition the fluents and then the moves that depend on it.
    feeds: Lists,
}

const MAY_BE_FALSE: u8 = 1;
const MAY_BE_TRUE: u8 = 2;

impl<'a> Search<'a> {
    fn new(program: &'a GroundProgram) -> Search<'a> {
        let mut first_move = RoleMap::default();
        let mut nodes = program.names.fluents.len();
        for moves in program.names.moves.values() {
            first_move.push(nodes);
            nodes += moves.len();
        }
        let first_proposition = nodes;
        nodes += program.propositions();
        let bodies = 0..program.bodies.len() as u32;
        let node = |signal: Signal| match signal {
            Signal::Fluent(fluent) => fluent.0,
            Signal::Move(role, chosen) => first_move[role] as u32 + chosen.0,
            Signal::Derived(proposition) => (first_proposition + proposition.index()) as u32,
        };
        let uses = bodies.clone().flat_map(|body| {
            let conditions = program.bodies.get(Body(body)).iter();
            conditions.map(move |condition| (node(condition.signal), body << 1 | u32::from(condition.negated)))
        });
        let used_in = Lists::new(nodes, uses);
        let propositions = Proposition::first(program.propositions());
        let instances = propositions.clone().flat_map(|proposition| {
            program
                .derived(proposition)
                .iter()
                .map(move |body| (body.0, proposition.0))
        });
        let instance_of = Lists::new(program.bodies.len(), instances);
        let next = program
            .next
            .iter()
            .map(|&(Fluent(fluent), proposition)| (proposition.0, fluent));
        let legal = program
            .legal
            .values()
            .zip(first_move.values())
            .flat_map(|(moves, &first)| {
                moves
                    .iter()
                    .map(move |&(chosen, proposition)| (proposition.0, first as u32 + chosen.0))
            });
        let feeds = Lists::new(program.propositions(), next.chain(legal));
        Search {
            program,
            first_proposition,
            may: vec![0; nodes],
            queue: Vec::new(),
            unmet: bodies
                .clone()
                .map(|body| program.bodies.get(Body(body)).len() as u32)
                .collect(),
            may_fail: vec![false; program.bodies.len()],
            firm: propositions
                .map(|proposition| program.derived(proposition).len() as u32)
                .collect(),
            used_in,
            instance_of,
            feeds,
            first_move,
        }
    }

    fn start(&mut self) {
        let program = self.program;
        let mut is_initial = vec![false; program.names.fluents.len()];
        for &fluent in &program.initial {
            is_initial[fluent.index()] = true;
        }
        let mut has_next = vec![false; program.names.fluents.len()];
        for &(fluent, _) in &program.next {
            has_next[fluent.index()] = true;
        }
        for fluent in 0..program.names.fluents.len() {
            self.add(fluent, is_initial[fluent]);
            if !has_next[fluent] {
                self.add(fluent, false);
            }
        }
        // A move need not be made, and one without a rule for it is not legal.
        for node in self.first_move.values().next().copied().unwrap_or(0)..self.first_proposition {
            self.add(node, false);
        }
        for proposition in 0..program.propositions() {
            if self.firm[proposition] == 0 {
                self.add(self.first_proposition + proposition, false);
            }
        }
        for body in 0..program.bodies.len() {
            if self.unmet[body] == 0 {
                self.body_may_hold(body);
            }
        }
        // A proposition that depends on itself is false until it is derived; whether it stays false is not asked here.
        let all = Proposition::first(program.propositions());
        for group in groups(program, all).iter().filter(|group| group.is_cyclic) {
            for &member in &group.members {
                self.add(self.first_proposition + member.index(), false);
            }
        }
    }

    fn add(&mut self, node: usize, value: bool) {
        let bit = if value { MAY_BE_TRUE } else { MAY_BE_FALSE };
        if self.may[node] & bit == 0 {
            self.may[node] |= bit;
            self.queue.push((node, value));
        }
    }

    fn spread(&mut self, node: usize, value: bool) {
        for at in self.used_in.get(node) {
            let entry = self.used_in.items[at];
            let (body, negated) = ((entry >> 1) as usize, entry & 1 == 1);
            match value != negated {
                true => {
                    self.unmet[body] -= 1;
                    if self.unmet[body] == 0 {
                        self.body_may_hold(body);
                    }
                }
                false => self.body_may_fail(body),
            }
        }
        if let Some(proposition) = node.checked_sub(self.first_proposition) {
            for at in self.feeds.get(proposition) {
                let fed = self.feeds.items[at] as usize;
                // Moves may be false anyway.
                self.add(fed, value);
            }
        }
    }

    fn body_may_hold(&mut self, body: usize) {
        for at in self.instance_of.get(body) {
            let proposition = self.instance_of.items[at] as usize;
            self.add(self.first_proposition + proposition, true);
        }
    }

    fn body_may_fail(&mut self, body: usize) {
        if std::mem::replace(&mut self.may_fail[body], true) {
            return;
        }
        for at in self.instance_of.get(body) {
            let proposition = self.instance_of.items[at] as usize;
            self.firm[proposition] -= 1;
            if self.firm[proposition] == 0 {
                self.add(self.first_proposition + proposition, false);
            }
        }
    }

    fn constants(self) -> Constants {
        let value = |may: &u8| match *may {
            MAY_BE_FALSE => Some(false),
            MAY_BE_TRUE => Some(true),
            _ => None,
        };
        let (inputs, propositions) = self.may.split_at(self.first_proposition);
        let moves = self.program.names.moves.values().zip(self.first_move.values());
        Constants {
            fluents: inputs[..self.program.names.fluents.len()].iter().map(value).collect(),
            moves: moves
                .map(|(moves, &first)| inputs[first..first + moves.len()].iter().map(value).collect())
                .collect(),
            propositions: propositions.iter().map(value).collect(),
        }
    }
}

/// Returns whether a condition always or never holds, if either is known.
pub(crate) fn settled(condition: Condition, constants: &Constants) -> Option<bool> {
    constants
        .value(condition.signal)
        .map(|value| value != condition.negated)
}
