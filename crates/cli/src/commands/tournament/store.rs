//! The store of tournaments: an SQLite file that survives being killed at any moment.
//!
//! Every finished match is one transaction, so the file contains it completely or not at all. One file can hold several
//! tournaments. Their identifier is a hash of everything that results depend on; the number of rounds is not part of it,
//! because a longer tournament starts with the matches of a shorter one.

use anyhow::{Context, Result, bail};
use ludens_play::MatchRecord;
use ludens_play::tournament::MatchResult;
use ludens_report::tournament::{Description, hash};
use ludens_web::database;
use rusqlite::{Connection, OpenFlags, Row, params};
use std::path::Path;

/// Tables of version 1.
const TABLES: &str = "
    CREATE TABLE plans (id TEXT PRIMARY KEY, description TEXT NOT NULL);
    CREATE TABLE matches (
        plan TEXT NOT NULL REFERENCES plans (id),
        number INTEGER NOT NULL,
        round INTEGER NOT NULL,
        game INTEGER NOT NULL,
        seating TEXT NOT NULL,
        goals TEXT,
        faults INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (plan, number)
    );
";

/// A match with its record.
pub(super) struct StoredMatch {
    pub(super) result: MatchResult,
    pub(super) record: MatchRecord,
}

/// The open database.
pub(super) struct Store {
    connection: Connection,
}

impl Store {
    /// Opens a file; creates it if necessary.
    pub(super) fn open(path: &Path) -> Result<Store> {
        Connection::open(path)
            .map_err(anyhow::Error::from)
            .and_then(Store::prepare)
            .with_context(|| format!("cannot use {} as a store", path.display()))
    }

    /// Opens a file that must exist.
    pub(super) fn open_existing(path: &Path) -> Result<Store> {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(anyhow::Error::from)
            .and_then(Store::prepare)
            .with_context(|| format!("cannot use {} as a store", path.display()))
    }

    /// Opens a store in memory.
    pub(super) fn in_memory() -> Result<Store> {
        Store::prepare(Connection::open_in_memory()?)
    }

    fn prepare(connection: Connection) -> Result<Store> {
        let connection = database::prepare(connection, &[TABLES])?;
        Ok(Store { connection })
    }

    /// Adds a tournament and returns its identifier.
    pub(super) fn add_plan(&mut self, description: &Description) -> Result<String> {
        let text = serde_json::to_string(description)?;
        let id = hash(&text)[..12].to_string();
        let statement = "INSERT OR IGNORE INTO plans (id, description) VALUES (?1, ?2)";
        self.connection.execute(statement, params![id, text])?;
        Ok(id)
    }

    /// Finds the tournament whose identifier starts with `wanted`; without `wanted`, the only tournament.
    pub(super) fn choose(&self, wanted: Option<&str>) -> Result<(String, Description)> {
        let mut statement = self
            .connection
            .prepare("SELECT id, description FROM plans ORDER BY rowid")?;
        let plans = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let plans: Vec<(String, String)> = plans.collect::<Result<_, _>>()?;
        let fits = |id: &str| wanted.is_none_or(|wanted| id.starts_with(wanted));
        let mut fitting = plans.iter().filter(|(id, _)| fits(id));
        match (fitting.next(), fitting.next()) {
            (Some((id, text)), None) => Ok((id.clone(), serde_json::from_str(text)?)),
            (None, _) if plans.is_empty() => bail!("the store is empty"),
            (None, _) => bail!("the store has no such tournament; it has{}", list(&plans)?),
            (Some(_), Some(_)) => bail!(
                "the store has several tournaments; choose one with --plan:{}",
                list(&plans)?
            ),
        }
    }

    /// Stores a finished match in one transaction. If another process stored it first, that one stays.
    pub(super) fn add_match(&mut self, plan: &str, result: &MatchResult, record: &MatchRecord) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "INSERT OR IGNORE INTO matches (plan, number, round, game, seating, goals, faults, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        let goals = result.goals.as_ref().map(serde_json::to_string).transpose()?;
        statement
            .execute(params![
                plan,
                i64::try_from(result.number)?,
                i64::try_from(result.round)?,
                i64::try_from(result.game)?,
                serde_json::to_string(&result.seating)?,
                goals,
                i64::try_from(result.faults)?,
                serde_json::to_string(record)?,
            ])
            .context("cannot write to the store")?;
        Ok(())
    }

    /// All results of a tournament, by number.
    pub(super) fn results(&self, plan: &str) -> Result<Vec<MatchResult>> {
        let mut statement = self.connection.prepare(
            "SELECT number, round, game, faults, seating, goals, CASE WHEN faults > 0 THEN record END
             FROM matches WHERE plan = ?1 ORDER BY number",
        )?;
        let mut rows = statement.query([plan])?;
        let mut results = Vec::new();
        while let Some(row) = rows.next()? {
            let record: Option<String> = row.get(6)?;
            let record = record.map(|record| parsed(&record)).transpose()?;
            results.push(result(row, record.as_ref())?);
        }
        Ok(results)
    }

    /// Calls `show` with every match of a tournament, by number. Records are long, so they are read one at a time.
    pub(super) fn for_each(&self, plan: &str, show: &mut dyn FnMut(StoredMatch) -> Result<()>) -> Result<()> {
        let mut statement = self.connection.prepare(
            "SELECT number, round, game, faults, seating, goals, record FROM matches WHERE plan = ?1 ORDER BY number",
        )?;
        let mut rows = statement.query([plan])?;
        while let Some(row) = rows.next()? {
            let record: String = row.get(6)?;
            let record = parsed(&record)?;
            show(StoredMatch {
                result: result(row, Some(&record))?,
                record,
            })?;
        }
        Ok(())
    }
}

fn parsed(record: &str) -> Result<MatchRecord> {
    serde_json::from_str(record).context("the store has a record that cannot be read")
}

/// Result of a row. The record contains the faults of each seat.
fn result(row: &Row<'_>, record: Option<&MatchRecord>) -> Result<MatchResult> {
    let number = |column: usize| -> Result<u64> { Ok(u64::try_from(row.get::<_, i64>(column)?)?) };
    let seating: String = row.get(4)?;
    let goals: Option<String> = row.get(5)?;
    Ok(MatchResult {
        number: number(0)?,
        round: number(1)?,
        game: usize::try_from(number(2)?)?,
        seating: serde_json::from_str(&seating)?,
        goals: goals.map(|goals| serde_json::from_str(&goals)).transpose()?,
        faults: usize::try_from(number(3)?)?,
        failed: record.map_or_else(Vec::new, MatchRecord::seat_faults),
    })
}

/// The tournaments of a store, one per line.
fn list(plans: &[(String, String)]) -> Result<String> {
    let mut text = String::new();
    for (id, description) in plans {
        let description: Description = serde_json::from_str(description)?;
        let games: Vec<&str> = description.games.iter().map(|game| game.name.as_str()).collect();
        let players = description.players.join(",");
        text += &format!("\n  {id}  {}  {players}  seed {}", games.join(","), description.seed);
    }
    Ok(text)
}
