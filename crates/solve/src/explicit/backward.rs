//! Computes values from the terminal states back.
//!
//! Retrograde analysis proceeds in rounds: a state whose value has become known is passed to its predecessors, which
//! count their unknown successors. A state gets its value when none is left, or at once when a successor has a value
//! that cannot be beaten. Every step of the game is visited once. Layered games need no predecessors: layers get their
//! values from the last to the first.

use super::graph::Graph;
use super::nodes::{Nodes, SEVERAL, STUCK, TERMINAL};
use super::outcomes::{Preferences, UNKNOWN};
use ludens_budget::Stopped;
use ludens_reach::{Monitor, Phase};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicUsize, Ordering::Relaxed};

/// States that one thread processes at a time.
const CHUNK: usize = 1 << 13;

/// Values of all states.
pub(crate) struct Values {
    pub(crate) outcomes: Vec<AtomicU16>,
    /// Numbers of steps to the end under best play.
    pub(crate) distances: Vec<AtomicU16>,
}

impl Values {
    /// Bytes per state while values are computed.
    pub(crate) const BYTES_MEANWHILE: usize = 12;

    fn new(size: usize) -> Values {
        Values {
            outcomes: list_of(UNKNOWN, size),
            distances: list_of(0, size),
        }
    }

    pub(crate) fn get(&self, state: usize) -> (u16, u16) {
        (self.outcomes[state].load(Relaxed), self.distances[state].load(Relaxed))
    }

    fn set(&self, state: usize, (outcome, distance): (u16, u16)) {
        self.distances[state].store(distance, Relaxed);
        self.outcomes[state].store(outcome, Relaxed);
    }

    /// Sets a value unless it is known; returns whether it was set.
    fn settle(&self, state: usize, (outcome, distance): (u16, u16)) -> bool {
        let place = &self.outcomes[state];
        let is_new = place.compare_exchange(UNKNOWN, outcome, Relaxed, Relaxed).is_ok();
        if is_new {
            self.distances[state].store(distance, Relaxed);
        }
        is_new
    }
}

fn list_of(value: u16, size: usize) -> Vec<AtomicU16> {
    (0..size).into_par_iter().map(|_| AtomicU16::new(value)).collect()
}

/// Sets the values of the terminal states and returns these.
fn ends(graph: &impl Graph, values: &Values) -> Vec<u32> {
    (0..graph.size())
        .into_par_iter()
        .filter(|&state| graph.kind(state) == TERMINAL)
        .map(|state| {
            values.set(state, (graph.end(state), 0));
            state as u32
        })
        .collect()
}

/// Computes the values of all states of a graph that may have cycles.
pub(crate) fn retrograde(
    graph: &impl Graph,
    preferences: &Preferences,
    monitor: &Monitor<'_>,
) -> (Values, Option<Stopped>) {
    let values = Values::new(graph.size());
    let ends = ends(graph, &values);
    let stop = match preferences.is_single {
        true => best_reachable(graph, preferences, &values, ends, monitor),
        false => rounds(graph, preferences, &values, ends, monitor),
    };
    (values, stop)
}

/// Finds for each state the best outcome that can be reached and the length of the shortest path to it.
fn best_reachable(
    graph: &impl Graph,
    preferences: &Preferences,
    values: &Values,
    ends: Vec<u32>,
    monitor: &Monitor<'_>,
) -> Option<Stopped> {
    let mut known = ends.len();
    for outcome in preferences.best_first() {
        let of_outcome = |&&state: &&u32| values.get(state as usize).0 == outcome;
        let mut frontier: Vec<u32> = ends.iter().filter(of_outcome).copied().collect();
        let mut round = 0;
        while !frontier.is_empty() {
            round += 1;
            let value = (outcome, u16::try_from(round).unwrap_or(u16::MAX));
            frontier = next_round(&frontier, |state, next| {
                graph.predecessors(state, |before| {
                    if values.settle(before, value) {
                        next.push(before as u32);
                    }
                });
            });
            known += frontier.len();
            monitor.report(Phase::Backward, round, known, 0);
            if let Some(stop) = monitor.stop() {
                return Some(stop);
            }
        }
    }
    None
}

/// Visits all states of a round in parallel and returns those of the next.
fn next_round(frontier: &[u32], visit: impl Fn(usize, &mut Vec<u32>) + Sync) -> Vec<u32> {
    let lists: Vec<Vec<u32>> = frontier
        .par_chunks(CHUNK)
        .map(|states| {
            let mut next = Vec::new();
            states.iter().for_each(|&state| visit(state as usize, &mut next));
            next
        })
        .collect();
    lists.concat()
}

