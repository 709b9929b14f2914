//! Formulas from a ground program.

use super::{Atom, Formula, Formulas, TooLarge};
use ludens_engine::{Fluent, MoveId, Role};
use ludens_ground::order::groups;
use ludens_ground::{Condition, GroundProgram, Proposition, Signal};

/// How to treat propositions that depend on themselves, even without variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recursion {
    /// They stay leaves ([`Atom::Proposition`]).
    Opaque,
    /// They are unrolled: false at first, then replaced by their rules this many times, or until nothing changes. Fewer
    /// rounds than there are such propositions may miss cases in which they hold.
    Unrolled(usize),
}

/// Makes formulas of the propositions of a ground program, each once.
pub struct Extractor<'a> {
    program: &'a GroundProgram,
    /// Rounds in which recursion is unrolled.
    rounds: usize,
    /// The propositions that stay leaves.
    is_leaf: Vec<bool>,
    /// The place of each proposition's group in an order in which they can be built.
    order: Vec<u32>,
    /// For each proposition that depends on itself the members of its group.
    cycles: Vec<Vec<Proposition>>,
    cycle_of: Vec<Option<u32>>,
    built: Vec<Option<Formula>>,
    bodies: Vec<Option<Formula>>,
    next: Vec<Option<Proposition>>,
    is_exact: bool,
}

impl<'a> Extractor<'a> {
    /// Creates an extractor of a program.
    pub fn new(program: &'a GroundProgram, recursion: Recursion) -> Extractor<'a> {
        let asked = program.asked_of_state().chain(program.asked_of_moves());
        let mut order = vec![u32::MAX; program.propositions()];
        let mut cycles = Vec::new();
        let mut cycle_of = vec![None; program.propositions()];
        let mut is_leaf = vec![false; program.propositions()];
        for (place, group) in groups(program, asked).into_iter().enumerate() {
            for &member in &group.members {
                order[member.index()] = place as u32;
                cycle_of[member.index()] = group.is_cyclic.then_some(cycles.len() as u32);
                is_leaf[member.index()] = group.is_cyclic && recursion == Recursion::Opaque;
            }
            if group.is_cyclic {
                cycles.push(group.members);
            }
        }
        let mut next = vec![None; program.names.fluents.len()];
        for &(fluent, proposition) in &program.next {
            next[fluent.index()] = Some(proposition);
        }
        Extractor {
            program,
            rounds: match recursion {
                Recursion::Opaque => 0,
                Recursion::Unrolled(rounds) => rounds,
            },
            is_leaf,
            order,
            cycles,
            cycle_of,
            built: vec![None; program.propositions()],
            bodies: vec![None; program.bodies.len()],
            next,
            is_exact: true,
        }
    }

    /// Keeps more propositions as leaves.
    pub(crate) fn with_leaves(mut self, propositions: impl IntoIterator<Item = Proposition>) -> Extractor<'a> {
        for proposition in propositions {
            self.is_leaf[proposition.index()] = true;
        }
        self
    }

    /// Returns whether no formula made so far misses cases, because recursion was unrolled too few times.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// When the role has this goal value.
    pub fn goal(&mut self, store: &mut Formulas, role: Role, value: u8) -> Result<Formula, TooLarge> {
        let goals = self.program.goals[role].iter();
        let propositions: Vec<Proposition> = goals.filter(|goal| goal.0 == value).map(|goal| goal.1).collect();
        let mut formulas = Vec::new();
        for proposition in propositions {
            formulas.push(self.proposition(store, proposition)?);
        }
        store.any(&formulas)
    }

    /// Returns the condition of `terminal`.
    pub fn terminal(&mut self, store: &mut Formulas) -> Result<Formula, TooLarge> {
        match self.program.terminal {
            Some(proposition) => self.proposition(store, proposition),
            None => Ok(Formula::NEVER),
        }
    }

    /// When the role may make the move.
    pub fn legal(&mut self, store: &mut Formulas, role: Role, move_id: MoveId) -> Result<Formula, TooLarge> {
        let mut legal = self.program.legal[role].iter();
        match legal.find(|legal| legal.0 == move_id) {
            Some(&(_, proposition)) => self.proposition(store, proposition),
            None => Ok(Formula::NEVER),
        }
    }

