//! The names of the numbers: which terms the fluents and moves of a game are.

use crate::ids::RoleMap;
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;
use std::sync::Arc;

/// A ground term with its canonical text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The ground term.
    pub term: Term,
    /// Its canonical text.
    pub text: String,
}

/// The roles, fluents and moves of a game. Fluents and moves are numbered in the order of their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The role constants, in the order of the rules.
    pub roles: RoleMap<Symbol>,
    /// All fluents that can ever hold.
    pub fluents: Vec<Arc<Named>>,
    /// All moves that each role can ever make.
    pub moves: RoleMap<Vec<Arc<Named>>>,
}
