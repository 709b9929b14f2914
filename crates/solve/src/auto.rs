//! The choice between the methods by a short trial.
//!
//! The trial starts explicit solving. Small games are solved by it. For larger ones, the growth of the layers gives an
//! estimate of the number of states: in most games the ratio between layers falls steadily, which can be extrapolated.
//! Tens of millions of states are best stored one by one, more of them as sets.
//!
//! The symbolic method first needs diagrams of the rules, and for some rules these are larger than any memory. With a
//! deadline it has a share of the time to find more states than the trial; if it does not, the explicit method goes on.

use crate::explicit::{self, Search};
use crate::{Method, Options, Report, Solution, SolveError, Status, finished, symbolic};
use ludens_budget::{Budget, Progress, StopReason};
use ludens_engine::Game;
use ludens_reach::in_pool;
use num_bigint::BigUint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Number of states from which on the symbolic method is better.
const MANY: f64 = 3e7;
/// Maximum number of layers that are extrapolated.
const MOST_LAYERS: usize = 1_000;
/// Share of the time within which the symbolic method must have found more states than the trial.
const SHARE: f64 = 1.0 / 3.0;

pub(crate) fn solve(game: &Game, options: &Options, budget: &Budget) -> Result<(Report, Option<Solution>), SolveError> {
    let begun = in_pool(options.threads, || -> Result<_, SolveError> {
        let mut search = Search::begin(game, options, budget)?;
        match advice(game, &search, crate::memory(budget)) {
            (Method::Symbolic, reason) => Ok(Err((search.layers(), reason))),
            (_, reason) => {
                search.go_on()?;
                Ok(Ok((search.end(), reason)))
            }
        }
    })??;
    let (trial, reason) = match begun {
        Ok(((report, solution), reason)) => {
            let report = Report {
                reason: Some(reason),
                ..report
            };
            return Ok(finished(game, report, solution.map(Solution::Explicit)));
        }
        Err(begun) => begun,
    };
    let cause = match by_sets(game, options, budget, &trial) {
        Ok(Ok((mut report, solution))) => {
            report.reason = Some(reason);
            keep_trial(&mut report, &trial);
            return Ok(finished(game, report, solution.map(Solution::Symbolic)));
        }
        Ok(Err(cause)) => cause.to_string(),
        Err(SolveError::Unsuitable { cause, .. }) => cause,
        Err(error) => return Err(error),
    };
    let (mut report, solution) = explicit::solve(game, options, budget)?;
    report.reason = Some(format!("{reason}, but sets of states are no way here: {cause}"));
    Ok(finished(game, report, solution.map(Solution::Explicit)))
}

/// A report, and the solution if there is one.
type BySets = (Report, Option<symbolic::SymbolicSolution>);

/// Solves with the symbolic method; returns why it was abandoned if it did not find more states than the trial in time.
fn by_sets(
    game: &Game,
    options: &Options,
    budget: &Budget,
    trial: &[usize],
) -> Result<Result<BySets, &'static str>, SolveError> {
    let known = BigUint::from(trial.iter().sum::<usize>());
    // Without a deadline there is no hurry.
    let share = budget.time_left().map_or(Duration::MAX, |left| left.mul_f64(SHARE));
    let has_overtaken = Arc::new(AtomicBool::new(false));
    let is_given_up = Arc::new(AtomicBool::new(false));
    let noting = {
        let (known, has_overtaken, observed) = (known.clone(), has_overtaken.clone(), budget.clone());
        Progress::every(Duration::ZERO, move |status: &Status| {
            if status.done > known {
                has_overtaken.store(true, Ordering::Relaxed);
            }
            observed.report(|| status.clone());
        })
    };
    let result = std::thread::scope(|scope| {
        // Dropped when the solver is done, which ends the wait of the other thread.
        let (_done, wait) = channel::<()>();
        let (has_overtaken, flag) = (&has_overtaken, is_given_up.clone());
        scope.spawn(move || {
            let is_timeout = wait.recv_timeout(share) == Err(RecvTimeoutError::Timeout);
            if is_timeout && !has_overtaken.load(Ordering::Relaxed) {
                flag.store(true, Ordering::Relaxed);
            }
        });
        let budget = budget.or_cancelled(is_given_up).observed_by(noting);
        symbolic::solve(game, options, &budget)
    })?;
    let report = &result.0;
    if report.complete || report.reachable >= known || budget.is_cancelled() {
        return Ok(Ok(result));
    }
    Ok(match report.stop.map(|stop| stop.reason) {
        Some(StopReason::Interrupted) => Err("they found nothing new within a third of the time"),
        Some(StopReason::Memory) => Err("their diagrams do not fit into the memory"),
        _ => Ok(result),
    })
}

