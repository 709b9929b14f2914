//! Arguments: for each literal, the minimal sets of defeasible rules that derive it without contradiction.
//!
//! The sets are found as an assumption-based truth maintenance system finds its labels: every set that supports a
//! condition is combined with those of the other conditions of a rule, and only minimal sets without contradiction are
//! kept. Labels are computed on demand, for what a literal can depend on, and kept.

use crate::ground::{Ground, Lit};
use crate::meter::{Limit, Meter, Phase};
use crate::theory::{Basis, Theory};
use std::collections::{HashMap, VecDeque};

/// The number of a set of defeasible instances.
pub(crate) type SetId = u32;

/// The empty set, which supports what follows strictly.
const EMPTY: SetId = 0;

/// Sets of defeasible instances, each kept once.
#[derive(Default)]
struct Sets {
    members: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, SetId>,
    consistent: Vec<Option<bool>>,
}

impl Sets {
    fn intern(&mut self, members: Vec<u32>, meter: &mut Meter) -> Result<SetId, Limit> {
        if let Some(&number) = self.numbers.get(&members) {
            return Ok(number);
        }
        meter.keep(1 + members.len())?;
        let number = self.members.len() as SetId;
        self.members.push(members.clone());
        self.numbers.insert(members, number);
        self.consistent.push(None);
        Ok(number)
    }
}

/// Arguments of one ground program.
pub(crate) struct Arguments {
    pub(crate) ground: Ground,
    pub(crate) theory: Theory,
    sets: Sets,
    labels: Vec<Vec<SetId>>,
    complete: Vec<bool>,
}

/// Whether a sorted list holds all members of another.
pub(crate) fn is_subset(small: &[u32], large: &[u32]) -> bool {
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|member| rest.by_ref().any(|other| other == member))
}

/// The members of two sorted lists, sorted.
pub(crate) fn union(one: &[u32], other: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(one.len() + other.len());
    let (mut a, mut b) = (0, 0);
    while a < one.len() && b < other.len() {
        let (left, right) = (one[a], other[b]);
        all.push(left.min(right));
        a += usize::from(left <= right);
        b += usize::from(right <= left);
    }
    all.extend_from_slice(&one[a..]);
    all.extend_from_slice(&other[b..]);
    all
}

impl Arguments {
    pub(crate) fn new(ground: Ground, meter: &mut Meter) -> Result<Arguments, Limit> {
        let theory = Theory::new(&ground, meter)?;
        let count = ground.literals();
        let mut sets = Sets::default();
        sets.intern(Vec::new(), meter)?;
        sets.consistent[EMPTY as usize] = Some(true);
        let strict = (0..count as Lit).map(|literal| theory.is_strict(literal));
        let complete: Vec<bool> = strict.collect();
        let labels = complete.iter().map(|&strict| match strict {
            true => vec![EMPTY],
            false => Vec::new(),
        });
        Ok(Arguments {
            labels: labels.collect(),
            ground,
            theory,
            sets,
            complete,
        })
    }

    /// The members of a set, sorted.
    pub(crate) fn members(&self, set: SetId) -> &[u32] {
        &self.sets.members[set as usize]
    }

    /// Whether one set is part of another.
    pub(crate) fn is_part(&self, small: SetId, large: SetId) -> bool {
        is_subset(self.members(small), self.members(large))
    }

    /// The number of the union of two sets.
    pub(crate) fn join(&mut self, one: SetId, other: SetId, meter: &mut Meter) -> Result<SetId, Limit> {
        let all = union(self.members(one), self.members(other));
        meter.step(all.len())?;
        self.sets.intern(all, meter)
    }

    /// Whether a set and the strict part do not contradict each other.
    pub(crate) fn is_consistent(&mut self, set: SetId, meter: &mut Meter) -> Result<bool, Limit> {
        if let Some(known) = self.sets.consistent[set as usize] {
            return Ok(known);
        }
        let members = &self.sets.members[set as usize];
        let closure = self.theory.closure(&self.ground, Basis::Facts, &[], members, meter)?;
        self.sets.consistent[set as usize] = Some(!closure.contradictory);
        Ok(!closure.contradictory)
    }

    /// What a set and the strict part derive that the strict part alone does not.
    pub(crate) fn conclusions(&mut self, set: SetId, meter: &mut Meter) -> Result<Vec<Lit>, Limit> {
        let members = &self.sets.members[set as usize];
        let closure = self.theory.closure(&self.ground, Basis::Facts, &[], members, meter)?;
        let mut derived = closure.derived;
        derived.sort_unstable();
        Ok(derived)
    }

