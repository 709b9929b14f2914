//! Nested rollout policy adaptation.

use super::planned::{following, seatable};
use super::{AgentKind, AgentSettings};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_engine::Game;
use ludens_plan::{Adaptation, AdaptationSettings};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "nrpa",
    summary: "nested rollout policy adaptation for games with one role; keeps and follows the best line",
    default: || Box::<Nrpa>::default(),
};

settings! {
    /// Settings of nested rollout policy adaptation.
    struct Nrpa {
        /// levels of nesting; 0 is a random playout
        level: usize = 3, 0..=10;
        /// searches of the level below, at each level
        iterations: usize = 100, 1..=1_000_000;
        /// step of the adaptation
        alpha: f64 = 1.0, 0.0..=1000.0;
    }
}

impl AgentSettings for Nrpa {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let settings = AdaptationSettings {
            level: self.level,
            iterations: self.iterations,
            alpha: self.alpha,
        };
        following(place, Adaptation::new(&place.game, settings, place.seed))
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        seatable(game, AGENT.name)
    }
}
