//! From rules with variables to a finite program without them.
//!
//! 1. `split`: rules with many variables become several rules with few.
//! 2. `relax`: everything that can ever hold or be done is derived bottom-up, as an over-approximation.
//! 3. `instantiate`: the rule instances over it form the [`GroundProgram`].
//! 4. [`simplify`]: a smaller program that means the same.
//! 5. [`network`]: the program as two-input gates with sharing, ready to be executed.

mod instantiate;
pub mod network;
pub mod order;
mod program;
mod relax;
pub mod simplify;
mod split;

use ludens_datalog::Limits;
use ludens_gdl::Symbol;
use ludens_gdl::normal::NormalRules;

use std::time::Instant;

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

/// The same rules with those of many variables split into several of few, by helper relations: what follows about all
/// other relations is the same, but deriving it needs no joins over many variables at once.
pub fn split_rules(rules: &NormalRules) -> NormalRules {
    split::split(rules).rules
}

/// Grounds rules; `roles` gives the order of the roles.
pub fn ground(rules: &NormalRules, roles: &[Symbol], limits: Limits) -> Result<GroundProgram, GroundError> {
    let deadline = Instant::now().checked_add(limits.setup);
    let relaxed = relax::relax(rules, limits)?;
    instantiate::instantiate(&relaxed, roles, &rules.symbols, limits, deadline)
}
