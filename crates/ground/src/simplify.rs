//! A smaller program that means the same in every state that play can reach.
//!
//! [`PASSES`] is the list of passes, in the order in which they run; each can be left out. Fluents and moves keep their
//! numbers, so states and moves are what they were.

mod constants;
mod inline;
mod rebuild;

use crate::network::Network;
use crate::program::GroundProgram;
use crate::verify;
use constants::Constants;
use ludens_datalog::{LimitHit, Meter};
use std::time::{Duration, Instant};

/// Size of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Derived propositions.
    pub propositions: usize,
    /// Instances of rules.
    pub instances: usize,
    /// Different sets of conditions among the instances.
    pub bodies: usize,
}

impl GroundProgram {
    /// Size of the program.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            propositions: self.propositions(),
            instances: self.instances(),
            bodies: self.bodies.len(),
        }
    }
}

/// A pass: it replaces the program, or notes what later passes use.
pub struct Pass {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    run: fn(&mut Work, &mut Meter) -> Result<(), LimitHit>,
}

/// All passes, in order.
pub const PASSES: [Pass; 3] = [
    Pass {
        name: "constants",
        about: "find what is always or never true, over the fixpoint of what init and next allow",
        run: Work::constants,
    },
    Pass {
        name: "rebuild",
        about: "build every proposition anew: fold constants, absorb instances that follow from others, merge equal \
                propositions, drop what nothing asks for",
        run: Work::rebuild,
    },
    Pass {
        name: "inline",
        about: "move propositions with a single use to the place of that use, where this saves gates",
        run: Work::inline,
    },
];

/// Selection of passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passes([bool; PASSES.len()]);

impl Default for Passes {
    fn default() -> Passes {
        Passes([true; PASSES.len()])
    }
}

impl Passes {
    /// Only these passes, in the order of [`PASSES`].
    pub fn only(names: &[impl AsRef<str>]) -> Result<Passes, UnknownPass> {
        let mut is_on = [false; PASSES.len()];
        for name in names {
            let pass = PASSES.iter().position(|pass| pass.name == name.as_ref());
            is_on[pass.ok_or_else(|| UnknownPass(name.as_ref().to_string()))?] = true;
        }
        Ok(Passes(is_on))
    }

    /// All passes but these.
    pub fn without(names: &[impl AsRef<str>]) -> Result<Passes, UnknownPass> {
        let Passes(left_out) = Passes::only(names)?;
        Ok(Passes(left_out.map(|is_left_out| !is_left_out)))
    }
}

/// A name that no pass has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no pass `{0}`; the passes are {list}", list = PASSES.each_ref().map(|pass| pass.name).join(", "))]
pub struct UnknownPass(pub String);

/// Report on a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassReport {
    /// The name of the pass.
    pub name: &'static str,
    /// Duration.
    pub time: Duration,
    /// The size of the program after it.
    pub sizes: Sizes,
}

/// The result of the passes.
pub struct Simplified {
    /// The smaller program.
    pub program: GroundProgram,
    /// The size of the program before the first pass.
    pub before: Sizes,
    /// For each fluent the value that it has in every state, if it never changes.
    pub constant_fluents: Vec<Option<bool>>,
    /// The passes that ran, in order.
    pub passes: Vec<PassReport>,
    /// The network of the program, if a pass had to build it.
    network: Option<Network>,
}

impl Simplified {
    /// Returns the network of the program; `None` if `terminal`, `legal` or `goal` depends on moves.
    pub fn take_network(&mut self, meter: &mut Meter) -> Result<Option<Network>, LimitHit> {
        match self.network.take() {
            Some(network) => Ok(Some(network)),
            None => Network::within(&self.program, meter),
        }
    }
}

/// Simplifies a program within limits.
pub fn simplify(program: GroundProgram, passes: Passes, meter: &mut Meter) -> Result<Simplified, LimitHit> {
    let before = program.sizes();
    let taken = meter.bytes();
    // The lists of uses, and a program that is at most as large.
    meter.take(2 * program.bytes())?;
    let mut work = Work {
        constants: Constants::none(&program),
        program,
        network: None,
    };
    let mut reports = Vec::new();
    for (pass, _) in PASSES.iter().zip(passes.0).filter(|&(_, is_on)| is_on) {
        let start = Instant::now();
        (pass.run)(&mut work, meter)?;
        debug_assert_eq!(verify::program(&work.program), Ok(()), "after {}", pass.name);
        reports.push(PassReport {
            name: pass.name,
            time: start.elapsed(),
            sizes: work.program.sizes(),
        });
    }
    meter.give_back(meter.bytes().saturating_sub(taken));
    Ok(Simplified {
        program: work.program,
        before,
        constant_fluents: work.constants.fluents,
        passes: reports,
        network: work.network,
    })
}

/// Up to this many instances the program is compared with and without inlining. It mostly makes the network smaller, by
/// up to a fifth, but now and then a few gates larger.
const FEW_INSTANCES: usize = 100_000;

/// Working data of the passes.
struct Work {
    program: GroundProgram,
    /// The constants that were found, for the present program.
    constants: Constants,
    /// The network of the present program, if it was built.
    network: Option<Network>,
}

impl Work {
    fn constants(&mut self, meter: &mut Meter) -> Result<(), LimitHit> {
        self.constants = constants::find(&self.program, meter)?;
        Ok(())
    }

    fn rebuild(&mut self, meter: &mut Meter) -> Result<(), LimitHit> {
        self.program = rebuild::rebuild(&self.program, &self.constants, &inline::Inlined::default(), meter)?;
        self.constants.forget_propositions();
        Ok(())
    }

    fn inline(&mut self, meter: &mut Meter) -> Result<(), LimitHit> {
        meter.spend(self.program.work())?;
        let inlined = inline::find(&self.program);
        let flat = rebuild::rebuild(&self.program, &self.constants, &inlined, meter)?;
        if self.program.instances() <= FEW_INSTANCES {
            let gates = |network: &Option<Network>| network.as_ref().map_or(0, |network| network.gates.len());
            let network = Network::within(&self.program, meter)?;
            let flat_network = Network::within(&flat, meter)?;
            if gates(&network) < gates(&flat_network) {
                self.network = network;
                return Ok(());
            }
            self.network = flat_network;
        }
        self.program = flat;
        self.constants.forget_propositions();
        Ok(())
    }
}
