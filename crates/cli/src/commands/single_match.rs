//! `ludens match`: a match between agents.

use crate::arguments::PaceArguments;
use crate::output::{Answer, Failure, Outcome, counted, grouped, print, print_json};
use crate::{interrupt, load, players};
use anyhow::Context;
use ludens_engine::Rng;
use ludens_play::{EndReason, Evaluation, MARGIN, MOST_STEPS, Match, MatchEvent, MatchRecord, Observer, Setup, ggp};
use ludens_report::notes;
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Play a match between agents
#[derive(clap::Args)]
#[command(
    after_help = "Agents have names and settings, as in `random` or `ucb(c=20)`; `ludens agents` lists them. Name one \
    for each role, in the order of the roles; the role `random` is chance and needs none. An address such as \
    `localhost:9147` is a player of the GGP protocol, which must answer before the match starts.\n\
    Ctrl-C ends the match and keeps the moves made. Exit status: 0 the match ended normally, 1 a player failed or the \
    match did not end normally, 2 a player does not answer."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Agents or addresses of players, one for each role
    #[arg(long, value_name = "A,B,...")]
    players: String,
    #[command(flatten)]
    pace: PaceArguments,
    /// Seed of all random choices (default: random)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Tolerance for late answers, in seconds
    #[arg(long, value_name = "S", default_value_t = MARGIN.as_secs_f64(), value_parser = crate::arguments::seconds)]
    margin: f64,
    /// Let agents think simultaneously, each on its own thread, instead of one after the other
    #[arg(long, conflicts_with = "iterations")]
    at_once: bool,
    /// Let all players see the whole state, also where the rules hide information
    #[arg(long)]
    open: bool,
    /// Maximum number of steps of the match
    #[arg(long, value_name = "N", default_value_t = MOST_STEPS)]
    most_steps: usize,
    /// Write the full record of the match to a file, as JSON
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the match to a file in the format of ggp.org
    #[arg(long, value_name = "FILE")]
    ggp_record: Option<PathBuf>,
    /// URL of the rules, for --ggp-record; ends in a version such as /v0/
    #[arg(long, value_name = "URL", requires = "ggp_record")]
    ggp_url: Option<String>,
    /// Print the record of the match as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let specs = players::parse(&arguments.players)?;
    let remote = players::remote_options(&specs, arguments.pace.pace())?;
    let budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let addresses = players::addresses(&specs);
    let players = players::seated(&game, specs, remote, arguments.open)?;
    let players = players::introduced(players, &addresses, &budget)?;
    let note = notes::open_information(&game).filter(|_| arguments.open);
    if let Some(note) = &note {
        tell!("note: {note}");
    }
    let own_output = Output::open(&arguments.record)?;
    let ggp_output = Output::open(&arguments.ggp_record)?;
    silence_agents();
    let setup = Setup {
        margin: Duration::from_secs_f64(arguments.margin),
        // Players at addresses do not share our processor, and expect to be asked simultaneously.
        at_once: arguments.at_once || remote.is_some(),
        most_steps: arguments.most_steps,
        is_open: arguments.open,
        ..Setup::new(game.clone(), players, arguments.pace.pace())
    }
    .with_seed(arguments.seed.unwrap_or_else(|| Rng::new().u32(..).into()))
    .with_budget(budget);
    let seated = Match::new(&setup);
    let mut recorder = seated.recorder();
    let mut printer = Printer::new(&setup, arguments.json);
    seated.run(&mut [&mut recorder, &mut printer]);
    let record = recorder.into_record();
    let mut noted = serde_json::to_value(&record).map_err(anyhow::Error::from)?;
    noted["notes"] = note.into_iter().collect();
    if let Some(output) = own_output {
        output.write(&noted)?;
    }
    if let Some(output) = ggp_output {
        let url = arguments.ggp_url.unwrap_or_else(|| ggp::default_url(&record.game));
        output.write(&ggp::export(&record, &game, &url))?;
    }
    printer.finish()?;
    match arguments.json {
        true => print_json(&noted)?,
        false => print(&result(&record))?,
    }
    Ok(match record.is_clean() {
        true => Answer::Yes,
        false => Answer::No,
    })
}

/// Suppresses messages of panics in agents, which are recorded as faults.
pub(super) fn silence_agents() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !ludens_play::is_agent_at_work() {
            usual(panic);
        }
    }));
}

/// A file that is opened before the match and written after it, so that a wrong path does not waste a long match.
struct Output(File, PathBuf);

