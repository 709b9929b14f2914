//! Formulas over the ground program: what a goal, the end, a legal move or a fluent of the next state is made of.
//!
//! A [`Formulas`] store keeps conjunctions, disjunctions and leaves, each only once, so that equal parts of different
//! formulas are the same [`Formula`] and are computed once. Formulas are kept in negation normal form: only leaves are
//! negated. Everything that is built is simplified on the way:
//!
//! * constants fold away, repeated parts and nested nodes of the same kind too;
//! * a part and its opposite make the whole constant;
//! * `a ∧ (a ∨ b)` is `a`, `a ∧ (¬a ∨ b)` is `a ∧ b`, and the same the other way round.
//!
//! Besides true and false there is *unknown*, as in Kleene's logic: `unknown ∧ false` is false, `unknown ∨ true` is
//! true, everything else stays open. It stands for what is not known yet, as the move of an opponent who chooses at the
//! same time.
//!
//! [`Extractor`] makes formulas of a ground program, [`Formulas::replace`] puts constants or formulas in the place of
//! leaves (a regression is that: the fluents of a goal replaced by the formulas for what holds next), and a [`Graph`]
//! holds some of them in flat arrays, ready to be evaluated: in many states at once by degrees with a fuzzy [`Norm`],
//! or from state to state by `Incremental`, which computes again only what changed. [`Opaque`] computes the
//! propositions that stay leaves.
//!
//! Stores have a limit on their size and one on the time, because formulas can explode; building beyond them fails with
//! [`TooLarge`].

mod degrees;
mod extract;
mod graph;
mod incremental;
mod opaque;
mod text;
mod vector;

pub use degrees::{LaneDegrees, Norm};
pub use extract::{Extractor, Recursion};
pub use graph::Graph;
pub(crate) use graph::Node;
pub(crate) use incremental::{Dependents, Incremental};
use ludens_budget::Budget;
pub use opaque::Opaque;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use ludens_engine::{Fluent, MoveId, Role};
use std::hash::BuildHasher;
use std::ops::Range;

/// An atom of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The fluent holds.
    Fluent(Fluent),
    /// The role makes the move.
    Move(Role, MoveId),
    /// The derived proposition of this number holds; it depends on itself and is not taken apart.
    Proposition(u32),
}

/// A formula in a [`Formulas`] store; equal formulas of a store are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// False, whatever holds.
    pub const NEVER: Formula = Formula(0);
    /// True, whatever holds.
    pub const ALWAYS: Formula = Formula(1);
    /// Neither true nor false.
    pub const UNKNOWN: Formula = Formula(2);

    /// Returns a constant.
    pub fn constant(value: bool) -> Formula {
        match value {
            true => Formula::ALWAYS,
            false => Formula::NEVER,
        }
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A formula as it is made of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// True or false.
    Constant(bool),
    /// Unknown.
    Unknown,
    /// An atom, or its negation.
    Leaf {
        /// The atom.
        atom: Atom,
        /// Whether it must not hold.
        negated: bool,
    },
    /// All of these, at least two.
    All(&'a [Formula]),
    /// One of these, at least two.
    Any(&'a [Formula]),
}

/// A formula exceeds the limits of its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// The store is full.
    #[error("formulas have more than {0} parts")]
    Parts(usize),
    /// The budget is spent.
    #[error("the time was over")]
    Time,
}

/// Joins between two looks at the clock.
const BETWEEN_LOOKS: u32 = 1024;

/// Conjunctions nest no deeper than needed: one with at most this many parts is copied into the one around it.
const FLATTENED: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    All,
    Any,
}

impl Kind {
    fn dual(self) -> Kind {
        match self {
            Kind::All => Kind::Any,
            Kind::Any => Kind::All,
        }
    }

    /// Returns the neutral element.
    fn neutral(self) -> Formula {
        Formula::constant(self == Kind::All)
    }
}

