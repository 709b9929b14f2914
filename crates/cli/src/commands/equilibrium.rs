//! `ludens equilibrium`: equilibria of games with simultaneous moves.

use crate::arguments::ResourceArguments;
use crate::output::{Answer, Failure, Outcome, print, print_json};
use crate::{interrupt, load, progress};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use indicatif::ProgressBar;
use ludens_budget::{Budget, Progress, StopReason, Stopped};
use ludens_engine::Game;
use ludens_equilibrium::curve::{Learner, Point};
use ludens_equilibrium::exploit::Table;
use ludens_equilibrium::{
    Assessment, Cfr, EquilibriumError, Estimation, Graph, GraphOptions, Leaves, Online, Phase, Sampler, Sampling,
    Settings, Start, Status, Strategy, Variant, assess, backward, curve, grow,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

mod plot;
mod show;

/// Compute an equilibrium of a game with simultaneous moves
#[derive(clap::Args)]
#[command(
    after_help = "Exit status 1 means that a limit or Ctrl-C stopped the work before the answer was complete; partial \
                  results are shown. With --seconds but without --iterations, using up the time is not an error. Results \
                  do not depend on --threads."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Algorithm
    #[arg(long, value_enum, default_value_t = Algorithm::Cfr)]
    algorithm: Algorithm,
    /// Number of iterations (default: 1000, or no limit with --seconds)
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// Initial strategy
    #[arg(long, value_enum, default_value_t = StartName::Uniform)]
    start: StartName,
    /// Depth limit of the game graph; states at this depth are evaluated by random playouts (default: none)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Maximum number of playouts per such state, in batches of 25 until the mean changes by less than one point
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    playouts: u32,
    #[command(flatten)]
    resources: ResourceArguments,
    /// Seed of playouts and sampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the exploitability over the iterations to a file: .csv, .json or .svg (may be repeated)
    #[arg(long, value_name = "FILE", value_parser = plot::curve_file)]
    curve: Vec<PathBuf>,
    /// Show the strategies of all states up to this depth
    #[arg(long, value_name = "N", default_value_t = 0)]
    strategy_depth: usize,
    /// Write the strategies of all roles to a file, for the agent `table`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Exponents α,β,γ of `dcfr` for positive regrets, negative regrets and the average
    #[arg(long, value_name = "A,B,C", value_parser = exponents, default_value = "1.5,0,2")]
    discount: [f64; 3],
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Algorithm that computes strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// Vanilla counterfactual regret minimisation, simultaneous updates
    Cfr,
    /// CFR+: regrets clipped at zero, alternating updates, linear averaging
    #[value(name = "cfr+")]
    Plus,
    /// Predictive CFR+; fastest in most games
    #[value(name = "pcfr+")]
    Predictive,
    /// Linear CFR: iterations weighted by their number
    Linear,
    /// Discounted CFR, see --discount
    Dcfr,
    /// Exact: backward induction with linear programs (two roles, constant sum); ignores --iterations
    Lp,
    /// External sampling
    External,
    /// Outcome sampling
    Outcome,
    /// Online outcome sampling, without a game graph, for large games
    Online,
}

/// Initial strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StartName {
    /// All moves with equal probability
    Uniform,
    /// The first legal move
    First,
}

fn exponents(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
    match numbers.ok().map(<[f64; 3]>::try_from) {
        Some(Ok(numbers)) if numbers.iter().all(|number| number.is_finite()) => Ok(numbers),
        _ => Err("give three numbers, as in 1.5,0,2".to_string()),
    }
}

/// Default number of iterations without a time limit.
const ITERATIONS: u64 = 1000;

