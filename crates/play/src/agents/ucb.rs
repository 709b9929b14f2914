//! Flat UCB.

use super::determinized::BeliefSettings;
use super::information_set::by_percepts;
use super::{AgentKind, AgentSettings, Sight, searching};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_search::baselines;
use ludens_search::information_set::{Root, Settings};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "ucb",
    summary: "flat UCB1: playouts after the moves that look best or are least explored",
    default: || Box::<Ucb>::default(),
};

settings! {
    /// Settings of UCB1.
    struct Ucb {
        /// exploration constant of UCB1, for scores from 0 to 100
        c: f64 = baselines::Ucb::EXPLORATION, 0.0..=1e6;
        /// maximum playout length
        steps: usize = baselines::MOST_STEPS, 1..=1_000_000;
    }
}

impl AgentSettings for Ucb {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        if place.is_hidden {
            let settings = Settings {
                root: Root::Ucb,
                tree: false,
                exploration: self.c,
                max_steps: self.steps,
                ..Settings::default()
            };
            return by_percepts(place, settings, &BeliefSettings::default());
        }
        let ucb = baselines::Ucb::new(&place.game, place.role, place.seed);
        searching(ucb.with_exploration(self.c).with_most_steps(self.steps))
    }

    fn sight(&self) -> Sight {
        Sight::Percepts
    }
}
