//! Matches in the store.

use super::Store;
use crate::model::{Choice, Match, Status};
use ludens_play::{End, EndReason, Evaluation, Fault, MatchRecord};
use rusqlite::{Connection, OptionalExtension, ToSql, params};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

/// The part of a record that one joint move adds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    moves: Vec<String>,
    evaluations: Vec<Option<Evaluation>>,
    time: f64,
    errors: Vec<Fault>,
}

impl Step {
    /// The last step of a record, with the faults not written before.
    pub(crate) fn last(record: &MatchRecord, written_errors: usize) -> Option<Step> {
        Some(Step {
            moves: record.moves.last()?.clone(),
            evaluations: record.evaluations.last()?.clone(),
            time: *record.times.last()?,
            errors: record.errors.get(written_errors..)?.to_vec(),
        })
    }

    fn add_to(self, record: &mut MatchRecord) {
        record.moves.push(self.moves);
        record.evaluations.push(self.evaluations);
        record.times.push(self.time);
        record.seconds = self.time;
        record.errors.extend(self.errors);
    }
}

/// Filter for the list of matches.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchFilter {
    /// Only matches created before this one.
    before: Option<String>,
    /// Only matches of this game.
    game: Option<String>,
    /// Only matches with this status.
    status: Option<String>,
    /// Only matches of this tournament.
    tournament: Option<String>,
    /// Maximum number of matches.
    #[serde(default = "usual_limit")]
    pub(crate) limit: usize,
}

fn usual_limit() -> usize {
    50
}

impl Store {
    /// Stores a new match.
    pub(crate) fn add_match(&self, summary: &Match) -> rusqlite::Result<()> {
        insert(&self.connection(), summary, None)
    }

    /// Stores the record with which a match starts.
    pub(crate) fn begin_record(&self, summary: &Match, record: &MatchRecord) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let change = connection.transaction()?;
        update(&change, summary)?;
        set_record(&change, &summary.id, record)?;
        change.commit()
    }

    /// Stores the move that a person chose for a step; returns false if the match has ended.
    pub(crate) fn add_choice(&self, id: &str, step: usize, choice: &Choice) -> rusqlite::Result<bool> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "INSERT OR REPLACE INTO choices (match, step, role, move) SELECT id, ?2, ?3, ?4 FROM matches \
             WHERE id = ?1 AND status IN ('preparing', 'running')",
        )?;
        let values = params![id, step as i64, choice.role as i64, choice.text];
        Ok(statement.execute(values)? > 0)
    }

    /// Stores the last joint move, which replaces the choices of people for it.
    pub(crate) fn add_step(&self, id: &str, number: usize, step: &Step) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let change = connection.transaction()?;
        change
            .prepare_cached("INSERT OR REPLACE INTO steps (match, step, data) VALUES (?1, ?2, ?3)")?
            .execute(params![id, number as i64, json(step)])?;
        change
            .prepare_cached("DELETE FROM choices WHERE match = ?1")?
            .execute([id])?;
        change.commit()
    }

    /// Stores the whole record of a match that has ended.
    pub(crate) fn finish_match(&self, summary: &Match, record: Option<&MatchRecord>) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let change = connection.transaction()?;
        update(&change, summary)?;
        if let Some(record) = record {
            set_record(&change, &summary.id, record)?;
        }
        change.execute("DELETE FROM steps WHERE match = ?1", [&summary.id])?;
        change.execute("DELETE FROM choices WHERE match = ?1", [&summary.id])?;
        change.commit()
    }

    /// Finds a match, without its moves.
    pub(crate) fn find_match(&self, id: &str) -> rusqlite::Result<Option<Match>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached("SELECT summary FROM matches WHERE id = ?1")?;
        let text: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Record of a match, as far as it was played.
    pub(crate) fn record(&self, id: &str) -> rusqlite::Result<Option<MatchRecord>> {
        record(&self.connection(), id)
    }

    /// Lists matches, latest first; one more than the limit if there are more.
    pub(crate) fn list_matches(&self, filter: &MatchFilter) -> rusqlite::Result<Vec<Match>> {
        let mut conditions = vec!["1"];
        let mut values: Vec<&dyn ToSql> = Vec::new();
        match &filter.tournament {
            Some(tournament) => {
                conditions.push("tournament = ?");
                values.push(tournament);
            }
            None => conditions.push("tournament IS NULL"),
        }
        if let Some(game) = &filter.game {
            conditions.push("game = ?");
            values.push(game);
        }
        if let Some(status) = &filter.status {
            conditions.push("status = ?");
            values.push(status);
        }
        if let Some(before) = &filter.before {
            conditions.push("number < (SELECT number FROM matches WHERE id = ?)");
            values.push(before);
        }
        let limit = filter.limit as i64 + 1;
        values.push(&limit);
        let question = format!(
            "SELECT summary FROM matches WHERE {} ORDER BY number DESC LIMIT ?",
            conditions.join(" AND ")
        );
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&question)?;
        let texts = statement.query_map(&values[..], |row| row.get::<_, String>(0))?;
        let mut matches = Vec::new();
        for text in texts {
            matches.extend(serde_json::from_str(&text?).ok());
        }
        Ok(matches)
    }

    /// Marks running matches as interrupted and returns their number.
    pub(crate) fn interrupt_matches(&self, now: u64) -> rusqlite::Result<usize> {
        let mut connection = self.connection();
        let change = connection.transaction()?;
        let open: Vec<String> = {
            let mut statement =
                change.prepare("SELECT summary FROM matches WHERE status IN ('preparing', 'running')")?;
            let texts = statement.query_map([], |row| row.get(0))?;
            texts.collect::<Result<_, _>>()?
        };
        for text in &open {
            let Ok(mut summary) = serde_json::from_str::<Match>(text) else {
                continue;
            };
            let record = record(&change, &summary.id)?;
            summary.status = Status::Interrupted;
            summary.ended = Some(now);
            summary.waiting.clear();
            if let Some(mut record) = record {
                summary.step = record.moves.len();
                summary.faults = record.errors.len();
                record.end = End {
                    reason: EndReason::Interrupted,
                    detail: Some("the server ended".to_string()),
                };
                set_record(&change, &summary.id, &record)?;
            }
            summary.unplayed = choices(&change, &summary.id, summary.step)?;
            update(&change, &summary)?;
        }
        change.execute("DELETE FROM steps", [])?;
        change.execute("DELETE FROM choices", [])?;
        change.commit()?;
        Ok(open.len())
    }
}

