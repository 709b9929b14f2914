//! Depth-first search by payoff, control and termination, in the manner of Cluneplayer.

use super::AgentKind;
use super::depth_first::DepthFirst;
use crate::evaluators::Clune;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "clune",
    summary: "alphabeta with payoff, control and termination learned from random play, after Cluneplayer",
    default: || Box::<DepthFirst<Clune>>::default(),
};
