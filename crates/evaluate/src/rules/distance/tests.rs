//! Distances compared with published ones and with random play.

use super::*;
use ludens_engine::{Rng, playout};
use ludens_gdl::Source;
use ludens_testkit::library;
use std::time::Duration;

fn fluent(game: &Game, text: &str) -> Fluent {
    game.parse_fluent(text).unwrap()
}

#[test]
fn cells_of_tic_tac_toe_are_filled_once() {
    let game = library("tic-tac-toe");
    let program = &game.engine().circuit().unwrap().program;
    for choice in [Choice::Similar, Choice::Late] {
        let graph = FluentGraph::new(program, choice, &Budget::default()).unwrap();
        for (content, origins) in [
            ("empty", vec!["(cell 3 1 empty)"]),
            ("x", vec!["(cell 3 1 empty)", "(cell 3 1 x)"]),
            ("o", vec!["(cell 3 1 empty)", "(cell 3 1 o)"]),
        ] {
            let target = fluent(&game, &format!("(cell 3 1 {content})"));
            let mut found: Vec<String> = graph
                .origins(target)
                .iter()
                .map(|&origin| game.vocabulary().fluent_name(origin).text.clone())
                .collect();
            found.sort();
            assert_eq!(found, origins, "{choice:?}");
        }
        let targets = [fluent(&game, "(cell 3 1 x)")];
        let distances = Distances::new(&game, &targets, choice).unwrap();
        assert_eq!(distances.from_fluent(fluent(&game, "(cell 3 1 empty)"), 0), Some(1));
        assert_eq!(distances.from_fluent(fluent(&game, "(cell 3 1 o)"), 0), None);
        assert_eq!(distances.from_fluent(targets[0], 0), Some(0));
    }
}

#[test]
fn distances_never_exceed_the_steps_of_a_match() {
    for name in [
        "tic-tac-toe",
        "breakthrough-small",
        "connect-four",
        "goofspiel-4",
        "eight-puzzle",
        "pursuit",
    ] {
        let game = library(name);
        let count = game.engine().circuit().unwrap().program.names.fluents.len();
        let targets: Vec<Fluent> = (0..count as u32).step_by(3).map(Fluent).collect();
        let distances = Distances::new(&game, &targets, Choice::Both).unwrap();
        let mut rng = Rng::with_seed(9);
        let mut machine = game.machine();
        let mut joint = Vec::new();
        for _ in 0..3 {
            machine.load(game.initial());
            let mut states = vec![machine.state().clone()];
            while states.len() < 60
                && !machine.is_terminal()
                && playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_ok()
            {
                machine.step(&joint);
                states.push(machine.state().clone());
            }
            for (from, state) in states.iter().enumerate().step_by(3) {
                for (number, &target) in targets.iter().enumerate() {
                    let until = states[from..].iter().position(|later| later.holds(target));
                    if let Some(steps) = until {
                        let distance = distances.from_state(state, number);
                        assert!(
                            distance.is_some_and(|distance| distance <= steps),
                            "{name}: {distance:?} for {steps}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_latest_condition_shows_how_far_a_pawn_has_to_go() {
    let game = library("breakthrough-small");
    let texts = game.state_texts(game.initial());
    let program = &game.engine().circuit().unwrap().program;
    // The last row is what the goal of the first role is about; how far it is shows in the levels of the graph.
    let targets: Vec<Fluent> = (0..program.names.fluents.len() as u32).map(Fluent).collect();
    let similar = Distances::new(&game, &targets, Choice::Similar).unwrap();
    let both = Distances::new(&game, &targets, Choice::Both).unwrap();
    let far = |distances: &Distances| {
        let all = (0..targets.len()).filter_map(|target| distances.from_state(game.initial(), target));
        all.max().unwrap_or(0)
    };
    assert!(far(&both) >= 4, "{} from {texts:?}", far(&both));
    assert!(far(&both) >= far(&similar));
}

/// Pieces on a row of three cells and a file, without fluents for empty cells: a rook goes any way, a king one step, a
/// pawn only forwards.
const PIECES: &str = "
    (role mover)
    (file a) (file b) (file c)
    (init (at rook a)) (init (at king a)) (init (at pawn a)) (init (rank pawn 2))
    (follows a b) (follows b c)
    (<= (reach rook ?x ?y) (file ?x) (file ?y) (distinct ?x ?y))
    (<= (reach king ?x ?y) (follows ?x ?y))
    (<= (reach king ?x ?y) (follows ?y ?x))
    (<= (legal mover (go ?p ?x ?y)) (true (at ?p ?x)) (reach ?p ?x ?y))
    (legal mover wait)
    (<= (next (at ?p ?y)) (does mover (go ?p ?x ?y)))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (not (gone ?p ?x)))
    (<= (gone ?p ?x) (does mover (go ?p ?x ?y)))
    (<= (next (rank pawn 2)) (true (rank pawn 2)))
    (<= terminal (true (at king c)) (true (at rook c)))
    (<= (goal mover 100) (true (at king c)))
    (<= (goal mover 0) (not (true (at king c))))";

#[test]
fn pieces_are_as_far_as_they_move() {
    let game = Game::read(Source::new("pieces", PIECES)).unwrap();
    let targets = ["(at rook c)", "(at king c)"].map(|text| fluent(&game, text));
    for choice in [Choice::Similar, Choice::Late, Choice::Both] {
        let distances = Distances::new(&game, &targets, choice).unwrap();
        assert_eq!(distances.from_state(game.initial(), 0), Some(1), "{choice:?}");
        assert_eq!(distances.from_state(game.initial(), 1), Some(2), "{choice:?}");
        // The king comes from a king only.
        assert_eq!(
            distances.from_fluent(fluent(&game, "(at pawn a)"), 1),
            None,
            "{choice:?}"
        );
    }
}

#[test]
fn pawns_nearer_to_their_goal_get_a_higher_evaluation() {
    use crate::rules::fuzzy::{Fuzzy, Settings};
    use ludens_engine::knowledge::Evaluator;
    let game = library("breakthrough-small");
    let mut fuzzy = Fuzzy::new(&game, Settings::default()).unwrap();
    assert!(fuzzy.distances() > 0);
    let mut machine = game.machine();
    let mut goals = vec![0.0; 2];
    fuzzy.evaluate(machine.state(), &mut goals);
    let before = goals[0];
    let mut joint = Vec::new();
    // Pawns only move forwards.
    let mut rng = Rng::with_seed(2);
    for _ in 0..2 {
        playout::choose_joint(&mut *machine, &mut rng, &mut joint).unwrap();
        machine.step(&joint);
    }
    fuzzy.evaluate(machine.state(), &mut goals);
    assert!(goals[0] != before, "{goals:?}");
    // In connect four, lines say more than how high the columns are.
    assert_eq!(
        Fuzzy::new(&library("connect-four"), Settings::default())
            .unwrap()
            .distances(),
        0
    );
}

#[test]
fn a_spent_budget_gives_no_distances() {
    let game = library("tic-tac-toe");
    let targets = [fluent(&game, "(cell 3 1 x)")];
    let spent = Budget::default().within(Duration::ZERO);
    assert!(Distances::within(&game, &targets, Choice::Both, &spent).is_none());
    assert!(Distances::within(&game, &targets, Choice::Both, &Budget::default()).is_some());
}
