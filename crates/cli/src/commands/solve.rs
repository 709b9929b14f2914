//! `ludens solve`: the value of a game under optimal play.

use crate::arguments::ResourceArguments;
use crate::output::{Answer, Failure, Outcome, counted, grouped_text, print, print_json, table, table_text};
use crate::{interrupt, load, progress};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use indicatif::ProgressBar;
use ludens_budget::{Progress, StopReason};
use ludens_engine::{Game, Role};
use ludens_solve::{Method, Options, Order, Phase, Report, Solution, SolveError, Status};
use num_bigint::BigUint;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Solve a game: find its reachable states and their values under optimal play
#[derive(clap::Args)]
#[command(
    mut_arg("memory", |memory| memory.default_value("8G")),
    after_help = "Exit status 1 means that a limit or Ctrl-C stopped the work before the answer was complete; partial \
                  results are shown."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Representation of states
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    method: MethodName,
    /// Preferences of the roles
    #[arg(long, value_enum, default_value_t = OrderName::Own)]
    order: OrderName,
    #[command(flatten)]
    resources: ResourceArguments,
    /// Find the reachable states only, not their values
    #[arg(long)]
    reachable_only: bool,
    /// Show the number of states at each distance from the end
    #[arg(long)]
    distances: bool,
    /// Write the solution to a file, for `ludens query`, `ludens annotate` and the agent `perfect`
    #[arg(long, value_name = "FILE", conflicts_with = "reachable_only")]
    save: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Representation of states.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Chosen by a short trial
    Auto,
    /// Sets of states, as decision diagrams
    Symbolic,
    /// Single states, in a table
    Explicit,
}

/// Preferences of the roles.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderName {
    /// Maximise the own goal, then minimise those of the others
    Own,
    /// Maximise the lead over the others, then the own goal
    Difference,
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            method: match self.method {
                MethodName::Auto => Method::Auto,
                MethodName::Symbolic => Method::Symbolic,
                MethodName::Explicit => Method::Explicit,
            },
            order: match self.order {
                OrderName::Own => Order::Own,
                OrderName::Difference => Order::Difference,
            },
            reachable_only: self.reachable_only,
            threads: self.resources.threads(Options::default().threads),
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let bar = progress::spinner();
    let start = Instant::now();
    let shown = bar.clone();
    let watch = Progress::every(progress::INTERVAL, move |status: &Status| show(&shown, status));
    let budget = arguments.resources.limit(budget).observed_by(watch);
    let solved = ludens_solve::solve(&game, &arguments.options(), &budget);
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let (report, solution) = match solved {
        Ok(solved) => solved,
        Err(error @ SolveError::States(_)) => {
            tell!("error: {error}");
            return Err(Failure::Refused);
        }
        Err(error) => return Err(anyhow!(error).into()),
    };
    if let Some(obstacle) = report.obstacle() {
        tell!("warning: the answer is not complete: {obstacle}{}", advice(&report));
    }
    if arguments.distances && report.complete && report.distances.is_empty() {
        tell!("warning: distances are unknown; for games of several roles, use --method explicit");
    }
    if let Some(path) = &arguments.save {
        save(path, &game, solution.as_ref())?;
    }
    match arguments.json {
        true => print_json(&as_json(&game, &report, seconds))?,
        false => print(&as_text(&game, &report, seconds, arguments.distances))?,
    }
    Ok(match report.complete {
        true => Answer::Yes,
        false => Answer::No,
    })
}

fn show(bar: &ProgressBar, status: &Status) {
    let step = status.step;
    let states = grouped_text(&status.done.to_string());
    let mut text = match status.phase {
        Phase::Preparation => "preparing".to_string(),
        Phase::Forward => format!("finding states: layer {step}, {states} states"),
        _ => format!("computing values: round {step}, {states} states"),
    };
    if let Some(nodes) = status.nodes {
        text += &format!(", {} nodes", grouped_text(&nodes.to_string()));
    }
    if let Some(memory) = status.memory.filter(|&memory| memory > 0) {
        text += &format!(", {} MiB", memory >> 20);
    }
    bar.set_message(text);
}

fn advice(report: &Report) -> &'static str {
    match report.stop.map(|stop| stop.reason) {
        Some(StopReason::Memory) => "; allow more with --memory, or try the other --method",
        Some(StopReason::Deadline) => "; allow more with --seconds",
        _ => "",
    }
}