#[derive(Clone, Debug)]
enum Entry {
    Constant,
    Leaf(Atom, bool),
    Join(Kind, Range<u32>),
}

/// A store of formulas, each stored once.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Entry>,
    /// The parts of all conjunctions and disjunctions.
    parts: Vec<Formula>,
    /// The negation of each formula, where it was asked for.
    negations: Vec<Option<Formula>>,
    lookup: HashTable<u32>,
    hasher: FixedState,
    most_parts: usize,
    budget: Budget,
    joins: u32,
}

impl Formulas {
    /// Creates an empty store with room for `most_parts` parts of formulas.
    pub fn new(most_parts: usize) -> Formulas {
        Formulas::within(most_parts, &Budget::default())
    }

    /// The same; building fails once the budget is spent.
    pub fn within(most_parts: usize, budget: &Budget) -> Formulas {
        Formulas {
            nodes: vec![Entry::Constant; 3],
            parts: Vec::new(),
            negations: vec![Some(Formula::ALWAYS), Some(Formula::NEVER), Some(Formula::UNKNOWN)],
            lookup: HashTable::new(),
            hasher: FixedState::default(),
            most_parts,
            budget: budget.clone(),
            joins: 0,
        }
    }

    /// Number of different formulas.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are only the constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 3
    }

    /// Number of parts of all formulas.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns a formula as it is made of others.
    pub fn view(&self, formula: Formula) -> View<'_> {
        match (&self.nodes[formula.index()], formula) {
            (Entry::Constant, Formula::UNKNOWN) => View::Unknown,
            (Entry::Constant, formula) => View::Constant(formula == Formula::ALWAYS),
            (&Entry::Leaf(atom, negated), _) => View::Leaf { atom, negated },
            (Entry::Join(Kind::All, range), _) => View::All(self.slice(range)),
            (Entry::Join(Kind::Any, range), _) => View::Any(self.slice(range)),
        }
    }

    /// Returns the formulas that a formula is directly made of; none for constants and leaves.
    pub fn parts_of(&self, formula: Formula) -> &[Formula] {
        match &self.nodes[formula.index()] {
            Entry::Join(_, range) => self.slice(range),
            Entry::Constant | Entry::Leaf(..) => &[],
        }
    }

    fn slice(&self, range: &Range<u32>) -> &[Formula] {
        &self.parts[range.start as usize..range.end as usize]
    }

    /// Returns an atom, or its negation.
    pub fn leaf(&mut self, atom: Atom, negated: bool) -> Formula {
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let hash = hasher.hash_one((atom, negated));
        let is_it = |&other: &u32| matches!(nodes[other as usize], Entry::Leaf(a, n) if (a, n) == (atom, negated));
        if let Some(&known) = self.lookup.find(hash, is_it) {
            return Formula(known);
        }
        // Both signs are made together, so that opposites are found at once.
        let formula = self.push(Entry::Leaf(atom, negated), hash);
        let opposite_hash = self.hasher.hash_one((atom, !negated));
        let opposite = self.push(Entry::Leaf(atom, !negated), opposite_hash);
        self.negations[formula.index()] = Some(opposite);
        self.negations[opposite.index()] = Some(formula);
        formula
    }

    fn push(&mut self, node: Entry, hash: u64) -> Formula {
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        self.negations.push(None);
        let (nodes, parts, hasher) = (&self.nodes, &self.parts, &self.hasher);
        self.lookup
            .insert_unique(hash, number, |&other| hash_entry(&nodes[other as usize], parts, hasher));
        Formula(number)
    }

    /// Returns the conjunction.
    pub fn all(&mut self, parts: &[Formula]) -> Result<Formula, TooLarge> {
        self.join(Kind::All, parts.to_vec())
    }

    /// Returns the disjunction.
    pub fn any(&mut self, parts: &[Formula]) -> Result<Formula, TooLarge> {
        self.join(Kind::Any, parts.to_vec())
    }

    fn join(&mut self, kind: Kind, mut parts: Vec<Formula>) -> Result<Formula, TooLarge> {
        let (neutral, absorbing) = (kind.neutral(), kind.dual().neutral());
        self.joins = self.joins.wrapping_add(1);
        if self.joins.is_multiple_of(BETWEEN_LOOKS) && self.budget.is_spent() {
            return Err(TooLarge::Time);
        }
        loop {
            parts = self.flat(kind, &parts);
            parts.retain(|&part| part != neutral);
            parts.sort_unstable();
            parts.dedup();
            if parts.first() == Some(&absorbing) || parts.get(1) == Some(&absorbing) {
                return Ok(absorbing);
            }
            let is_opposed = |part: Formula| {
                let opposite = self.negations[part.index()];
                part != Formula::UNKNOWN && opposite.is_some_and(|other| parts.binary_search(&other).is_ok())
            };
            if parts.iter().any(|&part| is_opposed(part)) {
                return Ok(absorbing);
            }
            match parts[..] {
                [] => return Ok(neutral),
                [only] => return Ok(only),
                _ => {}
            }
            if !self.absorb(kind, &mut parts)? {
                return self.intern(kind, &parts);
            }
        }
    }

    /// Returns the parts, with small nodes of the same kind taken apart.
    fn flat(&self, kind: Kind, parts: &[Formula]) -> Vec<Formula> {
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            match &self.nodes[part.index()] {
                Entry::Join(inner, range) if *inner == kind && range.len() <= FLATTENED => {
                    flat.extend_from_slice(self.slice(range));
                }
                _ => flat.push(part),
            }
        }
        flat
    }

    /// Drops what the other parts imply; returns whether a part changed, so that more can be simplified.
    fn absorb(&mut self, kind: Kind, parts: &mut Vec<Formula>) -> Result<bool, TooLarge> {
        let mut dropped: Vec<usize> = Vec::new();
        let mut shortened: Vec<(usize, Vec<Formula>)> = Vec::new();
        for (place, &part) in parts.iter().enumerate() {
            let Entry::Join(inner, range) = &self.nodes[part.index()] else {
                continue;
            };
            if *inner == kind {
                continue;
            }
            let members = self.slice(range);
            if members.iter().any(|member| parts.binary_search(member).is_ok()) {
                dropped.push(place);
                continue;
            }
            let is_settled = |member: Formula| {
                let opposite = self.negations[member.index()];
                member != Formula::UNKNOWN && opposite.is_some_and(|other| parts.binary_search(&other).is_ok())
            };
            if members.iter().any(|&member| is_settled(member)) {
                let left = members.iter().copied().filter(|&member| !is_settled(member));
                shortened.push((place, left.collect()));
            }
        }
        let is_changed = !shortened.is_empty();
        for (place, members) in shortened {
            parts[place] = self.join(kind.dual(), members)?;
        }
        for place in dropped.into_iter().rev() {
            parts.remove(place);
        }
        // Dropping leaves parts that were looked at already, unless only one is left.
        Ok(is_changed || parts.len() < 2)
    }

    fn intern(&mut self, kind: Kind, parts: &[Formula]) -> Result<Formula, TooLarge> {
        let hash = self.hasher.hash_one((kind, parts));
        let (nodes, all) = (&self.nodes, &self.parts);
        let is_it = |&other: &u32| match &nodes[other as usize] {
            Entry::Join(of, range) => *of == kind && &all[range.start as usize..range.end as usize] == parts,
            Entry::Constant | Entry::Leaf(..) => false,
        };
        if let Some(&known) = self.lookup.find(hash, is_it) {
            return Ok(Formula(known));
        }
        if self.parts.len() + parts.len() > self.most_parts {
            return Err(TooLarge::Parts(self.most_parts));
        }
        let start = self.parts.len() as u32;
        self.parts.extend_from_slice(parts);
        let node = Entry::Join(kind, start..self.parts.len() as u32);
        Ok(self.push(node, hash))
    }

    /// Returns the negation.
    pub fn negate(&mut self, formula: Formula) -> Result<Formula, TooLarge> {
        if let Some(known) = self.negations[formula.index()] {
            return Ok(known);
        }
        for part in self.cone(&[formula]) {
            if self.negations[part.index()].is_some() {
                continue;
            }
            if let Entry::Join(kind, range) = self.nodes[part.index()].clone() {
                let parts = self.slice(&range).iter();
                let negated: Vec<Formula> = parts.filter_map(|part| self.negations[part.index()]).collect();
                let opposite = self.join(kind.dual(), negated)?;
                self.negations[part.index()] = Some(opposite);
                self.negations[opposite.index()].get_or_insert(part);
            }
        }
        Ok(self.negations[formula.index()].unwrap_or(Formula::UNKNOWN))
    }

    /// Returns everything that some formulas are made of, themselves included, parts first.
    pub fn cone(&self, roots: &[Formula]) -> Vec<Formula> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut cone: Vec<Formula> = Vec::new();
        let mut open: Vec<Formula> = roots.to_vec();
        while let Some(formula) = open.pop() {
            if !std::mem::replace(&mut is_seen[formula.index()], true) {
                cone.push(formula);
                open.extend_from_slice(self.parts_of(formula));
            }
        }
        // Parts are older than what is made of them.
        cone.sort_unstable();
        cone
    }

    /// Returns the atoms that a formula depends on, in order.
    pub fn atoms(&self, formula: Formula) -> Vec<Atom> {
        let cone = self.cone(&[formula]).into_iter();
        let mut atoms: Vec<Atom> = cone
            .filter_map(|part| match self.nodes[part.index()] {
                Entry::Leaf(atom, _) => Some(atom),
                Entry::Constant | Entry::Join(..) => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Returns the formulas with other formulas of this store in the place of some atoms, simplified.
    pub fn replace(
        &mut self,
        formulas: &[Formula],
        by: impl Fn(Atom) -> Option<Formula>,
    ) -> Result<Vec<Formula>, TooLarge> {
        let cone = self.cone(formulas);
        let mut new: Vec<Formula> = Vec::new();
        let mut place: Vec<u32> = vec![u32::MAX; cone.last().map_or(0, |last| last.index() + 1)];
        for &part in &cone {
            let replaced = match self.nodes[part.index()].clone() {
                Entry::Constant => part,
                Entry::Leaf(atom, negated) => match (by(atom), negated) {
                    (None, _) => part,
                    (Some(other), false) => other,
                    (Some(other), true) => self.negate(other)?,
                },
                Entry::Join(kind, range) => {
                    let parts = self.slice(&range).iter();
                    let parts: Vec<Formula> = parts.map(|part| new[place[part.index()] as usize]).collect();
                    match parts == self.slice(&range) {
                        true => part,
                        false => self.join(kind, parts)?,
                    }
                }
            };
            place[part.index()] = new.len() as u32;
            new.push(replaced);
        }
        Ok(formulas.iter().map(|root| new[place[root.index()] as usize]).collect())
    }

    /// The same formula with other parts, in their order; constants and leaves stay as they are.
    pub fn with_parts(&mut self, formula: Formula, parts: Vec<Formula>) -> Result<Formula, TooLarge> {
        match self.nodes[formula.index()] {
            Entry::Join(kind, _) => self.join(kind, parts),
            Entry::Constant | Entry::Leaf(..) => Ok(formula),
        }
    }
}

fn hash_entry(node: &Entry, parts: &[Formula], hasher: &FixedState) -> u64 {
    match node {
        Entry::Constant => 0,
        Entry::Leaf(atom, negated) => hasher.hash_one((atom, negated)),
        Entry::Join(kind, range) => hasher.hash_one((kind, &parts[range.start as usize..range.end as usize])),
    }
}

#[cfg(test)]
pub(crate) mod tests;
