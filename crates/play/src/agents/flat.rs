//! Flat Monte Carlo.

use super::{AgentKind, AgentSettings, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "flat",
    summary: "flat Monte Carlo: equally many playouts after each move, best mean",
    default: || Box::<Flat>::default(),
};

settings! {
    /// Settings of the playouts.
    struct Flat {
        /// maximum playout length
        steps: usize = baselines::MOST_STEPS, 1..=1_000_000;
    }
}

impl AgentSettings for Flat {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let flat = baselines::Flat::new(&place.game, place.role, place.seed);
        searching(flat.with_most_steps(self.steps))
    }
}
