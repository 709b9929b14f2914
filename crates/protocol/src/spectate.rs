//! Shows running matches to spectators.
//!
//! [`LatestMatches`] holds the latest form of each match in the format of ggp.org, serialised once for all spectators.
//! [`SpectatorServer`] serves it on its own threads, so that spectators take no time from a match. A slow spectator
//! misses steps and gets the latest.
//!
//! | address | |
//! | --- | --- |
//! | `/matches` | the names of all matches that are kept |
//! | `/matches/ID` | the match as it is now |
//! | `/matches/ID/events` | the match now and after every step, as server-sent events, until it is over |

use crate::http;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use ludens_play::ggp::GgpMatch;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of finished matches kept.
const KEPT: usize = 1000;

/// Maximum number of spectators.
const MOST_SPECTATORS: usize = 4096;

/// Interval of keep-alive comments, by which dead connections are noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The latest form of all matches.
#[derive(Clone, Default)]
pub struct LatestMatches(Arc<Inside>);

#[derive(Default)]
struct Inside {
    matches: Mutex<BTreeMap<String, (u64, watch::Sender<Shown>)>>,
    spectators: AtomicUsize,
}

/// A match in its current form.
#[derive(Clone, Default)]
struct Shown {
    json: Bytes,
    is_over: bool,
}

impl LatestMatches {
    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, (u64, watch::Sender<Shown>)>> {
        self.0.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the current form of a match.
    pub fn publish(&self, exchange: &GgpMatch) {
        let shown = Shown {
            json: serde_json::to_vec(exchange).unwrap_or_default().into(),
            is_over: exchange.is_completed || exchange.is_aborted,
        };
        let mut matches = self.matches();
        let (_, sender) = matches
            .entry(exchange.match_id.clone())
            .or_insert_with(|| (exchange.start_time, watch::Sender::new(Shown::default())));
        sender.send_replace(shown);
        if matches.len() > KEPT {
            let over = matches.iter().filter(|(_, (_, sender))| sender.borrow().is_over);
            let oldest = over.min_by_key(|(_, (time, _))| *time).map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                matches.remove(&oldest);
            }
        }
    }

    /// Number of spectators that follow a match.
    pub fn spectators(&self) -> usize {
        self.0.spectators.load(Ordering::Relaxed)
    }

    fn find(&self, id: &str) -> Option<watch::Receiver<Shown>> {
        self.matches().get(id).map(|(_, sender)| sender.subscribe())
    }
}

/// A running server for spectators.
pub struct SpectatorServer {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
}

impl SpectatorServer {
    /// Listens on an address; port 0 picks a free one.
    pub fn start(address: impl ToSocketAddrs, hub: LatestMatches) -> io::Result<SpectatorServer> {
        let (address, listener, runtime) = http::listen(address, "spectators", 1)?;
        runtime.spawn(async move {
            // Serving ends only with the runtime.
            let _ = axum::serve(listener, router(hub)).await;
        });
        Ok(SpectatorServer {
            address,
            runtime: Some(runtime),
        })
    }

    /// Address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for SpectatorServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(500));
        }
    }
}

/// Routes of this module, for this server or a larger one.
pub fn router(hub: LatestMatches) -> Router {
    Router::new()
        .route("/matches", get(list))
        .route("/matches/", get(list))
        .route("/matches/{id}", get(snapshot))
        .route("/matches/{id}/", get(snapshot))
        .route("/matches/{id}/events", get(events))
        .with_state(hub)
}

fn with_type(content_type: &'static str, body: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-store"),
        // Viewers are pages of other servers, and matches are public.
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (headers, body.into()).into_response()
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "there is no such match\n").into_response()
}

async fn list(State(hub): State<LatestMatches>) -> Response {
    let names: Vec<String> = hub.matches().keys().cloned().collect();
    let text = serde_json::json!({ "matches": names }).to_string();
    with_type("application/json", text)
}

async fn snapshot(State(hub): State<LatestMatches>, Path(id): Path<String>) -> Response {
    match hub.find(&id) {
        Some(receiver) => with_type("application/json", receiver.borrow().json.clone()),
        None => missing(),
    }
}

/// Counts a spectator until dropped.
struct Spectator {
    hub: LatestMatches,
    receiver: watch::Receiver<Shown>,
    is_fresh: bool,
    is_over: bool,
}

impl Drop for Spectator {
    fn drop(&mut self) {
        self.hub.0.spectators.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn events(State(hub): State<LatestMatches>, Path(id): Path<String>) -> Response {
    let Some(receiver) = hub.find(&id) else {
        return missing();
    };
    if hub.0.spectators.fetch_add(1, Ordering::Relaxed) >= MOST_SPECTATORS {
        hub.0.spectators.fetch_sub(1, Ordering::Relaxed);
        return (StatusCode::SERVICE_UNAVAILABLE, "there are too many spectators\n").into_response();
    }
    let spectator = Spectator {
        hub,
        receiver,
        is_fresh: true,
        is_over: false,
    };
    let stream = futures_util::stream::unfold(spectator, |mut spectator| async move {
        let event = spectator.next().await?;
        Some((Ok::<Bytes, Infallible>(event), spectator))
    });
    with_type("text/event-stream", Body::from_stream(stream))
}

impl Spectator {
    async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if !self.is_fresh {
            match tokio::time::timeout(HEARTBEAT, self.receiver.changed()).await {
                Err(_) => return Some(Bytes::from_static(b": still here\n\n")),
                // The match was removed.
                Ok(Err(_)) => return None,
                Ok(Ok(())) => {}
            }
        }
        self.is_fresh = false;
        let shown = self.receiver.borrow_and_update().clone();
        self.is_over = shown.is_over;
        let mut event = Vec::with_capacity(shown.json.len() + 32);
        event.extend_from_slice(b"event: match\ndata: ");
        event.extend_from_slice(&shown.json);
        event.extend_from_slice(b"\n\n");
        Some(event.into())
    }
}
