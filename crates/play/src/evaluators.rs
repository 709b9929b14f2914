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
    fn build(&self, context: &Context<'_>) -> Result<Built, String>;

    /// Returns the share of the start clock that building may take, if it is a setting of the evaluator.
    fn share(&self) -> Option<f64> {
        None
    }

    /// Builds the evaluator in a form that explains its evaluations. `None` if this kind does not explain itself.
    fn explainer(&self) -> Option<Explainer<'_>> {
        None
    }
}

/// An evaluator that was built for a game.
pub struct Built {
    /// The evaluator.
    pub evaluator: Box<dyn Evaluator>,
    /// What it is made of and what is missing for lack of time, in one line; agents put it into the record of a match.
    pub report: Option<String>,
}

impl<E: Evaluator + 'static> From<E> for Built {
    fn from(evaluator: E) -> Built {
        Built {
            evaluator: Box::new(evaluator),
            report: None,
        }
    }
}

/// Builds something that explains its evaluations of a game.
pub type Explainer<'a> = Box<dyn FnOnce(&Context<'_>) -> Result<Box<dyn Explains>, String> + 'a>;

/// The game, seed and time that an evaluator or advisor is built for.
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

/// Returns the current goals as an evaluator, the fallback if no better one can be built for this `cause`.
pub(crate) fn current_goals(game: &Game, cause: &str) -> Built {
    Built {
        evaluator: Box::new(Standing::new(game)),
        report: Some(format!("current goals only, because {cause}")),
    }
}

/// Why an evaluator that needs ground conditions falls back to current goals.
const NOT_COMPILED: &str = "the game is not compiled";

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
