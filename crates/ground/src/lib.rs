//! From rules with variables to a finite program without them.
//!
//! 1. `split`: rules with many variables become several rules with few.
//! 2. `relax`: everything that can ever hold or be done is derived bottom-up, as an over-approximation.
//! 3. `instantiate`: the rule instances over it form the [`GroundProgram`].
//! 4. [`simplify`]: a smaller program that means the same.
//! 5. [`network`]: the program as a propositional network, two-input gates with sharing, ready to be executed.
//!
//! [`possible_facts`] repeats the second step for single relations, once the fluents are known.
//!
//! [`stages`] runs these steps up to any of them and gives the result as [`text`], which can be read back. [`verify`]
//! checks programs and networks.

mod ids;
mod instantiate;
mod names;
pub mod network;
pub mod order;
mod possible;
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
pub use possible::{PossibleFacts, fact, possible_facts};
pub use program::{Bodies, Body, Condition, GroundProgram, Signal};

/// Reason why rules cannot be grounded.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// A limit was hit.
    #[error("grounding stopped: {0}")]
    Limit(String),
    /// The rules have a form that cannot be grounded.
    #[error("the rules cannot be grounded: {0}")]
    Unsuitable(String),
}

impl GroundError {
    /// Returns the error for rules whose propositional network cannot be built.
    pub fn depends_on_moves() -> GroundError {
        GroundError::Unsuitable("terminal, legal or goal depends on the moves being made".to_string())
    }
}

impl From<LimitHit> for GroundError {
    fn from(hit: LimitHit) -> GroundError {
        GroundError::Limit(hit.to_string())
    }
}

/// Splits rules with many variables into several with few, by helper relations. All other relations keep their facts,
/// but deriving them needs no joins over many variables at once.
pub(crate) fn split_rules(rules: &NormalRules) -> NormalRules {
    // Without limits nothing is refused.
    let split = split::split(rules, &mut Meter::default());
    split.map_or_else(|_| rules.clone(), |split| split.rules)
}

/// Grounds rules; `roles` gives the order of the roles.
pub fn ground(rules: &NormalRules, roles: &[Symbol], limits: Limits) -> Result<GroundProgram, GroundError> {
    ground_within(rules, roles, limits, &mut Meter::for_setup(&limits))
}

/// Grounds rules as part of other work. The memory of the program is charged to the meter.
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
