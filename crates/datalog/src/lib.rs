//! Bottom-up evaluation of rules in normal form.
//!
//! Facts are stated, everything that follows is derived: stratum by stratum, with indexes on parts of terms, in
//! semi-naive rounds where rules are recursive. What never changes is derived once, when the rules are prepared.
//!
//! - `term`: ground terms as numbers; `table`: rows and indexes;
//! - `plan`: the order in which a rule's conditions are matched; `program`: all rules, planned;
//! - `evaluate`: applies plans;
//! - `demand`: rewrites rules so that huge relations are derived only as far as they are asked for.

mod demand;
mod evaluate;
mod hash;
mod limits;
mod plan;
mod program;
mod table;
mod term;

pub use demand::{Demand, OnDemand};
pub use evaluate::Evaluator;
pub use limits::Limits;
pub use plan::RelationId;
pub use program::{Expectations, Overflow, Phase, Program, Purpose, Query};
pub use term::{TermId, TermPool};
