//! `ludens tournament`: many matches between agents, with statistics.
//!
//! The matches follow from the plan alone (see `ludens_play::tournament`). This command plays them, keeps them in a
//! [`store`] and reports the results. Without a store file, the store is in memory.

mod export;
mod store;

use crate::arguments::PaceArguments;
use crate::output::{Answer, Failure, Outcome, print, print_json, table, table_text};
use crate::{interrupt, load, players, progress};
use anyhow::{Context, anyhow};
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_play::tournament::{MatchResult, Plan, run as play_matches};
use ludens_play::{MARGIN, MOST_STEPS, Pace, PlayerSpec};
use ludens_report::notes;
use ludens_report::tournament::{
    Description, GameDescription, Grid, Report, SequentialTest, html, numbered, parse_sequential_test,
};
use std::collections::BTreeSet;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use store::Store;

/// Play many matches between agents and compare the agents
#[derive(clap::Args)]
#[command(
    after_help = "A round plays every seating of the players once in every game. With --iterations the results depend on \
    the seed only, not on the number of threads.\n\
    A tournament with --store can be interrupted at any time; the same command continues it. Without GAME, the matches of \
    the store are reported and exported.\n\
    Players at addresses must answer an INFO message before the first match.\n\
    Ctrl-C ends the tournament and reports the matches played. Exit status: 0 all matches were played and have a result, \
    and no player failed; 1 otherwise; 2 a player does not answer."
)]
pub(crate) struct Arguments {
    /// Rule files or built-in games
    #[arg(value_name = "GAME", value_delimiter = ',', required_unless_present = "store")]
    games: Vec<String>,
    /// Agents or addresses of players, any number
    #[arg(long, value_name = "A,B,...", required_unless_present = "store", requires = "games")]
    players: Option<String>,
    /// Number of times every seating is played
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u64,
    #[command(flatten)]
    pace: PaceArguments,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of simultaneous matches (default: 2 with --iterations or if no agent uses its clock, otherwise 1)
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Tolerance for late answers, in seconds
    #[arg(long, value_name = "S", default_value_t = MARGIN.as_secs_f64(), value_parser = crate::arguments::seconds)]
    margin: f64,
    /// Let all players see the whole state, also where the rules hide information
    #[arg(long)]
    open: bool,
    /// Maximum number of steps of a match
    #[arg(long, value_name = "N", default_value_t = MOST_STEPS)]
    most_steps: usize,
    /// Sequential probability ratio test: stop when it is decided whether the first of two players is ELO0 or ELO1
    /// points stronger than the second
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_sequential_test, requires = "games")]
    sprt: Option<SequentialTest>,
    /// Store all matches in this SQLite file, and skip matches that it already contains
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Without GAME: identifier of the tournament in the store, if it has several
    #[arg(long, value_name = "ID", conflicts_with = "games")]
    plan: Option<String>,
    /// Write all matches to a file: a table (.csv, .parquet) or full records (.json); may be repeated
    #[arg(long, value_name = "FILE", value_parser = export::target)]
    export: Vec<export::Target>,
    /// Write each match to a file in this folder, in the format of ggp.org
    #[arg(long, value_name = "DIR", requires = "games")]
    ggp_records: Option<PathBuf>,
    /// Write an HTML report with plots to a file
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
        // Opened first, so that a wrong path does not waste a long tournament.
        let file = File::options().create(true).append(true).open(path);
        file.with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(folder) = &arguments.ggp_records {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
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

/// A tournament, played or read from a store.
struct Tournament {
    store: Store,
    /// Identifier in the store.
    id: String,
    report: Report,
    /// Games; empty if it was read from a store, which contains no rules.
    games: Vec<Game>,
}

/// Reads a tournament from a store.
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

/// Plays the matches that are not in the store yet.
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

/// Number of simultaneous matches. With clocks, an agent needs the processor for itself.
fn threads(arguments: &Arguments, specs: &[PlayerSpec]) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_clocked = arguments.pace.has_clocks() && !specs.iter().all(is_light);
    match (arguments.threads, is_clocked) {
        (Some(0), _) => Err(anyhow!("--threads must be at least 1").into()),
        (Some(wanted), true) if wanted > 1 => Err(anyhow!(
            "with clocks, matches are played one at a time, because agents would take each other's time; \
             use --iterations or --threads 1"
        )
        .into()),
        (_, true) => Ok(1),
        (wanted, false) => Ok(wanted.unwrap_or(2).min(cores)),
    }
}

/// Whether a player answers at once, whatever its clock. Players at addresses count as slow.
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
        described.push(GameDescription {
            note: notes::open_information(&game).filter(|_| arguments.open),
            ..GameDescription::new(&game)
        });
        games.push(game);
    }
    for (spec, game) in specs.iter().flat_map(|spec| games.iter().map(move |game| (spec, game))) {
        players::check(spec, game, arguments.open)?;
    }
    let pace = arguments.pace.pace();
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
    plan.is_open = arguments.open;
    // Players at addresses do not share our processor, and expect to be asked simultaneously.
    plan.at_once = has_remote;
    let (start_clock, play_clock, iterations) = match pace {
        Pace::Iterations(count) => (None, None, Some(count)),
        Pace::Clocks { start, play } => (Some(start.as_secs_f64()), Some(play.as_secs_f64()), None),
    };
    let description = Description {
        version: env!("CARGO_PKG_VERSION").to_string(),
        games: described,
        players: names,
        start_clock,
        play_clock,
        margin: start_clock.map(|_| arguments.margin),
        iterations,
        seed: arguments.seed,
        most_steps: arguments.most_steps,
    };
    Ok((plan, description))
}

/// The report as text.
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

/// Plays all matches that are not in the store and returns all results that count.
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
        // Matches after the decision depend on scheduling and must not change the result.
        results.retain(|result| result.round <= last);
    }
    Ok((results, test))
}
