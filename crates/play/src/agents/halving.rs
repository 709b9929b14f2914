//! Flat sequential halving.

use super::searching;
use super::{AgentKind, STEPS};
use ludens_search::baselines::Halving;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "halving",
    summary: "sequential halving: random matches in rounds that drop the worse half of the moves",
    settings: &[STEPS],
    create: |place, values| {
        let halving = Halving::new(&place.game, place.role, place.seed);
        searching(halving.with_most_steps(values.count("steps")))
    },
};
