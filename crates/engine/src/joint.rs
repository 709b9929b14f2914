//! All joint moves of a state.

use crate::machine::Machine;
use crate::state::{MoveId, Role};

/// The joint moves that are legal where a machine stands, in the order of their moves.
#[derive(Clone, Debug)]
pub struct JointMoves {
    legal: Vec<Vec<MoveId>>,
    chosen: Vec<usize>,
    is_over: bool,
}

impl JointMoves {
    /// Those of the machine's state; none if some role has no legal move.
    pub fn of(machine: &mut dyn Machine) -> JointMoves {
        let legal: Vec<Vec<MoveId>> = (0..machine.role_count())
            .map(|role| machine.legal(Role(role as u8)).to_vec())
            .collect();
        JointMoves {
            chosen: vec![0; legal.len()],
            is_over: legal.iter().any(Vec::is_empty),
            legal,
        }
    }

    /// The first role without a legal move.
    pub fn stuck(&self) -> Option<Role> {
        let index = self.legal.iter().position(Vec::is_empty)?;
        Some(Role(index as u8))
    }

    /// How many roles have a choice.
    pub fn choosers(&self) -> usize {
        self.legal.iter().filter(|moves| moves.len() > 1).count()
    }

    /// Writes the next joint move; false when all were given.
    pub fn next_into(&mut self, joint: &mut Vec<MoveId>) -> bool {
        if self.is_over {
            return false;
        }
        joint.clear();
        joint.extend(
            self.legal
                .iter()
                .zip(&self.chosen)
                .map(|(moves, &chosen)| moves[chosen]),
        );
        self.is_over = true;
        for (chosen, moves) in self.chosen.iter_mut().zip(&self.legal).rev() {
            *chosen += 1;
            if *chosen < moves.len() {
                self.is_over = false;
                break;
            }
            *chosen = 0;
        }
        true
    }
}
