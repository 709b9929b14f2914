//! Computes values from the terminal states back.
//!
//! If the number of steps to each state is unique, one pass over the layers is enough: all successors of a layer are in
//! the next, so one operation per value settles a layer. Otherwise states are settled in rounds, after their
//! successors.

use super::Reporter;
use super::diagram::{Diagrams, Set};
use super::forward::Forward;
use super::lists::ListId;
use super::relation::{Goals, Model, Relation, Turns};
use crate::{Order, Phase};
use ludens_budget::StopReason;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// States by their value.
pub type Buckets = BTreeMap<Vec<u8>, Set>;

/// Choices and preferences of the roles.
pub struct Players<'a> {
    diagrams: &'a Diagrams,
    /// Joint moves that each role may choose, and in which states.
    pub choices: Vec<Choices>,
    order: Order,
}

/// The choices of a role.
pub struct Choices {
    lists: Vec<ListId>,
    /// States in which the role chooses; `None` if its relations are restricted to them.
    turn: Option<Set>,
}

impl<'a> Players<'a> {
    /// Finds which role chooses which moves.
    pub fn new(diagrams: &'a Diagrams, model: &'a Model, order: Order) -> Result<Players<'a>, StopReason> {
        let (sets, is_divided) = match &model.turns {
            Turns::Divided(sets) => (sets, true),
            Turns::Counted(sets) => (sets, false),
        };
        let is_plain = is_divided && model.relations.iter().all(|relation| relation.mover.is_some());
        let others = diagrams.union(sets.iter().skip(1).cloned())?;
        let mut choices = Vec::new();
        for (role, set) in sets.iter().enumerate() {
            let mine = |relation: &&Relation| !is_divided || relation.mover.is_none_or(|mover| mover == role);
            let turn = match role {
                // Without a choice it does not matter which role is named.
                0 => diagrams.not(&others),
                _ => set.clone(),
            };
            let mine: Vec<Set> = model
                .relations
                .iter()
                .filter(mine)
                .map(|relation| relation.set.clone())
                .collect();
            choices.push(Choices {
                lists: diagrams.list(&mine)?,
                turn: (!is_plain).then_some(turn),
            });
        }
        Ok(Players {
            diagrams,
            choices,
            order,
        })
    }

    /// Returns the states of a set, in which a role chooses, that have a successor among given states.
    fn reaching(&self, role: usize, next: &Set, within: &Set) -> Result<Set, StopReason> {
        let choices = &self.choices[role];
        let mut rest = match &choices.turn {
            Some(turn) => self.diagrams.and(within, turn)?,
            None => within.clone(),
        };
        let all = rest.clone();
        for &list in &choices.lists {
            rest = self.diagrams.avoiding(next, list, &rest)?;
        }
        self.diagrams.minus(&all, &rest)
    }

    /// Values from best to worst for a role.
    fn ranked(&self, role: usize, values: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        let mut values: Vec<Vec<u8>> = values.collect();
        values.sort_by(|one, other| self.order.compare(role, other, one));
        values
    }

    /// Whether no result can be better for a role: the best outcome that occurs, with a goal of 100.
    fn is_top(&self, role: usize, ranked: &[Vec<u8>], value: &[u8]) -> bool {
        value[role] == 100 && ranked.first().is_some_and(|best| best == value)
    }
}

/// Settles a layered game layer by layer; `done` receives the buckets of each layer, the last layer first, and returns
/// the number of states in them.
pub fn by_layers(
    players: &Players<'_>,
    model: &Model,
    goals: &Goals,
    forward: &Forward,
    reporter: &mut Reporter<'_>,
    done: &mut dyn FnMut(&Buckets) -> Result<BigUint, StopReason>,
) -> Result<(), StopReason> {
    reporter.begin(Phase::Backward);
    let diagrams = players.diagrams;
    let occurring: Vec<Vec<u8>> = {
        let over = diagrams.minus(&forward.reached, &model.live(diagrams, &forward.reached)?)?;
        goals
            .outcomes(diagrams, &over)?
            .into_iter()
            .map(|(value, _)| value)
            .collect()
    };
    let mut later = Buckets::new();
    let mut unknown_later = diagrams.none();
    let mut settled = BigUint::ZERO;
    for (number, layer) in forward.layers.iter().enumerate().rev() {
        let mut open = model.live(diagrams, layer)?;
        let over = diagrams.minus(layer, &open)?;
        let mut buckets: Buckets = goals.outcomes(diagrams, &over)?.into_iter().collect();
        let stuck = diagrams.minus(&open, &model.playable)?;
        open = diagrams.minus(&open, &stuck)?;
        let mut unknown = stuck;
        for role in 0..players.choices.len() {
            if diagrams.is_empty(&open) {
                break;
            }
            // All successors are in the next layer, whichever role chooses.
            let mut mine = match (&players.choices[role].turn, &model.turns) {
                (Some(turn), _) => diagrams.and(&open, turn)?,
                (None, Turns::Divided(active)) => diagrams.and(&open, &active[role])?,
                (None, Turns::Counted(_)) => open.clone(),
            };
            open = diagrams.minus(&open, &mine)?;
            let ranked = players.ranked(role, occurring.iter().cloned());
            if !diagrams.is_empty(&unknown_later) {
                let mut doubtful = players.reaching(role, &unknown_later, &mine)?;
                mine = diagrams.minus(&mine, &doubtful)?;
                if let Some(top) = ranked.first().filter(|top| players.is_top(role, &ranked, top))
                    && let Some(best) = later.get(top)
                {
                    let won = players.reaching(role, best, &doubtful)?;
                    doubtful = diagrams.minus(&doubtful, &won)?;
                    add(diagrams, &mut buckets, top, &won)?;
                }
                unknown = diagrams.or(&unknown, &doubtful)?;
            }
            let mut values = ranked.into_iter().filter(|value| later.contains_key(value)).peekable();
            while let Some(value) = values.next() {
                if diagrams.is_empty(&mine) {
                    break;
                }
                let new = match values.peek() {
                    // All successors have a value, so the remaining states have this one.
                    None => mine.clone(),
                    Some(_) => players.reaching(role, &later[&value], &mine)?,
                };
                mine = diagrams.minus(&mine, &new)?;
                add(diagrams, &mut buckets, &value, &new)?;
            }
        }
        settled += done(&buckets)?;
        reporter.report(diagrams, number, &settled);
        later = buckets;
        unknown_later = unknown;
        diagrams.tidy();
    }
    Ok(())
}