impl Output {
    fn open(path: &Option<PathBuf>) -> Result<Option<Output>, Failure> {
        let Some(path) = path else {
            return Ok(None);
        };
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Some(Output(file, path.clone())))
    }

    fn write(mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)? + "\n";
        // Fails for devices and pipes, which need no truncation.
        let _ = self.0.set_len(0);
        let result = self.0.write_all(text.as_bytes());
        result.with_context(|| format!("cannot write {}", self.1.display()))?;
        Ok(())
    }
}

/// Prints a match while it is played.
pub(super) struct Printer<'a> {
    setup: &'a Setup,
    is_silent: bool,
    /// Faults of the current step.
    faults: String,
    /// Error that printing met.
    failure: Option<Failure>,
}

impl Printer<'_> {
    pub(super) fn new(setup: &Setup, is_silent: bool) -> Printer<'_> {
        Printer {
            setup,
            is_silent,
            faults: String::new(),
            failure: None,
        }
    }

    /// Returns the error that printing met, if any.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }

    fn heading(&self) -> String {
        let Setup { game, seed, .. } = self.setup;
        let players = game.roles().zip(self.setup.player_names());
        let players = players.map(|(role, player)| format!("{}: {player}\n", game.role_name(role)));
        format!("{}, seed {seed}\n{}\n", game.name(), players.collect::<String>())
    }
}

impl Observer for Printer<'_> {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        let game = &self.setup.game;
        let text = match event {
            MatchEvent::Started { .. } => self.heading(),
            MatchEvent::Fault {
                step: Some(_),
                role,
                kind,
                detail,
                ..
            } => {
                let role = game.role_name(*role);
                self.faults += &format!("      {role} failed ({}): {detail}\n", kind.name());
                return;
            }
            MatchEvent::Moved {
                step,
                joint,
                evaluations,
                ..
            } => {
                let moves = game.roles().zip(*joint).zip(*evaluations);
                let moves = moves.map(|((role, &chosen), evaluation)| {
                    let (name, chosen) = (game.role_name(role), game.move_text(role, chosen));
                    format!("{name} {chosen}{}", evaluation_text(evaluation.as_ref()))
                });
                let moves: Vec<String> = moves.collect();
                let faults = std::mem::take(&mut self.faults);
                format!("{:>4}  {}\n{faults}", step + 1, moves.join("   "))
            }
            MatchEvent::Prepared | MatchEvent::Fault { .. } | MatchEvent::Ended { .. } => return,
        };
        if !self.is_silent && self.failure.is_none() {
            self.failure = print(&text).err();
        }
    }
}

/// Evaluation of a move by its agent, if any.
fn evaluation_text(evaluation: Option<&Evaluation>) -> String {
    match evaluation {
        Some(Evaluation {
            value: Some(value),
            playouts,
            ..
        }) if *playouts > 0 => format!(" [{value:.1} in {}]", grouped(u128::from(*playouts))),
        Some(Evaluation { value: Some(value), .. }) => format!(" [{value:.1}]"),
        _ => String::new(),
    }
}

pub(super) fn result(record: &MatchRecord) -> String {
    let mut text = String::from("\n");
    if let Some(goals) = &record.goals {
        let players = record.roles.iter().zip(&record.players);
        for ((role, player), (goal, faults)) in players.zip(goals.iter().zip(record.faults())) {
            text += &format!("{role} ({player}): {goal}{}\n", failures(faults));
        }
    }
    text += match record.end.reason {
        EndReason::Terminal if record.end.detail.is_some() => "note: the rules are ambiguous where the match ended: ",
        EndReason::Terminal => "",
        EndReason::SeveralGoals | EndReason::Stuck => "The match ended without a result: ",
        EndReason::TooLong => "The match was stopped at the maximum number of steps.\n",
        EndReason::EngineFault => "The match was stopped: ",
        EndReason::Interrupted | EndReason::Unfinished => "The match was interrupted.\n",
    };
    if let Some(detail) = &record.end.detail {
        text += &format!("{detail}\n");
    }
    for fault in record.errors.iter().filter(|fault| fault.step.is_none()) {
        text += &format!(
            "{} failed before the first move ({}): {}\n",
            fault.role,
            fault.kind.name(),
            fault.detail
        );
    }
    let steps = counted(record.moves.len(), "step");
    let failures = failures(record.errors.len());
    text + &format!("{steps} in {:.3} s{failures}\n", record.seconds)
}

/// Suffix for a player or a match with failures.
fn failures(count: usize) -> String {
    match count {
        0 => String::new(),
        _ => format!(", {}", counted(count, "failure")),
    }
}
