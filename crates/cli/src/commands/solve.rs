//! `ludens solve`: what a game is worth under perfect play.

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
use std::time::{Duration, Instant};

/// Solve a game: find all states and what they are worth under perfect play
#[derive(clap::Args)]
#[command(
    after_help = "Exit status 1 means that a limit was met before the answer was complete; what was found until \
                        then is shown. Ctrl-C is such a limit."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// How states are kept
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    method: MethodName,
    /// What roles prefer
    #[arg(long, value_enum, default_value_t = OrderName::Own)]
    order: OrderName,
    /// Memory for states, as in `500M` or `8G`
    #[arg(long, value_name = "SIZE", default_value = "8G", value_parser = load::memory_size)]
    memory: usize,
    /// Stop after so many seconds
    #[arg(long, value_name = "S", value_parser = super::check::seconds)]
    seconds: Option<f64>,
    /// Threads to use; all processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Find the reachable states only, not what they are worth
    #[arg(long)]
    reachable_only: bool,
    /// Show how many states are how far from the end
    #[arg(long)]
    distances: bool,
    /// Write the solution to a file, for `ludens query`, `ludens judge` and the agent `perfect`
    #[arg(long, value_name = "FILE", conflicts_with = "reachable_only")]
    save: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// How states are kept.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Whichever a short trial finds better
    Auto,
    /// Sets of states as decision diagrams
    Symbolic,
    /// Every state by itself
    Explicit,
}

/// What roles prefer.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OrderName {
    /// The greatest own goal, then the least of the others
    Own,
    /// The greatest lead over the others, then the greatest own goal
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
            threads: self.threads.map_or(Options::default().threads, usize::from),
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let mut budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    if let Some(seconds) = arguments.seconds {
        budget = budget.within(Duration::from_secs_f64(seconds));
    }
    let bar = progress::spinner();
    let start = Instant::now();
    let shown = bar.clone();
    let budget = budget
        .with_bytes(arguments.memory as u64)
        .observed_by(Progress::every(progress::INTERVAL, move |status| show(&shown, status)));
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
        tell!("warning: distances are not known; for games of several roles, --method explicit finds them");
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
        Some(StopReason::Memory) => "; give more with --memory, or try the other --method",
        Some(StopReason::Deadline) => "; give more with --seconds",
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

/// A goal as JSON: a whole number where it is one.
pub(crate) fn goal(value: f64) -> Value {
    match value.fract() == 0.0 {
        true => json!(value as i64),
        false => json!(value),
    }
}

/// Goals for people, in the order of roles.
pub(crate) fn goals_text(goals: Option<&[f64]>) -> String {
    match goals {
        Some(goals) => {
            let texts: Vec<String> = goals.iter().map(|&value| goal(value).to_string()).collect();
            texts.join(" / ")
        }
        None => "not known".to_string(),
    }
}

/// Goals by the names of roles.
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
            None => "not known".to_string(),
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

/// The joint moves of best play, one form for all steps and commands: the moves of all roles, in their order.
fn best_play(game: &Game, report: &Report) -> String {
    let texts: Vec<String> = lines(game, &report.line).iter().map(|joint| joint.join(" ")).collect();
    format!("{}: {}", counted(report.line.len(), "step"), texts.join(", "))
}
