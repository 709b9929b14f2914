//! From rules with variables to a finite program without them.
//!
//! 1. `split`: rules with many variables become several rules with few.
//! 2. `relax`: everything that can ever hold or be done is derived bottom-up, as an over-approximation.
//! 3. `instantiate`: the rule instances over it form the [`GroundProgram`].
//! 4. [`simplify`]: a smaller program that means the same.
//! 5. [`network`]: the program as a propositional network, two-input gates with sharing, ready to be executed.
//!
//! [`stages`] runs these steps up to any of them and gives the result as [`text`], which can be read back. [`verify`]
//! checks programs and networks.

mod ids;
mod instantiate;
mod names;
pub mod network;
pub mod order;
mod program;
mod relax;
pub mod simplify;
mod split;
pub mod stages;
pub mod text;
pub mod verify;

use ludens_datalog::{LimitHit, Limits, Meter};
use ludens_gdl::Symbol;
use ludens_gdl::normal::NormalRules;

pub use ids::{Fluent, MoveId, PerceptId, Proposition, Role, RoleMap};
pub use names::{Named, Names};
pub use program::{Bodies, Body, Condition, GroundProgram, Signal};

/// Why rules cannot be grounded.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// Too much follows from the rules.
    #[error("grounding stopped: {0}")]
    Limit(String),
    /// The rules are of a kind that cannot be grounded.
    #[error("the rules cannot be grounded: {0}")]
    Unsuitable(String),
}

impl GroundError {
    /// The error of rules whose propositional network cannot be built.
    pub fn depends_on_moves() -> GroundError {
        GroundError::Unsuitable("terminal, legal or goal depends on the moves being made".to_string())
    }
}

impl From<LimitHit> for GroundError {
    fn from(hit: LimitHit) -> GroundError {
        GroundError::Limit(hit.to_string())
    }
}

/// The same rules with those of many variables split into several of few, by helper relations: what follows about all
/// other relations is the same, but deriving it needs no joins over many variables at once.
pub fn split_rules(rules: &NormalRules) -> NormalRules {
    // Without limits nothing is refused.
    let split = split::split(rules, &mut Meter::default());
    split.map_or_else(|_| rules.clone(), |split| split.rules)
}

/// Grounds rules; `roles` gives the order of the roles.
pub fn ground(rules: &NormalRules, roles: &[Symbol], limits: Limits) -> Result<GroundProgram, GroundError> {
    ground_within(rules, roles, limits, &mut Meter::for_setup(&limits))
}

/// The same as part of other work. The memory that the program takes is charged to the meter.
pub fn ground_within(
    rules: &NormalRules,
    roles: &[Symbol],
    limits: Limits,
    meter: &mut Meter,
) -> Result<GroundProgram, GroundError> {
    let mut relaxing = meter.part();
    let relaxed = relax::relax(rules, limits, &mut relaxing);
    meter.join(&relaxing);
    instantiate::instantiate(&relaxed?, roles, &rules.symbols, meter)
}
