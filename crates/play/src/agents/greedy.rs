//! One step of lookahead by goals.

use super::{AgentKind, AgentSettings, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "greedy",
    summary: "plays the move with the best score one step ahead",
    default: || Box::<Greedy>::default(),
};

settings! {
    /// Settings of the lookahead.
    struct Greedy {
        /// maximum number of opponents' joint moves examined for each own move
        samples: usize = baselines::SAMPLES, 1..=1_000_000;
    }
}

impl AgentSettings for Greedy {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let greedy = baselines::Greedy::new(&place.game, place.role, place.seed);
        searching(greedy.with_samples(self.samples))
    }

    fn is_light(&self) -> bool {
        true
    }
}
