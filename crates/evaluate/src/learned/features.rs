//! Features: expressions over fluents with variables, whose value in a state is the number of their solutions there;
//! and a linear function of the best of them that evaluates states.
//!
//! After Walędzik and Mańdziuk (guided UCT). [`build`] does all of it before a match: `pool` collects expressions from
//! the rules, `measure` looks at them on a [sample](crate::learned::sample) of random play, `choose` picks those that
//! are stable and go along with the goals, and [`GuidedFunction`] adds them up. As a count is a sum over fluents, all
//! counts and differences of counts together come down to one number for each fluent, so that a state costs no more
//! than a walk over the fluents that hold in it (`table`).

mod choose;
mod function;
mod measure;
pub(crate) mod pattern;
mod pool;
mod table;

pub use function::{Feature, GuidedFunction, Part, RoleFunction, Shape};
pub(crate) use function::{different, fit, ridge};
use ludens_budget::Budget;
pub use measure::Measure;
pub(crate) use measure::{correlation, measure};
pub use pool::{Expression, Origin, Pool};
pub use table::Guided;

use crate::learned::sample::{Sample, Sampling, draw};
use ludens_engine::{Fluent, Game};
use std::time::Instant;

/// How to find features and make a function of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How random play is sampled.
    pub sampling: Sampling,
    /// Features in the function of a role.
    pub features: usize,
    /// Expressions that are looked at.
    pub expressions: usize,
    /// Whether differences and ratios of expressions are looked at too.
    pub compounds: bool,
    /// How the weights are found.
    pub weights: Weights,
}

/// How the weights of features are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Stability times correlation, one factor for all that fits the goals best.
    Product,
    /// Those that fit the goals best together (ridge regression).
    Fitted,
    /// Stability with the sign of the correlation, one factor for all that fits the goals best (Cluneplayer).
    Stability,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            sampling: Sampling::default(),
            features: 30,
            expressions: 5_000,
            compounds: true,
            weights: Weights::Product,
        }
    }
}

/// Why there is no function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Too little was drawn before the time was over.
    #[error("the time was over after {0} sequences of random play, which is too few to learn from")]
    TooFewSequences(usize),
    /// All playouts ended with the same scores.
    #[error("all {0} playouts ended with the same scores, so no feature can correlate with them")]
    AllAlike(u64),
    /// No count changes with the results.
    #[error("no expression over the fluents correlates with the goals")]
    NothingChanges,
}

/// A sample must have this many sequences.
const LEAST_SEQUENCES: usize = 20;
/// The share of the time that goes into the sample.
const SAMPLE_SHARE: f64 = 0.6;

/// Finds features and makes a function of them. Without a deadline the result depends on the seed alone.
pub fn build(game: &Game, options: &Options, seed: u64, budget: &Budget) -> Result<GuidedFunction, BuildError> {
    let sample = draw(game, &options.sampling, seed, &for_sample(budget));
    learn(game, options, &sample, budget)
}

/// Returns what of a budget goes into the sample.
pub(crate) fn for_sample(budget: &Budget) -> Budget {
    match budget.deadline() {
        Some(deadline) => {
            let left = deadline.saturating_duration_since(Instant::now());
            budget.within(left.mul_f64(SAMPLE_SHARE))
        }
        None => budget.clone(),
    }
}

/// Returns whether anything can be learned from a sample, and if not, why.
pub(crate) fn check(sample: &Sample) -> Result<(), BuildError> {
    if sample.sequences.len() < LEAST_SEQUENCES {
        return Err(BuildError::TooFewSequences(sample.sequences.len()));
    }
    if !sample.can_teach() {
        return Err(BuildError::AllAlike(sample.matches));
    }
    Ok(())
}

/// Makes a function of a sample.
pub fn learn(game: &Game, options: &Options, sample: &Sample, budget: &Budget) -> Result<GuidedFunction, BuildError> {
    check(sample)?;
    let pool = Pool::new(game, &fluents(game, sample), options.expressions, budget);
    let candidates = choose::candidates(&pool, sample, options.compounds, budget);
    let function = function::combine(game, &pool, candidates, sample, options);
    match function.features().is_empty() {
        true => Err(BuildError::NothingChanges),
        false => Ok(function),
    }
}

/// Returns the fluents that expressions are about, in the order of their texts: all that can change, where grounding
/// found out, else those that were seen.
pub(crate) fn fluents(game: &Game, sample: &Sample) -> Vec<Fluent> {
    let vocabulary = game.vocabulary();
    if let Some(circuit) = game.engine().circuit() {
        let changing = circuit.constant_fluents.iter().enumerate();
        return changing
            .filter(|(_, constant)| constant.is_none())
            .map(|(number, _)| Fluent(number as u32))
            .collect();
    }
    let mut seen: Vec<Fluent> = sample.states().flat_map(|state| state.fluents()).collect();
    seen.sort_unstable();
    seen.dedup();
    // Fluents get their numbers when they are first seen, which depends on earlier use of the game.
    seen.sort_by_cached_key(|&fluent| vocabulary.fluent_name(fluent).text.clone());
    seen
}
