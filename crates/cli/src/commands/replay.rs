//! `ludens replay`: replays traces and compares them with an engine, state by state.

use crate::arguments::EngineName;
use crate::output::{Answer, Failure, Outcome, counted, print, print_json};
use crate::trace::{self, Comparison};
use crate::{interrupt, load, progress};
use anyhow::{Context, anyhow};
use ludens_budget::Budget;
use ludens_engine::{Game, Options};
use ludens_gdl::{Description, Source};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Replay traces and compare states, legal moves, goals and terminal states
#[derive(clap::Args)]
#[command(after_help = "Exit status: 0 everything agrees, 1 there is a difference.\n\
    With --all, every DIR/traces/NAME.jsonl is replayed on DIR/games/NAME.kif.")]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME", required_unless_present = "all")]
    game: Option<String>,
    /// Trace as JSON lines
    #[arg(value_name = "TRACE", required_unless_present = "all")]
    trace: Option<PathBuf>,
    /// Replay all traces in a folder that contains `games` and `traces`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["game", "trace"])]
    all: Option<PathBuf>,
    /// With --all: names of the games to replay
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', requires = "all")]
    only: Vec<String>,
    /// Engine that runs the rules
    #[arg(long, default_value = "auto")]
    engine: EngineName,
    /// With --all: number of simultaneous games (default: one per processor)
    #[arg(long, value_name = "T", requires = "all")]
    threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let budget = interrupt::budget();
    match (&arguments.all, &arguments.game, &arguments.trace) {
        (Some(folder), ..) => replay_all(folder, &arguments, &budget),
        (None, Some(game), Some(path)) => replay_one(game, path, &arguments, &budget),
        _ => Err(anyhow!("name a game and a trace, or --all DIR").into()),
    }
}

fn replay_one(game: &str, path: &Path, arguments: &Arguments, budget: &Budget) -> Outcome {
    let game = load::game(game, &arguments.limits, arguments.engine.into())?;
    let replay = trace::replay(&game, path, &|| budget.is_cancelled())?;
    match arguments.json {
        true => {
            let mut value = serde_json::to_value(&replay).map_err(anyhow::Error::from)?;
            value["game"] = json!(game.name());
            value["engine"] = json!(game.engine().name());
            print_json(&value)?;
        }
        false => print(&format!("{}: {}\n", game.name(), describe(&replay)))?,
    }
    Ok(answer(replay.mismatches == 0))
}

fn answer(agrees: bool) -> Answer {
    match agrees {
        true => Answer::Yes,
        false => Answer::No,
    }
}

fn describe(replay: &Comparison) -> String {
    match &replay.first_mismatch {
        None if replay.steps == 1 => "1 step agrees".to_string(),
        None => format!("{} steps agree", replay.steps),
        Some(first) => format!(
            "{} mismatch{} in {}; the first in playout {}, step {}: {} expected {}, got {}",
            replay.mismatches,
            if replay.mismatches == 1 { "" } else { "es" },
            counted(replay.steps, "step"),
            first.playout,
            first.step,
            first.what,
            first.expected,
            first.got
        ),
    }
}

/// Replays one game of a folder.
struct Job {
    name: String,
    rules: PathBuf,
    trace: PathBuf,
}

struct Done {
    name: String,
    seconds: f64,
    engine: &'static str,
    setup: f64,
    result: Result<Comparison, String>,
}

