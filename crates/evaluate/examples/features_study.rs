//! Builds features and functions for games and says how long that took and what came of it.
//!
//! `cargo run --release -p ludens-evaluate --example features_study -- [clune] SECONDS FILE...` gives each game that
//! many seconds, the time to make it playable not counted, and prints a line a game; then the cost of evaluating a
//! state. With `clune` the functions are those of payoff, control and termination: `parts` are the features of the
//! payoffs, `fit` the correlations of payoffs, then of moves, then of the part of the match that is over, with what
//! they are fitted to.

use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, Rng, playout};
use ludens_evaluate::learned::clune::{self, Clune};
use ludens_evaluate::learned::features::{BuildError, Guided, Options, build};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let by_clune = arguments.next_if(|word| word == "clune").is_some();
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    println!("game\tengine\tsetup\tbuild\tsequences\tmatches\tfeatures\tparts\tfit\tmicroseconds\treason");
    let (mut built, mut games) = (0, 0);
    for path in arguments {
        games += 1;
        let name = path.rsplit('/').next().unwrap_or(&path).to_string();
        let source = match ludens_library::find(&path) {
            Some(entry) => entry.source(),
            None => match std::fs::read(&path) {
                Ok(bytes) => ludens_gdl::Source::from_bytes(&name, bytes),
                Err(cause) => {
                    println!("{name}\t\t\t\t\t\t\t\t\t\t{cause}");
                    continue;
                }
            },
        };
        let begin = Instant::now();
        let game = match Game::read(source) {
            Ok(game) => game,
            Err(cause) => {
                println!("{name}\t\t\t\t\t\t\t\t\t\t{cause}");
                continue;
            }
        };
        let setup = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let budget = Budget::default().within(Duration::from_secs_f64(seconds));
        let result = match by_clune {
            true => model(&game, &budget),
            false => function(&game, &budget),
        };
        let time = begin.elapsed().as_secs_f64();
        let engine = game.engine().name();
        match result {
            Err(cause) => println!("{name}\t{engine}\t{setup:.2}\t{time:.2}\t\t\t\t\t\t\t{cause}"),
            Ok(mut made) => {
                built += 1;
                let cost = cost(&game, &mut *made.evaluator);
                println!(
                    "{name}\t{engine}\t{setup:.2}\t{time:.2}\t{}\t{}\t{}\t{}\t{}\t{cost:.3}\t",
                    made.sequences, made.matches, made.candidates, made.parts, made.fit,
                );
            }
        }
    }
    println!("built for {built} of {games} games");
}

/// What is told of a function.
struct Made {
    sequences: usize,
    matches: u64,
    candidates: usize,
    parts: String,
    fit: String,
    evaluator: Box<dyn Evaluator>,
}

fn joined<T>(things: impl Iterator<Item = T>, text: impl Fn(T) -> String) -> String {
    things.map(text).collect::<Vec<String>>().join(" ")
}

fn function(game: &Game, budget: &Budget) -> Result<Made, BuildError> {
    let function = build(game, &Options::default(), 1, budget)?;
    Ok(Made {
        sequences: function.sequences,
        matches: function.matches,
        candidates: function.expressions,
        parts: joined(function.roles().iter(), |role| role.parts.len().to_string()),
        fit: joined(function.roles().iter(), |role| format!("{:.2}", role.fit)),
        evaluator: Box::new(Guided::new(&function)),
    })
}

fn model(game: &Game, budget: &Budget) -> Result<Made, BuildError> {
    let function = clune::build(game, &clune::Options::default(), 1, budget)?;
    let payoffs = function.roles().iter().map(|role| role.payoff.fit);
    let moves = function.roles().iter().map(|role| role.freedom.fit);
    let fits = payoffs.chain(moves).chain([function.termination().fit]);
    Ok(Made {
        sequences: function.sequences,
        matches: function.matches,
        candidates: function.candidates,
        parts: joined(function.roles().iter(), |role| role.payoff.parts.len().to_string()),
        fit: joined(fits, |fit| format!("{fit:.2}")),
        evaluator: Box::new(Clune::new(&function)),
    })
}

/// Microseconds for one evaluation, over states of playouts.
fn cost(game: &Game, evaluator: &mut dyn Evaluator) -> f64 {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(1);
    let mut states = Vec::new();
    for most in 0..200 {
        machine.load(game.initial());
        playout::play_out(&mut *machine, &mut rng, most % 50);
        states.push(machine.state().clone());
    }
    let mut goals = vec![0.0; game.roles().len()];
    let begin = Instant::now();
    let mut count = 0;
    while begin.elapsed() < Duration::from_millis(20) {
        for state in &states {
            evaluator.evaluate(black_box(state), &mut goals);
            black_box(&goals);
            count += 1;
        }
    }
    begin.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}
