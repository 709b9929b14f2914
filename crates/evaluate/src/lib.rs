//! What a state or a move is worth, judged from the rules.
//!
//! Every module finds out something about a game before a match and gives it in a form that any search can use: an
//! [`Evaluator`](ludens_engine::knowledge::Evaluator), which judges states, or an
//! [`Advisor`](ludens_engine::knowledge::Advisor), which judges moves. Nothing here knows matches, clocks or the names of players.
//!
//! * [`sample`] draws short sequences of states from random play, which the others learn from;
//! * [`progress`] says how near states are to better goals where random play never reaches any;
//! * [`features`] finds expressions over fluents whose counts go along with the results of matches, and makes a function
//!   of the best ones;
//! * [`ahead`] makes an advisor of any evaluator by looking one step ahead;
//! * [`formula`] has the conditions of the rules as formulas, which can be replaced in, simplified and evaluated;
//! * [`goals`] has those of the goals and of the end, with a limit on their size;
//! * [`derived`] finds features of these conditions in the rules;
//! * [`distance`] says how many steps fluents are away at least;
//! * [`fuzzy`] judges states by degrees of truth of the goals, [`network`] by networks of neurons made of them, and
//!   [`mobility`] by the freedom to move, and [`pieces`] by what stands on the board;
//! * [`clune`] judges them by models of payoff, control and termination over features that last;
//! * [`structures`] finds orders of constants and what they say about fluents;
//! * [`regress`] judges moves by how near they bring a role to its goal, which is regressed by one step;
//! * [`explain`] is how all of them say why they judge as they do.

pub mod ahead;
mod changes;
pub mod clune;
mod covering;
pub mod derived;
pub mod distance;
pub mod explain;
pub mod features;
pub mod formula;
pub mod fuzzy;
pub mod goals;
mod leaves;
pub mod mobility;
pub mod network;
pub mod pieces;
pub mod progress;
pub mod regress;
pub mod sample;
pub mod structures;