fn save(path: &Path, game: &Game, solution: Option<&Solution>) -> Result<(), Failure> {
    let Some(solution) = solution else {
        tell!("warning: {} was not written: no values were found", path.display());
        return Ok(());
    };
    ludens_artifact::save(path, |out| solution.write(game, out))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// A goal as JSON, as an integer if possible.
pub(crate) fn goal(value: f64) -> Value {
    match value.fract() == 0.0 {
        true => json!(value as i64),
        false => json!(value),
    }
}

/// Goals as text, in the order of the roles.
pub(crate) fn goals_text(goals: Option<&[f64]>) -> String {
    match goals {
        Some(goals) => {
            let texts: Vec<String> = goals.iter().map(|&value| goal(value).to_string()).collect();
            texts.join(" / ")
        }
        None => "unknown".to_string(),
    }
}

/// Goals by name of the role.
pub(crate) fn by_role(game: &Game, goals: &[f64]) -> Value {
    let pairs = game.roles().zip(goals);
    let map: Map<String, Value> = pairs
        .map(|(role, &value)| (game.role_name(role).to_string(), goal(value)))
        .collect();
    Value::Object(map)
}

fn as_json(game: &Game, report: &Report, seconds: f64) -> Value {
    let counts = |list: &[BigUint]| -> Vec<String> { list.iter().map(BigUint::to_string).collect() };
    let buckets: Vec<Value> = report
        .buckets
        .iter()
        .map(|bucket| json!({"goals": bucket.goals, "states": bucket.states.to_string()}))
        .collect();
    json!({
        "game": game.name(),
        "roles": game.roles().map(|role| game.role_name(role).to_string()).collect::<Vec<_>>(),
        "method": report.method.name(),
        "reason": report.reason,
        "values": report.values.as_ref().map(|values| by_role(game, values)),
        "reachable": report.reachable.to_string(),
        "terminal": report.terminal.to_string(),
        "stuck": report.stuck.to_string(),
        "layers": report.layers.len(),
        "layer_states": counts(&report.layers),
        "classified": report.classified.to_string(),
        "unclassified": report.unclassified.to_string(),
        "buckets": buckets,
        "distances": counts(&report.distances),
        "line": lines(game, &report.line),
        "nodes": report.nodes,
        "peak_nodes": report.peak_nodes,
        "peak_memory": report.peak_memory,
        "seconds": seconds,
        "complete": report.complete,
        "stopped": report.obstacle(),
    })
}

fn lines(game: &Game, line: &[Vec<ludens_engine::MoveId>]) -> Vec<Vec<String>> {
    let texts = |joint: &Vec<ludens_engine::MoveId>| {
        let moves = game.roles().zip(joint);
        moves.map(|(role, &move_id)| game.move_text(role, move_id)).collect()
    };
    line.iter().map(texts).collect()
}

fn as_text(game: &Game, report: &Report, seconds: f64, distances: bool) -> String {
    let number = |count: &BigUint| grouped_text(&count.to_string());
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<20} {value}\n");
    line("game", game.name().to_string());
    line("method", report.method.name().to_string());
    if let Some(reason) = &report.reason {
        line("chosen because", reason.clone());
    }
    let value = |(role, value): (Role, &f64)| format!("{} {}", game.role_name(role), goal(*value));
    line(
        "value",
        match &report.values {
            Some(values) => game.roles().zip(values).map(value).collect::<Vec<_>>().join(", "),
            None => "unknown".to_string(),
        },
    );
    line("reachable states", number(&report.reachable));
    line("terminal states", number(&report.terminal));
    if report.stuck > BigUint::ZERO {
        line("dead ends", number(&report.stuck));
    }
    line("layers", report.layers.len().to_string());
    line("classified", number(&report.classified));
    line("unclassified", number(&report.unclassified));
    if let Some(nodes) = report.nodes {
        line("nodes", grouped_text(&nodes.to_string()));
    }
    if let Some(nodes) = report.peak_nodes {
        line("most nodes", grouped_text(&nodes.to_string()));
    }
    line("seconds", format!("{seconds:.2}"));
    line("complete", if report.complete { "yes" } else { "no" }.to_string());
    if !report.line.is_empty() {
        line("best play", best_play(game, report));
    }
    if !report.buckets.is_empty() {
        let names: Vec<String> = game.roles().map(|role| game.role_name(role).to_string()).collect();
        let header: Vec<&str> = names.iter().map(String::as_str).chain(["states"]).collect();
        let mut rows = table(&header);
        for bucket in &report.buckets {
            let goals = bucket.goals.iter().map(u8::to_string);
            rows.add_row(goals.chain([number(&bucket.states)]));
        }
        text += &format!("\n{}", table_text(&rows));
    }
    if distances && !report.distances.is_empty() {
        let mut rows = table(&["steps to the end", "states"]);
        for (distance, states) in report.distances.iter().enumerate() {
            rows.add_row([distance.to_string(), number(states)]);
        }
        text += &format!("\n{}", table_text(&rows));
    }
    text
}

/// The joint moves of optimal play, with the moves of all roles in their order.
fn best_play(game: &Game, report: &Report) -> String {
    let texts: Vec<String> = lines(game, &report.line).iter().map(|joint| joint.join(" ")).collect();
    format!("{}: {}", counted(report.line.len(), "step"), texts.join(", "))
}
