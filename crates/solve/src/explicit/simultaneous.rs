//! Backward induction for two roles with simultaneous moves and a constant sum: every state is a matrix game of the
//! values of its successors.

use super::graph::Graph;
use super::nodes::{SEVERAL, STUCK, TERMINAL};
use super::outcomes::Outcomes;
use crate::matrix;
use ludens_budget::Stopped;
use ludens_reach::{Monitor, Phase};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Values this close to a whole number are rounded to it; accumulated rounding errors are smaller.
const ROUNDING: f64 = 1e-11;

/// Computes the values of the first role in all states; NaN if unknown. States on cycles stay unknown.
pub(crate) fn backward_induction(
    graph: &impl Graph,
    outcomes: &Outcomes,
    rows: &[u32],
    monitor: &Monitor<'_>,
) -> (Vec<f64>, Option<Stopped>) {
    let size = graph.size();
    let unknown: Vec<AtomicU32> = (0..size)
        .map(|state| AtomicU32::new(graph.degree(state) as u32))
        .collect();
    let values: Vec<AtomicU64> = (0..size).map(|_| AtomicU64::new(f64::NAN.to_bits())).collect();
    let value = |state: usize| f64::from_bits(values[state].load(Relaxed));
    let mut frontier: Vec<usize> = (0..size).filter(|&state| graph.kind(state) == TERMINAL).collect();
    for &end in &frontier {
        let goal = outcomes.goals[usize::from(graph.end(end))][0];
        values[end].store(f64::from(goal).to_bits(), Relaxed);
    }
    let mut known = frontier.len();
    let mut round = 0;
    let mut stop = None;
    while !frontier.is_empty() && stop.is_none() {
        round += 1;
        let ready: Vec<Vec<usize>> = frontier
            .par_iter()
            .map(|&state| {
                let mut ready = Vec::new();
                graph.predecessors(state, |before| {
                    if unknown[before].fetch_sub(1, Relaxed) == 1 {
                        ready.push(before);
                    }
                });
                ready
            })
            .collect();
        frontier = ready.concat();
        frontier.par_iter().for_each(|&state| {
            let mut payoffs = Vec::new();
            graph.successors(state, |next| payoffs.push(value(next)));
            let found = solve_state(graph.kind(state), rows[state] as usize, &payoffs);
            // Rounding errors must not turn a whole goal into a fraction.
            let whole = found.round();
            let found = if (found - whole).abs() < ROUNDING { whole } else { found };
            values[state].store(found.to_bits(), Relaxed);
        });
        known += frontier.len();
        monitor.report(Phase::Backward, round, known, 0);
        stop = monitor.stop();
    }
    (
        values
            .into_iter()
            .map(|value| f64::from_bits(value.into_inner()))
            .collect(),
        stop,
    )
}

fn solve_state(kind: u8, rows: usize, payoffs: &[f64]) -> f64 {
    match kind {
        SEVERAL => matrix::solve(payoffs, rows, payoffs.len() / rows).value,
        0 => payoffs.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        STUCK | TERMINAL => f64::NAN,
        _ => payoffs.iter().copied().fold(f64::INFINITY, f64::min),
    }
}
