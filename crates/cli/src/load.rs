//! Loads the GAME argument: rules, or a playable game.

pub(crate) use crate::arguments::memory_size;
use crate::arguments::seconds;
use crate::output::{Failure, colour_messages};
use crate::progress;
use anyhow::{Context, anyhow};
use ludens_engine::{EngineChoice, Game, GameError, Limits, Options, SeveralGoals};
use ludens_gdl::{Description, Diagnostic, Severity, Source, read, render};
use std::path::Path;
use std::time::Duration;

/// Limits on running a game.
#[derive(clap::Args)]
pub(crate) struct LimitArguments {
    /// Maximum number of facts derived about one state; a game that exceeds it cannot be run
    #[arg(long, value_name = "N", default_value_t = Limits::default().facts)]
    most_facts: usize,
    /// Time limit for compiling the rules, in seconds; rules that exceed it are interpreted
    #[arg(long, value_name = "S", default_value_t = Limits::default().setup.as_secs_f64(), value_parser = seconds)]
    setup_seconds: f64,
    /// Memory limit for compiling the rules, as in `500M` or `4G`; rules that exceed it are interpreted
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = memory_size)]
    compile_memory: usize,
    /// Maximum size of the rules, as in `500K` or `4M`
    #[arg(long, value_name = "SIZE", default_value = "4M", value_parser = memory_size)]
    rules_size: usize,
    /// Goal value that counts if the rules give a role several in a terminal state; with `error` the match has no
    /// result
    #[arg(long, value_name = "WHICH", default_value = "lowest")]
    several_goals: SeveralGoalsName,
}

/// Names of [`SeveralGoals`]. They have no help of their own, because that would make the help of every command longer.
#[derive(Clone, Copy, clap::ValueEnum)]
enum SeveralGoalsName {
    Lowest,
    Highest,
    Error,
}

impl From<SeveralGoalsName> for SeveralGoals {
    fn from(name: SeveralGoalsName) -> SeveralGoals {
        match name {
            SeveralGoalsName::Lowest => SeveralGoals::Lowest,
            SeveralGoalsName::Highest => SeveralGoals::Highest,
            SeveralGoalsName::Error => SeveralGoals::Error,
        }
    }
}

impl LimitArguments {
    /// Reads the rules of a game to run.
    pub(crate) fn read(&self, source: Source) -> Description {
        let limits = read::Limits {
            bytes: self.rules_size,
            ..read::Limits::default()
        };
        Description::read_as(source, None, &limits)
    }

    pub(crate) fn options(&self, engine: EngineChoice) -> Options {
        Options {
            engine,
            limits: Limits {
                facts: self.most_facts,
                setup: Duration::from_secs_f64(self.setup_seconds),
                memory: self.compile_memory,
                ..Limits::default()
            },
            several_goals: self.several_goals.into(),
            ..Options::default()
        }
    }
}

/// Reads the text of a GAME argument: a file if it exists, otherwise a library game. `-` is standard input.
pub(crate) fn source(argument: &str) -> Result<Source, Failure> {
    if argument == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).context("cannot read standard input")?;
        return Ok(Source::from_bytes("<stdin>", bytes));
    }
    let path = Path::new(argument);
    if path.is_dir() {
        return Err(anyhow!("{argument} is a folder; name a rule file in it").into());
    }
    if path.exists() {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {argument}"))?;
        return Ok(Source::from_bytes(argument, bytes));
    }
    match ludens_library::find(argument) {
        Some(entry) => Ok(entry.source()),
        None => Err(unknown(argument).into()),
    }
}

fn unknown(argument: &str) -> anyhow::Error {
    let looks_like_path = argument.contains(['/', '\\']) || Path::new(argument).extension().is_some();
    if looks_like_path {
        return anyhow!("there is no file {argument}");
    }
    let hint = match (ludens_library::find_family(argument), ludens_library::suggest(argument)) {
        (Some(_), _) => format!(
            "; {argument} is a family: `ludens games --generate {argument} > FILE` makes a game of it, \
             `ludens games --families` lists its sizes"
        ),
        (None, Some(near)) => format!("; did you mean `{near}`?"),
        (None, None) => String::new(),
    };
    anyhow!(
        "{argument} is neither a file nor a game of the library{hint} (`ludens games` lists them, `ludens games TEXT` searches)"
    )
}

/// Reads the rules of a game without setting it up. Fails if the text cannot be read.
pub(crate) fn description(argument: &str, limits: &LimitArguments) -> Result<Description, Failure> {
    let description = limits.read(source(argument)?);
    let unreadable = description.unreadable();
    if unreadable.is_empty() {
        return Ok(description);
    }
    show_unreadable(&description.source, &unreadable);
    tell!("error: {argument} cannot be read as a game");
    Err(Failure::Refused)
}

/// Prints the diagnostics of a text that cannot be read.
fn show_unreadable(source: &Source, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics.iter().take(5) {
        tell!(
            "{}\n",
            render::render(source, diagnostic, Severity::Error, colour_messages())
        );
    }
    if let Some(hint) = crate::commands::check::explain_hint(diagnostics.iter()) {
        tell!("{hint}");
    }
}

/// Sets up a game. Errors in the rules that do not prevent play are counted on standard error.
pub(crate) fn game(argument: &str, limits: &LimitArguments, engine: EngineChoice) -> Result<Game, Failure> {
    let description = limits.read(source(argument)?);
    let errors = description
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .count();
    let bar = progress::spinner();
    bar.set_message(format!("preparing {argument}"));
    let game = Game::new(description, limits.options(engine));
    bar.finish_and_clear();
    match game {
        Ok(game) => {
            if errors > 0 {
                tell!(
                    "warning: the rules of {argument} have {errors} error{}; running them anyway \
                     (`ludens check {argument}` shows them)",
                    if errors == 1 { "" } else { "s" }
                );
            }
            if let Some(cause) = game.fallback() {
                tell!("note: {argument} is interpreted, not compiled: {cause}");
            }
            Ok(game)
        }
        Err(error) => {
            if let GameError::Unreadable { diagnostics, .. } = &error {
                show_unreadable(&source(argument)?, diagnostics);
            }
            tell!("error: {error}");
            Err(Failure::Refused)
        }
    }
}
