//! Random play.

use super::{AgentKind, AgentSettings, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "random",
    summary: "plays uniformly at random",
    default: || Box::<Random>::default(),
};

settings! {
    /// Random play has no settings.
    struct Random {}
}

impl AgentSettings for Random {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        searching(ludens_search::baselines::Random::new(
            &place.game,
            place.role,
            place.seed,
        ))
    }

    fn is_light(&self) -> bool {
        true
    }
}
