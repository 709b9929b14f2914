//! Opening of SQLite files: journal, waiting for other processes, and the version of the schema.
//!
//! The store of the server and the store of `ludens tournament` are opened here, so that both survive being killed at any
//! moment and both refuse files that are not theirs.

use rusqlite::{Connection, TransactionBehavior};
use std::time::Duration;

/// Time to wait for another process that writes to the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reason why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite failed.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file has tables of another program.
    #[error("it is a database of another program")]
    Foreign,
    /// The schema is newer than this program.
    #[error("it was written by another version of Ludens")]
    Version,
}

/// Prepares a connection: enables the write-ahead log and brings the schema up to date. `migrations` are SQL scripts;
/// the first creates the tables of version 1, each other one leads to the next version.
pub fn prepare(mut connection: Connection, migrations: &[&str]) -> Result<Connection, DatabaseError> {
    connection.busy_timeout(PATIENCE)?;
    // Readers do not block the writer, and a transaction is one write to the end of a file.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Only a power failure can lose transactions, and only the last ones.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = change.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if version == 0 && tables > 0 {
        return Err(DatabaseError::Foreign);
    }
    let missing = usize::try_from(version)
        .ok()
        .and_then(|version| migrations.get(version..))
        .ok_or(DatabaseError::Version)?;
    for script in missing {
        change.execute_batch(script)?;
    }
    change.pragma_update(None, "user_version", migrations.len() as i64)?;
    change.commit()?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE a (x INTEGER);";
    const SECOND: &str = "CREATE TABLE b (x INTEGER);";

    #[test]
    fn migrations_run_once_and_foreign_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = |migrations| prepare(Connection::open(folder.path().join("x.db")).unwrap(), migrations);
        open(&[FIRST][..]).unwrap();
        let upgraded = open(&[FIRST, SECOND][..]).unwrap();
        assert_eq!(upgraded.execute("INSERT INTO b VALUES (1)", []), Ok(1));
        assert!(open(&[FIRST, SECOND][..]).is_ok());
        assert!(matches!(open(&[FIRST][..]), Err(DatabaseError::Version)));
        let foreign = Connection::open_in_memory().unwrap();
        foreign.execute_batch(FIRST).unwrap();
        assert!(matches!(prepare(foreign, &[FIRST]), Err(DatabaseError::Foreign)));
    }
}
