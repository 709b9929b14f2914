//! Explanations of a position by the evaluators and advisors that can explain themselves.

use crate::advisors::ADVISORS;
use crate::evaluators::{Context, EVALUATORS};
use crate::spec::Written;
use ludens_evaluate::explain::Explains;

/// Lists name and summary of every evaluator and advisor that explains itself.
pub fn explaining() -> Vec<(&'static str, &'static str)> {
    let evaluators = EVALUATORS
        .iter()
        .filter(|entry| (entry.default)().explainer().is_some());
    let advisors = ADVISORS.iter().filter(|entry| (entry.default)().explainer().is_some());
    let evaluators = evaluators.map(|entry| (entry.name, entry.summary));
    evaluators
        .chain(advisors.map(|entry| (entry.name, entry.summary)))
        .collect()
}

/// Builds the explainer of this name for a game. `sequences` is the number of sequences of random play, for evaluators
/// that learn from it.
pub fn explainer(name: &str, sequences: usize, context: &Context<'_>) -> Result<Box<dyn Explains>, String> {
    let unknown = || format!("{name} does not explain itself");
    if let Some(entry) = EVALUATORS.iter().find(|entry| entry.name == name) {
        let mut evaluator = (entry.default)();
        let sequences = Written::plain(&sequences.to_string());
        if let Some(result) = evaluator.set("sequences", &sequences) {
            result.map_err(|error| error.to_string())?;
        }
        return evaluator.explainer().ok_or_else(unknown)?(context);
    }
    let entry = ADVISORS.iter().find(|entry| entry.name == name);
    let advisor = (entry.ok_or_else(unknown)?.default)();
    advisor.explainer().ok_or_else(unknown)?(context)
}
