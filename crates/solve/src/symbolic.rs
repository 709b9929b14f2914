//! Solving with sets of states as decision diagrams.

use crate::{Options, Order, Report, SolveError, Watch};
use ludens_engine::{Budget, Game, State};
use std::io::{self, Write};

/// Sets of states of the same value.
pub struct SymbolicSolution {
    _sets: (),
}

impl SymbolicSolution {
    /// The goals of all roles under best play from a state, if they are known.
    pub fn values(&self, _state: &State) -> Option<Vec<f64>> {
        None
    }

    /// What roles were taken to prefer.
    pub fn order(&self) -> Order {
        Order::Own
    }

    /// How many steps best play takes from a state to the end, if that is known.
    pub fn distance(&self, _state: &State) -> Option<u32> {
        None
    }

    /// Writes what [`SymbolicSolution::read`] reads; the file around it has a checksum and the hash of the rules. Numbers
    /// of fluents belong to a `Game`, so files name fluents by their text.
    pub fn write(&self, _game: &Game, _out: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::other("symbolic solutions cannot be saved yet"))
    }

    /// Reads what [`SymbolicSolution::write`] wrote for the same rules; else says what is wrong with it.
    pub fn read(_game: &Game, _bytes: &[u8]) -> Result<SymbolicSolution, String> {
        Err("symbolic solutions cannot be read yet".to_string())
    }
}

/// Solves a game.
pub fn solve(
    game: &Game,
    _options: &Options,
    _budget: &Budget,
    _watch: Watch<'_>,
) -> Result<(Report, Option<SymbolicSolution>), SolveError> {
    Err(SolveError::Unsuitable {
        game: game.name().to_string(),
        method: "symbolic",
        cause: "it is not written yet".to_string(),
    })
}
