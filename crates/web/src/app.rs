//! The application: all state that requests share, and the router.

use crate::config::Config;
use crate::error::ApiError;
use crate::explanations::Explanations;
use crate::facts::Facts;
use crate::game_cache::GameCache;
use crate::guard;
use crate::live::matches::{self, Matches};
use crate::live::tournaments::{self, Tournaments};
use crate::metrics::{Gauge, Metrics};
use crate::model::now;
use crate::pool::Pool;
use crate::rate::RateLimit;
use crate::routes;
use crate::store::{Store, StoreError};
use axum::Router;
use axum::middleware::from_fn_with_state;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::watch;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

/// State shared by all requests.
pub struct App {
    pub(crate) config: Config,
    pub(crate) store: Arc<Store>,
    pub(crate) game_cache: Arc<GameCache>,
    pub(crate) facts: Facts,
    pub(crate) explanations: Explanations,
    pub(crate) matches: Matches,
    pub(crate) tournaments: Tournaments,
    /// Workers for checks and replays.
    pub(crate) short: Pool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) all_requests: RateLimit,
    pub(crate) writes: RateLimit,
    pub(crate) watchers: Arc<AtomicUsize>,
    /// Set when the server shuts down. Long work polls it.
    pub(crate) cancel: Arc<AtomicBool>,
    /// Set to true when the server shuts down; event streams then close.
    pub(crate) ending: watch::Sender<bool>,
}

impl App {
    /// Opens the store and starts the workers. Matches and tournaments that an earlier process left running are marked
    /// as interrupted.
    pub fn open(config: Config) -> Result<Arc<App>, StoreError> {
        let store = Arc::new(match &config.data {
            Some(folder) => Store::open(folder)?,
            None => Store::in_memory()?,
        });
        let place = config
            .data
            .as_ref()
            .map_or_else(String::new, |data| data.display().to_string());
        let broken = |cause: rusqlite::Error| StoreError::Database {
            place: place.clone(),
            cause: cause.into(),
        };
        let matches = store.interrupt_matches(now()).map_err(broken)?;
        let tournaments = store.interrupt_tournaments(now()).map_err(broken)?;
        if matches + tournaments > 0 {
            tracing::info!(
                matches,
                tournaments,
                "marked as interrupted: the previous server process ended during play"
            );
        }
        let limits = &config.limits;
        Ok(Arc::new(App {
            game_cache: Arc::new(GameCache::new(store.clone(), limits)),
            facts: Facts::new(limits.setup_queue),
            explanations: Explanations::new(limits.setup_queue),
            matches: Matches::default(),
            tournaments: Tournaments::new(limits.open_tournaments),
            short: Pool::new("short", 2, 64),
            metrics: Arc::default(),
            all_requests: RateLimit::new(limits.requests_per_second),
            writes: RateLimit::new(limits.writes_per_second),
            watchers: Arc::default(),
            cancel: Arc::default(),
            ending: watch::Sender::new(false),
            store,
            config,
        }))
    }

    /// Stops everything that is running. Matches and tournaments are stored as they stand.
    pub async fn end(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        matches::end_all(self).await;
        tournaments::end_all(self).await;
        self.ending.send_replace(true);
    }

    /// Returns an error if the store has reached its size limit.
    pub(crate) fn check_room(&self) -> Result<(), ApiError> {
        match self.store.bytes()? >= self.config.limits.store_bytes {
            true => Err(ApiError::Busy("The store of the server is full.".to_string())),
            false => Ok(()),
        }
    }

    /// Whether the server is shutting down.
    pub(crate) fn is_ending(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Current values for the metrics.
    pub(crate) fn gauges(&self) -> Vec<Gauge> {
        let gauge = |name, help, value: usize| Gauge {
            name,
            help,
            value: value as f64,
        };
        let panics =
            self.game_cache.pool().panics() + self.short.panics() + self.facts.panics() + self.explanations.panics();
        let setups = self.game_cache.pool().open() as usize;
        let facts = self.facts.open() as usize;
        vec![
            gauge("watchers", "Open event streams.", self.watchers.load(Ordering::Relaxed)),
            gauge("matches_running", "Running matches.", self.matches.count()),
            gauge(
                "tournaments_open",
                "Running and queued tournaments.",
                self.tournaments.count(),
            ),
            gauge("setups_open", "Running and queued set-ups of games.", setups),
            gauge("facts_open", "Running and queued computations of facts.", facts),
            gauge("work_panics", "Panics caught in workers.", panics as usize),
        ]
    }
}

/// Compression of answers. Event streams are never compressed, because events would wait in a buffer.
fn compression() -> CompressionLayer<impl Predicate> {
    let is_worth_it = SizeAbove::new(1024).and(NotForContentType::SSE);
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(is_worth_it)
}

/// The router: all routes, protected by `guard`.
pub fn router(app: Arc<App>) -> Router {
    let (router, _) = routes::api();
    router
        .merge(routes::pages())
        .fallback(routes::not_found)
        .method_not_allowed_fallback(routes::method_not_allowed)
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .layer(compression())
        .with_state(app)
}
