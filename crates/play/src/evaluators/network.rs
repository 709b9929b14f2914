//! Neural networks made from the goals, in the manner of Nexplayer.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings, Explainer, NOT_COMPILED, current_goals};
use crate::settings::{Flag, OneOf, choice, settings};
use ludens_engine::{Game, StepCost};
use ludens_evaluate::rules::derived::{Kind, Kinds};
use ludens_evaluate::rules::distance::Choice;
use ludens_evaluate::rules::neural::featured::{FeatureNetwork, FeatureSettings};
use ludens_evaluate::rules::neural::{Aggregation, GoalNetwork, Settings, Weights};

pub(crate) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "network",
    summary: "degree to which the goals are true, by a neural network built from the rules; see nexplayer",
    default: || Box::<Network>::default(),
};

/// Weight of the current goal in the final player. The source combines it with the network linearly and gives no weight.
const FINAL_STANDING: f64 = 0.5;

/// How a network is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Network {
    version: Version,
    /// Used by version 1.1.
    gap: f64,
    /// The weights follow from the two above.
    network: Settings,
    features: FeatureSettings,
    ties: Ties,
    /// Share of the start clock for building.
    share: f64,
}

/// A version of Nexplayer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    Global,
    Local,
    Final,
}

/// The tie-break.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ties {
    None,
    Mobility,
    Pieces,
    Both,
}

impl Default for Network {
    fn default() -> Network {
        let network = Settings::default();
        let (version, gap) = match network.weights {
            Weights::Global => (Version::Global, 0.1),
            Weights::Local { gap } => (Version::Local, gap),
        };
        Network {
            version,
            gap,
            network,
            features: FeatureSettings {
                kinds: Kinds::NONE,
                ..FeatureSettings::default()
            },
            ties: Ties::None,
            share: 0.25,
        }
    }
}

settings! {
    impl Network {
        /// version of Nexplayer
        version => version, OneOf;
        /// maximum number of neurons; deeper conditions are Boolean leaves
        neurons => network.most_neurons, 0..=1_000_000;
        /// score that is expected without evidence
        gamma => network.usual, 0.0..=100.0;
        /// how the degrees of a role's goal values become one score
        aggregate => network.aggregation, OneOf;
        /// versions 1.1 and final: minimum difference between the inputs of a neuron for true and false
        gap => gap, 1e-6..=1.999;
        /// give a false fluent without another distance partial truth by the number of steps in which it can become true
        distance => network.distances, OneOf;
        /// give deeply nested conditions, as in rules that count, partial truth by the number of conditions that are missing
        chains => network.chains, Flag;
        /// features derived from the rules that measure how safe or how near a condition is
        features => features.kinds, OneOf;
        /// with features: degree of truth, far from the end, of a fluent that holds and has no feature
        probable => features.probable, 0.0..=1.0;
        /// tie-break between states with the same evaluation
        ties => ties, OneOf;
        /// with features or distance: weight of the current goal, if exactly one holds, in the score
        standing => features.standing, 0.0..=1.0;
        /// share of the start clock spent on building
        share => share, 0.0..=1.0;
    }
}

choice! {
    impl Aggregation {
        /// by the degree to which at least each goal value is reached
        "cumulative" = Aggregation::Cumulative;
        /// as published: γ plus the sum of the differences from γ, each by the degree of its goal
        "published" = Aggregation::Published;
    }
}

choice! {
    impl Version {
        /// the least weight for each neuron that keeps outputs distinguishable
        "1.1" = Version::Local;
        /// one weight for all neurons
        "1.0" = Version::Global;
        /// the final player: weights as in 1.1, all features, the most similar precondition as distance, chains, ties by both, and the current goal; the settings for these still count where they are given
        "final" = Version::Final;
    }
}