    /// Returns the condition for a fluent to hold in the next state, over fluents and moves.
    pub fn next(&mut self, store: &mut Formulas, fluent: Fluent) -> Result<Formula, TooLarge> {
        match self.next.get(fluent.0 as usize).copied().flatten() {
            Some(proposition) => self.proposition(store, proposition),
            None => Ok(Formula::NEVER),
        }
    }

    /// When a derived proposition holds.
    pub fn proposition(&mut self, store: &mut Formulas, proposition: Proposition) -> Result<Formula, TooLarge> {
        let program = self.program;
        if let Some(known) = self.built[proposition.index()] {
            return Ok(known);
        }
        let mut open = vec![proposition];
        let mut is_seen = hashbrown::HashSet::with_hasher(foldhash::fast::FixedState::default());
        let mut needed: Vec<(u32, Proposition)> = Vec::new();
        while let Some(number) = open.pop() {
            if self.built[number.index()].is_some() || !is_seen.insert(number) {
                continue;
            }
            needed.push((self.order[number.index()], number));
            if self.is_leaf[number.index()] {
                continue;
            }
            let conditions = program.instances_of(number).flatten();
            open.extend(conditions.filter_map(|condition| match condition.signal {
                Signal::Derived(other) => Some(other),
                Signal::Fluent(_) | Signal::Move(..) => None,
            }));
        }
        needed.sort_unstable();
        for (_, number) in needed {
            if self.built[number.index()].is_some() {
                continue;
            }
            match self.cycle_of[number.index()] {
                _ if self.is_leaf[number.index()] => {
                    self.built[number.index()] = Some(store.leaf(Atom::Proposition(number.0), false));
                }
                None => self.built[number.index()] = Some(self.instances(store, number, true)?),
                Some(cycle) => self.unroll(store, cycle, self.rounds)?,
            }
        }
        Ok(self.built[proposition.index()].unwrap_or(Formula::NEVER))
    }

    /// Builds propositions that depend on each other, from false upwards.
    fn unroll(&mut self, store: &mut Formulas, cycle: u32, rounds: usize) -> Result<(), TooLarge> {
        let members = self.cycles[cycle as usize].clone();
        for &member in &members {
            self.built[member.index()] = Some(Formula::NEVER);
        }
        for _ in 0..rounds {
            let mut new = Vec::with_capacity(members.len());
            for &member in &members {
                new.push(Some(self.instances(store, member, false)?));
            }
            let is_stable = members
                .iter()
                .zip(&new)
                .all(|(&member, new)| self.built[member.index()] == *new);
            for (&member, new) in members.iter().zip(new) {
                self.built[member.index()] = new;
            }
            if is_stable {
                return Ok(());
            }
        }
        // After as many rounds as there are members everything is reached, even if formulas still change their looks.
        self.is_exact &= rounds >= members.len();
        Ok(())
    }

    /// Returns the disjunction of a proposition's instances. Bodies may only be kept where everything in them is final.
    fn instances(
        &mut self,
        store: &mut Formulas,
        proposition: Proposition,
        is_final: bool,
    ) -> Result<Formula, TooLarge> {
        let program = self.program;
        let mut instances = Vec::new();
        for &body in program.derived(proposition) {
            let known = self.bodies[body.0 as usize].filter(|_| is_final);
            let formula = match known {
                Some(known) => known,
                None => {
                    let conditions = program.bodies.get(body).iter();
                    let parts: Result<Vec<Formula>, TooLarge> =
                        conditions.map(|&condition| self.condition(store, condition)).collect();
                    store.all(&parts?)?
                }
            };
            if is_final {
                self.bodies[body.0 as usize] = Some(formula);
            }
            instances.push(formula);
        }
        store.any(&instances)
    }

    fn condition(&self, store: &mut Formulas, condition: Condition) -> Result<Formula, TooLarge> {
        match condition.signal {
            Signal::Fluent(number) => Ok(store.leaf(Atom::Fluent(number), condition.negated)),
            Signal::Move(role, number) => Ok(store.leaf(Atom::Move(role, number), condition.negated)),
            Signal::Derived(other) => {
                // A fluent without rules never holds.
                let formula = self.built[other.index()].unwrap_or(Formula::NEVER);
                match condition.negated {
                    true => store.negate(formula),
                    false => Ok(formula),
                }
            }
        }
    }
}
