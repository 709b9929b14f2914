//! Traces (recorded playouts): reads them and compares an engine with them.

use anyhow::{Context, bail};
use ludens_engine::{Game, Role};
use ludens_play::Replay;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::path::Path;

#[derive(Deserialize)]
struct Header {
    roles: Vec<String>,
}

/// One line of a trace: a state of a playout.
#[derive(Deserialize)]
struct Record {
    playout: u64,
    step: u64,
    facts: Option<usize>,
    facts_sha: Option<String>,
    terminal: bool,
    #[serde(default)]
    goals: Vec<Option<i64>>,
    legal: Option<Vec<usize>>,
    legal_sha: Option<Vec<String>>,
    #[serde(rename = "move")]
    joint: Option<Vec<String>>,
    error: Option<serde_json::Value>,
}

/// First difference between trace and engine.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Mismatch {
    pub(crate) playout: u64,
    pub(crate) step: u64,
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// Result of comparing a trace with an engine.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Comparison {
    pub(crate) steps: usize,
    pub(crate) mismatches: usize,
    pub(crate) first_mismatch: Option<Mismatch>,
}

/// Replays a trace and compares every state.
pub(crate) fn replay(game: &Game, path: &Path, is_cancelled: &dyn Fn() -> bool) -> anyhow::Result<Comparison> {
    let name = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {name}"))?;
    let mut lines = BufReader::new(file).lines();
    let first = lines.next().with_context(|| format!("{name} is empty"))??;
    let header: Header =
        serde_json::from_str(&first).with_context(|| format!("{name}, line 1 is not the header of a trace"))?;
    let mut player = Player {
        game,
        replay: Replay::new(game),
        result: Comparison::default(),
        at: (0, 0),
    };
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    if header
        .roles
        .iter()
        .map(|role| role.to_lowercase())
        .ne(roles.iter().copied())
    {
        player.differ("roles", header.roles.join(" "), roles.join(" "));
        return Ok(player.result);
    }
    for (number, line) in lines.enumerate() {
        let line = line.with_context(|| format!("cannot read {name}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let record: Record = serde_json::from_str(&line)
            .with_context(|| format!("{name}, line {} is not a step of a trace", number + 2))?;
        if is_cancelled() {
            bail!("interrupted");
        }
        player.compare(&record);
        player.result.steps += 1;
        if let Some(fault) = player.replay.machine().fault() {
            bail!("{fault} (playout {}, step {})", record.playout, record.step);
        }
    }
    Ok(player.result)
}

struct Player<'a> {
    game: &'a Game,
    replay: Replay,
    result: Comparison,
    at: (u64, u64),
}

impl Player<'_> {
    fn compare(&mut self, record: &Record) {
        self.at = (record.playout, record.step);
        if record.step == 0 {
            self.replay.restart();
        }
        self.compare_facts(record);
        let terminal = self.replay.machine().is_terminal();
        if terminal != record.terminal {
            self.differ("terminal", record.terminal.to_string(), terminal.to_string());
        }
        self.compare_goals(record);
        if record.terminal {
            return;
        }
        self.compare_legal(record);
        if let Some(joint) = &record.joint {
            match self.replay.known(joint) {
                // The caller reports a fault of the engine.
                Ok(moves) => drop(self.replay.make(&moves)),
                Err(_) => self.differ("move", joint.join(" "), "unknown to the rules".to_string()),
            }
        } else if record.error.is_some() {
            let stuck = self
                .game
                .roles()
                .any(|role| self.replay.machine().legal(role).is_empty());
            if !stuck {
                self.differ(
                    "error",
                    "some role has no legal move".to_string(),
                    "all roles have one".to_string(),
                );
            }
        }
    }

    fn compare_facts(&mut self, record: &Record) {
        let facts = self.game.state_texts(self.replay.state());
        if let Some(expected) = record.facts.filter(|&expected| expected != facts.len()) {
            self.differ("facts", expected.to_string(), facts.len().to_string());
        }
        self.compare_hash("facts_sha", record.facts_sha.as_deref(), &facts);
    }

    fn compare_goals(&mut self, record: &Record) {
        for (role, expected) in self.game.roles().zip(&record.goals) {
            let got = self.replay.machine().goal(role).map(i64::from);
            let differ = match record.terminal {
                true => got != *expected,
                false => matches!((got, expected), (Some(got), Some(expected)) if got != *expected),
            };
            if differ {
                let text = |value: Option<i64>| value.map_or("null".to_string(), |value| value.to_string());
                let what = format!("goal of {}", self.game.role_name(role));
                self.differ(&what, text(*expected), text(got));
            }
        }
    }

    fn compare_legal(&mut self, record: &Record) {
        for role in self.game.roles() {
            let moves = self.replay.machine().legal(role).to_vec();
            let mut texts: Vec<String> = moves.iter().map(|&id| self.game.move_text(role, id)).collect();
            texts.sort_unstable();
            let Role(number) = role;
            let index = usize::from(number);
            let expected = record.legal.as_ref().and_then(|counts| counts.get(index)).copied();
            let what = format!("legal moves of {}", self.game.role_name(role));
            if let Some(expected) = expected.filter(|&expected| expected != texts.len()) {
                self.differ(&what, expected.to_string(), texts.len().to_string());
            }
            let hash = record.legal_sha.as_ref().and_then(|hashes| hashes.get(index));
            self.compare_hash(&what, hash.map(String::as_str), &texts);
        }
    }

    fn compare_hash(&mut self, what: &str, expected: Option<&str>, sorted: &[String]) {
        let got = hash(sorted);
        if let Some(expected) = expected.filter(|&expected| expected != got) {
            self.differ(what, expected.to_string(), got);
        }
    }

    fn differ(&mut self, what: &str, expected: String, got: String) {
        self.result.mismatches += 1;
        let (playout, step) = self.at;
        self.result.first_mismatch.get_or_insert_with(|| Mismatch {
            playout,
            step,
            what: what.to_string(),
            expected,
            got,
        });
    }
}

/// The first 16 hex digits of the SHA-256 of sorted terms, joined by newlines.
fn hash(sorted: &[String]) -> String {
    let digest = Sha256::digest(sorted.join("\n").as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
