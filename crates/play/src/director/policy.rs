//! The policies that ship with Ludens, and the check of policies that people write.

use ludens_budget::Budget;
use ludens_delp::Program;

/// A policy: rules that say from facts about a player what to change.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// What it aims at, in one line.
    pub about: &'static str,
    /// Its rules.
    pub text: &'static str,
}

macro_rules! policies {
    ($($name:literal $about:literal)*) => {
        /// Every policy for any game.
        pub const POLICIES: &[Policy] = &[$(Policy {
            name: $name,
            about: $about,
            text: include_str!(concat!("../../../../policies/", $name, ".delp")),
        }),*];
    };
}

policies! {
    "balanced" "every second match is won"
    "gentle" "more matches are won than lost"
    "demanding" "more matches are lost than won"
    "rated" "the rating and its uncertainty decide"
}

/// The policy of the level game.
pub const LEVEL_POLICY: &str = include_str!("../../../../policies/levels.delp");

/// The policy with this name.
pub fn find(name: &str) -> Option<&'static Policy> {
    POLICIES.iter().find(|policy| policy.name == name)
}

/// The names of all policies.
pub(super) fn names() -> String {
    let names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    names.join(", ")
}

/// Why a policy cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// No policy has this name.
    #[error("there is no policy `{name}`; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The policies that there are.
        known: String,
    },
    /// The text is not a program, or its strict part contradicts itself with the facts of a player.
    #[error("the policy cannot be used: {message} (line {line})")]
    Invalid {
        /// What is wrong.
        message: String,
        /// Where.
        line: usize,
    },
    /// Checking it takes too long.
    #[error("the policy cannot be used: {0}")]
    Limit(ludens_delp::Limit),
}

/// Refuses programs with errors or a contradiction.
pub(super) fn check(program: &Program) -> Result<(), PolicyError> {
    let errors = program.diagnostics.iter().find(|found| found.is_error()).cloned();
    let budget = Budget::iterations(super::STEPS).with_nodes(super::KEPT);
    let found = match errors {
        Some(error) => Some(error),
        None => program.check_strict(&budget).map_err(PolicyError::Limit)?,
    };
    match found {
        None => Ok(()),
        Some(wrong) => Err(PolicyError::Invalid {
            line: program.source.place(wrong.span.start).line,
            message: wrong.message,
        }),
    }
}
