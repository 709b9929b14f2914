//! `ludens tournament`: many matches between agents, counted.
//!
//! The matches follow from the plan alone (see `ludens_play::tournament`); here they are played, kept in a [`store`]
//! and reported. Without a store file everything is kept in a store in memory, so there is one way only.

mod export;
mod store;

use crate::output::{Answer, Failure, Outcome, print, print_json, table, table_text};
use crate::{interrupt, load, players, progress};
use anyhow::{Context, anyhow};
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_play::tournament::{MatchResult, Plan, run as play_matches};
use ludens_play::{MARGIN, MOST_STEPS, Pace, PlayerSpec};
use ludens_report::tournament::{
    Description, GameDescription, Grid, Report, SequentialTest, html, numbered, parse_sequential_test,
};
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use store::Store;

/// Play many matches between agents and compare them
#[derive(clap::Args)]
#[command(
    after_help = "A round has every seating of the players once in every game. With --iterations the results depend on \
    the seed only, however many threads there are.\n\
    A tournament with --store can be interrupted at any time; the same call goes on where it ended. Without GAME, the \
    matches of the store are reported and exported.\n\
    Players at addresses are asked who they are (INFO) before anything is played; one that does not answer is an error.\n\
    Ctrl-C ends the tournament and reports what was played. Exit status: 0 all matches were played, have a result and no \
    player failed, 1 otherwise, 2 a player is not there."
)]
pub(crate) struct Arguments {
    /// Rule files or built-in games
    #[arg(value_name = "GAME", value_delimiter = ',', required_unless_present = "store")]
    games: Vec<String>,
    /// The agents, any number of them
    #[arg(long, value_name = "A,B,...", required_unless_present = "store", requires = "games")]
    players: Option<String>,
    /// How often all seatings are played
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u64,
    /// Seconds for each agent before the first move
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = super::check::seconds)]
    start_clock: f64,
    /// Seconds for each agent for each move
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = super::check::seconds)]
    play_clock: f64,
    /// Iterations for each agent for each move, instead of clocks; makes the tournament repeatable
    #[arg(long, value_name = "N", conflicts_with_all = ["start_clock", "play_clock"])]
    iterations: Option<u64>,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many matches at a time (default: 2 with --iterations or if no agent uses its time, else 1)
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// How late an answer may be, in seconds
    #[arg(long, value_name = "S", default_value_t = MARGIN.as_secs_f64(), value_parser = super::check::seconds)]
    margin: f64,
    /// Steps after which a match is broken off
    #[arg(long, value_name = "N", default_value_t = MOST_STEPS)]
    most_steps: usize,
    /// Stop as soon as it is clear whether the first of two players is ELO0 or ELO1 points above the second
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_sequential_test, requires = "games")]
    sprt: Option<SequentialTest>,
    /// Keep all matches in this file (SQLite), and do not play again what is in it
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Without GAME: which tournament of the store, if there are several
    #[arg(long, value_name = "ID", conflicts_with = "games")]
    plan: Option<String>,
    /// Write all matches to a file: a table (.csv, .parquet) or full records (.json)
    #[arg(long, value_name = "FILE", value_parser = export::target)]
    export: Vec<export::Target>,
    /// Write each match to a file of its own in this folder, in the format of ggp.org
    #[arg(long, value_name = "DIR", requires = "games")]
    ggp_records: Option<PathBuf>,
    /// Write a report with plots to a file, as HTML
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let exports = arguments.export.iter().map(export::Target::path);
    for path in exports.chain(arguments.report.as_deref()) {
        // Looked at first, so that a long tournament is not played for nothing.
        let file = File::options().create(true).append(true).open(path);
        file.with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(folder) = &arguments.ggp_records {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let Tournament {
        store,
        id,
        report,
        games,
    } = match arguments.games.is_empty() {
        true => stored(&arguments)?,
        false => played(&arguments)?,
    };
    for target in &arguments.export {
        export::write(target, &store, &id, &report)?;
    }
    if let Some(folder) = &arguments.ggp_records {
        export::write_ggp(folder, &store, &id, &games)?;
    }
    if let Some(path) = &arguments.report {
        let text = html(&report)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    match arguments.json {
        true => print_json(&report.json())?,
        false => print(&text(&report))?,
    }
    Ok(match report.is_complete() {
        true => Answer::Yes,
        false => Answer::No,
    })
}

/// A tournament that was played or read.
struct Tournament {
    store: Store,
    /// What it is called in the store.
    id: String,
    report: Report,
    /// The games; none if it was only read, as a store holds no rules.
    games: Vec<Game>,
}

/// What a store holds already.
fn stored(arguments: &Arguments) -> Result<Tournament, Failure> {
    let path = arguments.store.as_ref().context("name a game or a store")?;
    let store = Store::open_existing(path)?;
    let (id, description) = store.choose(arguments.plan.as_deref())?;
    let results = store.results(&id)?;
    let planned = results.len() as u64;
    Ok(Tournament {
        store,
        id,
        report: Report::new(description, planned, results, None),
        games: Vec::new(),
    })
}

/// Plays what is not in the store yet.
fn played(arguments: &Arguments) -> Result<Tournament, Failure> {
    let named = arguments.players.as_ref().context("name the players with --players")?;
    let specs = players::parse(named)?;
    let budget = interrupt::budget();
    if arguments.sprt.is_some() && specs.len() != 2 {
        return Err(anyhow!("--sprt compares two players; {} given", specs.len()).into());
    }
    let threads = threads(arguments, &specs)?;
    let (plan, description) = plan(arguments, specs, &budget)?;
    let mut store = match &arguments.store {
        Some(path) => Store::open(path)?,
        None => Store::in_memory()?,
    };
    let id = store.add_plan(&description)?;
    super::single_match::silence_agents();
    let (results, test) = play(&plan, &mut store, &id, threads, arguments.sprt.clone(), &budget)?;
    Ok(Tournament {
        store,
        id,
        report: Report::new(description, plan.match_count(), results, test),
        games: plan.games().cloned().collect(),
    })
}

/// How many matches at a time. Under a clock an agent must have the processor for itself.
fn threads(arguments: &Arguments, specs: &[PlayerSpec]) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_clocked = arguments.iterations.is_none() && !specs.iter().all(is_light);
    match (arguments.threads, is_clocked) {
        (Some(0), _) => Err(anyhow!("--threads must be at least 1").into()),
        (Some(wanted), true) if wanted > 1 => Err(anyhow!(
            "under a clock, matches are played one at a time, or agents would take each other's time; \
             use --iterations or --threads 1"
        )
        .into()),
        (_, true) => Ok(1),
        (wanted, false) => Ok(wanted.unwrap_or(2).min(cores)),
    }
}

/// Whether a player answers at once, whatever time it has. Nothing is known about players elsewhere.
fn is_light(spec: &PlayerSpec) -> bool {
    spec.agent().is_some_and(|agent| agent.is_light())
}

fn plan(arguments: &Arguments, specs: Vec<PlayerSpec>, budget: &Budget) -> Result<(Plan, Description), Failure> {
    let mut described = Vec::new();
    let mut games = Vec::new();
    for argument in &arguments.games {
        let game = load::game(argument, &arguments.limits, Default::default())?;
        if described
            .iter()
            .any(|known: &GameDescription| known.name == game.name())
        {
            return Err(anyhow!("{} is named twice", game.name()).into());
        }
        described.push(GameDescription::new(&game));
        games.push(game);
    }
    for (spec, game) in specs.iter().flat_map(|spec| games.iter().map(move |game| (spec, game))) {
        players::check(spec, game)?;
    }
    let pace = match arguments.iterations {
        Some(count) => Pace::Iterations(count),
        None => Pace::Clocks {
            start: Duration::from_secs_f64(arguments.start_clock),
            play: Duration::from_secs_f64(arguments.play_clock),
        },
    };
    let remote = players::remote_options(&specs, pace)?;
    let has_remote = remote.is_some();
    let addresses = players::addresses(&specs);
    let players = specs.into_iter().map(|spec| players::player(spec, remote));
    let players = players::introduced(players.collect::<Result<_, _>>()?, &addresses, budget)?;
    let players = numbered(players);
    let names = players.iter().map(|player| player.name().to_string()).collect();
    let mut plan = Plan::new(games, players, arguments.rounds, pace).map_err(anyhow::Error::from)?;
    plan.seed = arguments.seed;
    plan.margin = Duration::from_secs_f64(arguments.margin);
    plan.most_steps = arguments.most_steps;
    // Players elsewhere do not take the processor of others, and expect to be asked together.
    plan.at_once = has_remote;
    let is_clocked = arguments.iterations.is_none();
    let description = Description {
        version: env!("CARGO_PKG_VERSION").to_string(),
        games: described,
        players: names,
        start_clock: is_clocked.then_some(arguments.start_clock),
        play_clock: is_clocked.then_some(arguments.play_clock),
        margin: is_clocked.then_some(arguments.margin),
        iterations: arguments.iterations,
        seed: arguments.seed,
        most_steps: arguments.most_steps,
    };
    Ok((plan, description))
}

/// The report for people.
fn text(report: &Report) -> String {
    let mut text = String::new();
    for (name, section) in report.sections() {
        text += &format!("{name}\n{}\n", grid_text(&report.standing_grid(section)));
    }
    let duels = report.duel_grid(&report.standings.overall);
    if !duels.rows.is_empty() {
        text += &format!("Differences\n{}\n", grid_text(&duels));
    }
    for note in report.notes() {
        text += &format!("{note}\n");
    }
    text
}

fn grid_text(grid: &Grid) -> String {
    let mut laid_out = table(&grid.header);
    for row in &grid.rows {
        laid_out.add_row(row);
    }
    table_text(&laid_out)
}

/// Plays all matches that the store does not have, and gives the results of all that count.
fn play(
    plan: &Plan,
    store: &mut Store,
    id: &str,
    threads: usize,
    mut test: Option<SequentialTest>,
    budget: &Budget,
) -> Result<(Vec<MatchResult>, Option<SequentialTest>), Failure> {
    let planned = plan.match_count();
    let mut results = store.results(id)?;
    results.retain(|result| result.number < planned);
    let done: BTreeSet<u64> = results.iter().map(|result| result.number).collect();
    let open: Vec<u64> = (0..planned).filter(|number| !done.contains(number)).collect();
    let round_size = plan.round_sizes().iter().sum();
    let mut decide = |result: &MatchResult| test.as_mut().is_some_and(|test| test.add(round_size, result));
    let mut is_decided = false;
    for result in &results {
        is_decided = decide(result) || is_decided;
    }
    let bar = progress::bar(planned);
    bar.set_position(done.len() as u64);
    bar.reset_eta();
    let mut failure = None;
    if !is_decided {
        play_matches(plan, &open, threads, budget, &mut |fixture, record| {
            let result = MatchResult::new(plan, &fixture, &record);
            if let Err(error) = store.add_match(id, &result, &record) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            bar.inc(1);
            let is_decided = decide(&result);
            results.push(result);
            match is_decided {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
    }
    bar.finish_and_clear();
    if let Some(error) = failure {
        return Err(error.into());
    }
    if let Some(last) = test.as_ref().and_then(SequentialTest::last_round) {
        // What was played beyond the decision depends on chance and must not change the result.
        results.retain(|result| result.round <= last);
    }
    Ok((results, test))
}
