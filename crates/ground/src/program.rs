//! The ground program: the game without variables.

use crate::Names;
use crate::ids::{Fluent, MoveId, Proposition, Role, RoleMap};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use ludens_gdl::normal::Term;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Something that can be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// The fluent holds.
    Fluent(Fluent),
    /// The role plays the move.
    Move(Role, MoveId),
    /// The derived proposition holds.
    Derived(Proposition),
}

/// A signal or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    /// What.
    pub signal: Signal,
    /// Whether it must be false.
    pub negated: bool,
}

/// A set of conditions that must hold together, by its number in [`Bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Body(pub u32);

/// Sets of conditions, each stored once: after grounding, thousands of instances often have the same conditions.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    conditions: Vec<Condition>,
    ends: Vec<u32>,
    lookup: HashTable<u32>,
    hasher: FixedState,
}

impl Bodies {
    /// The conditions of a body.
    pub fn get(&self, Body(number): Body) -> &[Condition] {
        slice(&self.conditions, &self.ends, number)
    }

    /// Number of different bodies.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The body with these conditions, which must be sorted and without repetition.
    pub fn intern(&mut self, conditions: &[Condition]) -> Body {
        let (all, ends, hasher) = (&self.conditions, &self.ends, &self.hasher);
        let hash = hasher.hash_one(conditions);
        let entry = self.lookup.entry(
            hash,
            |&other| slice(all, ends, other) == conditions,
            |&other| hasher.hash_one(slice(all, ends, other)),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(known) => Body(*known.get()),
            hashbrown::hash_table::Entry::Vacant(place) => {
                let number = ends.len() as u32;
                place.insert(number);
                self.conditions.extend_from_slice(conditions);
                self.ends.push(self.conditions.len() as u32);
                Body(number)
            }
        }
    }

    /// Memory that one more body of this length takes, in bytes: full vectors double.
    pub(crate) fn growth(&self, conditions: usize) -> usize {
        let mut bytes = 0;
        if self.conditions.len() + conditions > self.conditions.capacity() {
            bytes += size_of::<Condition>() * self.conditions.capacity().max(conditions).max(4);
        }
        if self.ends.len() == self.ends.capacity() {
            bytes += 4 * self.ends.capacity().max(4);
        }
        if self.lookup.len() == self.lookup.capacity() {
            bytes += 6 * self.lookup.capacity().max(4);
        }
        bytes
    }

    /// Memory of the bodies, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Condition>() * self.conditions.capacity() + 4 * self.ends.capacity() + 5 * self.lookup.capacity()
    }
}

fn slice<'a>(conditions: &'a [Condition], ends: &[u32], number: u32) -> &'a [Condition] {
    let start = match number {
        0 => 0,
        _ => ends[number as usize - 1],
    };
    &conditions[start as usize..ends[number as usize] as usize]
}

/// A game without variables.
#[derive(Clone, Debug, Default)]
pub struct GroundProgram {
    /// The roles, and all fluents and moves that can ever hold or be made.
    pub names: Arc<Names>,
    /// The fluents that hold at the start.
    pub initial: Vec<Fluent>,
    /// The conditions of all instances.
    pub bodies: Bodies,
    /// The instances of all derived propositions, one proposition after the other.
    instances: Vec<Body>,
    /// End of the instances of each proposition.
    ends: Vec<u32>,
    /// The proposition for the end of the match.
    pub terminal: Option<Proposition>,
    /// For each role the propositions for its legal moves, by move.
    pub legal: RoleMap<Vec<(MoveId, Proposition)>>,
    /// For each role the propositions for its goal values.
    pub goals: RoleMap<Vec<(u8, Proposition)>>,
    /// For each fluent that can come to hold the proposition that it does next.
    pub next: Vec<(Fluent, Proposition)>,
    /// For each role the propositions of its percepts.
    pub percepts: RoleMap<Vec<(Term, Proposition)>>,
}

impl GroundProgram {
    /// Memory of bodies and instances, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bodies.bytes() + 4 * self.instances.capacity() + 4 * self.ends.capacity()
    }

    /// Steps of a walk over everything.
    pub(crate) fn work(&self) -> u64 {
        (self.bodies.conditions.len() + self.instances.len() + self.ends.len()) as u64
    }

    /// Number of derived propositions.
    pub fn propositions(&self) -> usize {
        self.ends.len()
    }

    /// Number of rule instances.
    pub fn instances(&self) -> usize {
        self.instances.len()
    }

    /// The instances of a derived proposition: it holds where all conditions of one of them do.
    pub fn derived(&self, proposition: Proposition) -> &[Body] {
        let start = match proposition.index() {
            0 => 0,
            index => self.ends[index - 1],
        };
        &self.instances[start as usize..self.ends[proposition.index()] as usize]
    }

    /// The conditions of each instance of a derived proposition.
    pub fn instances_of(&self, proposition: Proposition) -> impl Iterator<Item = &[Condition]> {
        let bodies = self.derived(proposition).iter();
        bodies.map(|&body| self.bodies.get(body))
    }

    /// Sets the instances of all propositions; each is given with its proposition, in any order.
    pub(crate) fn set_instances(&mut self, propositions: usize, mut instances: Vec<(Proposition, Body)>) {
        instances.sort_unstable();
        instances.dedup();
        self.ends = Vec::with_capacity(propositions);
        let mut end = 0;
        for proposition in Proposition::first(propositions) {
            while instances.get(end).is_some_and(|&(of, _)| of == proposition) {
                end += 1;
            }
            self.ends.push(end as u32);
        }
        self.instances = instances.into_iter().map(|(_, body)| body).collect();
    }

    /// Sets the instances of all propositions; those of each are sorted and end where `ends` says.
    pub(crate) fn set_sorted_instances(&mut self, ends: Vec<u32>, instances: Vec<Body>) {
        self.ends = ends;
        self.instances = instances;
    }

    /// The propositions that play asks for when the state is known: the end, legal moves and goals.
    pub fn asked_of_state(&self) -> impl Iterator<Item = Proposition> {
        let legal = self.legal.values().flatten().map(|&(_, proposition)| proposition);
        let goals = self.goals.values().flatten().map(|&(_, proposition)| proposition);
        legal.chain(goals).chain(self.terminal)
    }

    /// The propositions that play asks for when the moves are known too: the next state and percepts.
    pub fn asked_of_moves(&self) -> impl Iterator<Item = Proposition> {
        let next = self.next.iter().map(|&(_, proposition)| proposition);
        next.chain(self.percepts.values().flatten().map(|&(_, proposition)| proposition))
    }
}