/// Result of the command.
#[derive(Default)]
struct Equilibrium {
    states: usize,
    terminals: usize,
    transitions: usize,
    leaves: usize,
    playouts: u64,
    depth: Option<usize>,
    sum: Option<f64>,
    caveat: Option<&'static str>,
    iterations: u64,
    graph_seconds: f64,
    seconds: f64,
    assessment: Option<Assessment>,
    /// Mean goal of each role, if there is no assessment.
    mean_goals: Option<Vec<f64>>,
    /// Strategies of the initial state and its successors.
    strategies: Vec<show::StateStrategy>,
    points: Vec<Point>,
    /// The strategies as a table, for --save.
    table: Option<String>,
    stop: Option<Stopped>,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let bar = progress::spinner();
    let shown = bar.clone();
    let watch = Progress::every(progress::INTERVAL, move |status: &Status| show_progress(&shown, status));
    let budget = arguments.resources.limit(budget).observed_by(watch);
    let result = match arguments.algorithm {
        Algorithm::Online => online(&arguments, &game, &budget, &bar),
        _ => on_graph(&arguments, &game, &budget, &bar),
    };
    bar.finish_and_clear();
    let found = match result {
        Ok(found) => found,
        Err(error @ EquilibriumError::States(_)) => {
            tell!("error: {error}");
            return Err(Failure::Refused);
        }
        Err(error) => return Err(anyhow!(error).into()),
    };
    if let Some(caveat) = found.caveat {
        tell!("note: {caveat}");
    }
    if let Some(stop) = found.stop {
        tell!(
            "warning: the answer is not complete: {stop}{}",
            advice(stop.reason, &found)
        );
    }
    for path in &arguments.curve {
        write_curve(path, &arguments, &game, &found.points)?;
    }
    match (&arguments.save, &found.table) {
        (Some(path), Some(table)) => ludens_artifact::save(path, |out| out.write_all(table.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?,
        (Some(path), None) => tell!("warning: {} was not written: no strategies were found", path.display()),
        (None, _) => {}
    }
    match arguments.json {
        true => print_json(&show::as_json(&game, arguments.algorithm.name(), &found))?,
        false => print(&show::as_text(&game, arguments.algorithm.name(), &found))?,
    }
    Ok(match found.stop {
        None => Answer::Yes,
        Some(_) => Answer::No,
    })
}

fn advice(reason: StopReason, found: &Equilibrium) -> String {
    let ahead = found.depth.filter(|&depth| depth > 0 && found.assessment.is_none());
    let ahead = match ahead {
        Some(depth) => format!(", reduce --depth (up to {depth} fits)"),
        None => String::new(),
    };
    match reason {
        StopReason::Memory => format!("; allow more with --memory{ahead}, or sample with --algorithm online"),
        StopReason::Deadline => format!("; allow more with --seconds{ahead}"),
        _ => String::new(),
    }
}

fn write_curve(path: &Path, arguments: &Arguments, game: &Game, points: &[Point]) -> Result<(), Failure> {
    if points.is_empty() {
        tell!(
            "warning: {} was not written: the algorithm has no iterations",
            path.display()
        );
        return Ok(());
    }
    let text = plot::curve_text(path, game.name(), arguments.algorithm.name(), points)?;
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

impl Algorithm {
    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_string())
    }
}

impl Arguments {
    fn threads(&self) -> usize {
        self.resources.threads(GraphOptions::default().threads)
    }

    /// Maximum number of iterations.
    fn most(&self) -> u64 {
        match (self.iterations, self.resources.seconds) {
            (Some(iterations), _) => iterations,
            (None, Some(_)) => u64::MAX,
            (None, None) => ITERATIONS,
        }
    }

    /// Reason for fewer iterations than requested, if any.
    fn stop(&self, done: u64, budget: &Budget) -> Option<StopReason> {
        match (budget.is_cancelled(), self.iterations) {
            (true, _) if done < self.most() => Some(StopReason::Interrupted),
            (_, Some(iterations)) if done < iterations => Some(StopReason::Deadline),
            _ => None,
        }
    }

    fn variant(&self) -> Option<Variant> {
        let [alpha, beta, gamma] = self.discount;
        match self.algorithm {
            Algorithm::Cfr => Some(Variant::Vanilla),
            Algorithm::Plus => Some(Variant::Plus),
            Algorithm::Predictive => Some(Variant::Predictive),
            Algorithm::Linear => Some(Variant::Linear),
            Algorithm::Dcfr => Some(Variant::Discounted { alpha, beta, gamma }),
            Algorithm::Lp | Algorithm::External | Algorithm::Outcome | Algorithm::Online => None,
        }
    }

