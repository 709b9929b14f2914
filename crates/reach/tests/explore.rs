//! Explorations: what they decide, where they stop, and the lines that show a fault.

use ludens_analysis::{Evidence, Fact, GameFacts, Length, Verdict};
use ludens_budget::Budget;
use ludens_engine::{EngineChoice, Game, Limits, Options};
use ludens_gdl::{Description, Source};
use ludens_reach::{Exploration, ExploreOptions, ViolationKind, explore};
use std::time::Duration;

fn library(name: &str) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    Game::read(entry.source()).expect("library games can be played")
}

fn game(rules: &str) -> Game {
    Game::read(Source::new("test", rules)).expect("the game can be played")
}

fn explored(game: &Game, budget: &Budget) -> Exploration {
    explore(game, &ExploreOptions::default(), budget)
}

fn hour() -> Budget {
    Budget::default().within(Duration::from_secs(3600))
}

/// Counts to 3 or, with `back`, from 2 to 1 again.
const COUNTER: &str = "(role you) (init (at 1)) (legal you on) (legal you back)
    (<= (next (at 2)) (true (at 1))) (<= (next (at 3)) (true (at 2)) (does you on))
    (<= (next (at 1)) (true (at 2)) (does you back))
    (<= terminal (true (at 3))) (goal you 100)";

#[test]
fn exploration_decides_what_proofs_leave_open() {
    let game = library("tic-tac-toe");
    let facts = GameFacts::of_rules(&game).explored(&explored(&game, &hour()).facts());
    assert_eq!(
        facts.turn_taking,
        Fact {
            verdict: Verdict::Yes,
            evidence: Evidence::Exploration
        }
    );
    assert!(facts.simultaneous.is_no() && facts.constant_sum.is_yes());
    assert_eq!(facts.length, Length::Exactly(9));
    // An exploration that did not get far decides only what it refutes.
    let budget = Budget::default().with_nodes(10).within(Duration::ZERO);
    let facts = GameFacts::of_rules(&game).explored(&explored(&game, &budget).facts());
    assert_eq!(
        (facts.turn_taking.verdict, facts.length),
        (Verdict::Unknown, Length::Unknown)
    );
}

#[test]
fn engines_and_threads_make_no_difference() {
    let rules = || Description::read(ludens_library::find("tic-tac-toe").expect("it is there").source());
    let interpreted = Options {
        engine: EngineChoice::Interpreted,
        ..Options::default()
    };
    let games = [interpreted, Options::default()].map(|options| Game::new(rules(), options).expect("it is playable"));
    for (game, threads) in [(&games[0], 1), (&games[1], 1), (&games[1], 3)] {
        let options = ExploreOptions {
            threads,
            ..ExploreOptions::default()
        };
        let found = explore(game, &options, &hour());
        let counts = (found.states, found.terminal, found.transitions);
        assert_eq!((counts, found.complete), ((5478, 958, 16167), true));
        assert_eq!((found.longest, found.sum, found.choosers), (Some(9), Some(100), 1));
    }
}

#[test]
fn a_cycle_is_shown_by_a_line_that_returns() {
    let game = game(COUNTER);
    let found = explored(&game, &hour());
    assert_eq!((found.states, found.complete, found.longest), (3, true, None));
    let cycle = found.violations.first().expect("there is a cycle");
    let ViolationKind::Cycle(length) = cycle.kind else {
        panic!("{:?} is no cycle", cycle.kind);
    };
    let mut machine = game.machine();
    let mut states = vec![machine.state().clone()];
    for joint in &cycle.line {
        machine.step(joint);
        states.push(machine.state().clone());
    }
    assert_eq!(length, 2);
    assert_eq!(states[states.len() - 1], states[states.len() - 1 - length]);
}

#[test]
fn bounds_on_states_leave_the_rest_to_playouts() {
    let game = library("tic-tac-toe");
    let budget = Budget::default().with_nodes(100).within(Duration::from_millis(300));
    let found = explored(&game, &budget);
    assert!(!found.complete && found.states > 100 && found.states < 5478);
    assert!(found.playouts > 0 && found.terminal >= found.playouts);
    let budget = Budget::default().with_bytes(10_000).within(Duration::from_millis(300));
    assert!(!explored(&game, &budget).complete);
}

#[test]
fn the_state_that_the_engine_cannot_derive_is_named() {
    // After 50 steps a rule has more combinations to try than the limit allows.
    let rules = ludens_testkit::hostile::late_pigeons(21, 20);
    let options = Options {
        engine: EngineChoice::Interpreted,
        limits: Limits {
            state_steps: 100_000,
            ..Limits::default()
        },
        ..Options::default()
    };
    let game = Game::new(Description::read(Source::new("test", rules)), options).expect("it starts");
    let found = explored(&game, &hour());
    let [violation] = &found.violations[..] else {
        panic!("{:?}", found.violations);
    };
    assert!(matches!(violation.kind, ViolationKind::Fault(_)), "{violation:?}");
    assert_eq!((violation.line.len(), found.complete, found.playouts), (50, false, 0));
}
