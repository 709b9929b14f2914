//! `ludens bench`: speed of random playouts, of one game or of many, and comparisons.

use crate::arguments::EngineName;
use crate::output::{Answer, Outcome, counted, print, print_json};
use crate::{interrupt, load, progress};
use anyhow::anyhow;
use ludens_report::measure::{self, Measurement, Settings};
use std::path::PathBuf;
use std::time::Instant;

mod compare;
mod programs;
mod saved;
mod signature;
mod suite;

/// Measure the speed of random playouts
#[derive(clap::Args)]
#[command(
    after_help = "A playout is one uniformly random match from the start to a terminal state; `states` counts \
    state changes, all of them within the time stated.\n\
    Exit status: 1 if a game cannot be run, if a --suite was interrupted, or if a compared program is more than 3 % \
    slower than the first in every round.\n\n\
    Examples:\n  ludens bench connect-four\n  ludens bench --suite --save before.json\n  \
    ludens bench --compare before.json after.json --plot speed.svg\n  \
    ludens bench --compare ./ludens-before ./ludens-after --rounds 5"
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game; with --suite any number (default: a set of twelve)
    #[arg(value_name = "GAME", required_unless_present_any = ["suite", "compare", "signature"])]
    games: Vec<String>,
    /// Print a number that changes whenever a playout, search, evaluation or solver result changes
    #[arg(long, conflicts_with_all = ["games", "suite", "save", "engine", "seconds", "threads", "most_steps", "seed"])]
    signature: bool,
    /// Measure many games, each compiled and interpreted
    #[arg(long, conflicts_with = "engine")]
    suite: bool,
    /// Compare saved results, or builds of this program measured in turns; the first is the reference
    #[arg(long, value_name = "FILE", num_args = 2.., conflicts_with_all = ["suite", "save", "engine"])]
    compare: Vec<PathBuf>,
    /// With --compare of programs: number of measurements of each game
    #[arg(long, value_name = "N", default_value_t = 5, requires = "compare",
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// With --compare: plot the results to an SVG file
    #[arg(long, value_name = "FILE", requires = "compare", conflicts_with = "suite")]
    plot: Option<PathBuf>,
    /// Save the results to a JSON file, for --compare
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Engine that runs the rules
    #[arg(long, default_value = "auto")]
    engine: EngineName,
    /// Seconds to measure (default: 5; with --suite 1 per game and engine)
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    seconds: Option<f64>,
    /// Number of threads
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Maximum length of a playout; longer ones are stopped and counted separately
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    most_steps: usize,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

impl Arguments {
    fn settings(&self, default_seconds: f64) -> Settings {
        Settings {
            seconds: self.seconds.unwrap_or(default_seconds),
            threads: self.threads,
            most_steps: self.most_steps,
            seed: self.seed,
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    if !arguments.compare.is_empty() {
        return compare::run(&arguments);
    }
    if arguments.signature {
        return signature::run(arguments.json);
    }
    if let Some(path) = &arguments.save {
        saved::prepare(path)?;
    }
    match (arguments.suite, &arguments.games[..]) {
        (true, _) => suite::run(&arguments),
        (false, [game]) => one_game(game, &arguments),
        (false, _) => Err(anyhow!("several games are measured with --suite").into()),
    }
}

fn one_game(game: &str, arguments: &Arguments) -> Outcome {
    let settings = arguments.settings(5.0);
    let start = Instant::now();
    let game = load::game(game, &arguments.limits, arguments.engine.into())?;
    let setup = start.elapsed().as_secs_f64();
    let bar = progress::spinner();
    bar.set_message(format!("playing {} for {} s", game.name(), settings.seconds));
    let measured = measure::measure(&game, setup, settings, &interrupt::budget());
    bar.finish_and_clear();
    let measured = measured.map_err(|fault| anyhow!(fault))?;
    if let Some(path) = &arguments.save {
        saved::write(path, settings, std::slice::from_ref(&measured))?;
    }
    match arguments.json {
        true => print_json(&measured)?,
        false => print(&text(&measured))?,
    }
    Ok(Answer::Yes)
}

fn text(measured: &Measurement) -> String {
    format!(
        "{}: {} engine, set up in {:.3} s\n{} and {} in {:.2} s on {}\n\
         {:.1} playouts and {:.0} states a second\n",
        measured.game,
        measured.engine,
        measured.setup_seconds,
        counted(measured.playouts as usize, "playout"),
        counted(measured.states as usize, "state"),
        measured.seconds,
        counted(measured.threads.into(), "thread"),
        measured.playouts_per_second,
        measured.states_per_second,
    )
}
