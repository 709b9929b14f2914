//! Orders, quantities and boards of library games.

use ludens_analysis::orders::OrderKind;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Fluent, Game, MoveId};
use ludens_evaluate::rules::fuzzy::{Fuzzy, Settings};
use ludens_evaluate::rules::structures::{Degrees, Structure, Structures, structures};
use ludens_testkit::library;

fn fluents(game: &Game) -> Vec<Fluent> {
    (0..game.vocabulary().fluent_count() as u32).map(Fluent).collect()
}

fn fluent(game: &Game, text: &str) -> Fluent {
    game.parse_fluent(text).expect("the game has the fluent")
}

#[test]
fn boards_are_where_things_move() {
    let game = library("breakthrough-small");
    let all = fluents(&game);
    let orders = Structures::new(&game, &all);
    assert!(orders.orders().iter().any(|order| order.kind == OrderKind::Successor));
    let found = structures(&game);
    let cell = found
        .iter()
        .find(|(name, _)| name == "cell")
        .map(|(_, structure)| structure.clone());
    assert_eq!(cell, Some(Structure::Board(vec![0, 1])), "{found:?}");
    // Discs in connect four come to stand and never move.
    let game = library("connect-four");
    let discs: Vec<Fluent> = fluents(&game)
        .into_iter()
        .filter(|&fluent| game.vocabulary().fluent_name(fluent).text.contains("red"))
        .collect();
    assert!(!discs.is_empty());
    let degrees = Degrees::new(&game, &discs);
    assert_eq!(degrees.map_or(0, |degrees| degrees.count()), 0);
}

#[test]
fn the_degree_of_a_cell_grows_as_a_piece_comes_nearer() {
    let game = library("breakthrough-small");
    let target = fluent(&game, "(cell 3 6 white)");
    let degrees = Degrees::new(&game, &[target]).expect("the board is found");
    assert_eq!(degrees.count(), 1);
    // White stands two rows deep: four steps below the target. Columns and rows are at most five steps apart each.
    assert_eq!(degrees.of(game.initial(), target), Some(0.6));
    let joint: Vec<MoveId> = game
        .roles()
        .zip(["(move 3 2 3 3)", "noop"])
        .map(|(role, text)| game.parse_move(role, text).expect("it is a move"))
        .collect();
    let mut machine = game.machine();
    machine.step(&joint);
    assert_eq!(degrees.of(machine.state(), target), Some(0.7));
}

#[test]
fn quantities_are_compared_by_their_values() {
    let game = library("subtraction-21-3");
    let heap = structures(&game);
    assert_eq!(heap, [("heap".to_string(), Structure::Quantity(vec![0]))]);
    let empty = fluent(&game, "(heap 0)");
    let degrees = Degrees::new(&game, &[empty]).expect("the heap is found");
    assert_eq!(degrees.of(game.initial(), empty), Some(0.0));
    let joint: Vec<MoveId> = game
        .roles()
        .zip(["(take 3)", "noop"])
        .map(|(role, text)| game.parse_move(role, text).expect("it is a move"))
        .collect();
    let mut machine = game.machine();
    machine.step(&joint);
    let degree = degrees.of(machine.state(), empty).expect("it is measured");
    assert!((degree - 3.0 / 21.0).abs() < 1e-9);
}

#[test]
fn fuzzy_evaluation_uses_structures_only_if_asked() {
    let game = library("breakthrough-small");
    let fuzzy = |structures| {
        let settings = Settings {
            structures,
            distances: None,
            ..Settings::default()
        };
        Fuzzy::new(&game, settings).expect("the game is compiled")
    };
    let (mut with, mut without) = (fuzzy(true), fuzzy(false));
    assert!(with.structures() > 0);
    assert_eq!(without.structures(), 0);
    let joint: Vec<MoveId> = game
        .roles()
        .zip(["(move 3 2 3 3)", "noop"])
        .map(|(role, text)| game.parse_move(role, text).expect("it is a move"))
        .collect();
    let mut machine = game.machine();
    machine.step(&joint);
    let change = |fuzzy: &mut Fuzzy| {
        let (mut before, mut after) = ([0.0; 2], [0.0; 2]);
        fuzzy.evaluate(game.initial(), &mut before);
        fuzzy.evaluate(machine.state(), &mut after);
        after[0] - before[0]
    };
    assert!(change(&mut with).abs() > 1e-6);
    // Without them nothing changes before a piece gets through.
    assert!(change(&mut without).abs() < 1e-9);
}