choice! {
    impl Kinds {
        /// no features: conditions are Boolean
        "none" = Kinds::NONE;
        /// all features; with a distance setting, that distance measures fluents that have no other
        "all" = Kinds::ALL;
        /// number of solutions of a condition, and how much of them holds (v1.1s)
        "solutions" = Kinds::of(&[Kind::Solutions, Kind::PartialSolutions]);
        /// fluents that keep their value (v1.1p)
        "persistence" = Kinds::of(&[Kind::TruePersistence, Kind::FalsePersistence]);
        /// number of steps between values, and the margin between ordered values (v1.1d)
        "distance" = Kinds::of(&[Kind::Order, Kind::VariableDistance, Kind::FixedDistance]);
        /// number of steps between the values of fluents and given values (v1.1n)
        "fixed" = Kinds::of(&[Kind::FixedDistance]);
        /// number of solutions of a condition
        "whole" = Kinds::of(&[Kind::Solutions]);
        /// share of a condition with several parts that holds
        "partial" = Kinds::of(&[Kind::PartialSolutions]);
        /// margin by which a value comes before another
        "order" = Kinds::of(&[Kind::Order]);
        /// number of steps between two values
        "variable" = Kinds::of(&[Kind::VariableDistance]);
        /// fluents that stay true
        "stays-true" = Kinds::of(&[Kind::TruePersistence]);
        /// fluents that stay false
        "stays-false" = Kinds::of(&[Kind::FalsePersistence]);
    }
}

choice! {
    impl Ties {
        /// no tie-break
        "none" = Ties::None;
        /// the own share of all legal moves
        "mobility" = Ties::Mobility;
        /// the own share of the pieces, each weighted by its moves on an empty board
        "pieces" = Ties::Pieces;
        /// mobility and pieces
        "both" = Ties::Both;
    }
}

impl Network {
    /// A network with all features that can be derived from the rules.
    pub(crate) fn with_all_features() -> Network {
        let mut network = Network::default();
        network.features.kinds = Kinds::ALL;
        network
    }

    fn network(&self) -> Settings {
        Settings {
            weights: match self.version {
                Version::Global => Weights::Global,
                Version::Local | Version::Final => Weights::Local { gap: self.gap },
            },
            distances: match self.version {
                Version::Final => self.network.distances.or(Some(Choice::Similar)),
                Version::Global | Version::Local => self.network.distances,
            },
            chains: self.network.chains || self.version == Version::Final,
            ..self.network
        }
    }

    /// Returns what breaks ties in a game. The final player uses mobility and pieces if they cost little, as the
    /// published one did by a clock; a class of costs does not depend on the machine.
    fn ties(&self, game: &Game) -> Ties {
        match (self.version, self.ties) {
            (Version::Final, Ties::None) if game.engine().step_cost() <= StepCost::Moderate => Ties::Both,
            (_, ties) => ties,
        }
    }

    fn features(&self, game: &Game) -> FeatureSettings {
        let mut features = self.features;
        if self.version == Version::Final {
            if features.kinds == Kinds::NONE {
                features.kinds = Kinds::ALL;
            }
            if features.standing == 0.0 {
                features.standing = FINAL_STANDING;
            }
        }
        let ties = self.ties(game);
        FeatureSettings {
            mobility: matches!(ties, Ties::Mobility | Ties::Both),
            pieces: matches!(ties, Ties::Pieces | Ties::Both),
            ..features
        }
    }
}

impl EvaluatorSettings for Network {
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        let (game, budget) = (context.game, context.budget);
        let (network, features) = (self.network(), self.features(game));
        let is_plain = features.kinds == Kinds::NONE && self.ties(game) == Ties::None && network.distances.is_none();
        let built = match is_plain {
            true => GoalNetwork::new(game, network, budget).map(|network| Built {
                report: Some(format!("{} neurons, no features", network.neurons())),
                evaluator: Box::new(network),
            }),
            false => FeatureNetwork::new(game, network, features, budget).map(|network| Built {
                report: Some(network.summary()),
                evaluator: Box::new(network),
            }),
        };
        Ok(built.unwrap_or_else(|| current_goals(game, NOT_COMPILED)))
    }

    fn share(&self) -> Option<f64> {
        Some(self.share)
    }

    /// A network without features says nothing that a reader could follow, so that it is explained with all of them.
    fn explainer(&self) -> Option<Explainer<'_>> {
        Some(Box::new(|context| {
            let mut features = self.features(context.game);
            if features.kinds == Kinds::NONE {
                features.kinds = Kinds::ALL;
            }
            match FeatureNetwork::new(context.game, self.network(), features, context.budget) {
                Some(network) => Ok(Box::new(network)),
                None => Err("the game is not compiled, so that its goals have no conditions to look at".to_string()),
            }
        }))
    }
}
