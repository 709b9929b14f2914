//! Complete sets: fluents whose distance says nothing, because everything that they come from is wanted as well.
//!
//! In connect four with falling discs, a disc passes through cells that are all part of the goal: how many of them are
//! taken says as much as how far the next disc is. Such a set must be complete: every fluent from which the target can
//! come, however long it takes, must be wanted by each condition that wants the target. A condition is what the goals of
//! one value want, of whatever role, or what the end wants. A fluent that must not hold is not wanted.

use crate::rules::formula::{Atom, Formula, Formulas, View};
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use ludens_engine::Fluent;
use std::collections::BTreeMap;

/// The fluents that each condition wants to hold.
pub(crate) struct Wanted {
    conditions: Vec<HashSet<Fluent, FixedState>>,
}

impl Wanted {
    /// Collects those of goals and of the end. `members` returns the fluents of which a proposition wants one.
    pub(crate) fn new(
        store: &Formulas,
        goals: &[Vec<(u8, Formula)>],
        terminal: Formula,
        members: &dyn Fn(u32) -> Vec<Fluent>,
    ) -> Wanted {
        let mut by_value: BTreeMap<u8, Vec<Formula>> = BTreeMap::new();
        for &(value, goal) in goals.iter().flatten() {
            by_value.entry(value).or_default().push(goal);
        }
        let conditions = by_value.into_values().chain([vec![terminal]]);
        Wanted {
            conditions: conditions.map(|formulas| positive(store, &formulas, members)).collect(),
        }
    }

    /// Returns whether some condition wants a fluent to hold.
    pub(crate) fn has(&self, fluent: Fluent) -> bool {
        self.conditions.iter().any(|condition| condition.contains(&fluent))
    }

    /// Returns whether a fluent and those that it comes from, if any, are a complete set.
    pub(crate) fn is_complete(&self, fluent: Fluent, sources: impl Iterator<Item = Fluent> + Clone) -> bool {
        let mut conditions = self.conditions.iter().filter(|condition| condition.contains(&fluent));
        self.has(fluent)
            && sources.clone().next().is_some()
            && conditions.all(|condition| sources.clone().all(|source| condition.contains(&source)))
    }
}

/// Returns the fluents that formulas want to hold.
fn positive(
    store: &Formulas,
    formulas: &[Formula],
    members: &dyn Fn(u32) -> Vec<Fluent>,
) -> HashSet<Fluent, FixedState> {
    let parts = store.cone(formulas).into_iter();
    let fluents = parts.flat_map(|part| match store.view(part) {
        View::Leaf { atom, negated: false } => match atom {
            Atom::Fluent(fluent) => vec![fluent],
            Atom::Proposition(number) => members(number),
            Atom::Move(..) => Vec::new(),
        },
        _ => Vec::new(),
    });
    fluents.collect()
}
