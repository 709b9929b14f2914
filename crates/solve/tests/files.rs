//! Solutions as files: they come back as they were, or not at all.

use ludens_artifact::ArtifactError;
use ludens_budget::Budget;
use ludens_engine::{EngineChoice, Game, Rng, State, playout};
use ludens_gdl::Description;
use ludens_solve::{Method, Options, Order, Solution, solve};
use ludens_testkit::library;

fn interpreted(name: &str) -> Game {
    let options = ludens_engine::Options {
        engine: EngineChoice::Interpreted,
        ..Default::default()
    };
    Game::new(Description::read(ludens_library::find(name).unwrap().source()), options).unwrap()
}

fn solution(game: &Game, order: Order) -> Solution {
    let options = Options {
        method: Method::Explicit,
        order,
        threads: 2,
        ..Options::default()
    };
    solve(game, &options, &Budget::default()).unwrap().1.unwrap()
}

fn written(game: &Game, solution: &Solution) -> Vec<u8> {
    let mut bytes = Vec::new();
    solution.write(game, &mut bytes).unwrap();
    bytes
}

/// States of random matches.
fn states(game: &Game) -> Vec<State> {
    let mut rng = Rng::with_seed(4);
    let mut machine = game.machine();
    let mut states = Vec::new();
    for _ in 0..30 {
        machine.load(game.initial());
        let mut joint = Vec::new();
        for _ in 0..40 {
            states.push(machine.state().clone());
            if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                break;
            }
            machine.step(&joint);
        }
    }
    states
}

/// A state of one reading of the rules in another reading.
fn carried(from: &Game, to: &Game, state: &State) -> State {
    let texts = from.state_texts(state);
    State::new(texts.iter().map(|text| to.parse_fluent(text).unwrap()))
}

#[test]
fn solutions_come_back() {
    let games = [
        library("tic-tac-toe"),
        library("goofspiel-4"),
        library("pancakes-4"),
        library("predator-prey-5"),
        interpreted("tic-tac-toe"),
    ];
    for game in games {
        let before = solution(&game, Order::Difference);
        let bytes = written(&game, &before);
        let again = Game::read(Solution::rules(&bytes).unwrap()).unwrap();
        let after = Solution::read(&again, &bytes).unwrap();
        assert_eq!(after.order(), Order::Difference);
        for state in states(&game) {
            let there = carried(&game, &again, &state);
            assert!(before.values(&state).is_some(), "{}", game.name());
            assert_eq!(before.values(&state), after.values(&there), "{}", game.name());
            assert_eq!(before.distance(&state), after.distance(&there));
        }
    }
}

#[test]
fn damaged_files_are_refused() {
    let game = library("tic-tac-toe");
    let bytes = written(&game, &solution(&game, Order::Own));
    assert!(Solution::read(&game, &bytes).is_ok());
    let refused = |bytes: &[u8]| Solution::read(&game, bytes).err().unwrap();
    let mut rng = Rng::with_seed(8);
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        let place = rng.usize(..damaged.len());
        damaged[place] ^= 1 << rng.u8(..8);
        let error = refused(&damaged);
        let is_head = place < 28;
        assert!(
            matches!(error, ArtifactError::Damaged { .. }) || is_head,
            "{place}: {error}"
        );
        assert!(refused(&bytes[..rng.usize(..bytes.len())]) != ArtifactError::Broken(String::new()));
    }
    assert!(matches!(refused(b""), ArtifactError::Foreign { .. }));
    assert!(matches!(refused(b"{\"moves\": []}"), ArtifactError::Foreign { .. }));
    let mut later = bytes.clone();
    later[8] = 9;
    assert!(matches!(refused(&later), ArtifactError::Version { found: 9, .. }));
}

#[test]
fn whatever_comes_with_a_right_checksum_does_no_harm() {
    use sha2::{Digest, Sha256};
    let game = library("tic-tac-toe");
    let bytes = written(&game, &solution(&game, Order::Own));
    let content = &bytes[..bytes.len() - 32];
    let mut rng = Rng::with_seed(12);
    for round in 0..400 {
        let mut content = content.to_vec();
        match round % 2 {
            0 => content.truncate(rng.usize(60..content.len())),
            _ => {
                let place = rng.usize(60..content.len());
                content[place] = rng.u8(..);
            }
        }
        let checksum = Sha256::digest(&content);
        content.extend_from_slice(&checksum);
        // Values may be wrong then, but nothing panics and nothing is larger than the file.
        if let Ok(solution) = Solution::read(&game, &content) {
            solution.values(game.initial());
        }
    }
}

#[test]
fn solutions_of_other_rules_are_refused() {
    let game = library("tic-tac-toe");
    let bytes = written(&game, &solution(&game, Order::Own));
    let error = Solution::read(&library("connect-four-4x4"), &bytes).err().unwrap();
    assert!(matches!(error, ArtifactError::OtherRules { .. }), "{error}");
    // Layout and comments are not rules.
    let text = ludens_library::find("tic-tac-toe")
        .unwrap()
        .source()
        .text()
        .to_uppercase();
    let same = Game::read(ludens_gdl::Source::new(
        "shouted",
        format!("; hello\n{}", text.replace("\n", "\n  ")),
    ))
    .unwrap();
    assert!(Solution::read(&same, &bytes).is_ok());
}
