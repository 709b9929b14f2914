//! The joint moves of a state, or of many states at once.

use crate::machine::{Machine, Successors};
use crate::state::{MoveId, Role, RoleMap, State};

/// The legal joint moves of a state, in the order of their moves; those of the last role change fastest.
#[derive(Clone, Debug)]
pub struct JointMoves {
    legal: RoleMap<Vec<MoveId>>,
    chosen: Vec<usize>,
    is_over: bool,
}

impl JointMoves {
    /// The joint moves of the machine's state; none if some role has no legal move.
    pub fn of(machine: &mut dyn Machine) -> JointMoves {
        let legal = Role::first(machine.role_count()).map(|role| machine.legal(role).to_vec());
        JointMoves::among(legal.collect())
    }

    /// The joint moves of roles with these legal moves.
    fn among(legal: RoleMap<Vec<MoveId>>) -> JointMoves {
        JointMoves {
            chosen: vec![0; legal.len()],
            is_over: legal.values().any(Vec::is_empty),
            legal,
        }
    }

    /// The first role without a legal move, if any.
    pub fn stuck(&self) -> Option<Role> {
        let mut stuck = self.legal.iter().filter(|(_, moves)| moves.is_empty());
        stuck.next().map(|(role, _)| role)
    }

    /// Number of roles with more than one legal move.
    pub fn choosers(&self) -> usize {
        self.legal.values().filter(|moves| moves.len() > 1).count()
    }

    /// Writes the next joint move; returns `false` after the last one.
    pub fn next_into(&mut self, joint: &mut Vec<MoveId>) -> bool {
        if self.is_over {
            return false;
        }
        joint.clear();
        let choices = self.legal.values().zip(&self.chosen);
        joint.extend(choices.map(|(moves, &chosen)| moves[chosen]));
        self.is_over = true;
        for (chosen, moves) in self.chosen.iter_mut().zip(self.legal.values()).rev() {
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

/// Joint moves per call of the engine: enough to fill its batches, few enough for the cache.
const AT_ONCE: usize = 16_384;

/// All joint moves of many states, whose successors are to be found.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// For each joint move the number of its state.
    states: Vec<u32>,
    moves: Vec<MoveId>,
    roles: usize,
}

impl Questions {
    /// Adds all joint moves of a state, given by its number.
    pub fn add(&mut self, state: usize, legal: &RoleMap<Vec<MoveId>>) {
        self.roles = legal.len();
        let mut all = JointMoves::among(legal.clone());
        let mut joint = Vec::with_capacity(legal.len());
        while all.next_into(&mut joint) {
            self.states.push(state as u32);
            self.moves.extend_from_slice(&joint);
        }
    }

    /// Number of joint moves.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Calls `answer` with the successor by each joint move, in order, as [`Successors::follow`] does. State numbers
    /// are indices into `states`.
    pub fn follow(&self, states: &[State], successors: &mut dyn Successors, answer: &mut dyn FnMut(&[u64])) {
        let all: Vec<&[MoveId]> = self.moves.chunks(self.roles.max(1)).collect();
        let mut questions = Vec::with_capacity(AT_ONCE.min(self.len()));
        for (numbers, joints) in self.states.chunks(AT_ONCE).zip(all.chunks(AT_ONCE)) {
            questions.clear();
            questions.extend(
                numbers
                    .iter()
                    .zip(joints)
                    .map(|(&number, &joint)| (&states[number as usize], joint)),
            );
            successors.follow(&questions, &mut |_, words| answer(words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_of_the_last_role_change_fastest() {
        let mut questions = Questions::default();
        let moves = |numbers: &[u32]| numbers.iter().map(|&number| MoveId(number)).collect();
        let mut add = |state: usize, legal: [&[u32]; 2]| questions.add(state, &legal.map(moves).into_iter().collect());
        add(7, [&[1, 2], &[3, 4]]);
        add(8, [&[], &[3, 4]]);
        add(9, [&[5], &[6]]);
        assert_eq!(questions.states, [7, 7, 7, 7, 9]);
        assert_eq!(questions.moves, moves(&[1, 3, 1, 4, 2, 3, 2, 4, 5, 6]) as Vec<MoveId>);
    }
}
