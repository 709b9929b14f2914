//! Features of single fluents: whether they stay as they are, and how far they are away.

use super::compile::sources;
use super::graphs::Graphs;
use super::measure::{Reading, Sources};
use super::possible::Possible;
use super::{Kind, Kinds, TIME_OVER};
use crate::rules::distance::{Choice, Distances};
use crate::rules::formula::Atom;
use crate::rules::goals::may_prove;
use crate::rules::wanted::Wanted;
use ludens_analysis::{Verdict, exclusive_groups, persistence as find_persistence};
use ludens_budget::Budget;
use ludens_engine::{Circuit, Fluent, Game, State};
use std::sync::Arc;

/// How a fluent is measured.
#[derive(Clone, Debug)]
pub(super) struct FluentMeasure {
    pub(super) fluent: Fluent,
    stays_true: bool,
    stays_false: bool,
    /// Fluents that stay once they hold, and that exclude this one, as bits in words of the state.
    excluded_by: Vec<(u32, u64)>,
    distance: Option<Sources>,
    admissible: Option<(Distances, usize)>,
}

impl FluentMeasure {
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let kinds = [
            (self.distance.is_some(), Kind::FixedDistance),
            (self.stays_true, Kind::TruePersistence),
            // A distance without an end says the same.
            (self.stays_false && self.distance.is_none(), Kind::FalsePersistence),
            (self.admissible.is_some(), Kind::AdmissibleDistance),
        ];
        kinds.into_iter().filter(|known| known.0).map(|known| known.1).collect()
    }

    pub(super) fn read(&self, state: &State) -> Reading {
        if state.holds(self.fluent) {
            return Reading {
                settled: self.stays_true,
                ..Reading::new(true, 0.0)
            };
        }
        let words = state.words();
        let mut excluding = self.excluded_by.iter();
        let is_excluded = excluding.any(|&(word, mask)| words.get(word as usize).is_some_and(|word| word & mask != 0));
        let mut reading = Reading {
            settled: self.stays_false || is_excluded,
            ..Reading::new(false, 0.0)
        };
        if reading.settled {
            return reading;
        }
        if let Some(sources) = &self.distance {
            reading.degree = sources.distance(state).map_or(0.0, |distance| 1.0 - distance);
        } else if let Some((distances, target)) = &self.admissible {
            match distances.normalised(state, *target) {
                Some(distance) => reading.degree = 1.0 - distance,
                // A distance without end is certain.
                None => reading.settled = true,
            }
        }
        reading
    }
}

/// Measures for all fluents among some leaves, in their order, with fixed distances as far as these say anything and
/// the time goes.
pub(super) fn distances(
    circuit: &Circuit,
    known: Option<(&Possible, &Graphs)>,
    leaves: &[Atom],
    wanted: &Wanted,
    kinds: Kinds,
    budget: &Budget,
) -> Vec<FluentMeasure> {
    let fluents: Vec<Fluent> = leaves
        .iter()
        .filter_map(|atom| match atom {
            Atom::Fluent(fluent) => Some(*fluent),
            Atom::Move(..) | Atom::Proposition(_) => None,
        })
        .collect();
    let known = known.filter(|_| kinds.has(Kind::FixedDistance));
    let measure = |&fluent: &Fluent| FluentMeasure {
        fluent,
        stays_true: false,
        stays_false: false,
        excluded_by: Vec::new(),
        distance: known
            .filter(|_| !budget.is_spent())
            .and_then(|(possible, graphs)| {
                sources(possible, graphs, &circuit.program.names.fluents[fluent.index()].term)
            })
            .filter(|found| !wanted.is_complete(fluent, found.weights.iter().map(|known| known.0))),
        admissible: None,
    };
    fluents.iter().map(measure).collect()
}

/// Proved persistence of fluents, kept with the game because proofs can take long.
#[derive(Debug, Default)]
pub(super) struct Persistent {
    /// By fluent, whether it stays false and whether it stays true.
    stays: Vec<[bool; 2]>,
    /// Groups of which at most one holds.
    groups: Vec<Vec<Fluent>>,
    /// Why not everything was tried, if so.
    pub(super) unfinished: Option<&'static str>,
}

