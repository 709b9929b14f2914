//! The server of the web page: its API, its store, and its fences against hostile input.
//!
//! [`App`] is everything the server knows, [`router`] answers requests, [`serve()`] does so on a socket. Nothing that
//! computes runs on the threads that answer: games are set up, rules checked and matches played on threads of their
//! own, within limits, and what does not fit into bounded queues is refused. Matches are played by the one match loop
//! of `ludens_play`; people are agents that wait.

mod adaptive;
mod app;
mod catalogue;
mod config;
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

/// The description of the API in the OpenAPI format.
pub fn openapi() -> utoipa::openapi::OpenApi {
    routes::api().1
}
