//! The current goals.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings};
use crate::settings::settings;
use ludens_engine::knowledge::Standing;

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
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        Ok(Standing::new(context.game).into())
    }
}
