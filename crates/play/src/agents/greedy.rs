//! One step ahead, by goals.

use super::searching;
use super::{AgentKind, SAMPLES};
use ludens_search::baselines::Greedy;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "greedy",
    summary: "looks one step ahead at the goals",
    settings: &[SAMPLES],
    create: |place, values| {
        let greedy = Greedy::new(&place.game, place.role, place.seed);
        searching(greedy.with_samples(values.count("samples")))
    },
};
