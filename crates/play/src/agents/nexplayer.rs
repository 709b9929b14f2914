//! Depth-first search with goal networks, in the manner of Nexplayer.

use super::AgentKind;
use super::depth_first::DepthFirst;
use crate::evaluators::Network;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "nexplayer",
    summary: "alphabeta with neural networks built from the goals, after Nexplayer",
    default: || Box::<DepthFirst<Network>>::default(),
};
