//! `ludens endgame`: the effect of endgame databases on tree search.

use crate::output::{Answer, Outcome, counted, grouped, grouped_text, print, print_json, rounded, table, table_text};
use crate::{interrupt, load, progress};
use anyhow::{Context, anyhow};
use ludens_budget::{Budget, Progress};
use ludens_engine::knowledge::{Knowledge, Known};
use ludens_engine::{Game, Role};
use ludens_report::plot::{Axis, Scale, lines};
use ludens_search::mcts::{Mcts, Settings};
use ludens_search::{Decision, Searcher};
use ludens_solve::symbolic::endgame::{Endgame, endgame};
use ludens_solve::{Options, Order, Status};
use num_bigint::BigUint;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Compare how fast tree search finds the value of a game, with endgame databases of several depths
#[derive(clap::Args)]
#[command(
    after_help = "A database of depth N contains all states whose value follows from terminal states within N backward \
                  steps. The search is UCT without proofs, from the initial state; its estimate is the mean result of \
                  the first role so far. Exit status 1 means that a limit or Ctrl-C stopped a database before its \
                  depth; it is used as it is."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Depths of the databases; 0 contains only terminal states
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', default_value = "0,2,4,6")]
    depths: Vec<usize>,
    /// Seconds of search with each database
    #[arg(long, value_name = "S", default_value = "10", value_parser = crate::arguments::seconds)]
    seconds: f64,
    /// Time limit for building each database, in seconds (default: none)
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    build_seconds: Option<f64>,
    /// Maximum memory of each database, as in `500M` or `8G`
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = crate::arguments::memory_size)]
    memory: usize,
    /// Seed of the search
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Plot the estimates over time to an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Estimate of the search at some time.
struct Estimate {
    seconds: f64,
    iterations: u64,
    value: f64,
}

/// Result with one database.
struct Experiment {
    depth: usize,
    states: BigUint,
    rounds: usize,
    nodes: usize,
    build_seconds: f64,
    stop: Option<String>,
    estimates: Vec<Estimate>,
}

/// Time of the first estimate, in seconds; the intervals grow from there.
const FIRST_LOOK: f64 = 0.01;
/// Ratio of the times of successive estimates.
const LOOK_FACTOR: f64 = 1.5;

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let bar = progress::spinner();
    let mut experiments = Vec::new();
    for &depth in &arguments.depths {
        if budget.is_cancelled() {
            break;
        }
        bar.set_message(format!("depth {depth}: building the database"));
        let start = Instant::now();
        let options = Options {
            order: Order::Difference,
            ..Options::default()
        };
        let limit = arguments.build_seconds.map(Duration::from_secs_f64);
        let building = limit.map_or_else(|| budget.clone(), |limit| budget.within(limit));
        let shown = bar.clone();
        let watch = Progress::every(progress::INTERVAL, move |status: &Status| {
            let states = grouped_text(&status.done.to_string());
            shown.set_message(format!("depth {depth}: round {}, {states} states", status.step));
        });
        let building = building.with_bytes(arguments.memory as u64).observed_by(watch);
        let database = endgame(&game, depth, &options, &building);
        let database = database.map_err(|error| anyhow!(error))?;
        let build_seconds = start.elapsed().as_secs_f64();
        bar.set_message(format!("depth {depth}: searching"));
        experiments.push(experiment(&game, depth, database, build_seconds, &arguments, &budget));
    }
    bar.finish_and_clear();
    for experiment in &experiments {
        if let Some(stop) = &experiment.stop {
            let (depth, rounds) = (experiment.depth, counted(experiment.rounds, "round"));
            tell!("warning: the database of depth {depth} has {rounds} only: {stop}");
        }
    }
    if let Some(path) = &arguments.plot {
        let svg = plot(&game, &experiments)?;
        std::fs::write(path, svg).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    match arguments.json {
        true => print_json(&as_json(&game, &experiments))?,
        false => print(&as_text(&game, &experiments))?,
    }
    let is_complete = experiments.len() == arguments.depths.len()
        && experiments.iter().all(|experiment| experiment.stop.is_none())
        && !budget.is_cancelled();
    Ok(match is_complete {
        true => Answer::Yes,
        false => Answer::No,
    })
}

