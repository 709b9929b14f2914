//! Speed of computing successors, one after the other by all gates and by differences, and many at once:
//! `cargo run --release -p ludens-engine --example step_speed -- FILE...`.
//!
//! One step is what a search does in a state: whether the match is over, the legal moves of all roles, a random joint
//! move. Every other step is taken back, so that the machine also jumps to states it did not come from. Batches answer
//! the same questions for 512 states of random play. All ways take turns, so that whatever else the computer does meets
//! them all.

use ludens_engine::playout::choose_joint;
use ludens_engine::{EngineChoice, Game, Limits, Machine, MoveId, Options, Rng, State, Stepping};
use ludens_gdl::{Description, Source};
use std::time::{Duration, Instant};

/// Rounds in which the two ways take turns.
const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_millis(200);

fn main() {
    println!("| game | gates | steps/s, plain | differential | ratio | chosen | in batches |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("{path}: cannot be read");
            continue;
        };
        let name = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".kif");
        let description = Description::read(Source::from_bytes(name, bytes));
        match measure(&description) {
            Ok(line) => println!("| {name} | {line} |"),
            Err(cause) => eprintln!("{cause}"),
        }
    }
}

fn measure(description: &Description) -> Result<String, ludens_engine::GameError> {
    let game = |stepping| {
        let options = Options {
            engine: EngineChoice::Compiled,
            stepping,
            limits: Limits {
                setup: Duration::from_secs(600),
                ..Limits::default()
            },
            ..Options::default()
        };
        Game::new(description.clone(), options)
    };
    // Some games take long to set up, so the one that was chosen is made once only.
    let auto = game(Stepping::Auto)?;
    let chosen = auto.engine().stepping().unwrap_or("-");
    let (plain, differential) = match chosen {
        "plain" => (auto, game(Stepping::Differential)?),
        _ => (game(Stepping::Plain)?, auto),
    };
    let mut best = [0f64; 2];
    let mut batches = 0f64;
    for round in 0..ROUNDS {
        batches = batches.max(batch_speed(&differential));
        for (game, best) in [&plain, &differential].into_iter().zip(&mut best) {
            *best = best.max(speed(&mut *game.machine(), round as u64));
        }
    }
    let gates = plain.engine().gates().unwrap_or(0);
    let ratio = best[1] / best[0];
    let [slow, fast] = best;
    Ok(format!(
        "{gates} | {slow:.0} | {fast:.0} | {ratio:.2} | {chosen} | {batches:.0}"
    ))
}

/// Steps a second.
fn speed(machine: &mut dyn Machine, seed: u64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let initial = machine.state().clone();
    let mut joint = Vec::new();
    let mut steps = 0u32;
    let start = Instant::now();
    while start.elapsed() < TIME {
        for _ in 0..10 {
            if machine.is_terminal() || choose_joint(machine, &mut rng, &mut joint).is_err() {
                machine.load(&initial);
                continue;
            }
            let before = machine.state().clone();
            machine.step(&joint);
            steps += 1;
            if steps.is_multiple_of(2) {
                machine.is_terminal();
                machine.load(&before);
            }
        }
    }
    f64::from(steps) / start.elapsed().as_secs_f64()
}

/// Successors a second, found many at once.
fn batch_speed(game: &Game) -> f64 {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(0);
    let mut questions: Vec<(State, Vec<MoveId>)> = Vec::new();
    while questions.len() < 512 {
        let mut joint = Vec::new();
        if machine.is_terminal() || choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            machine.load(game.initial());
            continue;
        }
        questions.push((machine.state().clone(), joint.clone()));
        machine.step(&joint);
    }
    let questions: Vec<(&State, &[MoveId])> = questions.iter().map(|(state, joint)| (state, &joint[..])).collect();
    let mut successors = game.engine().successors();
    let mut found = 0u32;
    let start = Instant::now();
    while start.elapsed() < TIME {
        successors.expand(&questions, &mut |_, _| found += 1);
    }
    f64::from(found) / start.elapsed().as_secs_f64()
}