impl Persistent {
    /// Returns what can be proved within a budget. Without one, no proof is tried for large games.
    pub(super) fn of(game: &Game, budget: &Budget) -> Arc<Persistent> {
        if let Some(kept) = game.kept::<Persistent>() {
            return kept;
        }
        if !may_prove(game, budget) {
            return Arc::new(Persistent {
                unfinished: Some("a step of the game is costly and there is no clock"),
                ..Persistent::default()
            });
        }
        let found = find_persistence(game, budget);
        let fluents = game.vocabulary().fluent_count() as u32;
        let is_proved = |fluent, value| {
            let verdict = found.as_ref().map(|found| found.stays(fluent, value));
            verdict == Some(Verdict::Yes)
        };
        let stays: Vec<[bool; 2]> = (0..fluents)
            .map(|number| [false, true].map(|value| is_proved(Fluent(number), value)))
            .collect();
        let groups = match stays.iter().any(|stays| stays[1] && !stays[0]) {
            true if !budget.is_spent() => exclusive_groups(game, budget).unwrap_or_default(),
            _ => Vec::new(),
        };
        let groups = groups.into_iter().map(|group| group.fluents).collect();
        let persistent = Persistent {
            stays,
            groups,
            unfinished: budget.is_spent().then_some(TIME_OVER),
        };
        match budget.is_spent() {
            // With more time there may be more to say.
            true => Arc::new(persistent),
            false => game.keep(persistent),
        }
    }

    fn stays(&self, fluent: Fluent, value: bool) -> bool {
        let stays = self.stays.get(fluent.0 as usize);
        stays.is_some_and(|stays| stays[usize::from(value)])
    }
}

/// Notes which fluents stay as they are.
pub(super) fn persistence(measures: &mut [FluentMeasure], persistent: &Persistent, kinds: Kinds) {
    for measure in measures {
        let fluent = measure.fluent;
        measure.stays_true = kinds.has(Kind::TruePersistence) && persistent.stays(fluent, true);
        measure.stays_false = kinds.has(Kind::FalsePersistence) && persistent.stays(fluent, false);
        for group in persistent.groups.iter().filter(|group| group.contains(&fluent)) {
            for &Fluent(other) in group.iter().filter(|&&other| other != fluent) {
                if !persistent.stays(Fluent(other), true) || !kinds.has(Kind::TruePersistence) {
                    continue;
                }
                let (word, bit) = (other / 64, 1 << (other % 64));
                match measure.excluded_by.iter_mut().find(|mask| mask.0 == word) {
                    Some(mask) => mask.1 |= bit,
                    None => measure.excluded_by.push((word, bit)),
                }
            }
        }
    }
}

/// Adds admissible distances to fluents that some condition wants and that have no other distance, if there is time for
/// all; returns whether there was. Graphs in which a fluent is one step away or out of reach count too: they show what can never hold any more.
pub(super) fn admissible(
    game: &Game,
    measures: &mut [FluentMeasure],
    wanted: &Wanted,
    choice: Choice,
    budget: &Budget,
) -> bool {
    let is_open = |measure: &FluentMeasure| measure.distance.is_none() && wanted.has(measure.fluent);
    let without: Vec<usize> = (0..measures.len())
        .filter(|&number| is_open(&measures[number]))
        .collect();
    let targets: Vec<Fluent> = without.iter().map(|&number| measures[number].fluent).collect();
    let Some(distances) = Distances::within(game, &targets, choice, budget) else {
        return false;
    };
    for (target, number) in without.into_iter().enumerate() {
        if is_useful(&distances, target, measures[number].fluent, wanted) {
            measures[number].admissible = Some((distances.clone(), target));
        }
    }
    true
}

fn is_useful(distances: &Distances, target: usize, fluent: Fluent, wanted: &Wanted) -> bool {
    distances.greatest(target) > 0 && !wanted.is_complete(fluent, distances.sources(target))
}

/// Returns distances to some fluents, in their order, with the targets that say anything, if any does.
pub(super) fn useful(distances: Distances, fluents: &[Fluent], wanted: &Wanted) -> Option<(Distances, Vec<usize>)> {
    let targets: Vec<usize> = (0..fluents.len())
        .filter(|&target| is_useful(&distances, target, fluents[target], wanted))
        .collect();
    (!targets.is_empty()).then_some((distances, targets))
}
