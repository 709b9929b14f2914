//! Choice between computing all gates of a state and only those that change. Neither is faster in every game, so in
//! larger networks both are tried.
//!
//! The trial counts gates instead of measuring time. So the choice is the same in every run, whatever else the machine
//! does; and it never changes an answer, only how fast it comes.

use super::differential::Differential;
use super::plain::Plain;
use super::stepper::Stepper;
use crate::Rng;
use crate::state::{MoveId, State};
use ludens_ground::network::Network;
use std::sync::Arc;

/// Networks with fewer gates are computed as a whole: that takes less than a microsecond, and little can be saved.
const FEWEST_GATES: usize = 500;

/// Gates to be computed in the trial, in the plain way: some ten milliseconds.
const MOST_WORK: u64 = 8_000_000;

/// Steps of the trial.
const MOST_STEPS: usize = 200;

/// Finding a gate that changes, computing it and marking its readers takes as long as computing this many gates one
/// after the other. Measured: between 11 and 17 in twenty games of 200 to 1,900,000 gates.
const COST_OF_A_CHANGE: u64 = 14;

/// A way to compute single states, chosen and ready.
pub(super) enum Chosen {
    Plain(Plain),
    Differential(Differential),
}

/// How a compiled game computes single states. The answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepping {
    /// The faster one in a short trial.
    #[default]
    Auto,
    /// All gates, in every state.
    Plain,
    /// Only gates that read something that changed.
    Differential,
}

/// Makes the choice.
pub(super) fn choose(network: &Arc<Network>, initial: &State, wanted: Stepping) -> Chosen {
    let plain = Plain::new(network.clone());
    let is_small = network.gates.len() < FEWEST_GATES;
    if wanted == Stepping::Plain || wanted == Stepping::Auto && is_small {
        return Chosen::Plain(plain);
    }
    let differential = Differential::new(network.clone());
    if wanted == Stepping::Auto {
        let (plain_work, steps) = work(network, initial, plain.clone(), MOST_STEPS);
        let (differential_work, _) = work(network, initial, differential.clone(), steps);
        if plain_work <= differential_work * COST_OF_A_CHANGE {
            return Chosen::Plain(plain);
        }
    }
    Chosen::Differential(differential)
}

/// Number of gates computed and of steps made by random play that sometimes goes back, as searches do.
fn work(network: &Network, initial: &State, mut stepper: impl Stepper, most_steps: usize) -> (u64, usize) {
    let mut rng = Rng::with_seed(0);
    let before = stepper.work();
    let mut state = initial.clone();
    stepper.load(&state);
    for step in 0..most_steps {
        if stepper.work() - before > MOST_WORK {
            return (stepper.work() - before, step);
        }
        let Some(joint) = choose_joint(network, &mut stepper, &mut rng) else {
            state.clone_from(initial);
            stepper.load(&state);
            continue;
        };
        let next = stepper.next(&joint);
        stepper.load(&next);
        if step % 2 == 0 {
            // Look at the successor and come back.
            stepper.is_terminal();
            stepper.load(&state);
        } else {
            state = next;
        }
    }
    (stepper.work() - before, most_steps)
}

/// Draws a random joint move; `None` if the state is terminal or some role has no move.
fn choose_joint(network: &Network, stepper: &mut impl Stepper, rng: &mut Rng) -> Option<Vec<MoveId>> {
    if stepper.is_terminal() {
        return None;
    }
    let roles = network.moves.roles();
    roles
        .map(|role| {
            let mut moves = Vec::new();
            stepper.legal(role, &mut moves);
            rng.choice(moves)
        })
        .collect()
}
