//! The final move selection: which move to make when the search ends before the root is solved.
//!
//! Visits alone do not tell: a move may have gathered them before it was proved to lose, or before its mean collapsed.
//! So a proved value replaces the visits of its move, and a mean that is clearly below another one rules its move out.
//! Among what is left the most visited move is made ("robust child"; Chaslot and others, 2008).

use super::Mcts;
use super::tree::NodeId;
use crate::decision::MoveStatistics;
use ludens_budget::Budget;
use ludens_engine::{MoveId, weighted_index};

/// Half the width of the confidence interval of a mean over one visit: 1.96 standard deviations, which are at most 50
/// for goals from 0 to 100.
const HALF_WIDTH: f64 = 1.96 * 50.0;

/// The lowest goal. No move is worse than one that is proved to bring it.
const LEAST: f64 = 0.0;

impl Mcts {
    /// Returns the index of the final move, and the number of playouts that a tie-break took: the proved best if the
    /// root is solved, otherwise the planned, the last of halving or the most visited. With regret matching the move is
    /// drawn from the average strategy.
    pub(super) fn final_move(
        &mut self,
        root: NodeId,
        moves: &[MoveStatistics],
        budget: &Budget,
        spent: u64,
    ) -> (usize, u64) {
        let view = self.view(root);
        if view.average_strategy().is_some() {
            let drawn = weighted_index(moves.iter().map(|known| known.probability), &mut self.rng);
            return (drawn.unwrap_or(0), 0);
        }
        let proved = self.tree.get(root).proved.as_ref();
        let proved = proved.map(|goals| goals[self.role]);
        if let Some(goal) = proved {
            // A mean can look as good as a proof.
            let equal = (0..moves.len()).filter(|&index| view.proved(index) == Some(goal));
            let equal: Vec<usize> = equal.collect();
            match equal[..] {
                [] => {}
                [only] => return (only, 0),
                _ if goal == 100 => return (equal[0], 0),
                _ => return self.break_tie(root, moves, &equal, budget, spent),
            }
        }
        // A planned line reaches its score; the winner of halving survived its rounds. Neither outweighs a proof.
        let index_of = |id: MoveId| moves.iter().position(|known| known.move_id == id);
        let plan = self.plan.as_ref().filter(|_| proved.is_none());
        let planned = plan.and_then(|plan| Some((index_of(plan.first()?)?, f64::from(plan.score))));
        let best_proved = moves.iter().filter_map(|known| known.value.filter(|_| known.proved));
        let best_proved = best_proved.fold(f64::NEG_INFINITY, f64::max);
        if let Some((index, _)) = planned.filter(|&(_, score)| score >= best_proved) {
            return (index, 0);
        }
        let winner = self.winner.map(|index| index as usize).filter(|_| proved.is_none());
        if let Some(index) = winner.filter(|&index| !is_refuted(moves, index)) {
            return (index, 0);
        }
        let equal = candidates(moves);
        let chosen = self.rng.usize(..equal.len().max(1));
        (equal.get(chosen).copied().unwrap_or(0), 0)
    }
}

/// Returns the indices of the moves to make, in ascending order. Several are left only if they have the same visits and
/// the same value. Empty only if there are no moves.
pub(super) fn candidates(moves: &[MoveStatistics]) -> Vec<usize> {
    let proved = |known: &MoveStatistics| known.value.filter(|_| known.proved);
    let best_proved = moves.iter().filter_map(proved).max_by(f64::total_cmp);
    let mut left: Vec<usize> = (0..moves.len()).filter(|&index| !moves[index].proved).collect();
    if let Some(goal) = best_proved {
        let is_better = |known: &MoveStatistics| goal <= LEAST || known.value.is_some_and(|value| value > goal);
        left.retain(|&index| is_better(&moves[index]));
        if left.is_empty() {
            left = (0..moves.len()).collect();
            left.retain(|&index| proved(&moves[index]) == Some(goal));
        }
    }
    // A proved value has no interval around it, but then all that are left are proved alike.
    let interval = |known: &MoveStatistics| {
        let width = HALF_WIDTH / (known.visits.max(1) as f64).sqrt();
        known.value.map(|mean| (mean - width, mean + width))
    };
    let lower = left.iter().filter_map(|&index| Some(interval(&moves[index])?.0));
    let highest_lower = lower.fold(f64::NEG_INFINITY, f64::max);
    left.retain(|&index| interval(&moves[index]).is_none_or(|(_, upper)| upper >= highest_lower));
    let rank = |index: usize| (moves[index].visits, moves[index].value.unwrap_or(-1.0));
    let best = left.iter().map(|&index| rank(index));
    let best = best.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    left.retain(|&index| Some(rank(index)) == best);
    left
}

/// Whether a move is proved to be worse than another one looks.
pub(super) fn is_refuted(moves: &[MoveStatistics], index: usize) -> bool {
    let known = &moves[index];
    let is_above = |other: &MoveStatistics| other.value > known.value;
    known.proved
        && (moves.iter().any(is_above) || (known.value <= Some(LEAST) && moves.iter().any(|other| !other.proved)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves from (visits, value, proved).
    fn moves(known: &[(u64, f64, bool)]) -> Vec<MoveStatistics> {
        let numbered = known.iter().enumerate();
        numbered
            .map(|(number, &(visits, value, proved))| MoveStatistics {
                move_id: MoveId(number as u32),
                probability: 0.0,
                value: (proved || visits > 0).then_some(value),
                proved,
                visits,
            })
            .collect()
    }

    #[test]
    fn a_proved_loss_is_never_chosen_for_its_visits() {
        assert_eq!(candidates(&moves(&[(9550, 0.0, true), (450, 11.8, false)])), [1]);
        assert_eq!(
            candidates(&moves(&[(9550, 0.0, true), (1, 0.0, false), (0, 0.0, false)])),
            [1]
        );
        assert_eq!(candidates(&moves(&[(10, 0.0, true), (0, 0.0, false)])), [1]);
    }

    #[test]
    fn a_proved_move_is_chosen_unless_another_looks_better() {
        assert_eq!(candidates(&moves(&[(5, 50.0, true), (900, 49.0, false)])), [0]);
        assert_eq!(
            candidates(&moves(&[(5000, 50.0, true), (900, 53.0, false), (950, 48.0, false)])),
            [1]
        );
        assert_eq!(
            candidates(&moves(&[(5, 25.0, true), (1, 50.0, true), (0, 0.0, false)])),
            [1]
        );
    }

    #[test]
    fn a_collapsed_mean_does_not_count_for_its_visits() {
        assert_eq!(candidates(&moves(&[(9000, 12.0, false), (3000, 40.0, false)])), [1]);
        // Ten visits do not tell 55 from 50.
        assert_eq!(candidates(&moves(&[(9000, 50.0, false), (10, 55.0, false)])), [0]);
    }

    #[test]
    fn moves_that_cannot_be_told_apart_are_all_left() {
        assert_eq!(
            candidates(&moves(&[(7, 50.0, false), (7, 50.0, false), (7, 49.0, false)])),
            [0, 1]
        );
        assert_eq!(candidates(&moves(&[(0, 0.0, false), (0, 0.0, false)])), [0, 1]);
        assert!(candidates(&[]).is_empty());
    }

    #[test]
    fn a_refuted_move_is_one_proved_below_another() {
        let known = moves(&[(9, 0.0, true), (9, 50.0, true), (9, 60.0, false), (9, 40.0, false)]);
        let refuted: Vec<bool> = (0..4).map(|index| is_refuted(&known, index)).collect();
        assert_eq!(refuted, [true, true, false, false]);
    }
}
