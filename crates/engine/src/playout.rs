//! Random play: every role chooses among its legal moves until the match ends, uniformly unless somebody guides it.

use crate::Rng;
use crate::crowd::Crowd;
use crate::machine::{Machine, Matches};
use crate::state::{MoveId, Role, State};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// A role had no legal move.
    Stuck(Role),
    /// After the greatest number of steps allowed.
    TooLong,
    /// Where whoever watched it ended it.
    Stopped,
    /// The engine hit a limit, see [`Machine::fault`].
    Fault,
}

/// A move that was chosen among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// By whom.
    pub role: Role,
    /// The move.
    pub move_id: MoveId,
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
    /// The choices made, in their order, where they are wished for. Where a role has a single legal move it has no choice.
    pub choices: Vec<Choice>,
    /// The state in which each choice was made, where they are wished for.
    pub states: Vec<State>,
    /// Where it ended, where that is wished for.
    pub state: Option<State>,
}

/// Plays on from where the machine stands, at most `most` steps.
pub fn play_out(machine: &mut dyn Machine, rng: &mut Rng, most: usize) -> Playout {
    /// Wishes for nothing.
    struct Alone;
    impl Matches for Alone {
        fn start(&mut self) -> Option<(&State, u32)> {
            None
        }
        fn finish(&mut self, _tag: u32, _playout: &Playout) {}
    }
    let (end, steps, ..) = walk(machine, rng, most, 0, &mut Alone);
    result(machine, end.unwrap_or(End::TooLong), steps)
}

/// Plays a match on from where the machine stands; nothing if it is to be dropped before it ends.
pub(crate) fn play_match(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    most: usize,
    tag: u32,
    matches: &mut dyn Matches,
) -> Option<Playout> {
    let (end, steps, choices, states) = walk(machine, rng, most, tag, matches);
    let mut playout = result(machine, end?, steps);
    playout.choices = choices;
    playout.states = states;
    if matches.wishes().last_state {
        playout.state = Some(machine.state().clone());
    }
    Some(playout)
}

/// Plays on; how the match ended, unless it was dropped before that, how many steps were made, and the choices with their
/// states, if they matter to anyone.
fn walk(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    most: usize,
    tag: u32,
    matches: &mut dyn Matches,
) -> (Option<End>, usize, Vec<Choice>, Vec<State>) {
    let wishes = matches.wishes();
    let mut choices = Vec::new();
    let mut states = Vec::new();
    let mut joint = Vec::new();
    let mut steps = 0;
    let end = loop {
        if machine.is_terminal() {
            break End::Terminal;
        }
        if steps == most {
            break End::TooLong;
        }
        let is_watched = wishes.watched_from.is_some_and(|from| steps >= from) && matches.is_watched(tag, steps);
        if is_watched && matches.watch(tag, steps, machine.state()) {
            break End::Stopped;
        }
        let needs_state = wishes.states || wishes.crowds || wishes.choice_states;
        let state = needs_state.then(|| machine.state().clone());
        joint.clear();
        let before = choices.len();
        let mut stuck = None;
        for number in 0..machine.role_count() {
            let role = Role(number as u8);
            let legal = machine.legal(role);
            let place = match legal.len() {
                0 => {
                    stuck = Some(role);
                    break;
                }
                1 => 0,
                // Roles choose at the same time: none sees what the others choose in this step.
                _ if wishes.guided => {
                    if let Some(state) = state.as_ref().filter(|_| wishes.crowds) {
                        matches.survey(role, legal, &Crowd::of_state(state));
                    }
                    matches.choose(tag, role, legal, &choices[..before], state.as_ref(), rng)
                }
                several => rng.usize(..several),
            };
            joint.push(legal[place]);
            if legal.len() > 1 && wishes.choice_states {
                states.extend(state.clone());
            }
            if legal.len() > 1 && (wishes.guided || wishes.choices) {
                choices.push(Choice {
                    role,
                    move_id: legal[place],
                });
            }
        }
        if let Some(role) = stuck {
            choices.truncate(before);
            states.truncate(before);
            break End::Stuck(role);
        }
        if machine.fault().is_some() {
            break End::Fault;
        }
        if matches.is_over() {
            return (None, steps, choices, states);
        }
        machine.step(&joint);
        steps += 1;
    };
    (Some(end), steps, choices, states)
}

fn result(machine: &mut dyn Machine, end: End, steps: usize) -> Playout {
    let end = match machine.fault() {
        Some(_) => End::Fault,
        None => end,
    };
    let scores = (0..machine.role_count())
        .map(|role| machine.score(Role(role as u8)))
        .collect();
    Playout {
        end,
        steps,
        scores,
        choices: Vec::new(),
        states: Vec::new(),
        state: None,
    }
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
