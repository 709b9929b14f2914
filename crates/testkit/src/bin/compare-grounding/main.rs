//! Grounds published games with gringo and with Ludens, and compares sizes and times.
//!
//! `scripts/compare-grounding [--seconds S] [--json FILE] [GAME...]` builds Ludens and runs this. The rules of every
//! game are translated to a plain logic program (see `ludens_testkit::asp`), gringo's ground rules are counted, and
//! `ludens info` reports the sizes of our ground program. Without gringo or the corpus it prints a message and
//! succeeds. `--print GAME` shows the logic program.

use ludens_gdl::{Description, Source};
use ludens_testkit::{asp, corpus};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

mod limited;
mod table;

/// Games of different kinds, from a few hundred ground rules to more than most grounders can handle.
const GAMES: [&str; 20] = [
    "ticTacToe",
    "connectFour",
    "gt_prisoner",
    "pentago",
    "eightPuzzle",
    "madBishops",
    "reversi",
    "sheepAndWolf",
    "breakthrough",
    "kalaha6x2x4",
    "tron_10x10",
    "atariGo_7x7",
    "othello-comp2007",
    "checkers",
    "hex",
    "chineseCheckers6",
    "skirmish",
    "sudoku",
    "amazons",
    "chess",
];

const USAGE: &str = "usage: compare-grounding [--seconds S] [--json FILE] [GAME...] | --print GAME";

struct Arguments {
    limit: Duration,
    json: Option<PathBuf>,
    print: Option<String>,
    games: Vec<String>,
}

fn main() -> ExitCode {
    let result = parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments {
        limit: Duration::from_secs(120),
        json: None,
        print: None,
        games: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n{USAGE}"));
        match word.as_str() {
            "--seconds" => {
                let text = value()?;
                let seconds = text
                    .parse()
                    .ok()
                    .and_then(|number| Duration::try_from_secs_f64(number).ok());
                arguments.limit = seconds.ok_or_else(|| format!("{text} is not a number of seconds"))?;
            }
            "--json" => arguments.json = Some(value()?.into()),
            "--print" => arguments.print = Some(value()?),
            _ if word.starts_with('-') => return Err(format!("unknown option {word}\n{USAGE}")),
            _ => arguments.games.push(word),
        }
    }
    if arguments.games.is_empty() {
        arguments.games = GAMES.map(str::to_string).to_vec();
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let folder = corpus().join("games");
    if let Some(game) = &arguments.print {
        print!("{}", translate(&path_of(&folder, game)?)?);
        return Ok(());
    }
    let Some(version) = gringo_version() else {
        eprintln!("skipped: gringo is not installed (on Debian: apt-get install gringo)");
        return Ok(());
    };
    let ludens = beside_this_program("ludens")?;
    let paths: Vec<PathBuf> = arguments
        .games
        .iter()
        .map(|game| path_of(&folder, game))
        .collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for (game, path) in arguments.games.iter().zip(&paths) {
        eprintln!("{game}");
        let gringo = or_nothing(run_gringo(&translate(path)?, arguments.limit));
        let ludens = or_nothing(run_ludens(&ludens, path, arguments.limit));
        rows.push(json!({ "game": game, "gringo": gringo, "ludens": ludens }));
    }
    print!("{}", table::markdown(&rows, arguments.limit));
    if let Some(path) = &arguments.json {
        let data = json!({ "gringo": version, "seconds": arguments.limit.as_secs_f64(), "games": rows });
        std::fs::write(path, format!("{data:#}\n")).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Result of a game, or null and a message: one failure must not end the comparison.
fn or_nothing(result: Result<Value, String>) -> Value {
    result.unwrap_or_else(|message| {
        eprintln!("error: {message}");
        Value::Null
    })
}

fn path_of(folder: &Path, game: &str) -> Result<PathBuf, String> {
    let path = folder.join(format!("{game}.kif"));
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("there is no file {}", path.display())),
    }
}

fn translate(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let source = Source::from_bytes(path.display().to_string(), bytes);
    Ok(asp::program(&Description::read(source).normal()))
}

fn gringo_version() -> Option<String> {
    let output = Command::new("gringo").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.lines().next()?.trim_start_matches("gringo version ").to_string();
    output.status.success().then_some(version)
}

/// Path of a program in the folder of this one, where Cargo puts all programs of a workspace.
fn beside_this_program(name: &str) -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = here.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    match path.is_file() {
        true => Ok(path),
        false => Err(format!(
            "{} is not built; scripts/compare-grounding does that",
            path.display()
        )),
    }
}

/// Number of ground rules of gringo, and the time. Rules are counted and not stored, because there can be millions.
fn run_gringo(program: &str, limit: Duration) -> Result<Value, String> {
    let mut rules = 0u64;
    let mut command = Command::new("gringo");
    command.args(["--text", "--warn=none"]);
    let end = limited::run(&mut command, program, limit, |bytes| {
        rules += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
    })?;
    Ok(json!({ "rules": rules, "seconds": end.seconds, "finished": end.finished }))
}

/// Sizes of our ground program; `null` if it was not ready in time.
fn run_ludens(ludens: &Path, path: &Path, limit: Duration) -> Result<Value, String> {
    let mut text = Vec::new();
    let mut command = Command::new(ludens);
    let seconds = limit.as_secs_f64().to_string();
    command
        .args(["info", "--json", "--seconds", "0", "--setup-seconds", &seconds])
        .arg(path);
    // A game that cannot be compiled in time is set up for the interpreter, which takes time too.
    let end = limited::run(&mut command, "", limit * 2, |bytes| text.extend_from_slice(bytes))?;
    if !end.finished {
        return Ok(Value::Null);
    }
    let info: Value = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let fields = ["engine", "setup_seconds", "instances", "gates", "fluents"];
    let known = fields
        .into_iter()
        .filter_map(|field| Some((field.to_string(), info.get(field)?.clone())));
    Ok(Value::Object(known.collect()))
}
