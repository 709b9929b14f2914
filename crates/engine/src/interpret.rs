//! The reference interpreter: it defines what the rules mean.
//!
//! Rules in normal form are evaluated bottom-up, stratum by stratum, exactly as the semantics of GDL says: given the
//! state (and the moves) as facts, everything that follows is derived. Speed comes from indexes and from deriving only
//! what a question needs, never from optimisations that would have to be trusted. Faster engines are tested against
//! this one, and games that no faster engine can handle run on it.
//!
//! The evaluation itself is in the crate `ludens-datalog`; here are
//! - `prepare`: runs a trial of the rules and decides what to derive on demand;
//! - `machine`: the game interface on top.

use crate::goals::SeveralGoals;
use crate::machine::{Engine, Machine};
use crate::vocabulary::Vocabulary;
use ludens_datalog::{Limits, Meter, Program};
use ludens_gdl::normal::NormalRules;
use std::sync::Arc;
use std::time::Instant;

mod machine;
mod prepare;

use machine::InterpreterMachine;

/// The interpreter for one game.
pub struct Interpreter {
    limits: Limits,
    program: Arc<Program>,
    several_goals: SeveralGoals,
    vocabulary: Arc<Vocabulary>,
}

/// Reason why rules cannot be interpreted.
#[derive(Debug, thiserror::Error)]
pub enum InterpretError {
    /// Some relation depends on its own negation.
    #[error("the rules are not stratified: `{0}` depends on its own negation")]
    Unstratified(String),
    /// The rules define no role.
    #[error("the game has no role")]
    NoRole,
    /// More roles than the interface can number.
    #[error("the game has {0} roles, more than 255")]
    TooManyRoles(usize),
    /// Deriving the facts that hold in all states hit a limit.
    #[error("{0}")]
    Limit(String),
}

impl Interpreter {
    /// Sets rules up to be run.
    pub fn new(
        rules: &NormalRules,
        limits: Limits,
        several_goals: SeveralGoals,
    ) -> Result<Interpreter, InterpretError> {
        let deadline = Instant::now().checked_add(limits.setup);
        let listed = rules.listed_roles();
        if listed.len() > MOST_ROLES {
            return Err(InterpretError::TooManyRoles(listed.len()));
        }
        let program = prepare::prepare(rules, limits)?;
        let roles = machine::roles(&program, listed, deadline)?;
        Ok(Interpreter {
            limits,
            several_goals,
            vocabulary: Arc::new(Vocabulary::new(rules.symbols.clone(), roles, limits.memory)),
            program: Arc::new(program),
        })
    }

    /// Sets rules up with an existing vocabulary, which the interpreter extends.
    pub(crate) fn numbered(
        rules: &NormalRules,
        limits: Limits,
        several_goals: SeveralGoals,
        vocabulary: Arc<Vocabulary>,
    ) -> Result<Interpreter, InterpretError> {
        Ok(Interpreter {
            limits,
            several_goals,
            program: Arc::new(prepare::prepare(rules, limits)?),
            vocabulary,
        })
    }

    /// The numbering of fluents and moves.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }
}

/// Maximum number of roles: a [`Role`](crate::Role) is a `u8`.
const MOST_ROLES: usize = 255;

impl Engine for Interpreter {
    fn name(&self) -> &'static str {
        "interpreted"
    }

    fn machine(&self) -> Box<dyn Machine> {
        Box::new(InterpreterMachine::new(
            self.program.clone(),
            self.vocabulary.clone(),
            self.several_goals,
            Meter::for_play(&self.limits),
        ))
    }
}
