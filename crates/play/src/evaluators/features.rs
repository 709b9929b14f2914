//! Linear functions of features that correlate with scores in random play.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings, Explainer, usual_sequences};
use crate::settings::{Flag, OneOf, choice, settings};
use ludens_evaluate::learned::features::{Guided, GuidedFunction, Options, Weights, build};

pub(crate) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "features",
    summary: "linear function of fluent counts that correlate with the scores of random playouts",
    default: || Box::<Features>::default(),
};

/// How the function is learned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Features {
    share: f64,
    /// No sequences at all stand for as many as suit the game.
    options: Options,
}

impl Default for Features {
    fn default() -> Features {
        let mut options = Options::default();
        options.sampling.sequences = 0;
        Features { share: 0.3, options }
    }
}

settings! {
    impl Features {
        /// share of the start clock spent on learning
        share => share, 0.0..=1.0;
        /// number of state sequences sampled from random play; 0 = 2000, fewer in large games
        sequences => options.sampling.sequences, 0..=10_000_000;
        /// number of states in a sequence
        length => options.sampling.length, 1..=1_000;
        /// number of steps between two states of a sequence
        apart => options.sampling.apart, 1..=1_000;
        /// number of playouts from the last state of a sequence
        playouts => options.sampling.playouts, 1..=100_000;
        /// number of features in the function of a role
        count => options.features, 1..=200;
        /// maximum number of candidate features
        pool => options.expressions, 1..=1_000_000;
        /// consider differences and ratios of candidate features too
        compounds => options.compounds, Flag;
        /// how the weights of features are found
        weights => options.weights, OneOf;
    }
}

choice! {
    impl Weights {
        /// stability times correlation
        "product" = Weights::Product;
        /// ridge regression
        "fitted" = Weights::Fitted;
    }
}

impl Features {
    fn learn(&self, context: &Context<'_>) -> Result<GuidedFunction, String> {
        let mut options = self.options.clone();
        options.sampling.most_steps = context.max_steps;
        if options.sampling.sequences == 0 {
            options.sampling.sequences = usual_sequences(context.game);
        }
        build(context.game, &options, context.seed, context.budget).map_err(|error| error.to_string())
    }
}

impl EvaluatorSettings for Features {
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        let learned = self.learn(context)?;
        Ok(Built {
            report: Some(learned.summary()),
            evaluator: Box::new(Guided::new(&learned)),
        })
    }

    fn share(&self) -> Option<f64> {
        Some(self.share)
    }

    fn explainer(&self) -> Option<Explainer<'_>> {
        Some(Box::new(|context| Ok(Box::new(self.learn(context)?))))
    }
}
