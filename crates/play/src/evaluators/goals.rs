//! The current goals.

use super::{Context, EvaluatorKind, EvaluatorSettings, current_goals};
use crate::settings::settings;
use ludens_engine::knowledge::Evaluator;

pub(super) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "goals",
    summary: "the current goals, as if the match ended here",
    default: || Box::<Goals>::default(),
};

settings! {
    /// The current goals have no settings.
    struct Goals {}
}

impl EvaluatorSettings for Goals {
    fn build(&self, context: &Context<'_>) -> Result<Box<dyn Evaluator>, String> {
        Ok(current_goals(context.game))
    }
}
