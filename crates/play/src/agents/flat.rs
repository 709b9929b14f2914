//! Flat Monte Carlo.

use super::determinized::BeliefSettings;
use super::information_set::by_percepts;
use super::{AgentKind, AgentSettings, Sight, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;
use ludens_search::information_set::{Root, Settings};

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
        if place.is_hidden {
            let settings = Settings {
                root: Root::Uniform,
                tree: false,
                max_steps: self.steps,
                ..Settings::default()
            };
            return by_percepts(place, settings, &BeliefSettings::default());
        }
        let flat = baselines::Flat::new(&place.game, place.role, place.seed);
        searching(flat.with_most_steps(self.steps))
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }
}
