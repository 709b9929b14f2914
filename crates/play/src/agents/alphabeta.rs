//! Depth-first search with an evaluator of choice.

use super::AgentKind;
use super::depth_first::DepthFirst;
use crate::evaluators::{Built, Context, EvaluatorSettings, EvaluatorSpec};
use crate::settings::{OneOf, settings};
use crate::spec::AgentSpec;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "alphabeta",
    summary: "alpha-beta search with iterative deepening and an evaluator; max-n or paranoid search with more roles",
    default: || Box::<DepthFirst<ByChoice>>::default(),
};

settings! {
    /// Any evaluator.
    pub(super) struct ByChoice {
        /// evaluator of the leaves
        eval: EvaluatorSpec = EvaluatorSpec::default(), OneOf;
    }
}

impl EvaluatorSettings for ByChoice {
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        self.eval.build(context)
    }

    fn share(&self) -> Option<f64> {
        self.eval.share()
    }
}

/// Returns the agent with an evaluator, and defaults otherwise.
pub(super) fn with(eval: EvaluatorSpec) -> AgentSpec {
    let settings = DepthFirst {
        evaluator: ByChoice { eval },
        ..DepthFirst::default()
    };
    AgentSpec::new(&AGENT, settings)
}
