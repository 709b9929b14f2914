//! Expressions as text for people.

use super::possible::TRUE;
use ludens_engine::Game;
use ludens_gdl::format::{canonical_literal, canonical_term};
use ludens_gdl::normal::Literal;

/// Returns the conditions, joined by "and"; fluents stand for themselves.
pub(super) fn conjunction(literals: &[Literal], game: &Game) -> String {
    let symbols = &game.rules().symbols;
    let text = |literal: &Literal| match literal {
        Literal::Positive(atom) if atom.relation() == TRUE => canonical_term(&atom.args[0], symbols),
        Literal::Negative(atom) if atom.relation() == TRUE => {
            format!("(not {})", canonical_term(&atom.args[0], symbols))
        }
        _ => canonical_literal(literal, symbols),
    };
    literals.iter().map(text).collect::<Vec<String>>().join(" and ")
}
