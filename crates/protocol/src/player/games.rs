//! Game cache of a player: matches of the same rules share one set-up game.
//!
//! Agents keep what they learn about a game with the [`Game`] value, so a match gets more out of its start clock when the
//! game was played before. Rules are compared as canonical text; scrambled rules are other rules. A game stays while a
//! match uses it. Afterwards the last few compiled ones are kept, within a bound on their size. Interpreted games are not
//! kept without a match: nothing says how much memory they take.

use super::preparation::Prepared;
use crate::scramble::Scrambler;
use ludens_engine::{Game, Role};
use ludens_gdl::{Description, Diagnostic};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of games kept without a match.
const MOST_GAMES: usize = 4;

/// Maximum number of gates, fluents and moves of all games kept without a match. Around a hundred bytes each.
const MOST_PARTS: usize = 4_000_000;

/// The games that a player has set up or is setting up, by their rules.
#[derive(Default)]
pub(super) struct Games {
    entries: Mutex<Vec<Entry>>,
    next: AtomicU64,
}

/// The set-up of some rules, running or finished.
struct Entry {
    number: u64,
    rules: String,
    /// Number of matches that use it.
    users: usize,
    /// Matches that wait for results, with their roles.
    waiting: Vec<(Sender<Prepared>, String)>,
    /// The best game so far.
    game: Option<Game>,
    is_finished: bool,
}

/// Share of a match in a set-up. The game may be evicted when all shares are dropped.
pub(super) struct Lease {
    games: Arc<Games>,
    number: u64,
}

/// Task of a match in the set-up of its game.
pub(super) enum Share {
    /// None: another match sets up the same rules, or did.
    Taken(Lease),
    /// Set the rules up and report the results.
    Begun(Lease),
}

/// Key by which rules are compared: without comments, in lower case, with single spaces. Rules that cannot be read
/// completely are compared literally, because parts of them are missing in the canonical text.
pub(super) fn canonical_rules(description: &Description) -> String {
    let is_unreadable = |diagnostic: &Diagnostic| diagnostic.code.id.starts_with("E1");
    match description.diagnostics.iter().any(is_unreadable) {
        true => description.source.text().to_string(),
        false => Scrambler::none().rules(description),
    }
}

impl Games {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of set-ups started.
    pub(super) fn set_ups(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Joins the set-up of these rules, or starts it. The match gets all results, including earlier ones.
    pub(super) fn share(self: &Arc<Games>, rules: String, role: &str, results: &Sender<Prepared>) -> Share {
        let mut entries = self.entries();
        // A failed set-up is repeated, because time limits may have been the reason.
        let is_usable = |entry: &Entry| entry.game.is_some() || !entry.is_finished;
        let same = entries
            .iter()
            .position(|entry| entry.rules == rules && is_usable(entry));
        if let Some(place) = same {
            // The last one is the most recently used.
            let mut entry = entries.remove(place);
            entry.users += 1;
            if let Some(game) = &entry.game {
                let _ = results.send(prepared(game, role));
            }
            if !entry.is_finished {
                entry.waiting.push((results.clone(), role.to_string()));
            }
            let number = entry.number;
            entries.push(entry);
            return Share::Taken(self.lease(number));
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        entries.push(Entry {
            number,
            rules,
            users: 1,
            waiting: vec![(results.clone(), role.to_string())],
            game: None,
            is_finished: false,
        });
        Share::Begun(self.lease(number))
    }

    fn lease(self: &Arc<Games>, number: u64) -> Lease {
        Lease {
            games: self.clone(),
            number,
        }
    }

    /// Reports a game, or why there is none, to all matches that wait for it.
    pub(super) fn report(&self, number: u64, result: Result<Game, String>) {
        let mut entries = self.entries();
        let Some(entry) = entries.iter_mut().find(|entry| entry.number == number) else {
            return;
        };
        for (results, role) in &entry.waiting {
            // The match may be over.
            let _ = results.send(match &result {
                Ok(game) => prepared(game, role),
                Err(reason) => Prepared::Refused(reason.clone()),
            });
        }
        if let Ok(game) = result
            && (entry.game.is_none() || is_compiled(&game))
        {
            entry.game = Some(game);
        }
    }

    /// Ends a set-up: there are no further results.
    pub(super) fn finish(&self, number: u64) {
        let mut entries = self.entries();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.number == number) {
            entry.is_finished = true;
            entry.waiting.clear();
        }
        tidy(&mut entries);
    }

    /// Whether a match still uses this set-up.
    pub(super) fn is_wanted(&self, number: u64) -> bool {
        self.entries()
            .iter()
            .any(|entry| entry.number == number && entry.users > 0)
    }
}

impl Lease {
    /// Number of the set-up.
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut entries = self.games.entries();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.number == self.number) {
            entry.users -= 1;
        }
        tidy(&mut entries);
    }
}

