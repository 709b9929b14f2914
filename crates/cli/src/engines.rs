//! The `--engine` option.

use clap::ValueEnum;
use ludens_engine::EngineChoice;

/// How to run the rules.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Compiled if the rules fit into the limits, else interpreted
    Auto,
    /// Compiled to a network of gates
    Compiled,
    /// The reference interpreter
    Interpreted,
}

impl From<EngineName> for EngineChoice {
    fn from(name: EngineName) -> EngineChoice {
        match name {
            EngineName::Auto => EngineChoice::Auto,
            EngineName::Compiled => EngineChoice::Compiled,
            EngineName::Interpreted => EngineChoice::Interpreted,
        }
    }
}
