//! Playouts on a machine: every role chooses among its legal moves until the game ends, uniformly unless a
//! [`PlayoutSource`] chooses.

use crate::Rng;
use crate::lanes::Lanes;
use crate::machine::{Machine, PlayoutSource};
use crate::state::{MoveId, Role, RoleMap, State};

/// End of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// In a terminal state.
    Terminal,
    /// A role had no legal move.
    Stuck(Role),
    /// At the maximum number of steps.
    TooLong,
    /// By [`PlayoutSource::watch`].
    Stopped,
    /// The engine hit a limit, see [`Machine::fault`].
    Fault,
}

/// A move chosen among several legal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The role that chose.
    pub role: Role,
    /// The move.
    pub move_id: MoveId,
}

/// The result of a playout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// End of the playout.
    pub end: End,
    /// Number of joint moves made.
    pub steps: usize,
    /// The score of each role in the last state.
    pub scores: RoleMap<u8>,
    /// The choices in order, if [`PlayoutOptions::choices`](crate::PlayoutOptions::choices) is set. A role with a
    /// single legal move has no choice.
    pub choices: Vec<Choice>,
    /// The state in which each choice was made, if
    /// [`PlayoutOptions::choice_states`](crate::PlayoutOptions::choice_states) is set.
    pub states: Vec<State>,
    /// The last state, if [`PlayoutOptions::last_state`](crate::PlayoutOptions::last_state) is set.
    pub state: Option<State>,
}

/// Runs one uniformly random playout of at most `max_steps` steps from the machine's state.
pub fn play_out(machine: &mut dyn Machine, rng: &mut Rng, max_steps: usize) -> Playout {
    /// Starts nothing; its options are the defaults.
    struct Unguided;
    impl PlayoutSource for Unguided {
        fn start(&mut self) -> Option<(&State, u32)> {
            None
        }
        fn finish(&mut self, _tag: u32, _playout: &Playout) {}
    }
    let (end, steps, ..) = walk(machine, rng, max_steps, 0, &mut Unguided);
    result(machine, end.unwrap_or(End::TooLong), steps)
}

/// Runs the playout with this tag from the machine's state; `None` if the source drops it.
pub(crate) fn play_tagged(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    max_steps: usize,
    tag: u32,
    source: &mut dyn PlayoutSource,
) -> Option<Playout> {
    let (end, steps, choices, states) = walk(machine, rng, max_steps, tag, source);
    let mut playout = result(machine, end?, steps);
    playout.choices = choices;
    playout.states = states;
    if source.options().last_state {
        playout.state = Some(machine.state().clone());
    }
    Some(playout)
}

/// Returns how the playout ended (`None` if the source dropped it), its length, and its choices with their states as
/// far as the options ask for them.
fn walk(
    machine: &mut dyn Machine,
    rng: &mut Rng,
    max_steps: usize,
    tag: u32,
    source: &mut dyn PlayoutSource,
) -> (Option<End>, usize, Vec<Choice>, Vec<State>) {
    let options = source.options();
    let mut choices = Vec::new();
    let mut states = Vec::new();
    let mut joint = Vec::new();
    let mut steps = 0;
    let end = loop {
        if machine.is_terminal() {
            break End::Terminal;
        }
        if steps == max_steps {
            break End::TooLong;
        }
        let is_watched = options.watched_from.is_some_and(|from| steps >= from) && source.is_watched(tag, steps);
        if is_watched && source.watch(tag, steps, machine.state()) {
            break End::Stopped;
        }
        let needs_state = options.states || options.lanes || options.choice_states;
        let state = needs_state.then(|| machine.state().clone());
        joint.clear();
        let before = choices.len();
        let mut stuck = None;
        for role in Role::first(machine.role_count()) {
            let legal = machine.legal(role);
            let index = match legal.len() {
                0 => {
                    stuck = Some(role);
                    break;
                }
                1 => 0,
                // Roles choose at the same time: none sees what the others choose in this step.
                _ if options.guided => {
                    if let Some(state) = state.as_ref().filter(|_| options.lanes) {
                        source.survey(role, legal, &Lanes::of_state(state));
                    }
                    source.choose(tag, role, legal, &choices[..before], state.as_ref(), rng)
                }
                several => rng.usize(..several),
            };
            joint.push(legal[index]);
            if legal.len() > 1 && options.choice_states {
                states.extend(state.clone());
            }
            if legal.len() > 1 && (options.guided || options.choices) {
                choices.push(Choice {
                    role,
                    move_id: legal[index],
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
        if source.is_over() {
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
    Playout {
        end,
        steps,
        scores: Role::first(machine.role_count())
            .map(|role| machine.score(role))
            .collect(),
        choices: Vec::new(),
        states: Vec::new(),
        state: None,
    }
}

/// Draws a uniformly random joint move; the error names a role without a legal move.
pub fn choose_joint(machine: &mut dyn Machine, rng: &mut Rng, joint: &mut Vec<MoveId>) -> Result<(), Role> {
    joint.clear();
    for role in Role::first(machine.role_count()) {
        match machine.legal(role) {
            [] => return Err(role),
            moves => joint.push(moves[rng.usize(..moves.len())]),
        }
    }
    Ok(())
}
