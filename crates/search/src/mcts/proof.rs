//! Proofs: goals that follow from the successors of a node (MCTS-Solver; Winands and others, 2008).

use super::path::Path;
use super::tree::{Node, Tree};
use ludens_engine::RoleMap;

/// The greatest goal. No move is better than one that is proved to reach it.
const BEST_GOAL: u8 = 100;

/// Proves the nodes above a proved leaf, as far up as it goes.
pub(super) fn back_up(tree: &mut Tree, path: &Path, is_chance: &RoleMap<bool>) {
    if path.leaf.is_none_or(|leaf| tree.get(leaf).proved.is_none()) {
        return;
    }
    for &step in path.steps.iter().rev() {
        let node = tree.get(step);
        if node.proved.is_some() {
            continue;
        }
        match proof(tree, node, is_chance) {
            Some(goals) => tree.get_mut(step).proved = Some(goals),
            None => return,
        }
    }
}

/// The goals that follow from the proved successors of a node, if any.
fn proof(tree: &Tree, node: &Node, is_chance: &RoleMap<bool>) -> Option<RoleMap<u8>> {
    let proved = |joint: u64| tree.get(node.child(joint)?).proved.as_ref();
    let joint_moves = node.joint_moves()?;
    let mut best: Option<&RoleMap<u8>> = None;
    let chooser = node.sole_chooser().filter(|&role| !is_chance[role]);
    let mut all_are_proved = true;
    for joint in 0..joint_moves {
        match (proved(joint), chooser) {
            (Some(goals), Some(role)) if goals[role] == BEST_GOAL => return Some(goals.clone()),
            (Some(goals), Some(role)) => {
                if best.is_none_or(|known| goals[role] > known[role]) {
                    best = Some(goals);
                }
            }
            // Several roles or chance decide: there is a proof only if all successors have the same goals.
            (Some(goals), None) if best.is_none_or(|known| known == goals) => best = Some(goals),
            (Some(_) | None, None) => return None,
            (None, Some(_)) => all_are_proved = false,
        }
    }
    best.filter(|_| all_are_proved).cloned()
}
