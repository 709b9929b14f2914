//! One-step lookahead with the evaluator of the search.

use super::{AdvisorKind, AdvisorSettings};
use crate::evaluators::Context;
use crate::settings::settings;
use ludens_engine::knowledge::{Advisor, Evaluator};
use ludens_evaluate::ahead::Ahead;

pub(super) const ADVISOR: AdvisorKind = AdvisorKind {
    name: "lookahead",
    summary: "the evaluation of the state after a move",
    default: || Box::<Lookahead>::default(),
};

settings! {
    /// Lookahead has no settings.
    pub(crate) struct Lookahead {}
}

impl AdvisorSettings for Lookahead {
    fn build(&self, context: &Context<'_>, evaluator: Option<&dyn Evaluator>) -> Result<Box<dyn Advisor>, String> {
        let evaluator = evaluator.ok_or("lookahead needs an evaluator")?;
        Ok(Box::new(Ahead::new(context.game, evaluator.another())))
    }
}