/// Adds the states of the trial to a report that has fewer.
fn keep_trial(report: &mut Report, trial: &[usize]) {
    let known = BigUint::from(trial.iter().sum::<usize>());
    if report.reachable < known {
        report.layers = trial.iter().map(|&states| BigUint::from(states)).collect();
        report.unclassified = &known - &report.classified;
        report.reachable = known;
    }
}

/// Chooses a method and gives the reason.
fn advice(game: &Game, search: &Search<'_>, memory: usize) -> (Method, String) {
    let layers = search.layers();
    let states: usize = layers.iter().sum();
    if search.is_over() {
        return (
            Method::Explicit,
            format!("a short trial was over after {states} states"),
        );
    }
    if game.engine().circuit().is_none() {
        return (Method::Explicit, "the rules are interpreted, not compiled".to_string());
    }
    if search.has_several() {
        return (Method::Explicit, "several roles choose at the same time".to_string());
    }
    if search.is_dense() {
        let reason = "all combinations of exclusive fluents fit into memory".to_string();
        return (Method::Explicit, reason);
    }
    let expected = foretell(&layers);
    let fit = memory as f64 / search.bytes_per_state() as f64;
    let about = match expected < 1e18 {
        true => format!(
            "about {expected:.0e} states are to be expected after {states} in {} layers",
            layers.len()
        ),
        false => format!(
            "after {states} states in {} layers there is no end in sight",
            layers.len()
        ),
    };
    match expected < MANY.min(fit) {
        true => (Method::Explicit, about),
        false => (Method::Symbolic, about),
    }
}

/// Extrapolates the number of states from the growth of the layers; the last layer given has not been expanded yet.
fn foretell(layers: &[usize]) -> f64 {
    let sum: f64 = layers.iter().map(|&layer| layer as f64).sum();
    let ratio = |layer: usize| (layers[layer] as f64 / layers[layer - 1] as f64).ln();
    let last = layers.len() - 1;
    // The growth often depends on whose turn it is, so layers of the same role are compared.
    if last < 5 {
        return f64::INFINITY;
    }
    let late = (ratio(last) + ratio(last - 1)) / 2.0;
    let early = (ratio(last - 2) + ratio(last - 3)) / 2.0;
    let fall = (late - early) / 2.0;
    if fall >= -1e-3 && late > 0.0 {
        return f64::INFINITY;
    }
    let (mut total, mut layer, mut growth) = (sum, layers[last] as f64, late + fall / 2.0);
    for _ in 0..MOST_LAYERS {
        growth += fall;
        layer *= growth.exp();
        total += layer;
        if layer < 1.0 {
            break;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_that_falls_comes_to_an_end() {
        // Layers of connect four on a board of five by four.
        let layers = [
            1, 5, 25, 75, 275, 720, 2_060, 4_698, 11_450, 22_997, 49_185, 87_140, 164_110, 256_030, 419_290, 564_000,
            775_000, 783_000, 645_000, 159_000, 700,
        ];
        let whole: f64 = layers.iter().map(|&layer| f64::from(layer)).sum();
        let layers: Vec<usize> = layers[..12].iter().map(|&layer| layer as usize).collect();
        let expected = foretell(&layers);
        assert!(expected > whole / 10.0 && expected < whole * 10.0, "{expected}");
        let growing: Vec<usize> = (0..12).map(|layer| 3usize.pow(layer)).collect();
        assert_eq!(foretell(&growing), f64::INFINITY);
    }
}
