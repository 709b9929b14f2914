//! Monte Carlo tree search.

use super::AgentKind;
use super::tree_search::TreeSearch;
use crate::spec::AgentSpec;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "uct",
    summary: "Monte Carlo tree search (UCT): grows a tree of the most promising moves, evaluated by playouts",
    default: || Box::<TreeSearch>::default(),
};

/// Returns the agent with other settings.
pub(super) fn with(settings: TreeSearch) -> AgentSpec {
    AgentSpec::new(&AGENT, settings)
}
