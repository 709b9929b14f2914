//! The store of the server: added games, facts, matches and tournaments in one SQLite file.
//!
//! Every change is a transaction, so the file is consistent whenever the process is killed. A running match adds a row for
//! every move that a person chooses and for every joint move. What was running when the process ended is marked as
//! interrupted at the next start, with all its moves.

mod adaptive;
mod matches;
mod tournaments;

pub(crate) use matches::{MatchFilter, Step};

use crate::database::{self, DatabaseError};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// File name in the data directory.
const FILE: &str = "ludens.db";

/// Reason why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be used.
    #[error("cannot use the store in {place}: {cause}")]
    Database {
        /// The folder.
        place: String,
        /// The error of the database.
        cause: DatabaseError,
    },
    /// The folder cannot be created.
    #[error("cannot create the folder {place}: {cause}")]
    Folder {
        /// The folder.
        place: String,
        /// The error of the system.
        cause: std::io::Error,
    },
}

/// Rules of an added game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddedGame {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) roles: Vec<String>,
}

/// The open database. One connection suffices, because all queries are short.
pub(crate) struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens the store in a folder; creates both if necessary.
    pub(crate) fn open(folder: &Path) -> Result<Store, StoreError> {
        let place = folder.display().to_string();
        std::fs::create_dir_all(folder).map_err(|cause| StoreError::Folder {
            place: place.clone(),
            cause,
        })?;
        Store::prepare(place, Connection::open(folder.join(FILE)))
    }

    /// Opens a store in memory.
    pub(crate) fn in_memory() -> Result<Store, StoreError> {
        Store::prepare("memory".to_string(), Connection::open_in_memory())
    }

    fn prepare(place: String, connection: rusqlite::Result<Connection>) -> Result<Store, StoreError> {
        let prepared = connection
            .map_err(DatabaseError::from)
            .and_then(|connection| database::prepare(connection, &[TABLES, CHOICES, adaptive::TABLE]));
        match prepared {
            Ok(connection) => Ok(Store {
                connection: Mutex::new(connection),
            }),
            Err(cause) => Err(StoreError::Database { place, cause }),
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a game; returns false if its rules were stored before.
    pub(crate) fn add_game(&self, game: &AddedGame, now: u64) -> rusqlite::Result<bool> {
        let statement = "INSERT OR IGNORE INTO games (id, name, text, roles, added) VALUES (?1, ?2, ?3, ?4, ?5)";
        let roles = game.roles.join(" ");
        let values = params![game.id, game.name, game.text, roles, now as i64];
        Ok(self.connection().execute(statement, values)? > 0)
    }

    /// Finds an added game.
    pub(crate) fn game(&self, id: &str) -> rusqlite::Result<Option<AddedGame>> {
        let statement = "SELECT id, name, text, roles FROM games WHERE id = ?1";
        let connection = self.connection();
        connection.query_row(statement, [id], added_game).optional()
    }

    /// Lists added games, latest first, without their rules.
    pub(crate) fn games(&self, most: usize) -> rusqlite::Result<Vec<AddedGame>> {
        let connection = self.connection();
        let mut statement =
            connection.prepare_cached("SELECT id, name, '', roles FROM games ORDER BY rowid DESC LIMIT ?1")?;
        let games = statement.query_map([most as i64], added_game)?;
        games.collect()
    }

    /// Number of added games.
    pub(crate) fn game_count(&self) -> rusqlite::Result<usize> {
        let count: i64 = self
            .connection()
            .query_row("SELECT count(*) FROM games", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Size of the file in bytes.
    pub(crate) fn bytes(&self) -> rusqlite::Result<u64> {
        let connection = self.connection();
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        Ok((number("page_count")? * number("page_size")?).unsigned_abs())
    }

    /// Stores the facts of a game.
    pub(crate) fn add_facts(&self, game: &str, facts: &Value) -> rusqlite::Result<()> {
        let statement = "INSERT OR REPLACE INTO facts (game, version, facts) VALUES (?1, ?2, ?3)";
        let values = params![game, env!("CARGO_PKG_VERSION"), facts.to_string()];
        self.connection().execute(statement, values).map(|_| ())
    }

    /// Facts of a game, if this version of Ludens computed them.
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

/// Tables of version 1.
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

/// Version 2 adds the moves that people chose for the pending joint move.
const CHOICES: &str = "
    CREATE TABLE choices (
        match TEXT NOT NULL,
        step INTEGER NOT NULL,
        role INTEGER NOT NULL,
        move TEXT NOT NULL,
        PRIMARY KEY (match, step, role)
    ) WITHOUT ROWID;
";
