//! Mobility.

use super::{Context, EvaluatorKind, EvaluatorSettings};
use crate::settings::settings;
use ludens_engine::knowledge::Evaluator;

pub(super) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "mobility",
    summary: "the own share of all legal moves",
    default: || Box::<Mobility>::default(),
};

settings! {
    /// Mobility has no settings.
    struct Mobility {}
}

impl EvaluatorSettings for Mobility {
    fn build(&self, context: &Context<'_>) -> Result<Box<dyn Evaluator>, String> {
        Ok(Box::new(ludens_evaluate::rules::mobility::Mobility::new(context.game)))
    }
}
