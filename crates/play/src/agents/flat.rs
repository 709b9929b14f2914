//! Flat Monte Carlo.

use super::searching;
use super::{AgentKind, STEPS};
use ludens_search::baselines::Flat;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "flat",
    summary: "flat Monte Carlo: plays random matches after every move alike, takes the best mean",
    settings: &[STEPS],
    create: |place, values| {
        let flat = Flat::new(&place.game, place.role, place.seed);
        searching(flat.with_most_steps(values.count("steps")))
    },
};
