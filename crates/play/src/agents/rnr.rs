//! Restricted Nash responses: exploit the others as far as they are trusted to play like the model.

use super::against::{Against, ModelSettings, against_others};
use super::graph::GraphSettings;
use super::{AgentKind, AgentSettings, Sight};
use crate::agent::{Agent, Place};
use crate::settings::{OneOf, choice, settings};
use ludens_engine::{Game, Rng};
use ludens_equilibrium::exploit::Coin;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "rnr",
    summary: "plays the restricted Nash response to a model of the others, where the game graph can be built",
    default: || Box::<Restricted>::default(),
};

settings! {
    /// Settings of the restricted Nash response.
    struct Restricted {
        /// model of the others
        model: ModelSettings = ModelSettings::default(), OneOf;
        /// probability that the others play like the model; 1 = best response, 0 = equilibrium
        p: f64 = 0.5, 0.0..=1.0;
        /// when it is drawn whether they do
        coin: Coin = Coin::default(), OneOf;
        ..graph: GraphSettings;
    }
}

choice! {
    impl Coin {
        /// once for the whole match
        "match" = Coin::Match;
        /// anew in every state
        "state" = Coin::State;
    }
}

impl AgentSettings for Restricted {
    fn sight(&self) -> Sight {
        Sight::Refuses("its strategy is made of states")
    }

    fn create(&self, place: &Place) -> Box<dyn Agent> {
        let rng = Rng::with_seed(place.seed);
        Box::new(Against::new(place, &self.model, &self.graph, self.p, self.coin, rng))
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        self.model.check(game)
    }

    fn accepts(&self, game: &Game) -> Result<(), String> {
        against_others(game)
    }
}
