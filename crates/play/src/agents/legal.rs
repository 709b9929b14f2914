//! The first legal move.

use super::support::unsearched;
use super::{AgentKind, AgentSettings, Sight, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "legal",
    summary: "plays the first legal move in alphabetical order",
    default: || Box::<Legal>::default(),
};

settings! {
    /// There is nothing to set.
    struct Legal {}
}

impl AgentSettings for Legal {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        if place.is_hidden {
            return unsearched(place, |moves, _| moves[0]);
        }
        searching(ludens_search::baselines::Legal::new(&place.game, place.role))
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }

    fn is_light(&self) -> bool {
        true
    }
}
