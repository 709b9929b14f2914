//! The best response to a model in some matches, an equilibrium in the others.

use super::against::{Against, ModelSettings, against_others};
use super::graph::GraphSettings;
use super::{AgentKind, AgentSettings, Sight};
use crate::agent::{Agent, Place};
use crate::settings::{OneOf, settings};
use ludens_engine::{Game, Rng};
use ludens_equilibrium::exploit::Coin;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "mixed",
    summary: "plays the best response to a model of the others in some matches and an equilibrium in the rest",
    default: || Box::<Mixed>::default(),
};

settings! {
    /// Settings of the mixture.
    struct Mixed {
        /// model of the others
        model: ModelSettings = ModelSettings::default(), OneOf;
        /// probability of the best response, drawn once per match
        lambda: f64 = 0.5, 0.0..=1.0;
        ..graph: GraphSettings;
    }
}

impl AgentSettings for Mixed {
    fn sight(&self) -> Sight {
        Sight::Refuses("its strategy is made of states")
    }

    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let mut rng = Rng::with_seed(place.seed);
        // Decided once for the match.
        let p = f64::from(u8::from(rng.f64() < self.lambda));
        Box::new(Against::new(place, &self.model, &self.graph, p, Coin::Match, rng))
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        self.model.check(game)
    }

    fn accepts(&self, game: &Game) -> Result<(), String> {
        against_others(game)
    }
}
