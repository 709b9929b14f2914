//! Interleaved measurement of several builds of this program, so that other load on the machine affects all of them
//! alike.

use super::saved::{self, Speed, short_name};
use super::{Arguments, suite};
use crate::{interrupt, progress};
use anyhow::{Context, anyhow, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether a file is a program and not a saved result.
pub(super) fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("exe"))
}

/// Measures all games with all programs. Returns the speeds by program and round.
pub(super) fn measure(arguments: &Arguments) -> anyhow::Result<Vec<Vec<Speed>>> {
    let games: Vec<&str> = match arguments.games.is_empty() {
        true => suite::GAMES.to_vec(),
        false => arguments.games.iter().map(String::as_str).collect(),
    };
    let programs = &arguments.compare;
    let budget = interrupt::budget();
    let bar = progress::bar(u64::from(arguments.rounds) * (games.len() * programs.len()) as u64);
    let mut speeds: Vec<Vec<Speed>> = programs.iter().map(|_| Vec::new()).collect();
    for round in 0..u64::from(arguments.rounds) {
        for game in &games {
            for turn in 0..programs.len() {
                // Rotates the order, so that no program is always the first after a change of games.
                let number = (turn + round as usize) % programs.len();
                bar.set_message(format!("round {}: {}", round + 1, short_name(game)));
                let speed = one(&programs[number], game, arguments, arguments.seed.wrapping_add(round));
                if budget.is_cancelled() {
                    bail!("interrupted: programs are compared by whole rounds");
                }
                speeds[number].push(speed?);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    Ok(speeds)
}

fn one(program: &Path, game: &str, arguments: &Arguments, seed: u64) -> anyhow::Result<Speed> {
    let seconds = arguments.seconds.unwrap_or(1.0).to_string();
    let (threads, steps) = (arguments.threads.to_string(), arguments.most_steps.to_string());
    let output = Command::new(program.canonicalize().unwrap_or(program.to_path_buf()))
        .args(["bench", game, "--json", "--seconds", &seconds, "--threads", &threads])
        .args(["--most-steps", &steps, "--seed", &seed.to_string()])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let result = serde_json::from_slice(&output.stdout).ok();
    result.as_ref().and_then(saved::speed).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        anyhow!(
            "{} could not measure {game}: {}",
            program.display(),
            complaint.lines().next_back().unwrap_or("it printed no result")
        )
    })
}
