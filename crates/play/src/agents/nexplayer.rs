//! Depth-first search with goal networks, in the manner of Nexplayer.

use super::AgentKind;
use super::alphabeta::*;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "nexplayer",
    summary: "alphabeta that judges states by networks of neurons made of the goals, after Nexplayer",
    settings: &[
        VERSION,
        NEURONS,
        USUAL,
        GAP,
        FAR,
        COUNTED,
        RULE_FEATURES,
        PROBABLE,
        TIES,
        MODEL,
        DEPTH,
        CUT,
        PRINCIPAL,
        TABLE,
        DEEPER,
        ENHANCED,
        KILLERS,
        HISTORY,
        CACHE,
        QUIET,
        MULTI_CUT,
        LIKELY,
    ],
    create: |place, values| depth_first(place, values, Judgement::network(values)),
};
