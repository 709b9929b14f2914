//! Several trees at once: every thread searches by itself, and in the end their tries are added up.
//!
//! Threads that share one tree wait for each other and for the memory that the others have changed. Threads with trees
//! of their own do not, and differ by chance, so that together they err less often than each alone ("root
//! parallelisation"; Cazenave and Jouandeau, 2007; Chaslot and others, 2008). Each tree is smaller, though.

use crate::bandit::best;
use crate::decision::{Decision, StopReason};
use crate::effort::Effort;
use ludens_engine::Rng;

/// The part of an effort that one of `count` threads may spend.
pub(super) fn share(effort: &Effort, number: u64, count: u64) -> Effort {
    let mut part = effort.clone();
    if let Some(most) = effort.most_iterations() {
        part = part.with_iterations(most / count + u64::from(number < most % count));
    }
    if let Some(most) = effort.most_nodes() {
        part = part.with_nodes((most / count).max(1));
    }
    part
}

/// One decision of several that were made for the same state: what one of them proved, or what all tried most.
pub(super) fn together(decisions: Vec<Decision>, rng: &mut Rng) -> Decision {
    let nodes = decisions.iter().map(|decision| decision.nodes).sum();
    let memory = decisions.iter().map(|decision| decision.memory).sum();
    let playouts = decisions.iter().map(|decision| decision.playouts).sum();
    let is_final = |stop| matches!(stop, StopReason::Solved | StopReason::OnlyMove | StopReason::Known);
    let proved = decisions.iter().position(|decision| is_final(decision.stop));
    let mut decisions = decisions.into_iter();
    let mut result = match proved.and_then(|place| decisions.nth(place)) {
        Some(decision) => decision,
        None => added_up(decisions.collect(), rng),
    };
    result.nodes = nodes;
    result.memory = memory;
    result.playouts = playouts;
    result
}

fn added_up(mut decisions: Vec<Decision>, rng: &mut Rng) -> Decision {
    let mut moves = decisions[0].moves.clone();
    for (place, known) in moves.iter_mut().enumerate() {
        let all = decisions.iter().filter_map(|decision| decision.moves.get(place));
        known.visits = all.clone().map(|other| other.visits).sum();
        let valued = all.filter_map(|other| Some((other.value?, other.visits as f64)));
        let (total, weight) = valued.fold((0.0, 0.0), |(total, weight), (value, visits)| {
            (total + value * visits, weight + visits)
        });
        known.value = (weight > 0.0).then(|| total / weight).or(known.value);
    }
    let visits: u64 = moves.iter().map(|known| known.visits).sum();
    for known in &mut moves {
        known.probability = known.visits as f64 / visits.max(1) as f64;
    }
    // A difference in value never outweighs one try.
    let place = best(
        moves
            .iter()
            .map(|known| known.visits as f64 + known.value.unwrap_or(0.0) / 1000.0),
        rng,
    );
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
