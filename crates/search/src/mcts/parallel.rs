//! Parallel search: by default root parallelisation, in which every thread searches a tree of its own and their visits
//! are added up in the end (Cazenave and Jouandeau, 2007; Chaslot and others, 2008).
//!
//! Threads that share one tree ([`shared`]) wait for each other and for memory that the others have changed. Threads
//! with trees of their own do not, and differ by chance, so that together they err less often than each alone. Each
//! tree is smaller, though.

pub(super) mod shared;

use super::{Mcts, final_move};
use crate::decision::{Decision, MoveStatistics};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Rng, State, weighted_index};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Settings of parallel search.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelSettings {
    /// Number of threads.
    pub threads: usize,
    /// Whether all threads search one tree (tree parallelisation), instead of one each (root parallelisation).
    pub shared_tree: bool,
}

impl Default for ParallelSettings {
    fn default() -> ParallelSettings {
        ParallelSettings {
            threads: 1,
            shared_tree: false,
        }
    }
}

impl Mcts {
    /// Runs `work` on all trees at the same time, each with its part of the budget. The result of this tree comes
    /// first.
    pub(super) fn on_all_trees(
        &mut self,
        budget: &Budget,
        work: impl Fn(&mut Mcts, &Budget) -> Decision + Sync,
    ) -> Vec<Decision> {
        let count = self.others.len() as u64 + 1;
        let mut others = std::mem::take(&mut self.others);
        let is_solved = Arc::new(AtomicBool::new(false));
        let budget = match budget.deadline() {
            // A proof in one tree ends the search in the others.
            Some(_) => budget.or_cancelled(is_solved.clone()),
            // Iterations are all spent, so that results can be repeated.
            None => budget.clone(),
        };
        let run = |search: &mut Mcts, number: u64| {
            let part = budget.part(number, count);
            let part = if number == 0 { part } else { part.unobserved() };
            let decision = work(search, &part);
            if decision.stop == StopReason::Solved {
                is_solved.store(true, Ordering::Relaxed);
            }
            decision
        };
        let run = &run;
        let decisions = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..)
                .zip(&mut others)
                .map(|(number, other)| scope.spawn(move || run(other, number)))
                .collect();
            let own = run(self, 0);
            // The tree of a thread that panicked is left out.
            std::iter::once(own)
                .chain(handles.into_iter().filter_map(|handle| handle.join().ok()))
                .collect()
        });
        self.others = others;
        decisions
    }

    /// Decides with all trees.
    pub(super) fn decide_together(&mut self, state: &State, budget: &Budget) -> Decision {
        let decisions = self.on_all_trees(budget, |search, budget| search.decide_alone(state, budget));
        let root = self.tree.find(state);
        let is_mixed = root.is_some_and(|root| self.view(root).average_strategy().is_some());
        merge(decisions, is_mixed, &mut self.rng)
    }
}

/// Merges the decisions of several trees for the same state: a proved one, or the one with the most visits overall.
/// With mixed strategies the move is drawn from their mean.
fn merge(decisions: Vec<Decision>, is_mixed: bool, rng: &mut Rng) -> Decision {
    let nodes = decisions.iter().map(|decision| decision.nodes).sum();
    let memory = decisions.iter().map(|decision| decision.memory).sum();
    let playouts = decisions.iter().map(|decision| decision.playouts).sum();
    let is_final = |stop| matches!(stop, StopReason::Solved | StopReason::OnlyMove | StopReason::Known);
    let proved = decisions.iter().position(|decision| is_final(decision.stop));
    let mut decisions = decisions.into_iter();
    let mut result = match proved.and_then(|index| decisions.nth(index)) {
        Some(decision) => decision,
        None => add_up(decisions.collect(), is_mixed, rng),
    };
    result.nodes = nodes;
    result.memory = memory;
    result.playouts = playouts;
    result
}

fn add_up(mut decisions: Vec<Decision>, is_mixed: bool, rng: &mut Rng) -> Decision {
    let mut moves = decisions[0].moves.clone();
    for (index, known) in moves.iter_mut().enumerate() {
        let all = decisions.iter().filter_map(|decision| decision.moves.get(index));
        known.probability = all.clone().map(|other| other.probability).sum::<f64>() / decisions.len() as f64;
        known.visits = all.clone().map(|other| other.visits).sum();
        // A proof in one tree outweighs the means of the others.
        let exact = all.clone().find(|other| other.proved);
        let valued = all.filter_map(|other| Some((other.value?, other.visits as f64)));
        let (total, weight) = valued.fold((0.0, 0.0), |(total, weight), (value, visits)| {
            (total + value * visits, weight + visits)
        });
        let mean = (weight > 0.0).then(|| total / weight);
        known.value = exact.map_or(mean, |exact| exact.value).or(known.value);
        known.proved = exact.is_some();
    }
    let index = if is_mixed {
        weighted_index(moves.iter().map(|known| known.probability), rng).unwrap_or(0)
    } else {
        let visits: u64 = moves.iter().map(|known| known.visits).sum();
        for known in &mut moves {
            known.probability = known.visits as f64 / visits.max(1) as f64;
        }
        // All trees may agree on a move for another reason than visits, such as a plan.
        let is_chosen = |known: &MoveStatistics| decisions.iter().all(|decision| decision.choice == known.move_id);
        let agreed = moves.iter().position(is_chosen);
        let agreed = agreed.filter(|&index| !final_move::is_refuted(&moves, index));
        agreed.unwrap_or_else(|| {
            let equal = final_move::candidates(&moves);
            equal[rng.usize(..equal.len())]
        })
    };
    let choice = moves[index].move_id;
    let same = decisions.iter().position(|decision| decision.choice == choice);
    let mut result = decisions.swap_remove(same.unwrap_or(0));
    if result.choice != choice {
        result.line.clear();
    }
    Decision {
        choice,
        value: moves[index].value,
        moves,
        ..result
    }
}
