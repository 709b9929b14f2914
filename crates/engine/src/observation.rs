//! What a role observes of a step in a game with hidden information (GDL-II), and a hash of all it has observed.
//!
//! A role knows the moves that were made for it and the set of its percepts after each step, nothing else. This
//! action–observation history tells it which states are possible, so methods key what they learn by its hash.

use crate::state::{MoveId, PerceptId, RoleMap, mixed};

/// What each role perceives of a step, in the order of the numbers.
pub type Percepts = RoleMap<Vec<PerceptId>>;

/// What a role observes of one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Observation {
    /// The move that was made for the role, which need not be the one it chose; `None` if it does not know.
    pub own: Option<MoveId>,
    /// Its percepts, without repetitions, in the order of their numbers.
    pub percepts: Vec<PerceptId>,
}

/// A hash of 64 bits of an action–observation history. Equal for equal histories; numbers of moves and percepts belong
/// to a game, so hashes do too. Every step counts, also one in which nothing is perceived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HistoryHash(pub u64);

impl HistoryHash {
    /// The hash before the first step. Digits of e.
    pub const START: HistoryHash = HistoryHash(0xb7e1_5162_8aed_2a6a);

    /// The hash after one more step.
    pub fn after(self, own: MoveId, percepts: &[PerceptId]) -> HistoryHash {
        // The number of percepts comes first, so that no history is the beginning of another one's step.
        let start = mixed(self.0 ^ u64::from(own.0) ^ (percepts.len() as u64 + 1) << 32);
        HistoryHash(
            percepts
                .iter()
                .fold(start, |hash, percept| mixed(hash ^ u64::from(percept.0))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_that_differ_have_different_hashes() {
        let ids = |numbers: &[u32]| numbers.iter().copied().map(PerceptId).collect::<Vec<_>>();
        let start = HistoryHash::START;
        let none = start.after(MoveId(0), &[]);
        let hashes = [
            start,
            none,
            none.after(MoveId(0), &[]),
            start.after(MoveId(1), &[]),
            start.after(MoveId(0), &ids(&[0])),
            start.after(MoveId(0), &ids(&[0, 1])),
            start.after(MoveId(0), &ids(&[0])).after(MoveId(0), &ids(&[1])),
            start.after(MoveId(0), &ids(&[1])).after(MoveId(0), &ids(&[0])),
        ];
        for (index, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..index].contains(hash), "{index}");
        }
    }
}