fn experiment(
    game: &Game,
    depth: usize,
    database: Endgame,
    build_seconds: f64,
    arguments: &Arguments,
    budget: &Budget,
) -> Experiment {
    let states = database.rounds.iter().sum();
    let rounds = database.rounds.len().saturating_sub(1);
    let nodes = database.values.nodes();
    let known: Arc<dyn Known> = Arc::new(database.values);
    let settings = Settings::with(|s| s.backup.solver = false);
    let knowledge = Knowledge {
        known: Some(known),
        ..Knowledge::default()
    };
    let mut search = Mcts::new(game, Role(0), settings, arguments.seed).with_knowledge(knowledge);
    let mut estimates: Vec<Estimate> = Vec::new();
    let (mut iterations, mut look) = (0, FIRST_LOOK);
    let start = Instant::now();
    loop {
        let until = start + Duration::from_secs_f64(look.min(arguments.seconds));
        let decision = search.decide(game.initial(), &budget.until(until));
        iterations += decision.playouts;
        if let Some(value) = root_estimate(&decision) {
            estimates.push(Estimate {
                seconds: start.elapsed().as_secs_f64(),
                iterations,
                value,
            });
        }
        if look >= arguments.seconds || budget.is_cancelled() {
            break;
        }
        look *= LOOK_FACTOR;
    }
    Experiment {
        depth,
        states,
        rounds,
        nodes,
        build_seconds,
        stop: database.stop.map(|stop| stop.to_string()),
        estimates,
    }
}

/// Mean result of all playouts: the mean of each move, weighted by its visits.
fn root_estimate(decision: &Decision) -> Option<f64> {
    let tried = decision
        .moves
        .iter()
        .filter_map(|tried| tried.value.map(|value| (value, tried.visits as f64)));
    let (sum, visits) = tried.fold((0.0, 0.0), |(sum, all), (value, visits)| {
        (sum + value * visits, all + visits)
    });
    match visits > 0.0 {
        true => Some(sum / visits),
        false => decision.value,
    }
}

fn as_json(game: &Game, experiments: &[Experiment]) -> Value {
    let experiments = experiments.iter().map(|experiment| {
        let estimates = experiment.estimates.iter().map(|estimate| {
            json!({
                "seconds": estimate.seconds,
                "iterations": estimate.iterations,
                "value": estimate.value,
            })
        });
        json!({
            "depth": experiment.depth,
            "rounds": experiment.rounds,
            "states": experiment.states.to_string(),
            "nodes": experiment.nodes,
            "build_seconds": experiment.build_seconds,
            "stopped": experiment.stop,
            "estimates": estimates.collect::<Vec<Value>>(),
        })
    });
    json!({
        "game": game.name(),
        "role": game.role_name(Role(0)),
        "experiments": experiments.collect::<Vec<Value>>(),
    })
}

fn as_text(game: &Game, experiments: &[Experiment]) -> String {
    let mut databases = table(&["depth", "rounds", "states known", "nodes", "built in s", "iterations"]);
    for experiment in experiments {
        let iterations = experiment.estimates.last().map_or(0, |last| last.iterations);
        databases.add_row([
            experiment.depth.to_string(),
            experiment.rounds.to_string(),
            grouped_text(&experiment.states.to_string()),
            grouped(experiment.nodes as u128),
            rounded(experiment.build_seconds),
            grouped(u128::from(iterations)),
        ]);
    }
    let mut header = vec!["after s".to_string()];
    header.extend(
        experiments
            .iter()
            .map(|experiment| format!("depth {}", experiment.depth)),
    );
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut estimates = table(&header);
    let looks = experiments.iter().map(|experiment| experiment.estimates.len()).max();
    for look in 0..looks.unwrap_or(0) {
        let at = |experiment: &Experiment| experiment.estimates.get(look).map(|estimate| estimate.seconds);
        let seconds = experiments.iter().find_map(at).unwrap_or(0.0);
        let mut row = vec![format!("{seconds:.2}")];
        row.extend(
            experiments
                .iter()
                .map(|experiment| match experiment.estimates.get(look) {
                    Some(estimate) => format!("{:.1}", estimate.value),
                    None => String::new(),
                }),
        );
        estimates.add_row(row);
    }
    format!(
        "{}\nestimated goal of {} at the start\n\n{}",
        table_text(&databases),
        game.role_name(Role(0)),
        table_text(&estimates)
    )
}

fn plot(game: &Game, experiments: &[Experiment]) -> anyhow::Result<String> {
    let series: Vec<lines::Series> = experiments
        .iter()
        .map(|experiment| lines::Series {
            name: format!("depth {}", experiment.depth),
            points: experiment
                .estimates
                .iter()
                .map(|estimate| (estimate.seconds, estimate.value))
                .collect(),
        })
        .collect();
    let axis = |label: String, scale| Axis { label, scale };
    lines::draw(
        &format!("{}: estimates with endgame databases", game.name()),
        &axis("seconds".to_string(), Scale::Logarithmic),
        &axis(format!("goal of {}", game.role_name(Role(0))), Scale::Linear),
        &series,
    )
}
