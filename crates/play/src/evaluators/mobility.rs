//! Mobility.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings};
use crate::settings::settings;

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
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        Ok(ludens_evaluate::rules::mobility::Mobility::new(context.game).into())
    }
}
