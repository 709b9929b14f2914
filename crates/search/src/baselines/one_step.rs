//! Shared parts of searchers with one-step lookahead.

use crate::{Decision, Lookahead, MoveStatistics};
use ludens_budget::{Budget, StopReason};
use ludens_engine::random_argmax;
use ludens_engine::{Machine, Rng};

/// Chooses the move with the greatest mean value of its successors. Moves that the time did not suffice for are chosen
/// only if no move was looked at.
pub(super) fn decide(
    lookahead: &mut Lookahead,
    samples: usize,
    budget: &Budget,
    rng: &mut Rng,
    value_of: &mut dyn FnMut(&mut dyn Machine) -> f64,
) -> Decision {
    let moves = lookahead.moves().to_vec();
    if let [only] = moves[..] {
        return Decision::without_search(only, StopReason::OnlyMove);
    }
    let mut values = vec![None; moves.len()];
    let mut looked_at = 0;
    let mut stop = StopReason::Solved;
    for (own, value) in values.iter_mut().enumerate() {
        // A count bounds playouts, of which there are none here.
        if let Some(reason) = budget.stop(0).filter(|&reason| reason != StopReason::Iterations) {
            stop = reason;
            break;
        }
        *value = Some(lookahead.mean(own, samples, rng, &mut |machine| {
            looked_at += 1;
            value_of(machine)
        }));
    }
    let chosen = random_argmax(values.iter().map(|value| value.unwrap_or(f64::NEG_INFINITY)), rng);
    let known = moves.iter().zip(values).enumerate();
    Decision {
        moves: known
            .map(|(own, (&move_id, value))| MoveStatistics {
                move_id,
                probability: if own == chosen { 1.0 } else { 0.0 },
                value,
                proved: false,
                visits: u64::from(value.is_some()),
            })
            .collect(),
        playouts: looked_at,
        ..Decision::without_search(moves[chosen], stop)
    }
}
