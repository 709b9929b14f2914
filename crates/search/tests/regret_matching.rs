//! Regret matching in the tree: equilibria where several roles choose, and nothing new elsewhere.

use ludens_budget::Budget;
use ludens_engine::{Game, Role};
use ludens_search::mcts::{Mcts, Settings, Simultaneous};
use ludens_search::{Decision, Searcher};
use ludens_testkit::library;

fn regret() -> Settings {
    Settings::with(|s| s.simultaneous.rule = Simultaneous::Regret { exploration: 0.1 })
}

fn decide(game: &Game, role: Role, settings: Settings, seed: u64, iterations: u64) -> Decision {
    Mcts::new(game, role, settings, seed).decide(game.initial(), &Budget::iterations(iterations))
}

/// The probabilities of moves, by their names.
fn probabilities(game: &Game, role: Role, decision: &Decision, names: &[&str]) -> Vec<f64> {
    let of = |name: &&str| {
        let known = decision
            .moves
            .iter()
            .find(|known| game.move_text(role, known.move_id) == *name);
        known.expect("the move is legal").probability
    };
    names.iter().map(of).collect()
}

const HANDS: [&str; 3] = ["rock", "paper", "scissors"];

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum()
}

#[test]
fn the_average_strategy_comes_near_the_equilibrium() {
    for (name, equilibrium) in [
        ("biased-rock-paper-scissors", [0.0625, 0.625, 0.3125]),
        ("rock-paper-scissors", [1.0 / 3.0; 3]),
    ] {
        let game = library(name);
        for role in game.roles() {
            let decision = decide(&game, role, regret(), 3, 100_000);
            let found = probabilities(&game, role, &decision, &HANDS);
            assert!(distance(&found, &equilibrium) < 0.05, "{name}, {role:?}: {found:?}");
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
    // Statistics kept as if each role were alone do not find this.
    let game = library("biased-rock-paper-scissors");
    let decision = decide(&game, Role(0), Settings::default(), 3, 100_000);
    let found = probabilities(&game, Role(0), &decision, &HANDS);
    assert!(distance(&found, &[0.0625, 0.625, 0.3125]) > 0.3, "{found:?}");
}

#[test]
fn the_move_to_make_is_drawn_from_it() {
    let game = library("biased-rock-paper-scissors");
    let mut made = [0.0; 3];
    let seeds = 200;
    for seed in 0..seeds {
        let decision = decide(&game, Role(0), regret(), seed, 2_000);
        let text = game.move_text(Role(0), decision.choice);
        let place = HANDS.iter().position(|hand| *hand == text);
        made[place.expect("one of the hands")] += 1.0 / seeds as f64;
    }
    assert!(made[1] > made[2] && made[2] > made[0], "{made:?}");
    assert!(distance(&made, &[0.0625, 0.625, 0.3125]) < 0.2, "{made:?}");
}

/// Nothing is contested where roles move in turns, also if chance or an idle role takes part.
#[test]
fn games_in_turns_are_searched_as_before() {
    for name in [
        "connect-four",
        "breakthrough-small",
        "tic-tac-toe-3-player",
        "eight-puzzle",
        "monty-hall",
    ] {
        let game = library(name);
        let role = game
            .roles()
            .find(|&role| !game.is_random(role))
            .expect("somebody plays");
        let with = decide(&game, role, regret(), 9, 3_000);
        let without = decide(&game, role, Settings::default(), 9, 3_000);
        assert_eq!(with, without, "{name}");
    }
}

/// The first card of goofspiel: the equilibrium opens with the least card three times out of four.
#[test]
fn deeper_games_come_near_their_equilibrium_too() {
    let game = library("goofspiel-4");
    let solved = decide(&game, Role(0), regret(), 1, 60_000);
    let value: f64 = solved
        .moves
        .iter()
        .map(|known| known.probability * known.value.unwrap_or(0.0))
        .sum();
    assert!((value - 50.0).abs() < 3.0, "{value}");
    let likely = solved.moves.iter().map(|known| known.probability).fold(0.0, f64::max);
    assert!(likely < 0.999, "a pure strategy loses against its best response");
}
