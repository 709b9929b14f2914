//! The state that the threads of a search share (tree parallelisation).
//!
//! A thread locks the tree while it backs up results and selects leaves, and releases it while its batch of playouts
//! advances, which takes most of the time.

use crate::mcts::selection::SelectionSettings;
use crate::mcts::selection::halving::Halving;
use crate::mcts::single_player::Plan;
use crate::mcts::tree::{NodeId, Tree};
use ludens_budget::{Budget, StopReason};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// The tree and the progress of a search.
pub(in crate::mcts) struct Shared {
    pub(in crate::mcts) tree: Tree,
    pub(in crate::mcts) root: NodeId,
    /// Playouts started, and those that have finished.
    pub(in crate::mcts) iterations: u64,
    pub(in crate::mcts) finished: u64,
    pub(in crate::mcts) stop: Option<StopReason>,
    /// Sequential halving at the root, if enabled.
    pub(in crate::mcts) halving: Option<Halving>,
    /// The best line of a single-player game.
    pub(in crate::mcts) plan: Option<Plan>,
    /// Range of the goals seen.
    pub(in crate::mcts) least: f64,
    pub(in crate::mcts) greatest: f64,
}

impl Shared {
    pub(in crate::mcts) fn new(tree: Tree, root: NodeId) -> Shared {
        Shared {
            tree,
            root,
            iterations: 0,
            finished: 0,
            stop: None,
            halving: None,
            plan: None,
            least: 100.0,
            greatest: 0.0,
        }
    }

    /// Whether the search has to stop; notes why.
    pub(in crate::mcts) fn check(&mut self, budget: &Budget) -> bool {
        /// Reading the clock takes as long as a short descent.
        const NOT_EVERY_TIME: u64 = 8;
        let is_spent = budget.most_iterations().is_some_and(|most| self.iterations >= most);
        if self.stop.is_none() && (is_spent || self.iterations.is_multiple_of(NOT_EVERY_TIME)) {
            self.stop = budget.stop(self.iterations);
        }
        if self.stop.is_none() && self.tree.get(self.root).proved.is_some() {
            self.stop = Some(StopReason::Solved);
        }
        if self.stop.is_none() && self.plan.as_ref().is_some_and(|plan| plan.score == 100) {
            self.stop = Some(StopReason::Solved);
        }
        self.stop.is_some()
    }

    /// The exploration constant, scaled to the range of goals if that is set.
    pub(in crate::mcts) fn exploration(&self, settings: &SelectionSettings) -> f64 {
        match settings.scaled && self.greatest > self.least {
            true => settings.exploration * (self.greatest - self.least) / 100.0,
            false => settings.exploration,
        }
    }

    pub(in crate::mcts) fn note_goals(&mut self, goals: &[f64]) {
        for &goal in goals {
            self.least = self.least.min(goal);
            self.greatest = self.greatest.max(goal);
        }
    }
}

/// Locks the shared state. A thread that panicked leaves statistics that are at worst slightly wrong.
pub(in crate::mcts) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    /// The lock is held for some microseconds at a time; sleeping and waking up takes longer.
    const PATIENCE: usize = 2_000;
    for _ in 0..PATIENCE {
        match shared.try_lock() {
            Ok(guard) => return guard,
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
        }
    }
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
