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
    let (end, steps) = walk(machine, rng, most, &mut || false);
    result(machine, end.unwrap_or(End::TooLong), steps)
}

/// The same, but nothing if it is to stop before the match ends.
pub(crate) fn play_out_unless(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    most: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> Option<Playout> {
    let (end, steps) = walk(machine, rng, most, is_over);
    Some(result(machine, end?, steps))
}

/// Plays on; how the match ended, unless it was stopped before that, and how many steps were made.
fn walk(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    most: usize,
    is_over: &mut dyn FnMut() -> bool,
) -> (Option<End>, usize) {
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
        if is_over() {
            return (None, steps);
        }
        machine.step(&joint);
        steps += 1;
    };
    (Some(end), steps)
}

fn result(machine: &mut dyn Machine, end: End, steps: usize) -> Playout {
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
