//! The `--engine` option.

use crate::output::Failure;
use anyhow::anyhow;
use clap::ValueEnum;

/// How to run the rules.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// The fastest there is for the game
    Auto,
    /// Compiled code (not available yet)
    Compiled,
    /// The reference interpreter
    Interpreted,
}

impl EngineName {
    /// Refuses what is not there.
    pub(crate) fn check(self) -> Result<(), Failure> {
        match self {
            EngineName::Compiled => {
                Err(anyhow!("the compiled engine is not available yet; use --engine interpreted").into())
            }
            EngineName::Auto | EngineName::Interpreted => Ok(()),
        }
    }
}
