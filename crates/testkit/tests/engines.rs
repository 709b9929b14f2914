//! The compiled engine and the interpreter agree, state by state, in random play.

use ludens_engine::playout::choose_joint;
use ludens_engine::{EngineChoice, Game, Options, Rng};
use ludens_gdl::{Description, Source};
use ludens_testkit::{corpus, files};

/// Steps of a playout; enough to see most rules at work.
const STEPS: usize = 40;
const PLAYOUTS: u64 = 2;

fn game(source: Source, engine: EngineChoice) -> Option<Game> {
    let options = Options {
        engine,
        ..Options::default()
    };
    Game::new(Description::read(source), options).ok()
}

/// The first disagreement of the two engines; nothing if they agree or if the rules are not compiled.
fn disagreement(source: &Source) -> Option<String> {
    let compiled = game(source.clone(), EngineChoice::Compiled)?;
    let interpreted = game(source.clone(), EngineChoice::Interpreted)?;
    for seed in 0..PLAYOUTS {
        let mut rng = Rng::with_seed(seed);
        let (mut fast, mut slow) = (compiled.machine(), interpreted.machine());
        for step in 0..STEPS {
            let differ = |what: &str| Some(format!("{}: {what} in step {step} of playout {seed}", source.name()));
            if compiled.state_texts(fast.state()) != interpreted.state_texts(slow.state()) {
                return differ("fluents");
            }
            if fast.is_terminal() != slow.is_terminal() {
                return differ("terminal");
            }
            for role in compiled.roles() {
                if fast.goal_values(role) != slow.goal_values(role) {
                    return differ("goals");
                }
            }
            if fast.is_terminal() {
                break;
            }
            for role in compiled.roles() {
                let texts = |game: &Game, moves: &[_]| -> Vec<String> {
                    moves.iter().map(|&id| game.move_text(role, id)).collect()
                };
                if texts(&compiled, fast.legal(role)) != texts(&interpreted, slow.legal(role)) {
                    return differ("legal moves");
                }
            }
            let mut joint = Vec::new();
            if choose_joint(&mut *fast, &mut rng, &mut joint).is_err() {
                break;
            }
            let same: Option<Vec<_>> = compiled
                .roles()
                .zip(&joint)
                .map(|(role, &id)| interpreted.parse_move(role, &compiled.move_text(role, id)))
                .collect();
            fast.step(&joint);
            slow.step(&same?);
        }
    }
    None
}

#[test]
fn engines_agree_on_the_library() {
    let failures: Vec<String> = ludens_library::entries()
        .filter_map(|entry| disagreement(&entry.source()))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn most_library_games_are_compiled() {
    let all = ludens_library::entries().count();
    let compiled = ludens_library::entries()
        .filter(|entry| game(entry.source(), EngineChoice::Compiled).is_some())
        .count();
    assert!(compiled * 100 >= all * 95, "{compiled} of {all}");
}

#[test]
fn engines_agree_on_small_rule_sheets_of_others() {
    let Some(folder) = corpus() else {
        return;
    };
    let mut failures = Vec::new();
    for path in files(&folder.join("games"), &["kif"]) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() <= 6_000 {
            failures.extend(disagreement(&Source::from_bytes(path.display().to_string(), bytes)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
