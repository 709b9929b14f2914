//! Several trees at once: every thread searches by itself, and in the end their tries are added up.
//!
//! Threads that share one tree wait for each other and for the memory that the others have changed. Threads with trees
//! of their own do not, and differ by chance, so that together they err less often than each alone ("root
//! parallelisation"; Cazenave and Jouandeau, 2007; Chaslot and others, 2008). Each tree is smaller, though.

use super::{final_move, regret};
use crate::decision::{Decision, MoveStatistics};
use ludens_budget::StopReason;
use ludens_engine::Rng;

/// One decision of several that were made for the same state: what one of them proved, or what all tried most. Where
/// moves are drawn by mixed strategies, it is drawn by the mean of them.
pub(super) fn together(decisions: Vec<Decision>, is_mixed: bool, rng: &mut Rng) -> Decision {
    let nodes = decisions.iter().map(|decision| decision.nodes).sum();
    let memory = decisions.iter().map(|decision| decision.memory).sum();
    let playouts = decisions.iter().map(|decision| decision.playouts).sum();
    let is_final = |stop| matches!(stop, StopReason::Solved | StopReason::OnlyMove | StopReason::Known);
    let proved = decisions.iter().position(|decision| is_final(decision.stop));
    let mut decisions = decisions.into_iter();
    let mut result = match proved.and_then(|place| decisions.nth(place)) {
        Some(decision) => decision,
        None => added_up(decisions.collect(), is_mixed, rng),
    };
    result.nodes = nodes;
    result.memory = memory;
    result.playouts = playouts;
    result
}

fn added_up(mut decisions: Vec<Decision>, is_mixed: bool, rng: &mut Rng) -> Decision {
    let mut moves = decisions[0].moves.clone();
    for (place, known) in moves.iter_mut().enumerate() {
        let all = decisions.iter().filter_map(|decision| decision.moves.get(place));
        known.probability = all.clone().map(|other| other.probability).sum::<f64>() / decisions.len() as f64;
        known.visits = all.clone().map(|other| other.visits).sum();
        // What one tree has proved, the means of the others do not change.
        let exact = all.clone().find(|other| other.proved);
        let valued = all.filter_map(|other| Some((other.value?, other.visits as f64)));
        let (total, weight) = valued.fold((0.0, 0.0), |(total, weight), (value, visits)| {
            (total + value * visits, weight + visits)
        });
        let mean = (weight > 0.0).then(|| total / weight);
        known.value = exact.map_or(mean, |exact| exact.value).or(known.value);
        known.proved = exact.is_some();
    }
    let place = if is_mixed {
        regret::draw(moves.iter().map(|known| known.probability), rng).unwrap_or(0)
    } else {
        let visits: u64 = moves.iter().map(|known| known.visits).sum();
        for known in &mut moves {
            known.probability = known.visits as f64 / visits.max(1) as f64;
        }
        // All trees may agree on a move for reasons beyond these numbers, such as a plan.
        let is_chosen = |known: &MoveStatistics| decisions.iter().all(|decision| decision.choice == known.move_id);
        let agreed = moves.iter().position(is_chosen);
        let agreed = agreed.filter(|&place| !final_move::is_refuted(&moves, place));
        agreed.unwrap_or_else(|| {
            let equal = final_move::candidates(&moves);
            equal[rng.usize(..equal.len())]
        })
    };
    let choice = moves[place].move_id;
    let same = decisions.iter().position(|decision| decision.choice == choice);
    let mut result = decisions.swap_remove(same.unwrap_or(0));
    if result.choice != choice {
        result.line.clear();
    }
    Decision {
        choice,
        value: moves[place].value,
        moves,
        ..result
    }
}
