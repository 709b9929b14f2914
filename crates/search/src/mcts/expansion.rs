//! Expansion: new nodes, and values of leaves that need no playout.

use super::backup::implicit_minimax;
use super::path::Path;
use super::tree::{NodeId, Tree};
use super::worker::Context;
use ludens_engine::RoleMap;

/// Settings of the expansion phase.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpansionSettings {
    /// Maximum number of tree nodes.
    pub max_nodes: usize,
    /// Share of the evaluator in the value of a new node; the rest comes from playouts. With 1 there are no playouts.
    pub evaluator_share: f64,
}

impl Default for ExpansionSettings {
    fn default() -> ExpansionSettings {
        ExpansionSettings {
            max_nodes: 1_000_000,
            evaluator_share: 0.0,
        }
    }
}

/// Whether the tree may grow.
pub(super) fn has_room(tree: &Tree, context: &Context<'_>) -> bool {
    let most = context.budget.most_nodes().unwrap_or(u64::MAX);
    tree.len() < context.settings.expansion.max_nodes && (tree.len() as u64) < most
}

/// Returns the node after a joint move, given by the indices of its moves, and whether it is new.
pub(super) fn expand(tree: &mut Tree, parent: NodeId, moves: &[u32], context: &mut Context<'_>) -> (NodeId, bool) {
    let node = tree.get(parent);
    let joint = node.joint_number(moves);
    node.joint_move(moves, &mut context.joint);
    context.machine.load(&node.state);
    context.machine.step(&context.joint);
    let before = tree.len();
    let child = tree.add(context.machine);
    tree.link(parent, joint, child);
    let is_new = tree.len() > before;
    if is_new {
        let node = tree.get_mut(child);
        if let Some(known) = context.known.filter(|_| node.proved.is_none()) {
            let mut goals = RoleMap::filled(context.is_chance.len(), 0);
            if known.goals(&node.state, goals.as_mut_slice()) {
                node.proved = Some(goals);
            }
        }
        implicit_minimax::evaluate(node, context);
    }
    (child, is_new)
}

/// Values a leaf that needs no playout, because it is proved or the evaluator alone decides. Returns whether it is one;
/// then its goals are in `goals`.
pub(super) fn value_leaf(tree: &Tree, path: &mut Path, context: &mut Context<'_>, goals: &mut RoleMap<f64>) -> bool {
    let Some(leaf) = path.leaf.map(|leaf| tree.get(leaf)) else {
        return false;
    };
    if let Some(proved) = &leaf.proved {
        let pairs = goals.values_mut().zip(proved.values());
        pairs.for_each(|(goal, &score)| *goal = f64::from(score));
        return true;
    }
    let share = context.settings.expansion.evaluator_share;
    if let Some(evaluator) = context.evaluator.as_mut().filter(|_| share > 0.0) {
        path.evaluation.resize(goals.len(), 0.0);
        evaluator.evaluate(&leaf.state, &mut path.evaluation);
        goals.as_mut_slice().copy_from_slice(&path.evaluation);
    }
    share >= 1.0 && !path.evaluation.is_empty()
}
