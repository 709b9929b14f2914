//! Matches of people against the adaptive opponent: what the director knows about them.

use super::Store;
use ludens_play::director::facts::{History, Observation};
use rusqlite::{OptionalExtension, params};

/// People are known by a name that their browser made up, so that nobody has to say who they are.
pub(super) const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS adaptive (
        match TEXT PRIMARY KEY,
        person TEXT NOT NULL,
        game TEXT NOT NULL,
        added INTEGER NOT NULL,
        observation TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS adaptive_by_person ON adaptive (person, game, added);
";

/// Matches that a director looks back on.
const MOST_MATCHES: i64 = 200;

impl Store {
    /// Keeps what is known about a match, or replaces it when more is known.
    pub(crate) fn add_observation(
        &self,
        (id, person, game): (&str, &str, &str),
        observation: &Observation,
        now: u64,
    ) -> rusqlite::Result<()> {
        let connection = self.connection();
        let known: Option<i64> = connection
            .query_row("SELECT added FROM adaptive WHERE match = ?1", [id], |row| row.get(0))
            .optional()?;
        let text = serde_json::to_string(observation).unwrap_or_default();
        let statement = "INSERT OR REPLACE INTO adaptive (match, person, game, added, observation) \
                         VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = params![id, person, game, known.unwrap_or(now as i64), text];
        connection.execute(statement, values)?;
        Ok(())
    }

    /// The latest matches of a person in a game, oldest first.
    pub(crate) fn history(&self, person: &str, game: &str) -> rusqlite::Result<History> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT observation FROM adaptive WHERE person = ?1 AND game = ?2 ORDER BY added DESC, rowid DESC LIMIT ?3",
        )?;
        let texts = statement.query_map(params![person, game, MOST_MATCHES], |row| row.get::<_, String>(0))?;
        let mut matches = Vec::new();
        for text in texts {
            matches.extend(serde_json::from_str::<Observation>(&text?).ok());
        }
        matches.reverse();
        Ok(History { matches })
    }
}