/// Evicts games that no match uses: failed set-ups, games of unknown size, and the least recently used others.
fn tidy(entries: &mut Vec<Entry>) {
    entries.retain(|entry| entry.users > 0 || !entry.is_finished || entry.game.as_ref().is_some_and(is_compiled));
    let (mut games, mut parts) = (0, 0);
    let mut place = entries.len();
    while place > 0 {
        place -= 1;
        let entry = &entries[place];
        if entry.users > 0 || !entry.is_finished {
            continue;
        }
        games += 1;
        parts += entry.game.as_ref().map_or(0, size);
        if games > MOST_GAMES || parts > MOST_PARTS {
            entries.remove(place);
        }
    }
}

fn is_compiled(game: &Game) -> bool {
    game.engine().gates().is_some()
}

/// Number of gates, fluents and moves.
fn size(game: &Game) -> usize {
    let moves: usize = game.roles().map(|role| game.vocabulary().move_count(role)).sum();
    game.engine().gates().unwrap_or(0) + game.vocabulary().fluent_count() + moves
}

fn prepared(game: &Game, role: &str) -> Prepared {
    let found: Option<Role> = game.find_role(role);
    match found {
        Some(role) => Prepared::Ready(game.clone(), role),
        None => Prepared::Refused(format!("the game has no role `{role}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::{Limits, Notation, Source};
    use std::sync::mpsc::channel;

    fn read(text: &str) -> Description {
        Description::read_as(Source::new("match", text), Some(Notation::Kif), &Limits::default())
    }

    /// Rules of a game with a fluent of this name.
    fn rules(name: &str) -> String {
        format!(
            "(role w) (init ({name} 1)) (legal w a) (<= (next ({name} 2)) (does w a)) (<= terminal (true ({name} 2))) (goal w 100)"
        )
    }

    /// Plays a match of such a game; returns whether the game was cached.
    fn is_there(games: &Arc<Games>, name: &str) -> bool {
        let (sender, _receiver) = channel();
        let description = read(&rules(name));
        match games.share(canonical_rules(&description), "w", &sender) {
            Share::Taken(_) => true,
            Share::Begun(lease) => {
                games.report(
                    lease.number(),
                    Game::new(description, Default::default()).map_err(|error| error.to_string()),
                );
                games.finish(lease.number());
                false
            }
        }
    }

    #[test]
    fn rules_are_compared_without_spacing_case_and_comments() {
        let one = canonical_rules(&read("((ROLE w) ; a comment\n (init (Cell  1)))"));
        assert_eq!(one, canonical_rules(&read("((role W)(INIT (cell 1)))")));
        assert_ne!(one, canonical_rules(&read("((role w) (init (cell 2)))")));
    }

    #[test]
    fn the_least_recently_used_games_are_forgotten() {
        let games = Arc::new(Games::default());
        for name in ["a", "b", "c", "d"] {
            assert!(!is_there(&games, name));
        }
        assert!(is_there(&games, "a"), "four games are kept");
        assert!(!is_there(&games, "e"));
        assert!(is_there(&games, "a"), "it was used after the others");
        assert!(!is_there(&games, "b"), "it was not");
        assert_eq!(games.entries().len(), MOST_GAMES);
    }

    #[test]
    fn failed_set_ups_are_forgotten_with_their_match() {
        let games = Arc::new(Games::default());
        let (sender, receiver) = channel();
        let Share::Begun(lease) = games.share("(x)".to_string(), "w", &sender) else {
            panic!("nothing is known yet");
        };
        assert!(games.is_wanted(lease.number()));
        games.report(lease.number(), Err("no".to_string()));
        games.finish(lease.number());
        assert!(matches!(receiver.try_recv(), Ok(Prepared::Refused(_))));
        assert!(matches!(games.share("(x)".to_string(), "w", &sender), Share::Begun(_)));
        drop(lease);
        assert!(games.entries().iter().all(|entry| !entry.is_finished));
    }
}
