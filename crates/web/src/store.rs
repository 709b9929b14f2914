//! What outlives the server: games that were added, facts, matches and tournaments, in one SQLite file.
//!
//! Every change is a transaction, so the file is whole whenever the process is killed. A match under way adds a row for
//! every move that a person chooses and for every joint move; whatever was under way when the server ended is marked as
//! interrupted at the next start, with all its moves.

mod adaptive;
mod matches;
mod tournaments;

pub(crate) use matches::{MatchFilter, Step};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The form of the tables; another number means another form.
const SCHEMA: i64 = 2;

/// The file in the data directory.
const FILE: &str = "ludens.db";

/// How long to wait for another program that has the file open.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database does not work.
    #[error("cannot use the store in {place}: {cause}")]
    Database {
        /// The folder.
        place: String,
        /// What SQLite says.
        cause: rusqlite::Error,
    },
    /// The folder cannot be made.
    #[error("cannot make the folder {place}: {cause}")]
    Folder {
        /// The folder.
        place: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The file is something else.
    #[error("the store in {place} {what}")]
    Foreign {
        /// The folder.
        place: String,
        /// What it is.
        what: &'static str,
    },
}

/// The rules of a game that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedGame {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) roles: Vec<String>,
}

/// The open database. One connection is enough: all questions are short.
pub(crate) struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens the store in a folder, or makes both.
    pub(crate) fn open(folder: &Path) -> Result<Store, StoreError> {
        let place = folder.display().to_string();
        std::fs::create_dir_all(folder).map_err(|cause| StoreError::Folder {
            place: place.clone(),
            cause,
        })?;
        let connection = Connection::open(folder.join(FILE));
        Store::prepare(place, connection)
    }

    /// A store that is forgotten.
    pub(crate) fn in_memory() -> Result<Store, StoreError> {
        Store::prepare("memory".to_string(), Connection::open_in_memory())
    }

    fn prepare(place: String, connection: rusqlite::Result<Connection>) -> Result<Store, StoreError> {
        let attempt = || -> rusqlite::Result<Result<Connection, &'static str>> {
            let mut connection = connection?;
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            // Safe from everything but a loss of power, which may cost the last moves.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let schema: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
            let tables: i64 = change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            match (schema, tables) {
                (SCHEMA, _) => {}
                (0, 0) => {
                    change.execute_batch(TABLES)?;
                    change.execute_batch(CHOICES)?;
                    change.pragma_update(None, "user_version", SCHEMA)?;
                }
                // The first form had no choices of people.
                (1, _) => {
                    change.execute_batch(CHOICES)?;
                    change.pragma_update(None, "user_version", SCHEMA)?;
                }
                (0, _) => return Ok(Err("is a database of something else")),
                _ => return Ok(Err("was written by another version of Ludens")),
            }
            // Older versions do not know this table and leave it alone.
            change.execute_batch(adaptive::TABLE)?;
            change.commit()?;
            Ok(Ok(connection))
        };
        match attempt() {
            Ok(Ok(connection)) => Ok(Store {
                connection: Mutex::new(connection),
            }),
            Ok(Err(what)) => Err(StoreError::Foreign { place, what }),
            Err(cause) => Err(StoreError::Database { place, cause }),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a game; false if its rules are known.
    pub(crate) fn add_game(&self, game: &AddedGame, now: u64) -> rusqlite::Result<bool> {
        let statement = "INSERT OR IGNORE INTO games (id, name, text, roles, added) VALUES (?1, ?2, ?3, ?4, ?5)";
        let roles = game.roles.join(" ");
        let values = params![game.id, game.name, game.text, roles, now as i64];
        Ok(self.connection().execute(statement, values)? > 0)
    }

    /// The game with this identifier.
    pub(crate) fn game(&self, id: &str) -> rusqlite::Result<Option<AddedGame>> {
        let statement = "SELECT id, name, text, roles FROM games WHERE id = ?1";
        let connection = self.connection();
        connection.query_row(statement, [id], added_game).optional()
    }

    /// The games that were added, the latest first, without their rules.
    pub(crate) fn games(&self, most: usize) -> rusqlite::Result<Vec<AddedGame>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT id, name, '', roles FROM games ORDER BY rowid DESC LIMIT ?1")?;
        let games = statement.query_map([most as i64], added_game)?;
        games.collect()
    }

    /// How many games were added.
    pub(crate) fn game_count(&self) -> rusqlite::Result<usize> {
        let count: i64 = self
            .connection()
            .query_row("SELECT count(*) FROM games", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// How large the file is.
    pub(crate) fn bytes(&self) -> rusqlite::Result<u64> {
        let connection = self.connection();
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        Ok((number("page_count")? * number("page_size")?).unsigned_abs())
    }

    /// Keeps the facts of a game.
    pub(crate) fn add_facts(&self, game: &str, facts: &Value) -> rusqlite::Result<()> {
        let statement = "INSERT OR REPLACE INTO facts (game, version, facts) VALUES (?1, ?2, ?3)";
        let values = params![game, env!("CARGO_PKG_VERSION"), facts.to_string()];
        self.connection().execute(statement, values).map(|_| ())
    }

    /// The facts of a game, if this version found them.
    pub(crate) fn facts(&self, game: &str) -> rusqlite::Result<Option<Value>> {
        let statement = "SELECT facts FROM facts WHERE game = ?1 AND version = ?2";
        let text: Option<String> = self
            .connection()
            .query_row(statement, [game, env!("CARGO_PKG_VERSION")], |row| row.get(0))
            .optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

fn added_game(row: &rusqlite::Row<'_>) -> rusqlite::Result<AddedGame> {
    let roles: String = row.get(3)?;
    Ok(AddedGame {
        id: row.get(0)?,
        name: row.get(1)?,
        text: row.get(2)?,
        roles: roles.split_whitespace().map(str::to_string).collect(),
    })
}

const TABLES: &str = "
    CREATE TABLE games (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        roles TEXT NOT NULL,
        added INTEGER NOT NULL
    );
    CREATE TABLE facts (
        game TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        facts TEXT NOT NULL
    );
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL,
        game TEXT NOT NULL,
        tournament TEXT,
        summary TEXT NOT NULL,
        record TEXT
    );
    CREATE INDEX matches_of_tournaments ON matches (tournament, number);
    CREATE INDEX matches_by_status ON matches (status);
    CREATE TABLE steps (
        match TEXT NOT NULL,
        step INTEGER NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (match, step)
    ) WITHOUT ROWID;
    CREATE TABLE tournaments (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL,
        summary TEXT NOT NULL,
        description TEXT
    );
    CREATE TABLE results (
        tournament TEXT NOT NULL,
        number INTEGER NOT NULL,
        round INTEGER NOT NULL,
        game INTEGER NOT NULL,
        seating TEXT NOT NULL,
        goals TEXT,
        faults INTEGER NOT NULL,
        PRIMARY KEY (tournament, number)
    ) WITHOUT ROWID;
";

/// What people chose for joint moves that are not made yet.
const CHOICES: &str = "
    CREATE TABLE choices (
        match TEXT NOT NULL,
        step INTEGER NOT NULL,
        role INTEGER NOT NULL,
        move TEXT NOT NULL,
        PRIMARY KEY (match, step, role)
    ) WITHOUT ROWID;
";
