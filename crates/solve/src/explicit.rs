//! Solving with every state kept by itself.

use crate::{Options, Report, SolveError, Watch};
use ludens_engine::{Budget, Game, State};

/// A table of states with their values.
pub struct ExplicitSolution {
    _table: (),
}

impl ExplicitSolution {
    /// The goals of all roles under best play from a state, if they are known.
    pub fn values(&self, _state: &State) -> Option<Vec<f64>> {
        None
    }

    /// How many steps best play takes from a state to the end, if that is known.
    pub fn distance(&self, _state: &State) -> Option<u32> {
        None
    }
}

/// Solves a game.
pub fn solve(
    game: &Game,
    _options: &Options,
    _budget: &Budget,
    _watch: Watch<'_>,
) -> Result<(Report, Option<ExplicitSolution>), SolveError> {
    Err(SolveError::Unsuitable {
        game: game.name().to_string(),
        method: "explicit",
        cause: "it is not written yet".to_string(),
    })
}
