//! Fuzzy goal evaluation, in the manner of Fluxplayer.

use super::{Built, Context, EvaluatorKind, EvaluatorSettings, NOT_COMPILED, current_goals};
use crate::settings::{Flag, OneOf, choice, settings};
use ludens_evaluate::rules::distance::Choice as Distances;
use ludens_evaluate::rules::fuzzy::{Fuzzy, Settings};

pub(super) const EVALUATOR: EvaluatorKind = EvaluatorKind {
    name: "fuzzy",
    summary: "degree to which the goals are true, by fuzzy logic; see flux",
    default: || Box::<Settings>::default(),
};

settings! {
    impl Settings {
        /// degree of truth of a fluent that holds
        p => truth, 0.5..=1.0;
        /// exponent of the Yager norm; the greater, the closer to minimum and maximum
        q => exponent, 1.0..=100.0;
        /// maximum number of conjunctions and disjunctions expanded from the goal; deeper conditions are Boolean leaves
        joins => most_joins, 0..=1_000_000;
        /// give a false fluent partial truth by the distance, along a successor relation, to the value that holds instead
        structures => structures, Flag;
        /// give deeply nested conditions, as in rules that count, partial truth by the number of conditions that are missing
        chains => chains, Flag;
        /// give a false fluent partial truth by the number of steps in which it can become true
        distance => distances, OneOf;
    }
}

choice! {
    impl Option<Distances> {
        /// no partial truth
        "none" = None;
        /// the greater of the two distances below
        "both" = Some(Distances::Both);
        /// distance along the most similar precondition, as published
        "similar" = Some(Distances::Similar);
        /// distance along the precondition that is reached last
        "late" = Some(Distances::Late);
    }
}

impl EvaluatorSettings for Settings {
    fn build(&self, context: &Context<'_>) -> Result<Built, String> {
        // A game that is not compiled has no conditions to make a function of.
        Ok(match Fuzzy::new(context.game, *self) {
            Some(fuzzy) => Built {
                report: Some(format!(
                    "{} fluents by distance, {} by structure, {} chains",
                    fuzzy.distances(),
                    fuzzy.structures(),
                    fuzzy.chains()
                )),
                evaluator: Box::new(fuzzy),
            },
            None => current_goals(context.game, NOT_COMPILED),
        })
    }
}
