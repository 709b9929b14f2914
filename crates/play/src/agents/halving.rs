//! Flat sequential halving.

use super::determinized::BeliefSettings;
use super::information_set::by_percepts;
use super::{AgentKind, AgentSettings, Sight, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;
use ludens_search::information_set::{Root, Settings};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "halving",
    summary: "sequential halving: playouts in rounds that drop the worse half of the moves",
    default: || Box::<Halving>::default(),
};

settings! {
    /// Settings of the playouts.
    struct Halving {
        /// maximum playout length
        steps: usize = baselines::MOST_STEPS, 1..=1_000_000;
    }
}

impl AgentSettings for Halving {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        if place.is_hidden {
            let settings = Settings {
                root: Root::Halving,
                tree: false,
                max_steps: self.steps,
                ..Settings::default()
            };
            return by_percepts(place, settings, &BeliefSettings::default());
        }
        let halving = baselines::Halving::new(&place.game, place.role, place.seed);
        searching(halving.with_most_steps(self.steps))
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }
}
