//! Move statistics and principal variation of a node, at the end of a search or during it.

use super::final_move;
use super::parallel::shared::Shared;
use super::tree::{NodeId, Tree};
use crate::decision::{Decision, MoveStatistics};
use ludens_budget::StopReason;
use ludens_engine::{MoveId, Role};

/// A node, seen from one role.
pub(super) struct RoleView<'a> {
    pub(super) tree: &'a Tree,
    pub(super) root: NodeId,
    pub(super) role: Role,
}

impl RoleView<'_> {
    /// Statistics of the role's moves.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics> {
        let node = self.tree.get(self.root);
        let Some(legal) = node.legal.get(self.role) else {
            return Vec::new();
        };
        let visits: u64 = legal.stats.iter().map(|stats| u64::from(stats.visits)).sum();
        let average = self.average_strategy();
        let pairs = legal.moves.iter().zip(&legal.stats).enumerate();
        pairs
            .map(|(index, (&move_id, stats))| MoveStatistics {
                move_id,
                probability: match &average {
                    Some(average) => average[index],
                    None => f64::from(stats.visits) / visits.max(1) as f64,
                },
                value: self.proved(index).map(f64::from).or(stats.mean()),
                proved: self.proved(index).is_some(),
                visits: u64::from(stats.visits),
            })
            .collect()
    }

    /// The average strategy of the role, with regret matching.
    pub(super) fn average_strategy(&self) -> Option<Vec<f64>> {
        let data = self.tree.get(self.root).data.as_ref()?;
        data.regret.average_strategy(self.role)
    }

    /// The proved goal of the role after one of its moves, if any and if no other role has a choice.
    pub(super) fn proved(&self, index: usize) -> Option<u8> {
        let node = self.tree.get(self.root);
        if node.sole_chooser() != Some(self.role) {
            return None;
        }
        // Where only one role chooses, its move is the joint move.
        let child = node.child(index as u64)?;
        Some(self.tree.get(child).proved.as_ref()?[self.role])
    }

    /// The principal variation: every role makes the move that the final move selection would choose for it.
    pub(super) fn line(&self, first: MoveId) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = self.root;
        while line.len() < 20 {
            let node = self.tree.get(at);
            if node.is_terminal || (node.visits == 0 && !line.is_empty()) {
                break;
            }
            let moves: Vec<u32> = node
                .legal
                .iter()
                .map(|(role, legal)| {
                    let own = line.is_empty() && role == self.role;
                    let fixed = legal.moves.iter().position(|&known| own && known == first);
                    let expected = || {
                        let view = RoleView {
                            tree: self.tree,
                            root: at,
                            role,
                        };
                        final_move::candidates(&view.statistics()).first().copied()
                    };
                    fixed.or_else(expected).unwrap_or(0) as u32
                })
                .collect();
            let mut joint = Vec::new();
            node.joint_move(&moves, &mut joint);
            line.push(joint);
            match node.child(node.joint_number(&moves)) {
                Some(child) => at = child,
                None => break,
            }
        }
        line
    }
}

/// The decision that would be made now, for observers of a search.
pub(super) fn snapshot(shared: &Shared, role: Role) -> Decision {
    let view = RoleView {
        tree: &shared.tree,
        root: shared.root,
        role,
    };
    let moves = view.statistics();
    let best = final_move::candidates(&moves).first().map(|&index| &moves[index]);
    let (choice, value) = best.map_or((MoveId(0), None), |known| (known.move_id, known.value));
    Decision {
        value,
        line: view.line(choice),
        nodes: shared.tree.len() as u64,
        memory: shared.tree.bytes(),
        playouts: shared.finished,
        moves,
        ..Decision::without_search(choice, StopReason::Interrupted)
    }
}
