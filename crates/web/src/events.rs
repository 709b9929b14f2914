//! Server-sent events: what happens is told to everybody who watches.
//!
//! An event is written once and shared by all watchers. Who is too slow to take all of them is sent how things stand
//! instead of what was missed, so that nobody holds up a match and memory stays bounded.

use crate::app::App;
use crate::error::ApiError;
use crate::metrics::Metrics;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

/// Events that a watcher may be behind.
const BACKLOG: usize = 64;

/// How often something is sent on a stream on which nothing happens, so that connections are kept open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// An event, written.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) event: &'static str,
    pub(crate) data: String,
}

impl Message {
    pub(crate) fn new(event: &'static str, data: &impl Serialize) -> Arc<Message> {
        // Only maps with odd keys cannot be written, and there are none.
        let data = serde_json::to_string(data).unwrap_or_default();
        Arc::new(Message { event, data })
    }
}

/// Where events are told.
pub(crate) struct Broadcast {
    sender: broadcast::Sender<Arc<Message>>,
}

impl Default for Broadcast {
    fn default() -> Broadcast {
        Broadcast {
            sender: broadcast::Sender::new(BACKLOG),
        }
    }
}

impl Broadcast {
    pub(crate) fn tell(&self, message: Arc<Message>) {
        // Nobody may be watching.
        let _ = self.sender.send(message);
    }

    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<Message>> {
        self.sender.subscribe()
    }
}

/// How things stand, as events.
type Snapshot = Box<dyn Fn() -> Vec<Arc<Message>> + Send>;

/// What a watcher is sent.
struct Watcher {
    queue: VecDeque<Arc<Message>>,
    source: Option<(broadcast::Receiver<Arc<Message>>, Snapshot)>,
    ending: watch::Receiver<bool>,
    metrics: Arc<Metrics>,
    _place: Place,
}

/// A place among the watchers, given back at the end.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream of things that are over.
pub(crate) fn finished(app: &App, messages: Vec<Arc<Message>>) -> Result<Response, ApiError> {
    open(app, messages, None)
}

/// A stream of how things stand and of everything that happens from now on, up to an event `end`.
pub(crate) fn live(
    app: &App,
    receiver: broadcast::Receiver<Arc<Message>>,
    snapshot: impl Fn() -> Vec<Arc<Message>> + Send + 'static,
) -> Result<Response, ApiError> {
    open(app, snapshot(), Some((receiver, Box::new(snapshot))))
}

fn open(
    app: &App,
    messages: Vec<Arc<Message>>,
    source: Option<(broadcast::Receiver<Arc<Message>>, Snapshot)>,
) -> Result<Response, ApiError> {
    let place = Place(app.watchers.clone());
    if place.0.fetch_add(1, Ordering::Relaxed) >= app.config.limits.watchers {
        return Err(ApiError::Busy(
            "Too many people are watching; try again later.".to_string(),
        ));
    }
    let watcher = Watcher {
        queue: messages.into(),
        source,
        ending: app.ending.subscribe(),
        metrics: app.metrics.clone(),
        _place: place,
    };
    let heartbeat = KeepAlive::new().interval(HEARTBEAT);
    Ok(Sse::new(events(watcher)).keep_alive(heartbeat).into_response())
}

fn events(watcher: Watcher) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(watcher, async |mut watcher| {
        let message = watcher.next().await?;
        watcher.metrics.events.fetch_add(1, Ordering::Relaxed);
        let event = Event::default().event(message.event).data(&message.data);
        Some((Ok(event), watcher))
    })
}

impl Watcher {
    async fn next(&mut self) -> Option<Arc<Message>> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                if message.event == "end" {
                    self.source = None;
                    self.queue.clear();
                }
                return Some(message);
            }
            let (receiver, snapshot) = self.source.as_mut()?;
            // What was told before the end of the server comes before it.
            let received = tokio::select! {
                biased;
                received = receiver.recv() => received,
                _ = self.ending.wait_for(|is_ending| *is_ending) => return None,
            };
            match received {
                Ok(message) => self.queue.push_back(message),
                Err(RecvError::Lagged(_)) => {
                    self.metrics.lagging_watchers.fetch_add(1, Ordering::Relaxed);
                    self.queue.extend(snapshot());
                }
                // The match is gone; the snapshot tells how it ended.
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_told_before_the_server_ended_arrives() {
        let hub = Broadcast::default();
        let (ending, ended) = watch::channel(false);
        let mut watcher = Watcher {
            queue: VecDeque::new(),
            source: Some((hub.watch(), Box::new(Vec::new))),
            ending: ended,
            metrics: Arc::default(),
            _place: Place(Arc::new(AtomicUsize::new(1))),
        };
        for _ in 0..32 {
            hub.tell(Message::new("match", &()));
        }
        hub.tell(Message::new("end", &()));
        ending.send_replace(true);
        let mut told = Vec::new();
        while let Some(message) = watcher.next().await {
            told.push(message.event);
        }
        assert_eq!(told.len(), 33);
        assert_eq!(told.last(), Some(&"end"));
    }
}
