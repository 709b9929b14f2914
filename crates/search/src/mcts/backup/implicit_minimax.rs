//! Implicit minimax (Lanctot and others, 2014): besides means, every node keeps the minimax value of evaluations.
//!
//! The value of a leaf is that of the evaluator, or else of its first playouts. Going up the path, each node takes the
//! value of the best move of the role that chooses there.

use crate::mcts::path::Path;
use crate::mcts::selection::enhanced::{Enhancement, Estimate};
use crate::mcts::selection::{Candidate, ChoicePoint, RuleContext};
use crate::mcts::tree::{Node, PhaseData, Tree};
use crate::mcts::worker::Context;
use ludens_engine::RoleMap;

/// The implicit minimax values of a node, by role.
#[derive(Default)]
pub(in crate::mcts) struct ImplicitValues(RoleMap<f32>);

impl PhaseData for ImplicitValues {
    fn bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}

/// Values a new node by the evaluator, if there is one.
pub(in crate::mcts) fn evaluate(node: &mut Node, context: &mut Context<'_>) {
    if context.settings.backup.implicit_minimax > 0.0
        && node.proved.is_none()
        && let Some(evaluator) = &mut context.evaluator
    {
        let mut goals = vec![0.0; context.is_chance.len()];
        evaluator.evaluate(&node.state, &mut goals);
        node.data_mut().implicit = ImplicitValues(goals.iter().map(|&goal| goal as f32).collect());
    }
}

/// Values the leaf of a path whose playouts have all finished, and updates the nodes above it.
pub(in crate::mcts) fn back_up(tree: &mut Tree, path: &Path) {
    if let Some(leaf) = path.leaf {
        let node = tree.get_mut(leaf);
        if let Some(proved) = &node.proved {
            let values = proved.values().map(|&score| f32::from(score)).collect();
            node.data_mut().implicit = ImplicitValues(values);
        } else if node.data.as_ref().is_none_or(|data| data.implicit.0.is_empty()) {
            let playouts = f64::from(path.playouts);
            let values = path.totals.iter().map(|total| (total / playouts) as f32);
            node.data_mut().implicit = ImplicitValues(values.collect());
        }
    }
    for &step in path.steps.iter().rev() {
        let node = tree.get(step);
        let Some(role) = node.sole_chooser() else { continue };
        let values = |index: usize| {
            let data = tree.get(node.child(index as u64)?).data.as_ref()?;
            data.implicit.0.get(role).map(|_| &data.implicit.0)
        };
        let best = (0..node.legal[role].moves.len())
            .filter_map(values)
            .max_by(|a, b| a[role].total_cmp(&b[role]));
        if let Some(best) = best.cloned() {
            tree.get_mut(step).data_mut().implicit = ImplicitValues(best);
        }
    }
}

/// Mixes the value of the successor into the value of a move.
pub(in crate::mcts) struct ImplicitMinimax<'a> {
    share: f64,
    tree: &'a Tree,
}

impl<'a> Enhancement<'a> for ImplicitMinimax<'a> {
    fn at(at: &ChoicePoint<'a>, rules: &RuleContext<'a>) -> Option<ImplicitMinimax<'a>> {
        let share = rules.settings.backup.implicit_minimax;
        (share > 0.0).then_some(ImplicitMinimax { share, tree: at.tree })
    }

    fn apply(&self, at: &ChoicePoint<'_>, candidate: &Candidate<'_>, estimate: &mut Estimate) {
        let child = candidate.child.map(|child| self.tree.get(child));
        let value = child.and_then(|child| child.data.as_ref()?.implicit.0.get(at.role));
        if let Some(&value) = value {
            estimate.value += self.share * (f64::from(value) - estimate.value);
        }
    }
}
