//! UCT with MAST and RAVE, in the manner of CadiaPlayer (Finnsson and Björnsson).

use super::AgentKind;
use super::tree_search::TreeSearch;
use ludens_search::mcts::PlayoutPolicy;

/// The same as `uct`, with other defaults: Gibbs sampling by MAST in playouts, RAVE in selection, one playout for each
/// leaf, and no solver. CadiaPlayer had no proofs in its tree.
pub(super) const AGENT: AgentKind = AgentKind {
    name: "cadia",
    summary: "UCT with Gibbs-sampled MAST playouts and RAVE, without a solver, after CadiaPlayer",
    default: || {
        let mut cadia = TreeSearch {
            playout: PlayoutPolicy::Mast.into(),
            ..TreeSearch::default().with_rave()
        };
        cadia.search.selection.exploration = 40.0;
        cadia.search.backup.solver = false;
        cadia.search.playout.per_leaf = 1;
        Box::new(cadia)
    },
};
