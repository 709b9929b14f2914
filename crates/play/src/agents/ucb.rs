//! Flat UCB.

use super::searching;
use super::{AgentKind, EXPLORATION, STEPS};
use ludens_search::baselines::Ucb;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "ucb",
    summary: "flat UCB: plays random matches after the moves that look best or are least known",
    settings: &[EXPLORATION, STEPS],
    create: |place, values| {
        let ucb = Ucb::new(&place.game, place.role, place.seed).with_exploration(values.real("c"));
        searching(ucb.with_most_steps(values.count("steps")))
    },
};
