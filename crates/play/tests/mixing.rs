//! Agents that mix their moves: by equilibria, by models of others, by tables.

use ludens_budget::Budget;
use ludens_engine::{Game, Role};
use ludens_equilibrium::exploit::{Belief, Frequencies};
use ludens_play::modelling::{Seen, see};
use ludens_play::{Agent, AgentSpec, Pace, Place, Player, Position, Setup, play};
use ludens_search::Decision;
use ludens_testkit::library;

/// An agent for the first role. All files that its spec names have this content.
fn agent(game: &Game, spec: &str, seed: u64, content: &str) -> Box<dyn Agent> {
    let spec = AgentSpec::parse(spec).unwrap();
    spec.read_files(|_| Ok::<_, ()>(content.as_bytes().to_vec())).unwrap();
    spec.check(game).unwrap();
    spec.create(&Place {
        game: game.clone(),
        role: Role(0),
        seed,
        match_id: "test".into(),
        is_hidden: false,
    })
}

fn decide(game: &Game, spec: &str, seed: u64, content: &str, iterations: u64) -> Decision {
    agent(game, spec, seed, content).choose(&Position::start(game), &Budget::iterations(iterations))
}

/// The probabilities of rock, paper and scissors.
fn hands(game: &Game, decision: &Decision) -> [f64; 3] {
    ["rock", "paper", "scissors"].map(|hand| {
        let mut moves = decision.moves.iter();
        let known = moves.find(|known| game.move_text(Role(0), known.move_id) == hand);
        known.unwrap().probability
    })
}

fn is_near(one: [f64; 3], other: [f64; 3], tolerance: f64) -> bool {
    one.iter()
        .zip(other)
        .all(|(one, other)| (one - other).abs() < tolerance)
}

const EQUILIBRIUM: [f64; 3] = [1.0 / 16.0, 10.0 / 16.0, 5.0 / 16.0];

#[test]
fn cfr_and_best_come_near_equilibria() {
    let game = library("biased-rock-paper-scissors");
    for spec in ["cfr", "cfr(algorithm=discounted)", "cfr(algorithm=predictive)", "best"] {
        let decision = decide(&game, spec, 1, "", 2_000);
        assert!(
            is_near(hands(&game, &decision), EQUILIBRIUM, 0.02),
            "{spec}: {decision:?}"
        );
    }
    // Moves are drawn, so they differ from seed to seed.
    let made: std::collections::BTreeSet<_> = (0..40).map(|seed| decide(&game, "cfr", seed, "", 500).choice).collect();
    assert!(made.len() > 1);
}

#[test]
fn best_searches_games_in_turns_as_before() {
    let game = library("connect-four");
    let best = decide(&game, "best", 3, "", 500);
    let uct = decide(&game, "uct(playout=mast)", 3, "", 500);
    assert_eq!(best, uct);
}

/// The graph goes along with the match, whole or not, and says so.
#[test]
fn graphs_go_along_with_matches() {
    for (name, spec, part) in [
        ("goofspiel-4", "cfr", "to the ends"),
        ("goofspiel-5", "cfr(depth=2,playouts=50)", "2 steps ahead"),
        ("goofspiel-5", "cfr(states=500,playouts=50)", "steps ahead"),
        ("connect-four", "cfr(playouts=50)", "steps ahead"),
        ("eight-puzzle", "cfr(playouts=50)", "steps ahead"),
        ("kuhn-poker", "cfr", "searched instead"),
        ("monty-hall", "rnr", "searched instead"),
    ] {
        let game = library(name);
        let players: Vec<Player> = ludens_play::seats(&game)
            .iter()
            .enumerate()
            .map(|(seat, _)| Player::from(AgentSpec::parse(if seat == 0 { spec } else { "random" }).unwrap()))
            .collect();
        let mut setup = Setup::new(game.clone(), players, Pace::Iterations(20)).with_seed(2);
        setup.most_steps = 30;
        setup.is_open = true;
        let record = play(&setup);
        assert_eq!(record.errors, [], "{name}, {spec}");
        let seat = ludens_play::seats(&game)[0].index();
        let notes: Vec<String> = record
            .evaluations
            .iter()
            .filter_map(|all| all[seat].as_ref()?.note.clone())
            .collect();
        assert!(
            notes.iter().any(|note| note.contains(part)),
            "{name}, {spec}: {notes:?}"
        );
    }
}

