//! Evaluation that follows from the rules.
//!
//! * [`formula`]: conditions of the ground program as formulas, which can be substituted into, simplified and
//!   evaluated;
//! * [`goals`]: the formulas of the goals and of `terminal`, with a limit on their size;
//! * [`fuzzy`], [`neural`]: evaluators by degrees of truth of the goals, and by neural networks made of them;
//! * [`mobility`], [`pieces`]: evaluators by the number of legal moves and by the pieces on the board;
//! * [`regress`]: an advisor about moves by the goals regressed one step;
//! * [`derived`]: features of the goals' conditions, found in the rules as they are written;
//! * [`distance`]: lower bounds on the number of steps until a fluent holds;
//! * [`structures`]: orders of constants, and the quantities and boards that they make of fluents.

pub mod derived;
pub mod distance;
pub mod formula;
pub mod fuzzy;
pub mod goals;
pub(crate) mod leaves;
pub mod mobility;
pub mod neural;
pub mod pieces;
pub mod regress;
pub mod structures;
pub(crate) mod wanted;
