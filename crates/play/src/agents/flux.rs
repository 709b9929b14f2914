//! Depth-first search with fuzzy goal evaluation, in the manner of Fluxplayer.

use super::AgentKind;
use super::alphabeta::*;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "flux",
    summary: "alphabeta that judges states by how nearly goals hold, by degrees of truth, after Fluxplayer",
    settings: &[
        TRUTH, EXPONENT, JOINS, STRUCTURES, CHAINS, NEAR, MODEL, DEPTH, CUT, PRINCIPAL, TABLE, DEEPER, ENHANCED,
        KILLERS, HISTORY, CACHE, QUIET, MULTI_CUT, LIKELY,
    ],
    create: |place, values| depth_first(place, values, Judgement::Fuzzy(fuzzy_settings(values))),
};
