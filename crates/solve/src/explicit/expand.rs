//! What follows states: ends, who chooses, and the codes of all successors. This is where all the time goes.

use super::coding::Coding;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::{MoveId, Questions, State, Successors};
use ludens_reach::MOST_JOINT_MOVES;

/// The match is over here.
pub(crate) const END: u8 = 255;
/// The match is not over, but some role has no legal move.
pub(crate) const STUCK: u8 = 254;
/// Several roles have a choice.
pub(crate) const SEVERAL: u8 = 253;

/// What follows some states, in order.
#[derive(Default)]
pub(crate) struct Expansion {
    /// For each state the role that chooses, or [`END`], [`STUCK`] or [`SEVERAL`].
    pub(crate) kinds: Vec<u8>,
    /// The goals of the states that are ends, one after the other.
    pub(crate) goals: Vec<u8>,
    /// How many successors each state has; one for each joint move.
    pub(crate) degrees: Vec<u32>,
    /// How many legal moves the first role has.
    pub(crate) rows: Vec<u32>,
    /// The codes of the successors, in the order of joint moves, the moves of the last role changing fastest.
    pub(crate) codes: Vec<u64>,
    /// The words that a code needs for a state that has none.
    pub(crate) lacking: Option<usize>,
    /// Whether some state has too many joint moves; nothing is said about what follows it.
    pub(crate) is_too_wide: bool,
}

/// Lists of differences of codes that a thread met, with their numbers.
pub(crate) type Patterns = HashMap<Vec<i64>, u32, FixedState>;
pub(crate) type Workers<'a> = ludens_reach::Workers<'a, Patterns>;

/// Finds what follows the states of these codes.
pub(crate) fn expand(successors: &mut dyn Successors, coding: &Coding, codes: &[u64]) -> Expansion {
    let mut expansion = Expansion::default();
    let states: Vec<State> = codes.chunks(coding.width).map(|code| coding.decode(code)).collect();
    let mut asked = Questions::default();
    let lent: Vec<&State> = states.iter().collect();
    successors.look(&lent, &mut |number, here| {
        let (kind, degree) = kind(here.is_terminal, here.legal.as_slice());
        expansion.is_too_wide |= degree > MOST_JOINT_MOVES;
        expansion.kinds.push(kind);
        expansion.degrees.push(degree as u32);
        expansion
            .rows
            .push(here.legal.values().next().map_or(0, Vec::len) as u32);
        match kind {
            END => expansion.goals.extend_from_slice(here.scores.as_slice()),
            STUCK => {}
            _ if degree > MOST_JOINT_MOVES => {}
            _ => asked.add(number, &here.legal),
        }
    });
    expansion.codes.reserve(asked.len() * coding.width);
    let mut code = vec![0; coding.width];
    asked.follow(&states, successors, &mut |words| {
        if !coding.encode(words, &mut code) {
            expansion.lacking = expansion.lacking.max(Some(words.len()));
        }
        expansion.codes.extend_from_slice(&code);
    });
    expansion
}

/// Who chooses, and how many joint moves there are.
fn kind(is_terminal: bool, legal: &[Vec<MoveId>]) -> (u8, u64) {
    if is_terminal {
        return (END, 0);
    }
    let mut choosers = legal.iter().enumerate().filter(|(_, moves)| moves.len() > 1);
    let chooser = choosers.next();
    let degree = legal
        .iter()
        .fold(1u64, |degree, moves| degree.saturating_mul(moves.len() as u64));
    match (degree, chooser, choosers.next()) {
        (0, _, _) => (STUCK, 0),
        (_, _, Some(_)) => (SEVERAL, degree),
        (_, Some((role, _)), None) => (role as u8, degree),
        // Nobody has a choice: who is said to have one does not matter.
        (_, None, None) => (0, degree),
    }
}
