//! One step ahead, by freedom to move.

use super::searching;
use super::{AgentKind, SAMPLES};
use ludens_search::baselines::Mobility;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "mobility",
    summary: "looks one step ahead at the legal moves: many own ones, few of the others",
    settings: &[SAMPLES],
    create: |place, values| {
        let mobility = Mobility::new(&place.game, place.role, place.seed);
        searching(mobility.with_samples(values.count("samples")))
    },
};
