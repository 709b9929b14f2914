//! For which games of a folder heuristics for moves can be built, how long that takes and how large they are.
//!
//! ```console
//! $ cargo run --release -p ludens-evaluate --example move_heuristics -- FOLDER [SECONDS]
//! ```
//!
//! One line a game, in Markdown: seconds to ground and compile the rules, and to build the heuristic, in time of the
//! processor where the system tells it, so that other work on the machine does not count; formulas and their parts;
//! moves, and how many of them have formulas of their own; microseconds to evaluate all legal moves of a state; and the
//! shares of fluents of which it is known whether they stay true and stay false once they are.

use ludens_analysis::Verdict;
use ludens_budget::Budget;
use ludens_engine::{EngineChoice, Game, Limits, MoveId, Options as GameOptions, Rng, Role, State, playout};
use ludens_evaluate::rules::formula::LaneDegrees;
use ludens_evaluate::rules::regress::{MoveHeuristic, Options};
use ludens_gdl::{Description, Source};
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: move_heuristics FOLDER [SECONDS]");
        std::process::exit(2);
    };
    let seconds: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .collect();
    paths.sort();
    println!("| game | compile s | build s | formulas | parts | moves | different | µs | stay true | stay false | |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut built, mut telling) = (0, 0);
    for path in &paths {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("?");
        match report(path, name, Duration::from_secs(seconds)) {
            Ok((line, is_telling)) => {
                built += 1;
                telling += usize::from(is_telling);
                println!("{line}");
            }
            Err(reason) => println!("| {name} | | | | | | | | | | {reason} |"),
        }
    }
    println!("\n{built} of {} built, {telling} of them tell moves apart", paths.len());
}

fn report(path: &std::path::Path, name: &str, time: Duration) -> Result<(String, bool), String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let begun = clock();
    let options = GameOptions {
        engine: EngineChoice::Auto,
        limits: Limits::default(),
        ..GameOptions::default()
    };
    let source = Source::from_bytes(name, text);
    let game = Game::new(Description::read(source), options).map_err(|error| error.to_string())?;
    let compiled = clock() - begun;
    let begun = clock();
    let budget = Budget::default().within(time);
    let heuristic = MoveHeuristic::build(&game, &Options::default(), &budget).map_err(|failure| failure.to_string())?;
    let elapsed = clock() - begun;
    let size = heuristic.size();
    let players = game.roles().filter(|&role| !game.is_random(role)).count();
    let persistence = heuristic.persistence();
    let decided = |value: bool| {
        let count = |verdict| persistence.map_or(0, |known| known.count(value, verdict));
        let (proved, refuted, unknown) = (count(Verdict::Yes), count(Verdict::No), count(Verdict::Unknown));
        format!("{proved}/{refuted}/{unknown}")
    };
    let line = format!(
        "| {name} | {:.1} | {:.1} | {} | {} | {} | {} | {:.1} | {} | {} | |",
        compiled,
        elapsed,
        size.steps,
        size.operands,
        size.moves,
        size.different,
        micros(&game, &heuristic),
        decided(true),
        decided(false),
    );
    Ok((line, size.different > players))
}

/// Seconds that this process has computed; where the system does not tell, seconds that went by.
fn clock() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<f64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => (user + system) / 100.0,
        _ => {
            static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64()
        }
    }
}

/// Microseconds to evaluate all legal moves of a role with a choice, in states of playouts.
fn micros(game: &Game, heuristic: &MoveHeuristic) -> f64 {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(1);
    let mut questions: Vec<(State, Role, Vec<MoveId>)> = Vec::new();
    let mut joint = Vec::new();
    let begun = Instant::now();
    while questions.len() < 500 && begun.elapsed() < Duration::from_millis(300) {
        machine.load(game.initial());
        for _ in 0..300 {
            if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                break;
            }
            for role in game.roles().filter(|&role| !game.is_random(role)) {
                let legal = machine.legal(role).to_vec();
                if legal.len() > 1 {
                    questions.push((machine.state().clone(), role, legal));
                }
            }
            machine.step(&joint);
        }
    }
    let mut lanes = vec![LaneDegrees::default(); game.roles().len()];
    let mut degrees = Vec::new();
    let begun = Instant::now();
    let mut asked = 0;
    for (state, role, legal) in &questions {
        degrees.clear();
        degrees.resize(legal.len(), 0.0);
        heuristic.evaluate(state, *role, legal, &mut lanes[role.index()], &mut degrees);
        asked += 1;
        if begun.elapsed() > Duration::from_secs(1) {
            break;
        }
    }
    begun.elapsed().as_secs_f64() * 1e6 / f64::from(asked.max(1))
}
