//! Export of all matches of a tournament.

mod columns;

use super::store::{Store, StoredMatch};
use anyhow::{Context, Result};
use columns::Columns;
use ludens_engine::Game;
use ludens_play::ggp;
use ludens_report::tournament::Report;
use serde_json::json;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Csv,
    Json,
    Parquet,
}

/// One row of the tables: a role of a match.
struct Line {
    number: u64,
    round: u64,
    game: String,
    role: String,
    player: String,
    goal: Option<u8>,
    end: String,
    failed_moves: usize,
    steps: usize,
    seconds: f64,
    seed: u64,
}

/// A file and its format.
#[derive(Clone, Debug)]
pub(crate) struct Target(PathBuf, Form);

/// Finds the format of a file by its extension.
pub(super) fn target(text: &str) -> Result<Target, String> {
    let path = Path::new(text);
    let form = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Form::Csv,
        Some("json") => Form::Json,
        Some("parquet") => Form::Parquet,
        _ => return Err("the name must end in .csv, .json or .parquet".to_string()),
    };
    Ok(Target(path.to_path_buf(), form))
}

impl Target {
    /// Path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// Writes all matches of a tournament.
pub(super) fn write(target: &Target, store: &Store, plan: &str, report: &Report) -> Result<()> {
    let Target(path, form) = target;
    let write = || -> Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        match form {
            Form::Csv => write_csv(&mut out, store, plan, report)?,
            Form::Json => write_json(&mut out, store, plan, report)?,
            Form::Parquet => {
                let mut columns = Columns::new(&mut out)?;
                for_each_line(store, plan, report, &mut |line| columns.add(line))?;
                columns.finish()?;
            }
        }
        Ok(out.flush()?)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Calls `show` with a row for each role of each match.
fn for_each_line(store: &Store, plan: &str, report: &Report, show: &mut dyn FnMut(Line) -> Result<()>) -> Result<()> {
    let description = &report.description;
    store.for_each(plan, &mut |StoredMatch { result, record }| {
        let game = &description.games[result.game];
        let end = serde_json::to_value(record.end.reason)?;
        for (seat, (role, &player)) in game.roles.iter().zip(&result.seating).enumerate() {
            show(Line {
                number: result.number,
                round: result.round,
                game: game.name.clone(),
                role: role.clone(),
                player: description.players[player].clone(),
                goal: result.goals.as_ref().map(|goals| goals[seat]),
                end: end.as_str().unwrap_or_default().to_string(),
                failed_moves: record.errors.iter().filter(|fault| fault.role == *role).count(),
                steps: record.moves.len(),
                seconds: record.seconds,
                seed: record.seed,
            })?;
        }
        Ok(())
    })
}

fn write_csv(out: &mut impl Write, store: &Store, plan: &str, report: &Report) -> Result<()> {
    writeln!(
        out,
        "match,round,game,role,player,goal,end,failed_moves,steps,seconds,seed"
    )?;
    for_each_line(store, plan, report, &mut |line| {
        let fields = [
            line.number.to_string(),
            line.round.to_string(),
            line.game,
            line.role,
            line.player,
            line.goal.map_or_else(String::new, |goal| goal.to_string()),
            line.end,
            line.failed_moves.to_string(),
            line.steps.to_string(),
            format!("{:.6}", line.seconds),
            line.seed.to_string(),
        ];
        Ok(writeln!(out, "{}", fields.map(|field| quoted(&field)).join(","))?)
    })
}

/// A CSV field, quoted if necessary.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_string(),
    }
}

/// Writes the plan, the result and the full records, match by match.
fn write_json(out: &mut impl Write, store: &Store, plan: &str, report: &Report) -> Result<()> {
    let tournament = serde_json::to_string(&report.description)?;
    let result = serde_json::to_string(&report.json())?;
    write!(
        out,
        "{{\"id\":{},\"tournament\":{tournament},\"result\":{result},\"matches\":[",
        json!(plan)
    )?;
    let mut separator = "\n";
    store.for_each(plan, &mut |StoredMatch { result, record }| {
        let line = json!({
            "match": result.number,
            "round": result.round,
            "seating": result.seating,
            "record": record,
        });
        write!(out, "{separator}{line}")?;
        separator = ",\n";
        Ok(())
    })?;
    writeln!(out, "\n]}}")?;
    Ok(())
}

/// Writes a file for each match in the format of ggp.org, which needs the rules.
pub(super) fn write_ggp(folder: &Path, store: &Store, plan: &str, games: &[Game]) -> Result<()> {
    store.for_each(plan, &mut |StoredMatch { result, record }| {
        let url = ggp::default_url(&record.game);
        let text = serde_json::to_string(&ggp::export(&record, &games[result.game], &url))? + "\n";
        let path = folder.join(format!("match-{}.json", result.number));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("ucb"), "ucb");
        assert_eq!(quoted("ucb(c=20,steps=5)"), "\"ucb(c=20,steps=5)\"");
        assert_eq!(quoted("a\"b,"), "\"a\"\"b,\"");
    }

    #[test]
    fn forms_go_by_the_name() {
        assert_eq!(target("a/b.csv").unwrap().1, Form::Csv);
        assert_eq!(target("b.json").unwrap().1, Form::Json);
        assert_eq!(target("b.parquet").unwrap().1, Form::Parquet);
        assert!(target("b.txt").is_err() && target("csv").is_err());
    }
}
