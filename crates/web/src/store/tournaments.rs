//! Tournaments in the store. Their matches are stored with all others.

use super::Store;
use super::matches::{insert, json};
use crate::model::{Match, Status, Tournament};
use ludens_play::MatchRecord;
use ludens_play::tournament::MatchResult;
use ludens_report::tournament::Description;
use rusqlite::{OptionalExtension, Row, params};

impl Store {
    /// Stores a new tournament.
    pub(crate) fn add_tournament(&self, summary: &Tournament) -> rusqlite::Result<()> {
        let statement = "INSERT INTO tournaments (id, status, summary) VALUES (?1, ?2, ?3)";
        let values = params![summary.id, summary.status.name(), json(summary)];
        self.connection().execute(statement, values).map(|_| ())
    }

    /// Updates the summary of a tournament, and its description once that is known.
    pub(crate) fn update_tournament(
        &self,
        summary: &Tournament,
        description: Option<&Description>,
    ) -> rusqlite::Result<()> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "UPDATE tournaments SET status = ?2, summary = ?3, description = coalesce(?4, description) WHERE id = ?1",
        )?;
        let values = params![summary.id, summary.status.name(), json(summary), description.map(json)];
        statement.execute(values).map(|_| ())
    }

    /// Stores a tournament match, its result and the progress of the tournament.
    pub(crate) fn add_result(
        &self,
        tournament: &Tournament,
        result: &MatchResult,
        summary: &Match,
        record: &MatchRecord,
    ) -> rusqlite::Result<()> {
        let mut connection = self.connection();
        let change = connection.transaction()?;
        insert(&change, summary, Some(record))?;
        change
            .prepare_cached(
                "INSERT OR IGNORE INTO results (tournament, number, round, game, seating, goals, faults)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                tournament.id,
                result.number as i64,
                result.round as i64,
                result.game as i64,
                json(&result.seating),
                result.goals.as_ref().map(json),
                result.faults as i64,
            ])?;
        change
            .prepare_cached("UPDATE tournaments SET summary = ?2 WHERE id = ?1")?
            .execute(params![tournament.id, json(tournament)])?;
        change.commit()
    }

    /// Finds a tournament and its description.
    pub(crate) fn tournament(&self, id: &str) -> rusqlite::Result<Option<(Tournament, Option<Description>)>> {
        let statement = "SELECT summary, description FROM tournaments WHERE id = ?1";
        let texts: Option<(String, Option<String>)> = self
            .connection()
            .query_row(statement, [id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(texts.and_then(|(summary, description)| {
            let description = description.and_then(|text| serde_json::from_str(&text).ok());
            Some((serde_json::from_str(&summary).ok()?, description))
        }))
    }

    /// Lists tournaments, latest first.
    pub(crate) fn tournaments(&self, most: usize) -> rusqlite::Result<Vec<Tournament>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT summary FROM tournaments ORDER BY number DESC LIMIT ?1")?;
        let texts = statement.query_map([most as i64], |row| row.get::<_, String>(0))?;
        let mut tournaments = Vec::new();
        for text in texts {
            tournaments.extend(serde_json::from_str(&text?).ok());
        }
        Ok(tournaments)
    }

    /// Results of a tournament, by number.
    pub(crate) fn results(&self, tournament: &str) -> rusqlite::Result<Vec<MatchResult>> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT number, round, game, seating, goals, faults,
                 CASE WHEN faults > 0 THEN (SELECT record FROM matches WHERE id = results.tournament || '.' || results.number) END
             FROM results WHERE tournament = ?1 ORDER BY number",
        )?;
        let results = statement.query_map([tournament], result)?;
        results.collect()
    }

    /// Marks running tournaments as interrupted.
    pub(crate) fn interrupt_tournaments(&self, now: u64) -> rusqlite::Result<usize> {
        let open = self.tournaments(usize::MAX >> 1)?;
        let mut count = 0;
        for mut tournament in open.into_iter().filter(|tournament| !tournament.status.is_final()) {
            tournament.status = Status::Interrupted;
            tournament.ended = Some(now);
            self.update_tournament(&tournament, None)?;
            count += 1;
        }
        Ok(count)
    }
}

fn result(row: &Row<'_>) -> rusqlite::Result<MatchResult> {
    let number = |column: usize| row.get::<_, i64>(column).map(|number| number as u64);
    let seating: String = row.get(3)?;
    let goals: Option<String> = row.get(4)?;
    let record: Option<String> = row.get(6)?;
    let record: Option<MatchRecord> = record.and_then(|record| serde_json::from_str(&record).ok());
    Ok(MatchResult {
        number: number(0)?,
        round: number(1)?,
        game: number(2)? as usize,
        seating: serde_json::from_str(&seating).unwrap_or_default(),
        goals: goals.and_then(|goals| serde_json::from_str(&goals).ok()),
        faults: number(5)? as usize,
        failed: record.map_or_else(Vec::new, |record| record.seat_faults()),
    })
}
