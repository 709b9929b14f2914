//! The agent `perfect` never gives anything away.
//!
//! A few matches are played here. The whole study, whose figures are in the manual, is
//! `LUDENS_STUDY=1000 cargo test --release -p ludens-play --test perfect value -- --nocapture`.

use ludens_budget::Budget;
use ludens_engine::{Game, MoveId};
use ludens_play::{AgentSpec, MatchRecord, Pace, Player, Setup, play};
use ludens_solve::{Method, Options, Order, Solution, solve};
use ludens_testkit::library;

fn solution(game: &Game) -> Solution {
    let options = Options {
        method: Method::Explicit,
        order: Order::Own,
        threads: 2,
        ..Options::default()
    };
    solve(game, &options, &Budget::default()).unwrap().1.unwrap()
}

/// A player, given what the files hold that it names.
fn player(spec: &str, content: &[u8]) -> Player {
    let spec = AgentSpec::parse(spec).unwrap();
    spec.read_files(|_| Ok::<_, ()>(content.to_vec())).unwrap();
    Player::from(spec)
}

/// Steps in which a seat chose a move that lost value, and how often it had a choice.
fn mistakes(game: &Game, solution: &Solution, record: &MatchRecord, seat: usize) -> (usize, usize) {
    let mut machine = game.machine();
    let (mut mistakes, mut choices) = (0, 0);
    for texts in &record.moves {
        let joint: Vec<MoveId> = game
            .roles()
            .zip(texts)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        let here = solution.look(game, machine.state());
        if here.chooser.is_some_and(|role| role.index() == seat) {
            let made = here.moves.iter().find(|known| known.joint == joint).unwrap();
            choices += 1;
            mistakes += usize::from(made.keeps != Some(true));
        }
        machine.step(&joint);
    }
    (mistakes, choices)
}

/// How many matches to play against each opponent.
fn matches(few: u64) -> u64 {
    let wanted = std::env::var("LUDENS_STUDY").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(few)
}

fn study(name: &str, spec: &str, matches: u64) {
    let game = library(name);
    let solution = solution(&game);
    let mut bytes = Vec::new();
    solution.write(&game, &mut bytes).unwrap();
    let perfect = player(spec, &bytes);
    for (opponent, others_err) in [("random", true), ("uct(ahead=1)", false)] {
        let opponent = player(opponent, &[]);
        let (mut choices, mut errors_of_others) = (0, 0);
        for seed in 0..matches {
            let seat = (seed % 2) as usize;
            let mut players = vec![opponent.clone(), opponent.clone()];
            players[seat] = perfect.clone();
            let setup = Setup::new(game.clone(), players, Pace::Iterations(50)).with_seed(seed);
            let record = play(&setup);
            assert!(record.is_clean());
            let (own, had) = mistakes(&game, &solution, &record, seat);
            assert_eq!(own, 0, "{name}, seed {seed}: {:?}", record.moves);
            choices += had;
            errors_of_others += mistakes(&game, &solution, &record, 1 - seat).0;
            // What was played is what was known.
            let stops = record.evaluations.iter().filter_map(|step| step[seat].as_ref());
            assert!(
                stops
                    .clone()
                    .all(|thought| thought.stop == "known" || thought.stop == "only-move")
            );
        }
        let opponent = opponent.name();
        println!(
            "{name}: {matches} matches against {opponent}: no mistake in {choices} choices, {errors_of_others} of the other"
        );
        assert!(choices as u64 > matches);
        assert!(errors_of_others > 0 || !others_err);
    }
}

#[test]
fn perfect_never_loses_value_in_tic_tac_toe() {
    study("tic-tac-toe", "perfect(solution=a.sol)", matches(60));
    study("tic-tac-toe", "perfect", 6);
}

#[test]
fn perfect_never_loses_value_in_connect_four() {
    study("connect-four-4x4", "perfect(solution=Some/File)", matches(30));
}

#[test]
fn perfect_never_loses_value_in_a_larger_connect_four() {
    // Solving that one takes some seconds, which is for the whole study.
    if std::env::var_os("LUDENS_STUDY").is_some() {
        study("connect-four-5x4", "perfect(solution=a.sol)", matches(0));
    }
}

#[test]
fn equilibria_are_drawn_from() {
    let game = library("biased-rock-paper-scissors");
    let mut papers = 0;
    for seed in 0..200 {
        let players = vec![player("perfect", &[]), player("random", &[])];
        let setup = Setup::new(game.clone(), players, Pace::Iterations(1)).with_seed(seed);
        papers += usize::from(play(&setup).moves[0][0] == "paper");
    }
    // Paper is played five times of eight; five standard deviations around it.
    assert!((91..160).contains(&papers), "{papers}");
}

#[test]
fn without_a_value_it_searches_and_says_so() {
    let game = library("connect-four-4x4");
    let players = vec![player("perfect(states=100)", &[]), player("random", &[])];
    let record = play(&Setup::new(game.clone(), players, Pace::Iterations(20)));
    let first = record.evaluations[0][0].as_ref().unwrap();
    assert_eq!((first.stop.as_str(), first.playouts), ("iterations", 20));
    // A solution of another game is no help, and the check tells before the match.
    let other = library("tic-tac-toe");
    let mut bytes = Vec::new();
    solution(&other).write(&other, &mut bytes).unwrap();
    let spec = AgentSpec::parse("perfect(solution=X.sol,states=100)").unwrap();
    assert_eq!(spec.to_string(), "perfect(solution=X.sol,states=100)");
    assert!(spec.check(&game).unwrap_err().contains("was not read"));
    spec.read_files(|path| Ok::<_, ()>(if path == "X.sol" { bytes.clone() } else { Vec::new() }))
        .unwrap();
    assert!(spec.check(&game).unwrap_err().contains("other rules"));
    assert_eq!(spec.check(&other), Ok(()));
}
