//! Where games are set up: rules in, playable games out, within limits and a few at a time.
//!
//! Games that were asked for lately are kept ready, and several who want the same game wait for one set-up.

use crate::catalogue::{self, Rules};
use crate::config::Limits;
use crate::error::ApiError;
use crate::pool::Pool;
use crate::store::Store;
use crate::view::Layout;
use ludens_engine::{Game, GameError, Options};
use ludens_report::diagnostics;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// A failure is forgotten after this time: a limit that was hit may have been the fault of a busy machine.
const FAILURE_LASTS: Duration = Duration::from_secs(60);

/// Gates of all games that are kept ready, together.
const MOST_GATES: usize = 20_000_000;

/// A game that can be played and drawn.
pub(crate) struct Prepared {
    pub(crate) game: Game,
    pub(crate) title: String,
    pub(crate) layout: Layout,
    pub(crate) setup_seconds: f64,
}

type Outcome = Result<Arc<Prepared>, ApiError>;

struct Entry {
    result: watch::Receiver<Option<Outcome>>,
    begun: Instant,
    used: Instant,
}

/// Sets games up and keeps them.
pub(crate) struct GameCache {
    store: Arc<Store>,
    limits: Limits,
    pool: Pool,
    entries: Mutex<HashMap<String, Entry>>,
}

impl GameCache {
    pub(crate) fn new(store: Arc<Store>, limits: &Limits) -> GameCache {
        GameCache {
            store,
            limits: limits.clone(),
            pool: Pool::new("setup", limits.setup_workers, limits.setup_queue),
            entries: Mutex::default(),
        }
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The game with this identifier, set up now if it was not before.
    pub(crate) async fn prepare(&self, id: &str) -> Outcome {
        let mut result = self.begin(id)?;
        // Limits hold for every part of the work; if all of them together take very long, waiting is of no use.
        let patience = self.limits.setup.setup * 4 + Duration::from_secs(60);
        match tokio::time::timeout(patience, result.wait_for(Option::is_some)).await {
            Ok(Ok(result)) => match &*result {
                Some(outcome) => outcome.clone(),
                None => Err(ApiError::Internal("a set-up ended without a result".to_string())),
            },
            Ok(Err(_)) => Err(ApiError::Internal("a set-up was lost".to_string())),
            Err(_) => Err(unplayable("Setting the game up took too long.".to_string())),
        }
    }

    /// The game with this identifier if it is ready.
    pub(crate) fn ready(&self, id: &str) -> Option<Arc<Prepared>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get_mut(id)?;
        entry.used = Instant::now();
        entry.result.borrow().as_ref()?.as_ref().ok().cloned()
    }

    fn begin(&self, id: &str) -> Result<watch::Receiver<Option<Outcome>>, ApiError> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(id) {
            let is_stale = matches!(&*entry.result.borrow(), Some(Err(_))) && entry.begun.elapsed() > FAILURE_LASTS;
            if !is_stale {
                entry.used = Instant::now();
                return Ok(entry.result.clone());
            }
        }
        let (sender, result) = watch::channel(None);
        let (store, limits, name) = (self.store.clone(), self.limits.clone(), id.to_string());
        self.pool.submit(move || {
            let attempt = catch_unwind(AssertUnwindSafe(|| {
                let rules = catalogue::find(&store, &name)?;
                set_up(&rules, &limits).map(Arc::new)
            }));
            let outcome = attempt.unwrap_or_else(|_| {
                tracing::error!(game = name, "setting up panicked");
                Err(unplayable(
                    "Setting the game up failed; this is a mistake of Ludens.".to_string(),
                ))
            });
            let _ = sender.send(Some(outcome));
        })?;
        let entry = Entry {
            result: result.clone(),
            begun: Instant::now(),
            used: Instant::now(),
        };
        entries.insert(id.to_string(), entry);
        make_room(&mut entries, self.limits.games_ready);
        Ok(result)
    }
}

/// Forgets the games that were not used for the longest time.
fn make_room(entries: &mut HashMap<String, Entry>, most: usize) {
    loop {
        let done = || entries.iter().filter(|(_, entry)| entry.result.borrow().is_some());
        let gates = |entry: &Entry| match &*entry.result.borrow() {
            Some(Ok(prepared)) => prepared.game.engine().gates().unwrap_or(0),
            _ => 0,
        };
        let total: usize = done().map(|(_, entry)| gates(entry)).sum();
        if done().count() <= most && total <= MOST_GATES {
            return;
        }
        let Some(oldest) = done().min_by_key(|(_, entry)| entry.used).map(|(id, _)| id.clone()) else {
            return;
        };
        entries.remove(&oldest);
    }
}

/// Makes rules playable, within limits.
fn set_up(rules: &Rules, limits: &Limits) -> Result<Prepared, ApiError> {
    let start = Instant::now();
    let description = rules.read(&reading_limits(limits));
    let source = description.source.clone();
    let options = Options {
        limits: limits.setup,
        ..Options::default()
    };
    let game = Game::new(description, options).map_err(|error| match &error {
        GameError::Unreadable { diagnostics: found, .. } => ApiError::InvalidRules {
            message: "The rules cannot be read.".to_string(),
            findings: found
                .iter()
                .map(|diagnostic| diagnostics::diagnostic(&source, diagnostic))
                .collect(),
        },
        _ => unplayable(format!("The game cannot be played: {error}.")),
    })?;
    let setup_seconds = start.elapsed().as_secs_f64();
    Ok(Prepared {
        layout: Layout::find(&game),
        title: rules.title().to_string(),
        game,
        setup_seconds,
    })
}

/// Bounds on reading a text.
pub(crate) fn reading_limits(limits: &Limits) -> ludens_gdl::Limits {
    ludens_gdl::Limits {
        bytes: limits.rules_bytes,
        nesting: limits.nesting,
        ..ludens_gdl::Limits::default()
    }
}

fn unplayable(message: String) -> ApiError {
    ApiError::InvalidRules {
        message,
        findings: Vec::new(),
    }
}