    fn learner(&self, graph: &Graph) -> Result<Box<dyn Learner>, EquilibriumError> {
        if let Some(variant) = self.variant() {
            let settings = Settings {
                variant,
                start: match self.start {
                    StartName::Uniform => Start::Uniform,
                    StartName::First => Start::First,
                },
                frozen: Vec::new(),
                threads: self.threads(),
            };
            return Ok(Box::new(Cfr::new(graph, settings)?));
        }
        let sampling = match self.algorithm {
            Algorithm::External => Sampling::External,
            _ => Sampling::Outcome,
        };
        Ok(Box::new(Sampler::new(graph, sampling, self.seed)))
    }
}

fn show_progress(bar: &ProgressBar, status: &Status) {
    let total = status.total.filter(|&total| total < u64::MAX);
    let of = total.map_or_else(String::new, |total| format!(" of {total}"));
    let (step, done) = (status.step, &status.done);
    bar.set_message(match status.phase {
        Phase::Preparation => "preparing".to_string(),
        Phase::Forward => format!("finding states: {step} steps ahead, {done} states"),
        Phase::Estimation => format!("estimating leaves: {done}{of}"),
        Phase::Backward | Phase::Iteration => format!("solving: {done}{of}"),
        Phase::Response => "computing best responses".to_string(),
    });
}

fn on_graph(
    arguments: &Arguments,
    game: &Game,
    budget: &Budget,
    bar: &ProgressBar,
) -> Result<Equilibrium, EquilibriumError> {
    let options = GraphOptions {
        depth: arguments.depth.map(|depth| depth as usize),
        threads: arguments.threads(),
        ..GraphOptions::default()
    };
    let began = Instant::now();
    let growth = grow(game, game.initial(), &options, None, budget)?;
    let mut graph = growth.graph;
    let mut leaves = Leaves::of(&graph);
    let mut found = Equilibrium {
        graph_seconds: began.elapsed().as_secs_f64(),
        depth: (growth.stop.is_some() || !leaves.is_empty()).then_some(growth.depth),
        stop: growth.stop,
        ..Equilibrium::default()
    };
    if found.stop.is_none() && !leaves.is_empty() {
        let how = Estimation {
            most: arguments.playouts,
            seed: arguments.seed,
            threads: arguments.threads(),
            ..Estimation::default()
        };
        leaves.estimate(game, &mut graph, &how, budget)?;
        found.playouts = leaves.playouts();
    }
    found.describe(&graph, leaves.len());
    if found.stop.is_some() {
        return Ok(found);
    }
    let strategy = match arguments.algorithm {
        Algorithm::Lp => solve_exactly(arguments, &graph, &mut found, budget)?,
        _ => Some(learn(arguments, &graph, &mut found, budget, bar)?),
    };
    if let Some(strategy) = strategy {
        show_progress(bar, &Status::new(Phase::Response, 0u32));
        found.assessment = Some(assess(&graph, &strategy));
        found.strategies = show::strategies(game, &graph, &strategy, arguments.strategy_depth);
        let roles = 0..graph.roles();
        let table = || roles.map(|role| Table::write(game, &graph, &strategy, role)).collect();
        found.table = arguments.save.as_ref().map(|_| table());
    }
    Ok(found)
}

impl Equilibrium {
    fn describe(&mut self, graph: &Graph, leaves: usize) {
        self.states = graph.len();
        self.terminals = graph.count(ludens_equilibrium::NodeKind::Terminal);
        self.transitions = graph.transitions();
        self.leaves = leaves;
        self.sum = graph.sum();
        self.caveat = ludens_equilibrium::caveat(graph);
    }
}

/// Backward induction; `None` if it was stopped.
fn solve_exactly(
    arguments: &Arguments,
    graph: &Graph,
    found: &mut Equilibrium,
    budget: &Budget,
) -> Result<Option<Strategy>, EquilibriumError> {
    let began = Instant::now();
    let solved = backward::solve(graph, arguments.threads(), budget)?;
    found.seconds = began.elapsed().as_secs_f64();
    Ok(match solved {
        Ok(exact) => {
            found.iterations = 1;
            Some(exact.strategy)
        }
        Err(stop) => {
            found.stop = Some(stop);
            None
        }
    })
}

fn learn(
    arguments: &Arguments,
    graph: &Graph,
    found: &mut Equilibrium,
    budget: &Budget,
    bar: &ProgressBar,
) -> Result<Strategy, EquilibriumError> {
    let mut learner = arguments.learner(graph)?;
    let most = arguments.most();
    if arguments.curve.is_empty() {
        // Small batches, so that progress is visible.
        let began = Instant::now();
        let mut portion = 1;
        while learner.iterations() < most && !budget.is_spent() {
            let start = Instant::now();
            learner.iterate(graph, portion.min(most - learner.iterations()), budget);
            if start.elapsed() < Duration::from_millis(100) {
                portion *= 2;
            }
            show_progress(bar, &Status::new(Phase::Iteration, learner.iterations()).of(most));
        }
        found.seconds = began.elapsed().as_secs_f64();
    } else {
        let exact = backward::solve(graph, arguments.threads(), &budget.clone().unobserved());
        let reference = exact.ok().and_then(Result::ok).map(|exact| exact.strategy);
        found.points = curve::follow(graph, &mut *learner, most, reference.as_ref(), budget);
        found.seconds = found.points.last().map_or(0.0, |point| point.time.as_secs_f64());
    }
    found.iterations = learner.iterations();
    found.stop = arguments.stop(found.iterations, budget).map(Stopped::from);
    Ok(learner.average(graph))
}

/// Sampling without a game graph.
fn online(
    arguments: &Arguments,
    game: &Game,
    budget: &Budget,
    bar: &ProgressBar,
) -> Result<Equilibrium, EquilibriumError> {
    // A state with its moves takes a few hundred bytes.
    let most_nodes = (arguments.resources.memory / 1024).clamp(1, u32::MAX as usize);
    let mut online = Online::new(game, game.initial(), most_nodes, arguments.seed)?;
    let began = Instant::now();
    let most = arguments.most();
    while online.iterations() < most && !budget.is_spent() {
        online.iterate(256.min(most - online.iterations()), budget);
        show_progress(bar, &Status::new(Phase::Iteration, online.iterations()).of(most));
    }
    Ok(Equilibrium {
        states: online.states(),
        terminals: online.ends(),
        transitions: online.transitions(),
        iterations: online.iterations(),
        seconds: began.elapsed().as_secs_f64(),
        mean_goals: Some(online.mean_goals()),
        strategies: vec![show::StateStrategy::at_start(game, |role| online.mixture(role))],
        stop: arguments.stop(online.iterations(), budget).map(Stopped::from),
        ..Equilibrium::default()
    })
}
