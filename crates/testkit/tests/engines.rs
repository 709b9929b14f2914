//! The compiled engine, in both ways of stepping, and the interpreter agree state by state in random play.

use ludens_engine::playout::choose_joint;
use ludens_engine::{EngineChoice, Game, Limits, MoveId, Options, Rng, State, Stepping};
use ludens_gdl::{Description, Source};
use ludens_testkit::{corpus, files};

/// Steps of a playout; enough to exercise most rules.
const STEPS: usize = 40;
const PLAYOUTS: u64 = 2;
/// Steps with jumps between states.
const JUMPING_STEPS: usize = 100;

fn game(source: &Source, engine: EngineChoice, stepping: Stepping) -> Option<Game> {
    let options = Options {
        engine,
        stepping,
        ..Options::default()
    };
    Game::new(Description::read(source.clone()), options).ok()
}

/// The first disagreement of any two engines; `None` if they agree or the rules are not compiled.
fn disagreement(source: &Source) -> Option<String> {
    let plain = game(source, EngineChoice::Compiled, Stepping::Plain)?;
    let differential = game(source, EngineChoice::Compiled, Stepping::Differential)?;
    let interpreted = plain.interpreted(Limits::default()).ok()?;
    disagreement_of_engines(source, &plain, &interpreted)
        .or_else(|| disagreement_of_engines(source, &differential, &interpreted))
        .or_else(|| disagreement_of_stepping(source, &plain, &differential))
}

fn disagreement_of_engines(source: &Source, compiled: &Game, interpreted: &Game) -> Option<String> {
    for seed in 0..PLAYOUTS {
        let mut rng = Rng::with_seed(seed);
        let (mut fast, mut slow) = (compiled.machine(), interpreted.machine());
        for step in 0..STEPS {
            let differ = |what: &str| Some(format!("{}: {what} in step {step} of playout {seed}", source.name()));
            if fast.state() != slow.state() {
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
                if fast.legal(role) != slow.legal(role) {
                    return differ("legal moves");
                }
            }
            let mut joint = Vec::new();
            if choose_joint(&mut *fast, &mut rng, &mut joint).is_err() {
                break;
            }
            fast.step(&joint);
            slow.step(&joint);
        }
    }
    None
}

/// Plays at random, jumps between states seen so far, and sometimes asks nothing, so that changes of several states
/// accumulate.
fn disagreement_of_stepping(source: &Source, plain: &Game, differential: &Game) -> Option<String> {
    let mut rng = Rng::with_seed(7);
    let (mut first, mut second) = (plain.machine(), differential.machine());
    let mut seen: Vec<State> = vec![plain.initial().clone()];
    for step in 0..JUMPING_STEPS {
        let differ = |what: &str| Some(format!("{}: {what} in step {step} of jumping", source.name()));
        if first.state() != second.state() {
            return differ("fluents");
        }
        if first.is_terminal() != second.is_terminal() {
            return differ("terminal");
        }
        for role in plain.roles() {
            if first.goal_values(role) != second.goal_values(role) {
                return differ("goals");
            }
            if first.legal(role) != second.legal(role) {
                return differ("legal moves");
            }
        }
        let mut joint = Vec::new();
        let is_stuck = first.is_terminal() || choose_joint(&mut *first, &mut rng, &mut joint).is_err();
        if !is_stuck {
            for role in plain.roles() {
                if first.percepts(role, &joint) != second.percepts(role, &joint) {
                    return differ("percepts");
                }
            }
            first.step(&joint);
            second.step(&joint);
            seen.push(first.state().clone());
        }
        while is_stuck && seen.len() > 1 || rng.u32(..4) == 0 {
            let state = &seen[rng.usize(..seen.len())];
            first.load(state);
            second.load(state);
            if rng.bool() {
                break;
            }
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
fn every_library_game_is_compiled() {
    let interpreted: Vec<&str> = ludens_library::entries()
        .filter(|entry| game(&entry.source(), EngineChoice::Compiled, Stepping::Plain).is_none())
        .map(|entry| entry.name.as_str())
        .collect();
    assert!(interpreted.is_empty(), "{interpreted:?}");
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn engines_agree_on_small_games_of_the_corpus() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for path in files(&corpus().join("games"), &["kif"]) {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() <= 6_000 {
            compared += 1;
            failures.extend(disagreement(&Source::from_bytes(path.display().to_string(), bytes)));
        }
    }
    assert!(
        compared > 0 && failures.is_empty(),
        "{compared}: {}",
        failures.join("\n")
    );
}

/// Compares batch successors with those of a machine; `None` if they agree.
fn disagreement_of_successors(source: &Source) -> Option<String> {
    let game = game(source, EngineChoice::Compiled, Stepping::Auto)?;
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(3);
    // More than fit into one batch, from states of several matches.
    let mut questions: Vec<(State, Vec<MoveId>)> = Vec::new();
    for _ in 0..700 {
        let mut joint = Vec::new();
        if machine.is_terminal() || choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            machine.load(game.initial());
            continue;
        }
        questions.push((machine.state().clone(), joint.clone()));
        machine.step(&joint);
    }
    let asked: Vec<(&State, &[MoveId])> = questions.iter().map(|(state, joint)| (state, &joint[..])).collect();
    let mut expected = 0;
    let mut difference = None;
    game.engine().successors().expand(&asked, &mut |number, successor| {
        let (state, joint) = asked[number];
        machine.load(state);
        machine.step(joint);
        let is_over = machine.is_terminal();
        let same = number == expected
            && *machine.state() == successor.state
            && is_over == successor.is_terminal
            && game.roles().all(|role| {
                machine.score(role) == successor.scores[role]
                    && match is_over {
                        true => successor.legal[role].is_empty(),
                        false => machine.legal(role) == successor.legal[role],
                    }
            });
        if !same && difference.is_none() {
            difference = Some(format!("{}: successor {number}", source.name()));
        }
        expected += 1;
    });
    // Visiting the successors and asking only for their states must give the same.
    let mut successors = game.engine().successors();
    let mut expanded = Vec::new();
    successors.expand(&asked, &mut |_, successor| expanded.push(successor.clone()));
    let states: Vec<&State> = expanded.iter().map(|successor| &successor.state).collect();
    let mut looked = Vec::new();
    successors.look(&states, &mut |_, successor| looked.push(successor.clone()));
    let mut followed = Vec::new();
    successors.follow(&asked, &mut |_, words| followed.push(State::from_words(words.to_vec())));
    if looked != expanded || states != followed.iter().collect::<Vec<_>>() {
        difference = Some(format!("{}: looking or following", source.name()));
    }
    match expected == asked.len() {
        true => difference,
        false => Some(format!(
            "{}: {expected} answers to {} questions",
            source.name(),
            asked.len()
        )),
    }
}

#[test]
fn successors_are_the_same_in_batches() {
    let failures: Vec<String> = ludens_library::entries()
        .filter_map(|entry| disagreement_of_successors(&entry.source()))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
