//! Payoff, control and termination, in the manner of Cluneplayer.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings, Explainer, usual_sequences};
use crate::settings::{Flag, settings};
use ludens_evaluate::learned::clune::{self, CluneFunction, Options, build};

pub(super) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "clune",
    summary: "payoff, control and termination, learned from random play; see clune",
    default: || Box::<Clune>::default(),
};

/// How the function is learned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clune {
    share: f64,
    /// No sequences at all stand for as many as suit the game.
    options: Options,
}

impl Default for Clune {
    fn default() -> Clune {
        let mut options = Options::default();
        options.sampling.sequences = 0;
        Clune { share: 0.3, options }
    }
}

settings! {
    impl Clune {
        /// share of the start clock spent on learning
        share => share, 0.0..=1.0;
        /// number of state sequences sampled from random play; 0 = 2000, fewer in large games
        sequences => options.sampling.sequences, 0..=10_000_000;
        /// number of features in the payoff of a role
        count => options.features, 1..=200;
        /// maximum number of candidate features
        pool => options.expressions, 1..=1_000_000;
        /// consider distances along orders of constants
        orders => options.distances, Flag;
        /// consider the share of a goal's conditions that hold
        parts => options.parts, Flag;
        /// weigh mobility against payoff, more the farther the end is; false = payoff alone
        control => options.control, Flag;
    }
}

impl Clune {
    fn learn(&self, context: &Context<'_>) -> Result<CluneFunction, String> {
        let mut options = self.options.clone();
        if options.sampling.sequences == 0 {
            options.sampling.sequences = usual_sequences(context.game);
        }
        build(context.game, &options, context.seed, context.budget).map_err(|error| error.to_string())
    }
}

impl EvaluatorSettings for Clune {
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        let learned = self.learn(context)?;
        Ok(Built {
            report: Some(learned.summary()),
            evaluator: Box::new(clune::Clune::new(&learned)),
        })
    }

    fn share(&self) -> Option<f64> {
        Some(self.share)
    }

    fn explainer(&self) -> Option<Explainer<'_>> {
        Some(Box::new(|context| Ok(Box::new(self.learn(context)?))))
    }
}