fn replay_all(folder: &Path, arguments: &Arguments, budget: &Budget) -> Outcome {
    let jobs = jobs(folder, &arguments.only)?;
    let bar = progress::bar(jobs.len() as u64);
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(anyhow::Error::from)?;
    let start = Instant::now();
    let done: Vec<Done> = pool.install(|| {
        jobs.par_iter()
            .map(|job| {
                bar.set_message(job.name.clone());
                let start = Instant::now();
                let options = arguments.limits.options(arguments.engine.into());
                let game = read_game(job, options);
                let setup = start.elapsed().as_secs_f64();
                let engine = game.as_ref().map_or("none", |game| game.engine().name());
                let result = game.and_then(|game| {
                    let replay = trace::replay(&game, &job.trace, &|| budget.is_cancelled());
                    replay.map_err(|error| format!("{error:#}"))
                });
                bar.inc(1);
                Done {
                    name: job.name.clone(),
                    seconds: start.elapsed().as_secs_f64(),
                    engine,
                    setup,
                    result,
                }
            })
            .collect()
    });
    bar.finish_and_clear();
    let agrees = report(&done, start.elapsed().as_secs_f64(), arguments.json)?;
    Ok(answer(agrees))
}

fn jobs(folder: &Path, only: &[String]) -> Result<Vec<Job>, Failure> {
    let traces = folder.join("traces");
    let entries = std::fs::read_dir(&traces).with_context(|| format!("cannot read the folder {}", traces.display()))?;
    let mut jobs = Vec::new();
    for entry in entries {
        let trace = entry
            .with_context(|| format!("cannot read {}", traces.display()))?
            .path();
        let name = match (trace.file_stem(), trace.extension()) {
            (Some(name), Some(extension)) if extension == "jsonl" => name.to_string_lossy().into_owned(),
            _ => continue,
        };
        if only.is_empty() || only.contains(&name) {
            let rules = folder.join("games").join(format!("{name}.kif"));
            jobs.push(Job { name, rules, trace });
        }
    }
    jobs.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(missing) = only.iter().find(|name| jobs.iter().all(|job| job.name != **name)) {
        return Err(anyhow!("there is no trace {missing}.jsonl in {}", traces.display()).into());
    }
    Ok(jobs)
}

fn read_game(job: &Job, options: Options) -> Result<Game, String> {
    let bytes = std::fs::read(&job.rules).map_err(|error| format!("cannot read the rules: {error}"))?;
    let source = Source::from_bytes(job.rules.display().to_string(), bytes);
    Game::new(Description::read(source), options).map_err(|error| error.to_string())
}

fn report(done: &[Done], seconds: f64, json: bool) -> Result<bool, Failure> {
    let agrees = |done: &Done| done.result.as_ref().is_ok_and(|replay| replay.mismatches == 0);
    let agreeing = done.iter().filter(|done| agrees(done)).count();
    let steps: usize = done
        .iter()
        .filter_map(|done| done.result.as_ref().ok())
        .map(|replay| replay.steps)
        .sum();
    let mismatches: usize = done
        .iter()
        .filter_map(|done| done.result.as_ref().ok())
        .map(|replay| replay.mismatches)
        .sum();
    if json {
        let games: Vec<Value> = done.iter().map(job_json).collect();
        print_json(&json!({
            "games": games,
            "agreeing": agreeing,
            "steps": steps,
            "mismatches": mismatches,
            "first_mismatch": done.iter().find_map(|done| done.result.as_ref().ok()?.first_mismatch.clone()),
            "seconds": seconds,
        }))?;
    } else {
        let mut text = String::new();
        for done in done.iter().filter(|done| !agrees(done)) {
            let what = match &done.result {
                Ok(replay) => describe(replay),
                Err(error) => error.clone(),
            };
            text += &format!("{}: {what}\n", done.name);
        }
        text += &format!(
            "{agreeing} of {} agree; {} in {seconds:.1} s\n",
            counted(done.len(), "game"),
            counted(steps, "step")
        );
        print(&text)?;
    }
    Ok(agreeing == done.len())
}

fn job_json(done: &Done) -> Value {
    match &done.result {
        Ok(replay) => json!({
            "game": done.name,
            "engine": done.engine,
            "setup_seconds": done.setup,
            "seconds": done.seconds,
            "steps": replay.steps,
            "mismatches": replay.mismatches,
            "first_mismatch": replay.first_mismatch,
        }),
        Err(error) => json!({ "game": done.name, "seconds": done.seconds, "error": error }),
    }
}