/// What the others do, as a table for both roles.
fn always(game: &Game, hand: &str) -> String {
    let lines = game.roles().map(|role| format!("{} {hand} 1\n", game.role_name(role)));
    lines.collect()
}

#[test]
fn models_are_taken_advantage_of() {
    let game = library("biased-rock-paper-scissors");
    let rock = always(&game, "rock");
    for (spec, expected) in [
        ("rnr(model=table(file=x),p=0)", EQUILIBRIUM),
        ("rnr(model=table(file=x),p=0.5)", [1.0 / 16.0, 15.0 / 16.0, 0.0]),
        (
            "rnr(model=table(file=x),p=0.5,coin=state)",
            [1.0 / 16.0, 15.0 / 16.0, 0.0],
        ),
        ("rnr(model=table(file=x),p=0.7)", [0.0, 1.0, 0.0]),
        ("mixed(model=table(file=x),lambda=1)", [0.0, 1.0, 0.0]),
        ("mixed(model=table(file=x),lambda=0)", EQUILIBRIUM),
        // Against somebody who chooses blindly rock is best.
        ("rnr(model=uniform,p=1)", [1.0, 0.0, 0.0]),
    ] {
        let decision = decide(&game, spec, 1, &rock, 1_000);
        assert!(is_near(hands(&game, &decision), expected, 1e-6), "{spec}: {decision:?}");
    }
    // In one match this, in another that.
    let ways: Vec<bool> = (0..40)
        .map(|seed| decide(&game, "mixed(model=table(file=x))", seed, &rock, 100))
        .map(|decision| is_near(hands(&game, &decision), EQUILIBRIUM, 1e-6))
        .collect();
    assert!(ways.contains(&true) && ways.contains(&false));
}

/// Decoupled UCT goes round in circles with equal statistics, and in the end makes one move whatever the seed.
#[test]
fn uct_is_asked_what_it_does() {
    let game = library("biased-rock-paper-scissors");
    let decision = decide(&game, "rnr(model=uct(iterations=1000),p=1)", 1, "", 100);
    let best = hands(&game, &decision).iter().position(|&chance| chance == 1.0);
    assert!(best.is_some(), "{decision:?}");
    // Whatever uct makes, the answer beats it.
    let value = decision.value.unwrap();
    assert!(value > 54.0, "{value}");
}

#[test]
fn tables_are_played() {
    let game = library("biased-rock-paper-scissors");
    let decision = decide(&game, "table(file=x)", 1, &always(&game, "scissors"), 1);
    assert_eq!(hands(&game, &decision), [0.0, 0.0, 1.0]);
    let decision = decide(&game, "table", 1, "", 1);
    assert!(is_near(hands(&game, &decision), [1.0 / 3.0; 3], 1e-9));
    for spec in ["table(file=x)", "rnr(model=table(file=x))"] {
        let wrong = AgentSpec::parse(spec).unwrap();
        wrong.read_files(|_| Ok::<_, ()>(b"nobody rock 1".to_vec())).unwrap();
        assert!(wrong.check(&game).unwrap_err().contains("no role"), "{spec}");
    }
    assert!(
        AgentSpec::parse("rnr(model=table)")
            .unwrap()
            .check(&game)
            .unwrap_err()
            .contains("needs a file")
    );
}

#[test]
fn matches_are_learnt_from() {
    let game = library("biased-rock-paper-scissors");
    let players = ["uct".to_string(), "legal".to_string()];
    let moves = [vec!["rock".to_string(), "paper".to_string()]];
    let mut seen = Frequencies::new(0.0);
    let whole = Seen {
        moves: &moves,
        players: &players,
    };
    assert!(see(whole, &game, None, &mut seen) && seen.count() == 2);
    assert!(see(whole, &game, Some("uct"), &mut seen) && seen.count() == 3);
    let machine = &mut *game.machine();
    let legal = machine.legal(Role(0)).to_vec();
    let mut weights = vec![0.0; legal.len()];
    assert!(seen.believe(game.initial(), 0, &legal, &mut weights));
    assert_eq!(weights.iter().sum::<f64>(), 2.0);
    // A move that is none.
    let moves = [vec!["rock".to_string(), "well".to_string()]];
    let wrong = Seen {
        moves: &moves,
        players: &players,
    };
    assert!(!see(wrong, &game, None, &mut seen) && seen.count() == 3);
}
