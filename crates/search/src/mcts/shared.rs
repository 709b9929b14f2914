//! What the threads of a search share, and what each brings along.
//!
//! A thread holds the tree while it takes results in and chooses new leaves, and lets go of it while its batch of playouts
//! advances, which takes most of the time.

use super::plan::Plan;
use super::policy::Policy;
use super::root::Halving;
use super::tree::{Node, NodeId, Tree};
use super::{Settings, Simultaneous};
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Advisor, Evaluator, Known};
use ludens_engine::{Machine, Rng};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// What all threads of a search share.
pub(super) struct Shared {
    pub(super) tree: Tree,
    pub(super) root: NodeId,
    /// Playouts begun, and those that came back.
    pub(super) iterations: u64,
    pub(super) finished: u64,
    pub(super) stop: Option<StopReason>,
    /// The rounds at the root, where there are rounds.
    pub(super) halving: Option<Halving>,
    /// The best line, where there is one role.
    pub(super) plan: Option<Plan>,
    /// The least and the greatest goal that occurred.
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Shared {
    pub(super) fn new(tree: Tree, root: NodeId) -> Shared {
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

    /// Whether the search is to stop, and remembers why.
    pub(super) fn check(&mut self, budget: &Budget) -> bool {
        /// To ask for the time takes as long as a short way down the tree.
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

    /// The preference for moves that are little known, for the goals that occur.
    pub(super) fn exploration(&self, settings: &Settings) -> f64 {
        match settings.selection.scaled && self.greatest > self.least {
            true => settings.selection.exploration * (self.greatest - self.least) / 100.0,
            false => settings.selection.exploration,
        }
    }

    pub(super) fn note_goals(&mut self, goals: &[f64]) {
        for &goal in goals {
            self.least = self.least.min(goal);
            self.greatest = self.greatest.max(goal);
        }
    }
}

/// What one thread brings along.
pub(super) struct Parts<'a> {
    pub(super) machine: &'a mut dyn Machine,
    pub(super) policy: &'a mut Policy,
    pub(super) evaluator: Option<&'a mut Box<dyn Evaluator>>,
    pub(super) advisor: Option<&'a mut Box<dyn Advisor>>,
    pub(super) known: Option<&'a dyn Known>,
    pub(super) settings: &'a Settings,
    pub(super) is_chance: &'a [bool],
    /// The role that searches.
    pub(super) role: usize,
    pub(super) budget: &'a Budget,
    pub(super) rng: Rng,
}

impl Parts<'_> {
    pub(super) fn is_sequenced(&self) -> bool {
        self.settings.simultaneous.rule == Simultaneous::Sequenced
    }

    pub(super) fn is_regretting(&self) -> bool {
        matches!(self.settings.simultaneous.rule, Simultaneous::Regret { .. })
    }

    /// How often roles explore in a node; nothing where they do not choose by regret.
    pub(super) fn exploring(&self, node: &Node) -> Option<f64> {
        match self.settings.simultaneous.rule {
            Simultaneous::Regret { exploration } if node.is_contested(self.is_chance) => Some(exploration),
            _ => None,
        }
    }
}

/// Takes hold of the tree. A thread that panicked leaves numbers that are at worst a little wrong.
pub(super) fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    /// The tree is held for some microseconds at a time. To be put to sleep and woken up takes longer than that.
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