fn add(diagrams: &Diagrams, buckets: &mut Buckets, value: &[u8], new: &Set) -> Result<(), StopReason> {
    if diagrams.is_empty(new) {
        return Ok(());
    }
    let union = match buckets.get(value) {
        Some(known) => diagrams.or(known, new)?,
        None => new.clone(),
    };
    buckets.insert(value.to_vec(), union);
    Ok(())
}

/// Receives the states settled in a round, starting with the terminal states in round 0; returns whether to go on.
pub type Settled<'a> = &'a mut dyn FnMut(usize, &Buckets) -> Result<bool, StopReason>;

/// Settles any game in rounds, from given terminal states, within given states.
pub fn by_rounds(players: &Players<'_>, within: &Set, ends: Buckets, settled: Settled<'_>) -> Result<(), StopReason> {
    let diagrams = players.diagrams;
    let mut buckets = ends;
    let occurring: Vec<Vec<u8>> = buckets.keys().cloned().collect();
    let mut open = diagrams.minus(within, &diagrams.union(buckets.values().cloned())?)?;
    let mut fresh = buckets.clone();
    for round in 0.. {
        if fresh.is_empty() || !settled(round, &fresh)? {
            break;
        }
        let mut new_buckets = Buckets::new();
        let newly = diagrams.union(fresh.values().cloned())?;
        for role in 0..players.choices.len() {
            let ranked = players.ranked(role, occurring.iter().cloned());
            let mut touched = players.reaching(role, &newly, &open)?;
            if let Some(top) = ranked.first().filter(|top| players.is_top(role, &ranked, top))
                && let Some(best) = fresh.get(top)
            {
                let won = players.reaching(role, best, &touched)?;
                add(diagrams, &mut new_buckets, top, &won)?;
                touched = diagrams.minus(&touched, &won)?;
            }
            // Their unsettled successors, as of the beginning of the round.
            let doubtful = players.reaching(role, &open, &touched)?;
            let mut ready = diagrams.minus(&touched, &doubtful)?;
            for value in &ranked {
                if diagrams.is_empty(&ready) {
                    break;
                }
                let Some(bucket) = buckets.get(value) else {
                    continue;
                };
                let new = players.reaching(role, bucket, &ready)?;
                ready = diagrams.minus(&ready, &new)?;
                add(diagrams, &mut new_buckets, value, &new)?;
            }
        }
        for (value, new) in &new_buckets {
            add(diagrams, &mut buckets, value, new)?;
            open = diagrams.minus(&open, new)?;
        }
        fresh = new_buckets;
        diagrams.tidy();
    }
    Ok(())
}

/// Settles a game with a single role: the best outcome that can be reached from each state counts, however long it
/// takes. Rounds are numbers of steps to that outcome; those of better outcomes come first.
pub fn for_one(players: &Players<'_>, within: &Set, ends: Buckets, settled: Settled<'_>) -> Result<(), StopReason> {
    let diagrams = players.diagrams;
    let mut open = diagrams.minus(within, &diagrams.union(ends.values().cloned())?)?;
    for value in players.ranked(0, ends.keys().cloned()) {
        let mut fresh = ends[&value].clone();
        for round in 0.. {
            if diagrams.is_empty(&fresh) {
                break;
            }
            if !settled(round, &Buckets::from([(value.clone(), fresh.clone())]))? {
                return Ok(());
            }
            fresh = players.reaching(0, &fresh, &open)?;
            open = diagrams.minus(&open, &fresh)?;
            diagrams.tidy();
        }
    }
    Ok(())
}
