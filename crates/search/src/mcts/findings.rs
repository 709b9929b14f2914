//! What a tree says about the moves at its root, at the end of a search or in the middle of it.

use super::final_move;
use super::shared::Shared;
use super::tree::{NodeId, Tree};
use crate::decision::{Decision, MoveStatistics};
use ludens_budget::StopReason;
use ludens_engine::MoveId;

/// A tree, looked at from one role at one node.
pub(super) struct Findings<'a> {
    pub(super) tree: &'a Tree,
    pub(super) root: NodeId,
    pub(super) role: usize,
}

impl Findings<'_> {
    /// The statistics of the own moves.
    pub(super) fn statistics(&self) -> Vec<MoveStatistics> {
        let node = self.tree.get(self.root);
        let Some(choice) = node.choices.get(self.role) else {
            return Vec::new();
        };
        let visits: u64 = choice.arms.iter().map(|arm| u64::from(arm.finished)).sum();
        let average = self.average();
        let pairs = choice.moves.iter().zip(&choice.arms).enumerate();
        pairs
            .map(|(place, (&move_id, arm))| MoveStatistics {
                move_id,
                probability: match &average {
                    Some(average) => average[place],
                    None => f64::from(arm.finished) / visits.max(1) as f64,
                },
                value: self.certain(place).map(f64::from).or(arm.mean()),
                proved: self.certain(place).is_some(),
                visits: u64::from(arm.finished),
            })
            .collect()
    }

    /// The average strategy of the role, where it is one of several that regret.
    pub(super) fn average(&self) -> Option<Vec<f64>> {
        let matching = &self.tree.get(self.root).extra.as_ref()?.matching;
        matching.get(self.role)?.average()
    }

    /// The goal of the role behind one of its moves, by its place, if it is certain and no other role has a choice.
    pub(super) fn certain(&self, place: usize) -> Option<u8> {
        let node = self.tree.get(self.root);
        if node.chooser() != Some(self.role) {
            return None;
        }
        // Where only one role chooses, its move is the joint move.
        let child = node.child(place as u64)?;
        Some(self.tree.get(child).proved.as_ref()?[self.role])
    }

    /// How the match is expected to go on: every role makes the move that it would choose by what is known so far.
    pub(super) fn line(&self, first: MoveId) -> Vec<Vec<MoveId>> {
        let mut line = Vec::new();
        let mut at = self.root;
        while line.len() < 20 {
            let node = self.tree.get(at);
            if node.is_terminal || (node.finished == 0 && !line.is_empty()) {
                break;
            }
            let places: Vec<u32> = node
                .choices
                .iter()
                .enumerate()
                .map(|(role, choice)| {
                    let own = line.is_empty() && role == self.role;
                    let fixed = choice.moves.iter().position(|&known| own && known == first);
                    let expected = || {
                        let findings = Findings {
                            tree: self.tree,
                            root: at,
                            role,
                        };
                        final_move::candidates(&findings.statistics()).first().copied()
                    };
                    fixed.or_else(expected).unwrap_or(0) as u32
                })
                .collect();
            let mut joint = Vec::new();
            node.joint(&places, &mut joint);
            line.push(joint);
            match node.child(node.joint_number(&places)) {
                Some(child) => at = child,
                None => break,
            }
        }
        line
    }
}

/// What is known in the middle of a search, for those who watch, with the move that would be made now.
pub(super) fn snapshot(shared: &Shared, role: usize) -> Decision {
    let findings = Findings {
        tree: &shared.tree,
        root: shared.root,
        role,
    };
    let moves = findings.statistics();
    let best = final_move::candidates(&moves).first().map(|&place| &moves[place]);
    let (choice, value) = best.map_or((MoveId(0), None), |known| (known.move_id, known.value));
    Decision {
        value,
        line: findings.line(choice),
        nodes: shared.tree.len() as u64,
        memory: shared.tree.bytes(),
        playouts: shared.finished,
        moves,
        ..Decision::without_search(choice, StopReason::Interrupted)
    }
}
