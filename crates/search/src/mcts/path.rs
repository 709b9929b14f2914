//! A path: one descent from the root to a leaf, and the results of the playouts from there.

use super::tree::NodeId;
use ludens_engine::Role;

/// A descent from the root to a leaf.
#[derive(Default)]
pub(super) struct Path {
    /// The nodes above the leaf, from the root down.
    pub(super) steps: Vec<NodeId>,
    /// Indices of the moves made there: one per role, step after step.
    pub(super) moves: Vec<u32>,
    /// Whether each of these moves was made to explore. Filled in with regret matching only.
    pub(super) explored: Vec<bool>,
    /// The node at which the descent ended.
    pub(super) leaf: Option<NodeId>,
    /// Steps at which it left a proved move.
    pub(super) detours: Vec<Detour>,
    /// Number of playouts from the leaf, and of those that have not finished.
    pub(super) playouts: u32,
    pub(super) in_flight: u32,
    /// Sum of the discounted goals of the finished ones, by role.
    pub(super) totals: Vec<f64>,
    /// The evaluator's goals of the leaf, by role; empty if it was not asked.
    pub(super) evaluation: Vec<f64>,
}

/// A step at which a move was tried although a proved one has the greater score. The result counts for the nodes below
/// the step; above it the value of the proved move counts, as if that had been made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detour {
    /// Number of the step.
    pub(super) step: usize,
    /// The role that chose there, and the index of its proved move.
    pub(super) role: Role,
    pub(super) index: u32,
}

impl Path {
    /// Clears the path for another descent.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.moves.clear();
        self.explored.clear();
        self.leaf = None;
        self.detours.clear();
        self.totals.clear();
        self.evaluation.clear();
    }

    /// The indices of the moves made at a step.
    pub(super) fn moves_at(&self, step: usize, roles: usize) -> &[u32] {
        &self.moves[step * roles..(step + 1) * roles]
    }
}