fn rounds(
    graph: &impl Graph,
    preferences: &Preferences,
    values: &Values,
    ends: Vec<u32>,
    monitor: &Monitor<'_>,
) -> Option<Stopped> {
    let unknown: Vec<AtomicU32> = (0..graph.size())
        .into_par_iter()
        .map(|state| AtomicU32::new(graph.degree(state) as u32))
        .collect();
    // If every state gets its value in the round of its distance, the distances are right; see `mend_distances`.
    let in_step = AtomicBool::new(true);
    let mut frontier = ends;
    let mut known = frontier.len();
    let mut round = 0;
    while !frontier.is_empty() {
        round += 1;
        frontier = next_round(&frontier, |state, next| {
            let (outcome, distance) = values.get(state);
            graph.predecessors(state, |before| {
                let kind = graph.kind(before);
                if values.get(before).0 != UNKNOWN || kind == SEVERAL {
                    return;
                }
                let value = if preferences.is_top(kind, outcome) {
                    Some((outcome, distance.saturating_add(1)))
                } else if unknown[before].fetch_sub(1, Relaxed) == 1 {
                    judge(graph, preferences, values, before)
                } else {
                    None
                };
                if let Some(value) = value
                    && values.settle(before, value)
                {
                    if usize::from(value.1) != round {
                        in_step.store(false, Relaxed);
                    }
                    next.push(before as u32);
                }
            });
        });
        known += frontier.len();
        monitor.report(Phase::Backward, round, known, 0);
        if let Some(stop) = monitor.stop() {
            return Some(stop);
        }
    }
    match in_step.into_inner() {
        true => None,
        false => mend_distances(graph, preferences, values, monitor),
    }
}

fn judge(graph: &impl Graph, preferences: &Preferences, values: &Values, state: usize) -> Option<(u16, u16)> {
    let mut successors = Vec::new();
    graph.successors(state, |next| successors.push(values.get(next)));
    preferences.judge(graph.kind(state), successors.into_iter())
}

/// Corrects distances. A state can get its value long after the outcome it chooses was known, because other successors
/// took longer; its predecessors may then have too great distances. Distances are never too small, and recomputing them
/// until nothing changes makes them right, because only one assignment is consistent.
fn mend_distances(
    graph: &impl Graph,
    preferences: &Preferences,
    values: &Values,
    monitor: &Monitor<'_>,
) -> Option<Stopped> {
    loop {
        let changed = AtomicUsize::new(0);
        let chunks: Vec<usize> = (0..graph.size()).step_by(CHUNK).collect();
        chunks.into_par_iter().rev().for_each(|first| {
            for state in (first..(first + CHUNK).min(graph.size())).rev() {
                let before = values.get(state);
                if before.0 == UNKNOWN || graph.kind(state) == TERMINAL {
                    continue;
                }
                if let Some(after) = judge(graph, preferences, values, state)
                    && after != before
                {
                    values.set(state, after);
                    changed.fetch_add(1, Relaxed);
                }
            }
        });
        if changed.into_inner() == 0 {
            return None;
        }
        if let Some(stop) = monitor.stop() {
            return Some(stop);
        }
    }
}

/// Visits states with the lists of their successors.
pub(crate) type Follow<'a> = &'a (dyn Fn(Range<usize>, &mut dyn FnMut(usize, &[u32])) + Sync);

/// Computes the values of all states of a layered game, without lists of predecessors.
pub(crate) fn layer_by_layer(
    nodes: &Nodes,
    layers: &[usize],
    follow: Follow<'_>,
    preferences: &Preferences,
    monitor: &Monitor<'_>,
) -> (Values, Option<Stopped>) {
    let Nodes { kinds, ends, .. } = nodes;
    let values = Values::new(kinds.len());
    let mut layer_end = kinds.len();
    for (layer, &layer_start) in layers.iter().enumerate().rev() {
        let chunks: Vec<usize> = (layer_start..layer_end).step_by(CHUNK).collect();
        for some in chunks.chunks(64) {
            some.par_iter().for_each(|&first| {
                follow(first..(first + CHUNK).min(layer_end), &mut |state, successors| {
                    let value = match kinds[state] {
                        TERMINAL => Some((ends[state], 0)),
                        STUCK | SEVERAL => None,
                        kind => preferences.judge(kind, successors.iter().map(|&next| values.get(next as usize))),
                    };
                    if let Some(value) = value {
                        values.set(state, value);
                    }
                });
            });
            monitor.report(Phase::Backward, layer, kinds.len() - layer_start, 0);
            if let Some(stop) = monitor.stop() {
                return (values, Some(stop));
            }
        }
        layer_end = layer_start;
    }
    (values, None)
}
