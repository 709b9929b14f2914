//! Nested Monte Carlo search.

use super::planned::{following, seatable};
use super::{AgentKind, AgentSettings};
use crate::agent::{Agent, Place};
use crate::settings::settings;
use ludens_engine::Game;
use ludens_plan::Nested;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "nmcs",
    summary: "nested Monte Carlo search for games with one role; keeps and follows the best line",
    default: || Box::<Nmcs>::default(),
};

settings! {
    /// Settings of nested Monte Carlo search.
    struct Nmcs {
        /// levels of nesting; 0 is a random playout
        level: usize = 2, 0..=10;
    }
}

impl AgentSettings for Nmcs {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        following(place, Nested::new(&place.game, self.level, place.seed))
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        seatable(game, AGENT.name)
    }
}
