//! The table of advisors: functions that estimate the score a role can expect after each of its moves.
//!
//! A new advisor is a file in `advisors/` with its settings and how it is built, and its line in [`ADVISORS`].

mod heuristic;
mod lookahead;

use crate::evaluators::{Context, Explainer};
use crate::settings::{Chosen, Configurable, Entry, Listed};
pub(crate) use heuristic::Heuristic;
pub(crate) use lookahead::Lookahead;
use ludens_engine::knowledge::{Advisor, Evaluator};
use std::fmt::Debug;

/// All advisors.
pub const ADVISORS: &[&AdvisorKind] = &[&heuristic::ADVISOR, &lookahead::ADVISOR];

/// A line of the table of advisors.
pub type AdvisorKind = Entry<dyn AdvisorSettings>;

/// An advisor with its settings.
pub type AdvisorSpec = Chosen<dyn AdvisorSettings>;

impl Listed for dyn AdvisorSettings {
    fn table() -> &'static [&'static AdvisorKind] {
        ADVISORS
    }
}

/// The settings of an advisor: how it is built.
pub trait AdvisorSettings: Configurable + Debug + Send + Sync {
    /// Builds the advisor of a game, with the evaluator of the search if there is one; an error says why there is none.
    fn build(&self, context: &Context<'_>, evaluator: Option<&dyn Evaluator>) -> Result<Box<dyn Advisor>, String>;

    /// Builds the advisor in a form that explains its advice. `None` if this kind does not explain itself.
    fn explainer(&self) -> Option<Explainer<'_>> {
        None
    }
}
