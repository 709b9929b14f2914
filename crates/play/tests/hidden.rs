//! Matches in which information is hidden: what players see, and how agents use it.

use ludens_engine::{Game, MoveId};
use ludens_gdl::Source;
use ludens_play::{AgentSpec, Information, MatchRecord, Pace, Player, Position, Setup, agents, play, seats};

fn library(name: &str) -> Game {
    Game::read(ludens_library::find(name).unwrap().source()).unwrap()
}

/// Chance arms one of two wires. The agent waits or, for ten points, asks which; then it cuts one.
const BOMB: &str = "
    (role agent) (role random) (init (phase arm)) (wire red) (wire blue)
    (<= (legal random (arm ?w)) (true (phase arm)) (wire ?w))
    (<= (legal random noop) (not (true (phase arm))))
    (<= (legal agent noop) (true (phase arm)))
    (<= (legal agent wait) (true (phase ask))) (<= (legal agent ask) (true (phase ask)))
    (<= (legal agent (cut ?w)) (true (phase cut)) (wire ?w))
    (<= (next (phase ask)) (true (phase arm))) (<= (next (phase cut)) (true (phase ask)))
    (<= (next (phase over)) (true (phase cut)))
    (<= (next (armed ?w)) (does random (arm ?w))) (<= (next (armed ?w)) (true (armed ?w)))
    (<= (next asked) (does agent ask)) (<= (next asked) (true asked))
    (<= (next exploded) (does agent (cut ?w)) (true (armed ?w)))
    (<= (sees agent (armed ?w)) (does agent ask) (true (armed ?w)))
    (<= terminal (true (phase over)))
    (<= (goal agent 0) (true exploded))
    (<= (goal agent 90) (not (true exploded)) (true asked))
    (<= (goal agent 100) (not (true exploded)) (not (true asked)))
    (goal random 0)";

fn players(game: &Game, spec: &str) -> Vec<Player> {
    let player = Player::from(AgentSpec::parse(spec).unwrap());
    vec![player; seats(game).len()]
}

fn setup(game: &Game, spec: &str, iterations: u64, seed: u64) -> Setup {
    Setup::new(game.clone(), players(game, spec), Pace::Iterations(iterations)).with_seed(seed)
}

/// Mean goal of the first role.
fn mean(game: &Game, spec: &str, iterations: u64, matches: u64) -> f64 {
    let goal = |seed| {
        let record = play(&setup(game, spec, iterations, seed));
        assert!(record.is_clean(), "{spec}: {:?}", record.errors);
        f64::from(record.goals.unwrap()[0])
    };
    (0..matches).map(goal).sum::<f64>() / matches as f64
}

#[test]
fn searches_by_percepts_switch_doors() {
    let game = library("monty-hall");
    for spec in [
        "is",
        "is(observer=single)",
        "is(root=halving)",
        "flat",
        "ucb",
        "halving",
        "best",
    ] {
        let mut won = 0;
        for seed in 0..300 {
            let record = play(&setup(&game, spec, 1000, seed));
            assert_eq!(record.moves[3][0], "switch", "{spec}, seed {seed}");
            won += u32::from(record.goals.unwrap()[0] == 100);
        }
        // Three standard deviations of 200 in 300.
        assert!((176..=224).contains(&won), "{spec}: {won}");
    }
    let voted = mean(&game, "determinized(samples=128)", 256, 300);
    assert!((58.0..=75.0).contains(&voted), "{voted}");
}

#[test]
fn only_information_sets_pay_for_information() {
    let game = Game::read(Source::new("bomb", BOMB)).unwrap();
    assert_eq!(mean(&game, "is", 2000, 50), 90.0);
    assert_eq!(mean(&game, "is(observer=single,root=halving)", 2000, 50), 90.0);
    // In a determinized world the bomb is known, so `ask` is never worth its price.
    let blind = mean(&game, "determinized(agent=uct)", 2000, 200);
    assert!((35.0..=65.0).contains(&blind), "{blind}");
}

#[test]
fn nobody_acts_on_what_is_hidden() {
    // Two deals that the first player cannot tell apart.
    let game = library("kuhn-poker");
    let deal = |cards: &str| -> Position {
        let texts = ["noop", "noop", cards];
        let joint: Vec<MoveId> = game
            .roles()
            .zip(texts)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        let mut machine = game.machine();
        machine.step(&joint);
        let mut position = Position::start(&game);
        position.observe(joint, machine.state());
        position
    };
    let first = |cards: &str, spec: &str| -> (String, Option<f64>, Option<String>) {
        let setup = Setup {
            start: Some(deal(cards)),
            ..setup(&game, spec, 400, 5)
        };
        let record = play(&setup);
        assert!(record.is_clean(), "{spec}: {:?}", record.errors);
        let thought = record.evaluations[0][0].clone().unwrap();
        (record.moves[0][0].clone(), thought.value, thought.note)
    };
    for kind in agents::AGENTS {
        if AgentSpec::parse(kind.name).unwrap().refusal(&game).is_some() {
            continue;
        }
        assert_eq!(
            first("(deal queen king)", kind.name),
            first("(deal queen jack)", kind.name),
            "{}",
            kind.name
        );
    }
    let note = first("(deal queen king)", "uct").2.unwrap();
    assert!(
        note.starts_with("determinized") && note.ends_with("2 possible worlds"),
        "{note}"
    );
}

#[test]
fn records_say_what_was_seen() {
    let game = library("kuhn-poker");
    let record = play(&setup(&game, "random", 1, 3));
    assert_eq!((record.gdl, record.information), (2, Some(Information::Percepts)));
    assert_eq!(record.percepts.len(), record.moves.len());
    assert!(record.percepts[0][0].as_ref().unwrap()[0].starts_with("(own_card"));
    assert_eq!(record.percepts[0][2], None);
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<MatchRecord>(&text).unwrap(), record);
    let open = Setup {
        is_open: true,
        ..setup(&game, "random", 1, 3)
    };
    assert_eq!(play(&open).information, Some(Information::Open));
    let chess = play(&setup(&library("tic-tac-toe"), "random", 1, 3));
    assert_eq!((chess.gdl, chess.information, chess.percepts.len()), (1, None, 0));
}

#[test]
fn strategies_of_states_refuse_to_play() {
    let game = library("kuhn-poker");
    let perfect = AgentSpec::parse("perfect").unwrap();
    let why = perfect.refusal(&game).unwrap();
    assert!(
        why.contains("cannot play kuhn-poker") && why.contains("--open"),
        "{why}"
    );
    assert_eq!(perfect.refusal(&library("tic-tac-toe")), None);
    assert!(
        AgentSpec::parse("determinized(agent=perfect)")
            .unwrap()
            .refusal(&game)
            .is_some()
    );
    assert_eq!(AgentSpec::parse("is").unwrap().refusal(&game), None);
}

#[test]
fn counted_matches_are_repeatable() {
    let game = library("kuhn-poker");
    for spec in [
        "is",
        "is(public=0.3)",
        "is(select=regret,policy=mixed)",
        "is(select=smooth)",
        "uct",
        "flat",
    ] {
        let moves = |seed| play(&setup(&game, spec, 200, seed)).moves;
        assert_eq!(moves(9), moves(9), "{spec}");
    }
}
