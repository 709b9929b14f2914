//! A move heuristic from the goals in the rules, regressed one step.

use super::{AdvisorKind, AdvisorSettings};
use crate::evaluators::{Context, Explainer};
use crate::settings::{Flag, OneOf, choice, settings};
use ludens_engine::knowledge::{Advisor, Evaluator};
use ludens_evaluate::rules::formula::Norm;
use ludens_evaluate::rules::regress::{Goals, MoveHeuristic, Options, Regressed};
use std::sync::Arc;

pub(super) const ADVISOR: AdvisorKind = AdvisorKind {
    name: "heuristic",
    summary: "how near a move brings its role to the goal, by the rules regressed one step",
    default: || Box::<Heuristic>::default(),
};

/// How the heuristic is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heuristic {
    options: Options,
    /// Share of the start clock.
    pub(crate) share: f64,
}

impl Default for Heuristic {
    fn default() -> Heuristic {
        Heuristic {
            options: Options::default(),
            share: 0.5,
        }
    }
}

settings! {
    impl Heuristic {
        /// degree of truth of a fluent that holds; one that does not has the complement
        p => options.certainty, 0.5..=1.0;
        /// degree of truth of simultaneous moves of other roles
        unknown => options.unknown, 0.0..=1.0;
        /// fuzzy norm that combines degrees of truth
        norm => options.norm, OneOf;
        /// which goal values are regressed
        goals => options.goals, OneOf;
        /// treat fluents that are proved to keep their value as certain
        persistence => options.persistence, Flag;
        /// how often recursive conditions are unrolled
        unroll => options.unrolled, 0..=1000;
        /// maximum size of all formulas; larger games are played without the heuristic
        parts => options.most_parts, 1..=1 << 28;
        /// share of the start clock spent on building the heuristic
        share => share, 0.0..=1.0;
    }
}

choice! {
    impl Norm {
        /// product, and probabilistic sum
        "product" = Norm::Product;
        /// minimum, and maximum
        "minimum" = Norm::Minimum;
        /// Yager norm
        "yager": Norm::Yager {
            /// exponent
            q => 0 = 15.0, 1.0..=1000.0;
        };
    }
}

choice! {
    impl Goals {
        /// the greatest alone
        "best" = Goals::Best;
        /// all, weighted by their value
        "all" = Goals::All;
    }
}

impl Heuristic {
    fn heuristic(&self, context: &Context<'_>) -> Result<MoveHeuristic, String> {
        MoveHeuristic::build(context.game, &self.options, context.budget).map_err(|error| error.to_string())
    }
}

impl AdvisorSettings for Heuristic {
    fn build(&self, context: &Context<'_>, _: Option<&dyn Evaluator>) -> Result<Box<dyn Advisor>, String> {
        Ok(Box::new(Regressed::new(Arc::new(self.heuristic(context)?))))
    }

    fn explainer(&self) -> Option<Explainer<'_>> {
        Some(Box::new(|context| Ok(Box::new(self.heuristic(context)?))))
    }
}
