//! Evaluators of states and advisors about moves, made from the rules of a game and from random play.
//!
//! Every module prepares something before a match and offers it in a form that any search can use: an
//! [`Evaluator`](ludens_engine::knowledge::Evaluator) of states or an [`Advisor`](ludens_engine::knowledge::Advisor)
//! about moves. Nothing here depends on matches, clocks or the names of players.
//!
//! * [`rules`]: evaluation that follows from the rules, above all from the conditions of the goals;
//! * [`learned`]: evaluation that is fitted to the results of random play;
//! * [`explain`]: the reasons that an evaluator gives for its evaluation, in one form for all of them;
//! * [`ahead`]: an advisor made of any evaluator by looking one step ahead;
//! * [`opposed`]: the estimates of two roles combined where their goals have a constant sum.

pub mod ahead;
pub mod explain;
pub mod learned;
pub mod opposed;
pub mod rules;
