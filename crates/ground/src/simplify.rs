//! A smaller program that means the same in every state that play can reach.
//!
//! The passes, in order:
//!
//! 1. `constants`: what is always or never true, over the fixpoint of what the initial state and `next` allow.
//! 2. `rebuild`: every proposition anew, from the bottom up: constants vanish, instances that follow from others are
//!    absorbed, propositions with another name for the same thing are merged, what nothing asks for is left out.
//! 3. `inline`: propositions that are used in one place only move there; then `rebuild` once more.
//!
//! Fluents and moves keep their numbers, so states and moves are what they were.

mod constants;
mod inline;
mod rebuild;

use crate::network::Network;
use crate::program::GroundProgram;
use ludens_datalog::{LimitHit, Meter};

/// How large a program is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Derived propositions.
    pub propositions: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Different sets of conditions among the instances.
    pub bodies: usize,
}

/// What simplification found.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The smaller program.
    pub program: GroundProgram,
    /// How large the program was.
    pub before: Sizes,
    /// For each fluent the value that it has in every state, if it never changes.
    pub constant_fluents: Vec<Option<bool>>,
}

impl GroundProgram {
    /// How large the program is.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            propositions: self.propositions(),
            instances: self.instances(),
            bodies: self.bodies.len(),
        }
    }
}

/// Up to this many instances both ways to write a program are tried out. Inlining mostly makes the network smaller, by
/// up to a fifth, but now and then a few gates larger.
const FEW_INSTANCES: usize = 100_000;

fn gates(program: &GroundProgram, meter: &mut Meter) -> Result<usize, LimitHit> {
    let network = Network::within(program, meter)?;
    Ok(network.map_or(0, |network| network.gates.len()))
}

/// Simplifies a program within limits.
pub fn simplify(program: GroundProgram, meter: &mut Meter) -> Result<Simplified, LimitHit> {
    let before = program.sizes();
    let taken = meter.bytes();
    // Who uses what, and a program that is at most as large.
    meter.take(2 * program.bytes())?;
    let constants = constants::find(&program, meter)?;
    let program = rebuild::rebuild(&program, &constants, &inline::Inlined::default(), meter)?;
    meter.spend(program.work())?;
    let inlined = inline::find(&program);
    let flat = rebuild::rebuild(&program, &constants.without_propositions(), &inlined, meter)?;
    let is_better = program.instances() <= FEW_INSTANCES && gates(&program, meter)? < gates(&flat, meter)?;
    meter.give_back(meter.bytes().saturating_sub(taken));
    Ok(Simplified {
        program: match is_better {
            true => program,
            false => flat,
        },
        before,
        constant_fluents: constants.fluents,
    })
}
