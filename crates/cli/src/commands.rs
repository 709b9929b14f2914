//! The commands, each with its arguments and a function that runs it.

pub(crate) mod agents;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod dump;
pub(crate) mod endgame;
pub(crate) mod equilibrium;
pub(crate) mod explain;
pub(crate) mod exploit;
pub(crate) mod fmt;
pub(crate) mod games;
pub(crate) mod info;
pub(crate) mod judge;
pub(crate) mod manager;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod player;
pub(crate) mod query;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod single_match;
pub(crate) mod solve;
pub(crate) mod tournament;
