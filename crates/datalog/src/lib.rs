//! Bottom-up evaluation of rules in normal form.
//!
//! Facts are stated, everything that follows is derived: stratum by stratum, with indexes on parts of terms, in
//! semi-naive rounds where rules are recursive. What never changes is derived once, when the rules are prepared.
//!
//! - `term`: ground terms as numbers; `table`: rows and indexes;
//! - `plan`: the order in which a rule's conditions are matched; `compile` and `program`: all rules,
//!   planned;
//! - `evaluate`: applies plans; `limits` and `meter` bound what that may cost;
//! - `conjunction`: single conjunctions over tables of facts, joined as they come;
//! - `demand`: rewrites rules so that huge relations are derived only as far as they are asked for.

mod compile;
mod conjunction;
mod demand;
mod evaluate;
mod hash;
mod limits;
mod meter;
mod order;
mod plan;
mod program;
mod table;
mod term;

pub use conjunction::{Conjunction, Facts, Source, Test};
pub use demand::{Demand, OnDemand};
pub use evaluate::Evaluator;
pub use limits::Limits;
pub use meter::{Charge, LimitHit, Meter, rule_bytes};
pub use plan::RelationId;
pub use program::{Expectations, Overflow, Phase, Program, Purpose, Query};
pub use term::{TermId, TermPool};
