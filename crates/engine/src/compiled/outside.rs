//! States outside of the network: states that no match can reach.
//!
//! Grounding leaves out what can never hold and folds what always or never holds into constants. So the network is
//! correct only where every fluent has a value that some match may bring about. A state can also come from elsewhere:
//! an author sets up a position, a test makes one up. The reference interpreter answers for such states.

use crate::goals::SeveralGoals;
use crate::interpret::Interpreter;
use crate::machine::{Engine, Machine};
use crate::state::State;
use crate::vocabulary::Vocabulary;
use ludens_datalog::Limits;
use ludens_gdl::normal::NormalRules;
use std::sync::{Arc, OnceLock};

/// Tells the states that the network covers from the others, and has the interpreter for those.
pub(super) struct Outside {
    /// The fluents that always hold, and all that may hold, as words of a state.
    always: Vec<u64>,
    possible: Vec<u64>,
    reference: Reference,
    /// Made when a state needs it: for most games it is never needed.
    interpreter: OnceLock<Result<Interpreter, String>>,
}

/// Parts of an interpreter of the same game.
pub(super) struct Reference {
    pub(super) rules: Arc<NormalRules>,
    pub(super) limits: Limits,
    pub(super) several_goals: SeveralGoals,
    pub(super) vocabulary: Arc<Vocabulary>,
}

impl Outside {
    /// For fluents of which some are constant.
    pub(super) fn new(constant: &[Option<bool>], reference: Reference) -> Outside {
        let mut always = vec![0; constant.len().div_ceil(64)];
        let mut possible = always.clone();
        for (fluent, value) in constant.iter().enumerate() {
            let bit = 1 << (fluent % 64);
            always[fluent / 64] |= if *value == Some(true) { bit } else { 0 };
            possible[fluent / 64] |= if *value == Some(false) { 0 } else { bit };
        }
        Outside {
            always,
            possible,
            reference,
            interpreter: OnceLock::new(),
        }
    }

    /// Whether a state is outside of what the network can answer.
    pub(super) fn has(&self, state: &State) -> bool {
        let words = state.words();
        let word = |number: usize| words.get(number).copied().unwrap_or(0);
        let lacks = |(number, always): (usize, &u64)| always & !word(number) != 0;
        let is_foreign = |(number, word): (usize, &u64)| word & !self.possible.get(number).unwrap_or(&0) != 0;
        words.iter().enumerate().any(is_foreign) || self.always.iter().enumerate().any(lacks)
    }

    /// Returns a machine that answers any state, or why there is none.
    pub(super) fn machine(&self) -> Result<Box<dyn Machine>, String> {
        let interpreter = self.interpreter.get_or_init(|| {
            let Reference {
                rules,
                limits,
                several_goals,
                vocabulary,
            } = &self.reference;
            Interpreter::numbered(rules, *limits, *several_goals, vocabulary.clone()).map_err(|cause| {
                format!("no match reaches this state, and the interpreter cannot run the rules: {cause}")
            })
        });
        interpreter.as_ref().map(Interpreter::machine).map_err(String::clone)
    }
}
