//! What follows strictly: the closure of facts and strict rules, contradictions, and which literals disagree.
//!
//! Closures beyond the strict one are local: they start from a few literals or rules and follow only the instances that
//! these touch, so their cost does not depend on the size of the program.

use crate::ground::{Ground, Lit, complement};
use crate::meter::{Limit, Meter};
use std::collections::{BTreeSet, HashMap};

/// What a closure may use besides strict rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The facts.
    Facts,
    /// No facts: for the activation of arguments.
    Nothing,
}

/// The strict part of a ground program, and a place to compute closures in.
pub(crate) struct Theory {
    /// Literals that follow from facts and strict rules.
    strict: Vec<bool>,
    /// The instance that first derived each of them.
    reasons: Vec<Option<u32>>,
    stamps: Vec<u32>,
    generation: u32,
    derived: Vec<Lit>,
    disagreements: HashMap<Lit, Vec<Lit>>,
}

/// A closure: what was derived beyond the strict part, and whether it holds a contradiction.
pub(crate) struct Closure {
    pub(crate) derived: Vec<Lit>,
    pub(crate) contradictory: bool,
}

impl Theory {
    /// Derives the strict part.
    pub(crate) fn new(ground: &Ground, meter: &mut Meter) -> Result<Theory, Limit> {
        let count = ground.literals();
        let mut strict = vec![false; count];
        let mut reasons = vec![None; count];
        let mut missing: Vec<usize> = ground.instances.iter().map(|instance| instance.body.len()).collect();
        let mut open: Vec<Lit> = Vec::new();
        let mut derive = |number: u32, open: &mut Vec<Lit>| {
            let head = ground.instances[number as usize].head as usize;
            if !strict[head] {
                strict[head] = true;
                reasons[head] = Some(number);
                open.push(head as Lit);
            }
        };
        for (number, instance) in ground.instances.iter().enumerate() {
            if instance.strict && instance.body.is_empty() {
                derive(number as u32, &mut open);
            }
        }
        while let Some(literal) = open.pop() {
            for &number in &ground.by_body[literal as usize] {
                meter.step(1)?;
                missing[number as usize] -= 1;
                if missing[number as usize] == 0 && ground.instances[number as usize].strict {
                    derive(number, &mut open);
                }
            }
        }
        Ok(Theory {
            strict,
            reasons,
            stamps: vec![0; count],
            generation: 0,
            derived: Vec::new(),
            disagreements: HashMap::new(),
        })
    }

    /// Whether a literal follows strictly.
    pub(crate) fn is_strict(&self, literal: Lit) -> bool {
        self.strict.get(literal as usize).copied().unwrap_or(false)
    }

    /// A literal that follows strictly together with its complement, if there is one.
    pub(crate) fn contradiction(&self) -> Option<Lit> {
        (0..self.strict.len() as Lit)
            .step_by(2)
            .find(|&literal| self.is_strict(literal) && self.is_strict(complement(literal)))
    }

    /// The instances that derive a strict literal, conditions first.
    pub(crate) fn derivation(&self, ground: &Ground, literal: Lit) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::from([literal]);
        let mut open = vec![literal];
        while let Some(literal) = open.pop() {
            if let Some(number) = self.reasons[literal as usize] {
                order.push(number);
                let body = &ground.instances[number as usize].body;
                open.extend(body.iter().filter(|&&condition| seen.insert(condition)));
            }
        }
        order.reverse();
        order
    }

    fn has(&self, literal: Lit, basis: Basis) -> bool {
        self.stamps[literal as usize] == self.generation || (basis == Basis::Facts && self.strict[literal as usize])
    }

    /// Derives from strict rules, the basis, some literals, and the defeasible rules in `rules`, which are sorted.
    pub(crate) fn closure(
        &mut self,
        ground: &Ground,
        basis: Basis,
        literals: &[Lit],
        rules: &[u32],
        meter: &mut Meter,
    ) -> Result<Closure, Limit> {
        self.generation += 1;
        self.derived.clear();
        let mut contradictory = false;
        let mut open: Vec<Lit> = literals.to_vec();
        for &rule in rules {
            let instance = &ground.instances[rule as usize];
            meter.step(1 + instance.body.len())?;
            if instance.body.iter().all(|&condition| self.has(condition, basis)) {
                open.push(instance.head);
            }
        }
        while let Some(literal) = open.pop() {
            if self.has(literal, basis) {
                continue;
            }
            self.stamps[literal as usize] = self.generation;
            self.derived.push(literal);
            contradictory |= self.has(complement(literal), basis);
            for &number in &ground.by_body[literal as usize] {
                let instance = &ground.instances[number as usize];
                meter.step(1)?;
                let applies = instance.strict || rules.binary_search(&number).is_ok();
                if applies && instance.body.iter().all(|&condition| self.has(condition, basis)) {
                    open.push(instance.head);
                }
            }
        }
        Ok(Closure {
            derived: self.derived.clone(),
            contradictory,
        })
    }

    /// Literals that disagree with `literal`: together with it and the strict part they lead to a contradiction.
    /// Those that contradict the strict part alone are left out, since no argument concludes them.
    pub(crate) fn disagreements(
        &mut self,
        ground: &Ground,
        literal: Lit,
        meter: &mut Meter,
    ) -> Result<Vec<Lit>, Limit> {
        if let Some(known) = self.disagreements.get(&literal) {
            return Ok(known.clone());
        }
        let candidates = candidates(ground, literal, meter)?;
        let mut found = Vec::new();
        for other in candidates {
            // What no instance concludes has no argument.
            if self.is_strict(other) || ground.by_head[other as usize].is_empty() {
                continue;
            }
            let together = self.closure(ground, Basis::Facts, &[literal, other], &[], meter)?;
            if together.contradictory {
                found.push(other);
            }
        }
        self.disagreements.insert(literal, found.clone());
        Ok(found)
    }
}

/// Literals that may disagree with one: a contradiction needs a literal that strict rules can lead to from it, so what
/// disagrees leads by strict rules to such a literal or to its complement.
fn candidates(ground: &Ground, literal: Lit, meter: &mut Meter) -> Result<BTreeSet<Lit>, Limit> {
    let mut forward = BTreeSet::from([literal]);
    let mut open = vec![literal];
    while let Some(at) = open.pop() {
        for &number in &ground.by_body[at as usize] {
            meter.step(1)?;
            let instance = &ground.instances[number as usize];
            if instance.strict && forward.insert(instance.head) {
                open.push(instance.head);
            }
        }
    }
    let mut backward: BTreeSet<Lit> = forward.iter().flat_map(|&lit| [lit, complement(lit)]).collect();
    let mut open: Vec<Lit> = backward.iter().copied().collect();
    while let Some(at) = open.pop() {
        for &number in &ground.by_head[at as usize] {
            meter.step(1)?;
            let instance = &ground.instances[number as usize];
            if instance.strict {
                open.extend(instance.body.iter().filter(|&&condition| backward.insert(condition)));
            }
        }
    }
    Ok(backward)
}
