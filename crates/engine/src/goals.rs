//! The goal value that counts where several hold for a role.
//!
//! The language demands exactly one in every terminal state, but published games break that, and programs differ: some
//! take the lowest, some the highest, some refuse. The choice made here holds for both engines, playouts, solvers and
//! matches alike; docs/language.md says why the lowest is the default.

use std::cmp::Reverse;

/// The goal value that counts where several hold for a role in a terminal state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeveralGoals {
    /// The lowest.
    #[default]
    Lowest,
    /// The highest.
    Highest,
    /// None: such a match has no result. Searches and solvers, which need one, count the lowest.
    Error,
}

impl SeveralGoals {
    /// Sorts goal values, or items that have one, so that the first one that holds counts.
    pub(crate) fn sort<T>(self, goals: &mut [T], value: impl Fn(&T) -> u8) {
        match self {
            SeveralGoals::Lowest | SeveralGoals::Error => goals.sort_by_key(value),
            SeveralGoals::Highest => goals.sort_by_key(|goal| Reverse(value(goal))),
        }
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SeveralGoals::Lowest => "lowest",
            SeveralGoals::Highest => "highest",
            SeveralGoals::Error => "error",
        }
    }
}