pub(super) fn json(value: &impl Serialize) -> String {
    // Serialising fails only for maps with non-string keys, which no value here has.
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn insert(connection: &Connection, summary: &Match, record: Option<&MatchRecord>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO matches (id, status, game, tournament, summary, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let status = summary.status.name();
    let values = params![
        summary.id,
        status,
        summary.game,
        summary.tournament,
        json(summary),
        record.map(json)
    ];
    statement.execute(values).map(|_| ())
}

fn update(connection: &Connection, summary: &Match) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("UPDATE matches SET status = ?2, summary = ?3 WHERE id = ?1")?;
    let values = params![summary.id, summary.status.name(), json(summary)];
    statement.execute(values).map(|_| ())
}

fn set_record(connection: &Connection, id: &str, record: &MatchRecord) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("UPDATE matches SET record = ?2 WHERE id = ?1")?;
    statement.execute(params![id, json(record)]).map(|_| ())
}

/// Moves that people chose for a step.
fn choices(connection: &Connection, id: &str, step: usize) -> rusqlite::Result<Vec<Choice>> {
    let mut statement =
        connection.prepare_cached("SELECT role, move FROM choices WHERE match = ?1 AND step = ?2 ORDER BY role")?;
    let choice = |row: &rusqlite::Row<'_>| {
        let role: i64 = row.get(0)?;
        Ok(Choice {
            role: usize::try_from(role).unwrap_or(0),
            text: row.get(1)?,
        })
    };
    let choices = statement.query_map(params![id, step as i64], choice)?;
    choices.collect()
}

fn record(connection: &Connection, id: &str) -> rusqlite::Result<Option<MatchRecord>> {
    let mut statement = connection.prepare_cached("SELECT record FROM matches WHERE id = ?1")?;
    let text: Option<Option<String>> = statement.query_row([id], |row| row.get(0)).optional()?;
    let Some(mut record) = text.flatten().and_then(|text| serde_json::from_str(&text).ok()) else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached("SELECT data FROM steps WHERE match = ?1 ORDER BY step")?;
    let steps = statement.query_map([id], |row| row.get::<_, String>(0))?;
    for step in steps {
        if let Ok(step) = serde_json::from_str::<Step>(&step?) {
            step.add_to(&mut record);
        }
    }
    Ok(Some(record))
}
