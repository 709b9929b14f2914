//! The web server: page, API and store.
//!
//! [`App`] is the shared state, [`router`] answers requests, and [`serve()`] does so on a socket. Computation never
//! runs on the threads that answer requests: games are set up, rules checked and matches played on worker threads,
//! within limits and with bounded queues. Matches use the match loop of `ludens_play`; a person is an agent that waits
//! for a move.

mod adaptive;
mod app;
mod cache;
mod catalogue;
mod config;
pub mod database;
mod error;
mod events;
mod explanations;
mod facts;
mod game_cache;
mod guard;
mod identity;
mod live;
mod log;
mod metrics;
mod model;
mod pool;
mod rate;
mod routes;
mod serve;
mod store;
mod view;

pub use app::{App, router};
pub use config::{Config, Limits, PublicLimits};
pub use error::{ApiError, ErrorAnswer, ErrorBody};
pub use log::start_log;
pub use model::{FullMatch, FullTournament, Match, Pace, StateView, Status, Tournament};
pub use serve::serve;
pub use store::StoreError;

/// OpenAPI description of the API.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes::api().1
}
