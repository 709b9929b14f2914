//! Random play: every role chooses uniformly among its legal moves until the match ends.

use crate::Rng;
use crate::machine::Machine;
use crate::state::{MoveId, Role};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// A role had no legal move.
    Stuck(Role),
    /// After the greatest number of steps allowed.
    TooLong,
    /// The engine hit a limit, see [`Machine::fault`].
    Fault,
}

/// The result of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// How it ended.
    pub end: End,
    /// State changes made.
    pub steps: usize,
    /// The score of each role where it ended.
    pub scores: Vec<u8>,
}

/// Plays on from where the machine stands, at most `most` steps.
pub fn play_out(machine: &mut dyn Machine, rng: &mut Rng, most: usize) -> Playout {
    let mut joint = Vec::new();
    let mut steps = 0;
    let end = loop {
        if machine.is_terminal() {
            break End::Terminal;
        }
        if steps == most {
            break End::TooLong;
        }
        if let Err(role) = choose_joint(machine, rng, &mut joint) {
            break End::Stuck(role);
        }
        if machine.fault().is_some() {
            break End::Fault;
        }
        machine.step(&joint);
        steps += 1;
    };
    let end = match machine.fault() {
        Some(_) => End::Fault,
        None => end,
    };
    let scores = (0..machine.role_count())
        .map(|role| machine.score(Role(role as u8)))
        .collect();
    Playout { end, steps, scores }
}

/// A uniformly random joint move; an error names a role without one.
pub fn choose_joint(machine: &mut dyn Machine, rng: &mut Rng, joint: &mut Vec<MoveId>) -> Result<(), Role> {
    joint.clear();
    for number in 0..machine.role_count() {
        let role = Role(number as u8);
        match machine.legal(role) {
            [] => return Err(role),
            moves => joint.push(moves[rng.usize(..moves.len())]),
        }
    }
    Ok(())
}
