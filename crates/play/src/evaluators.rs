//! The table of evaluators: functions that estimate the scores of a state.
//!
//! A new evaluator is a file in `evaluators/` with its settings and how it is built, and its line in [`EVALUATORS`].
//! Agents, `ludens explain`, the API and the page all use this table.

mod clune;
mod features;
mod fuzzy;
mod goals;
mod mobility;
mod network;

use crate::settings::{Chosen, Configurable, Entry, Listed};
pub(crate) use clune::Clune;
pub(crate) use features::EVALUATOR as FEATURES;
use ludens_budget::Budget;
use ludens_engine::knowledge::{Evaluator, Standing};
use ludens_engine::{Game, StepCost};
use ludens_evaluate::explain::Explains;
pub(crate) use network::{EVALUATOR as NETWORK, Network};
use std::fmt::Debug;

/// All evaluators, in the order in which they are shown: from simple to strong.
pub const EVALUATORS: &[&EvaluatorKind] = &[
    &goals::EVALUATOR,
    &features::EVALUATOR,
    &mobility::EVALUATOR,
    &fuzzy::EVALUATOR,
    &network::EVALUATOR,
    &clune::EVALUATOR,
];

/// A line of the table of evaluators.
pub type EvaluatorKind = Entry<dyn EvaluatorSettings>;

/// An evaluator with its settings.
pub type EvaluatorSpec = Chosen<dyn EvaluatorSettings>;

impl Listed for dyn EvaluatorSettings {
    fn table() -> &'static [&'static EvaluatorKind] {
        EVALUATORS
    }
}

/// The settings of an evaluator: how it is built.
pub trait EvaluatorSettings: Configurable + Debug + Send + Sync {
    /// Builds the evaluator of a game; an error says why there is none.
    fn build(&self, context: &Context<'_>) -> Result<Box<dyn Evaluator>, String>;

    /// Returns the share of the start clock that building may take, if the evaluator is learned from random play. `None`
    /// for evaluators that follow from the rules.
    fn share(&self) -> Option<f64> {
        None
    }

    /// Builds the evaluator in a form that explains its evaluations. `None` if this kind does not explain itself.
    fn explainer(&self) -> Option<Explainer<'_>> {
        None
    }
}

/// Builds something that explains its evaluations of a game.
pub type Explainer<'a> = Box<dyn FnOnce(&Context<'_>) -> Result<Box<dyn Explains>, String> + 'a>;

/// What an evaluator or advisor is built for.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The game.
    pub game: &'a Game,
    /// Seed of all random choices.
    pub seed: u64,
    /// Maximum length of the playouts that an evaluator learns from.
    pub max_steps: usize,
    /// Time for building.
    pub budget: &'a Budget,
}

/// The current goals as an evaluator: what is left where no better one can be built.
pub(crate) fn current_goals(game: &Game) -> Box<dyn Evaluator> {
    Box::new(Standing::new(game))
}

/// Number of sequences of random play to learn from, by the size of the game: without a clock, playouts that take long
/// must be few.
fn usual_sequences(game: &Game) -> usize {
    match game.engine().step_cost() {
        StepCost::High => 1_000,
        StepCost::VeryHigh => 400,
        StepCost::Interpreted => 100,
        _ => 2_000,
    }
}
