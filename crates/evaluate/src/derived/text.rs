//! Expressions as text for people.

use ludens_engine::Game;
use ludens_gdl::format::canonical_literal;
use ludens_gdl::normal::Literal;

/// The conditions, joined by "and"; fluents without the word for them.
pub(super) fn conjunction(literals: &[Literal], game: &Game) -> String {
    let symbols = &game.rules().symbols;
    let texts = literals.iter().map(|literal| canonical_literal(literal, symbols));
    texts.collect::<Vec<String>>().join(" and ")
}
