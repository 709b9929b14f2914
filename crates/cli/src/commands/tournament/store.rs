//! Where matches are kept: a database file that survives being killed at any moment.
//!
//! Every finished match is one transaction, so it is in the file as a whole or not at all. One file can hold several
//! tournaments, told apart by an identifier that is a hash of everything that results depend on; the number of rounds
//! is no part of it, as longer tournaments begin with the matches of shorter ones.

use anyhow::{Context, Result, bail};
use ludens_play::MatchRecord;
use ludens_play::tournament::MatchResult;
use ludens_report::tournament::{Description, hash};
use rusqlite::{Connection, OpenFlags, Row, params};
use std::path::Path;
use std::time::Duration;

/// The form of the tables; another number means another form.
const SCHEMA: i64 = 1;

/// How long to wait for another program that writes to the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// A match with everything that is known about it.
pub(super) struct StoredMatch {
    pub(super) result: MatchResult,
    pub(super) record: MatchRecord,
}

/// The open database.
pub(super) struct Store {
    connection: Connection,
}

impl Store {
    /// Opens a file, or makes it.
    pub(super) fn open(path: &Path) -> Result<Store> {
        Connection::open(path)
            .map_err(anyhow::Error::from)
            .and_then(Store::prepare)
            .with_context(|| format!("cannot use {} as a store", path.display()))
    }

    /// Opens a file that must be there.
    pub(super) fn open_existing(path: &Path) -> Result<Store> {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(anyhow::Error::from)
            .and_then(Store::prepare)
            .with_context(|| format!("cannot use {} as a store", path.display()))
    }

    /// A store that is forgotten.
    pub(super) fn in_memory() -> Result<Store> {
        Store::prepare(Connection::open_in_memory()?)
    }

    fn prepare(mut connection: Connection) -> Result<Store> {
        connection.busy_timeout(PATIENCE)?;
        // Readers do not hinder the writer, and a transaction is one write to the end of a file.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Safe from everything but a loss of power, which may cost the last matches.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let schema: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let tables: i64 = change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        match (schema, tables) {
            (SCHEMA, _) => {}
            (0, 0) => {
                change.execute_batch(
                    "CREATE TABLE plans (id TEXT PRIMARY KEY, description TEXT NOT NULL);
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
                     );",
                )?;
                change.pragma_update(None, "user_version", SCHEMA)?;
            }
            (0, _) => bail!("it is a database of something else"),
            _ => bail!("it was written by another version of Ludens"),
        }
        change.commit()?;
        Ok(Store { connection })
    }

    /// Makes a tournament known and gives its identifier.
    pub(super) fn add_plan(&mut self, description: &Description) -> Result<String> {
        let text = serde_json::to_string(description)?;
        let id = hash(&text)[..12].to_string();
        let statement = "INSERT OR IGNORE INTO plans (id, description) VALUES (?1, ?2)";
        self.connection.execute(statement, params![id, text])?;
        Ok(id)
    }

    /// The tournament whose identifier begins like this; the only one if nothing is said.
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

    /// Keeps a finished match, in one transaction. If another program was faster, its match stays.
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

    /// All results of a tournament, in the order of their numbers.
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

    /// Shows all matches of a tournament, in the order of their numbers. Records are long, so they are read one by one.
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

/// The result of a row; the record tells whose moves failed, if any did.
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

/// The tournaments of a store, a line each.
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
