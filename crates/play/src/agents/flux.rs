//! Depth-first search with fuzzy goal evaluation, in the manner of Fluxplayer.

use super::AgentKind;
use super::depth_first::DepthFirst;
use ludens_evaluate::rules::fuzzy;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "flux",
    summary: "alphabeta with fuzzy evaluation of the goals, after Fluxplayer",
    default: || Box::<DepthFirst<fuzzy::Settings>>::default(),
};
