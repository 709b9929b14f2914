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

/// One machine may be told moves that only another has seen among the legal ones.
#[test]
fn moves_may_come_from_another_machine() {
    let rules = "(role w) (init (at 1)) (succ 1 2) (succ 2 3) (<= (legal w (go ?m)) (true (at ?n)) (succ ?n ?m))
        (<= (legal w (stay ?n)) (true (at ?n))) (<= (next (at ?m)) (does w (go ?m)))
        (<= (next (at ?m)) (does w (stay ?m))) (<= terminal (true (at 3))) (<= (goal w 100) (true (at 3)))";
    let description = ludens_gdl::Description::read(ludens_gdl::Source::new("walk", rules));
    let options = ludens_engine::Options {
        engine: ENGINE,
        ..Default::default()
    };
    let game = ludens_engine::Game::new(description, options).unwrap();
    let role = ludens_engine::Role(0);
    let stay = game.machine().legal(role)[1];
    let mut machine = game.machine();
    machine.step(&[stay]);
    let texts: Vec<String> = machine
        .legal(role)
        .iter()
        .map(|&known| game.move_text(role, known))
        .collect();
    assert_eq!(texts, ["(go 2)", "(stay 1)"]);
}
