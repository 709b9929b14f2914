//! One step of lookahead by mobility.

use super::{AgentKind, AgentSettings, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "mobility",
    summary: "plays for mobility one step ahead: many own legal moves, few of the others",
    default: || Box::<Mobility>::default(),
};

settings! {
    /// Settings of the lookahead.
    struct Mobility {
        /// maximum number of opponents' joint moves examined for each own move
        samples: usize = baselines::SAMPLES, 1..=1_000_000;
    }
}

impl AgentSettings for Mobility {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let mobility = baselines::Mobility::new(&place.game, place.role, place.seed);
        searching(mobility.with_samples(self.samples))
    }

    fn is_light(&self) -> bool {
        true
    }
}
