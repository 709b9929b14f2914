//! The game cache: sets games up in the background, within limits, and keeps the ones used last.
//!
//! Several requests for the same game wait for one set-up.

use crate::cache::{Cache, Cached};
use crate::catalogue::{self, Rules};
use crate::config::Limits;
use crate::error::ApiError;
use crate::pool::Pool;
use crate::store::Store;
use crate::view::Layout;
use ludens_engine::{Game, GameError, Options};
use ludens_report::diagnostics;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Maximum number of gates of all games in the cache.
const MOST_GATES: usize = 20_000_000;

/// A game that can be played and drawn.
pub(crate) struct Prepared {
    pub(crate) game: Game,
    pub(crate) title: String,
    pub(crate) layout: Layout,
    pub(crate) setup_seconds: f64,
}

type Outcome = Result<Arc<Prepared>, ApiError>;

/// Set-up of a game: `None` until it ends.
type Setup = watch::Receiver<Option<Outcome>>;

impl Cached for Setup {
    fn is_done(&self) -> bool {
        self.borrow().is_some()
    }

    fn is_failure(&self) -> bool {
        matches!(&*self.borrow(), Some(Err(_)))
    }

    fn size(&self) -> usize {
        match &*self.borrow() {
            Some(Ok(prepared)) => prepared.game.engine().gates().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Sets games up and keeps them.
pub(crate) struct GameCache {
    store: Arc<Store>,
    limits: Limits,
    pool: Pool,
    games: Cache<Setup>,
}

impl GameCache {
    pub(crate) fn new(store: Arc<Store>, limits: &Limits) -> GameCache {
        GameCache {
            store,
            limits: limits.clone(),
            pool: Pool::new("setup", limits.setup_workers, limits.setup_queue),
            games: Cache::new(limits.games_ready, MOST_GATES),
        }
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Returns the game with this identifier, after setting it up if necessary.
    pub(crate) async fn prepare(&self, id: &str) -> Outcome {
        let mut setup = self.games.get_or_create(id, || self.begin(id))?;
        // Every stage has its own limit; this one bounds the total, including the time in the queue.
        let patience = self.limits.setup.setup * 4 + Duration::from_secs(60);
        match tokio::time::timeout(patience, setup.wait_for(Option::is_some)).await {
            Ok(Ok(outcome)) => match &*outcome {
                Some(outcome) => outcome.clone(),
                None => Err(ApiError::Internal("a set-up ended without a result".to_string())),
            },
            Ok(Err(_)) => Err(ApiError::Internal("a set-up was lost".to_string())),
            Err(_) => Err(unplayable("Setting up the game took too long.".to_string())),
        }
    }

    /// Returns the game with this identifier if it is in the cache.
    pub(crate) fn ready(&self, id: &str) -> Option<Arc<Prepared>> {
        self.games.get(id)?.borrow().as_ref()?.as_ref().ok().cloned()
    }

    fn begin(&self, id: &str) -> Result<Setup, ApiError> {
        let (sender, setup) = watch::channel(None);
        let (store, limits, name) = (self.store.clone(), self.limits.clone(), id.to_string());
        self.pool.submit(move || {
            let attempt = catch_unwind(AssertUnwindSafe(|| {
                let rules = catalogue::find(&store, &name)?;
                set_up(&rules, &limits).map(Arc::new)
            }));
            let outcome = attempt.unwrap_or_else(|_| {
                tracing::error!(game = name, "setting up panicked");
                Err(unplayable(
                    "Setting up the game failed. This is a bug of Ludens.".to_string(),
                ))
            });
            let _ = sender.send(Some(outcome));
        })?;
        Ok(setup)
    }
}

/// Sets up a game, within limits.
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

/// Limits on reading rules.
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
