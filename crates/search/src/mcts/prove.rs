//! Proofs: goals that follow for certain from what is behind a node (MCTS-solver; Winands and others, 2008).

use super::tree::{Node, NodeId, Tree};

/// Nothing is better than this.
const BEST_GOAL: u8 = 100;

/// Proves nodes on a way from its end on, as far as it goes.
pub(super) fn prove(tree: &mut Tree, steps: &[NodeId], is_chance: &[bool]) {
    for &step in steps.iter().rev() {
        let node = tree.get(step);
        if node.proved.is_some() {
            continue;
        }
        match proof(tree, node, is_chance) {
            Some(scores) => tree.get_mut(step).proved = Some(scores),
            None => return,
        }
    }
}

/// The goals that follow from what is behind a node, if they are certain.
fn proof(tree: &Tree, node: &Node, is_chance: &[bool]) -> Option<Box<[u8]>> {
    let proved = |joint: u64| tree.get(node.child(joint)?).proved.as_deref();
    let joint_moves = node.joint_moves()?;
    let mut best: Option<&[u8]> = None;
    let chooser = node.chooser().filter(|&role| !is_chance[role]);
    let mut all_are_proved = true;
    for joint in 0..joint_moves {
        match (proved(joint), chooser) {
            (Some(scores), Some(role)) if scores[role] == BEST_GOAL => return Some(scores.into()),
            (Some(scores), Some(role)) => {
                if best.is_none_or(|known| scores[role] > known[role]) {
                    best = Some(scores);
                }
            }
            // Several roles or chance decide: certain only if it makes no difference.
            (Some(scores), None) if best.is_none_or(|known| known == scores) => best = Some(scores),
            (Some(_), None) => return None,
            (None, None) => return None,
            (None, Some(_)) => all_are_proved = false,
        }
    }
    best.filter(|_| all_are_proved).map(Into::into)
}