    /// The sets that make arguments for a literal, in the order in which they were found.
    pub(crate) fn supports(&mut self, literal: Lit, meter: &mut Meter) -> Result<Vec<SetId>, Limit> {
        if !self.complete[literal as usize] {
            let before = std::mem::replace(&mut meter.phase, Phase::Arguing);
            self.complete_labels(literal, meter)?;
            meter.phase = before;
        }
        Ok(self.labels[literal as usize].clone())
    }

    /// Computes the labels of everything that a literal can depend on.
    fn complete_labels(&mut self, literal: Lit, meter: &mut Meter) -> Result<(), Limit> {
        let cone = self.cone(literal, meter)?;
        // A computation that a limit cut short left sets that need not be minimal.
        for &member in &cone {
            self.labels[member as usize].clear();
        }
        let mut queue = VecDeque::new();
        for &member in &cone {
            for at in 0..self.ground.by_head[member as usize].len() {
                let number = self.ground.by_head[member as usize][at];
                let body = &self.ground.instances[number as usize].body;
                if body.iter().all(|&condition| self.complete[condition as usize]) {
                    self.apply(number, None, &mut queue, meter)?;
                }
            }
        }
        while let Some((changed, set)) = queue.pop_front() {
            if !self.labels[changed as usize].contains(&set) {
                continue;
            }
            for at in 0..self.ground.by_body[changed as usize].len() {
                let number = self.ground.by_body[changed as usize][at];
                let head = self.ground.instances[number as usize].head;
                meter.step(1)?;
                // Heads outside the cone are none of its business, complete ones have their label.
                if cone.binary_search(&head).is_ok() {
                    self.apply(number, Some((changed, set)), &mut queue, meter)?;
                }
            }
        }
        for member in cone {
            self.complete[member as usize] = true;
        }
        Ok(())
    }

    /// Literals without a complete label that a literal depends on, sorted.
    fn cone(&self, literal: Lit, meter: &mut Meter) -> Result<Vec<Lit>, Limit> {
        let mut seen = std::collections::BTreeSet::from([literal]);
        let mut open = vec![literal];
        while let Some(at) = open.pop() {
            for &number in &self.ground.by_head[at as usize] {
                for &condition in &self.ground.instances[number as usize].body {
                    meter.step(1)?;
                    if !self.complete[condition as usize] && seen.insert(condition) {
                        open.push(condition);
                    }
                }
            }
        }
        Ok(seen.into_iter().collect())
    }

    /// Adds to the label of a rule's head every combination of sets of its conditions; with `fixed`, only those that use
    /// this set for this condition.
    fn apply(
        &mut self,
        number: u32,
        fixed: Option<(Lit, SetId)>,
        queue: &mut VecDeque<(Lit, SetId)>,
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let instance = &self.ground.instances[number as usize];
        let head = instance.head;
        let own: Vec<u32> = if instance.strict { Vec::new() } else { vec![number] };
        let mut combined = vec![own];
        for condition in instance.body.clone() {
            let choices = match fixed {
                Some((literal, set)) if literal == condition => vec![set],
                _ => self.labels[condition as usize].clone(),
            };
            let mut next: Vec<Vec<u32>> = Vec::with_capacity(combined.len() * choices.len());
            for partial in &combined {
                for &choice in &choices {
                    let all = union(partial, &self.sets.members[choice as usize]);
                    meter.step(1 + all.len())?;
                    if !next.contains(&all) {
                        next.push(all);
                    }
                }
            }
            combined = next;
        }
        for members in combined {
            self.offer(head, members, queue, meter)?;
        }
        Ok(())
    }

    /// Adds a set to a label if it is minimal there and consistent, and removes what it makes superfluous.
    fn offer(
        &mut self,
        head: Lit,
        members: Vec<u32>,
        queue: &mut VecDeque<(Lit, SetId)>,
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        for &other in &self.labels[head as usize] {
            meter.step(1)?;
            if is_subset(self.members(other), &members) {
                return Ok(());
            }
        }
        let set = self.sets.intern(members, meter)?;
        if !self.is_consistent(set, meter)? {
            return Ok(());
        }
        let mut label = std::mem::take(&mut self.labels[head as usize]);
        label.retain(|&other| !self.is_part(set, other));
        label.push(set);
        self.labels[head as usize] = label;
        queue.push_back((head, set));
        Ok(())
    }
}
