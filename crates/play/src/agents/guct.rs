//! Guided UCT: `uct` with an evaluator that is learned before the match and ends playouts early.

use super::AgentKind;
use super::tree_search::TreeSearch;
use crate::evaluators::FEATURES;

/// The same as `uct`, with two other defaults.
pub(super) const AGENT: AgentKind = AgentKind {
    name: "guct",
    summary: "guided UCT: playouts end early, evaluated by a function of features learned before the match",
    default: || {
        let mut guided = TreeSearch {
            evaluator: Some((&FEATURES).into()),
            ..TreeSearch::default()
        };
        guided.search.playout.stop = 0.1;
        Box::new(guided)
    },
};
