//! Random play.

use super::support::unsearched;
use super::{AgentKind, AgentSettings, Sight, searching};
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
        if place.is_hidden {
            return unsearched(place, |moves, rng| moves[rng.usize(..moves.len())]);
        }
        searching(ludens_search::baselines::Random::new(
            &place.game,
            place.role,
            place.seed,
        ))
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }

    fn is_light(&self) -> bool {
        true
    }
}
