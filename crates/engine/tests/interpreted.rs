//! The reference interpreter means what the language says.

use ludens_engine::EngineChoice;

const ENGINE: EngineChoice = EngineChoice::Interpreted;

mod semantics;

// Moves that are legal in no state have no gates, so this holds for the interpreter alone.
#[test]
fn moves_that_are_not_legal_can_be_made() {
    let mut play = semantics::play("(role w) (legal w a) (other b) (<= (next (did ?m)) (does w ?m))");
    assert_eq!(play.legal("w"), ["a"]);
    assert_eq!(play.step(&["b"]).state(), ["(did b)"]);
}
