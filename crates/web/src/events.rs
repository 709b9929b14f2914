//! Server-sent events for matches and tournaments.
//!
//! An event is serialised once and shared by all subscribers. A subscriber that falls behind gets a snapshot instead of
//! the events it missed, so a slow client neither delays a match nor grows a queue.

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

/// Maximum number of events a subscriber may lag behind.
const BACKLOG: usize = 64;

/// Interval of keep-alive comments on an idle stream.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A serialised event.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) event: &'static str,
    pub(crate) data: String,
}

impl Message {
    pub(crate) fn new(event: &'static str, data: &impl Serialize) -> Arc<Message> {
        // Serialising fails only for maps with non-string keys, which no message has.
        let data = serde_json::to_string(data).unwrap_or_default();
        Arc::new(Message { event, data })
    }
}

/// Publishes events to any number of subscribers.
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
        // Sending fails when there is no subscriber.
        let _ = self.sender.send(message);
    }

    pub(crate) fn watch(&self) -> broadcast::Receiver<Arc<Message>> {
        self.sender.subscribe()
    }
}

/// Produces the events that describe the current situation.
type Snapshot = Box<dyn Fn() -> Vec<Arc<Message>> + Send>;

/// State of one event stream.
struct Watcher {
    queue: VecDeque<Arc<Message>>,
    source: Option<(broadcast::Receiver<Arc<Message>>, Snapshot)>,
    ending: watch::Receiver<bool>,
    metrics: Arc<Metrics>,
    _place: Place,
}

/// Counts one open stream until dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stream of a finished match or tournament.
pub(crate) fn finished(app: &App, messages: Vec<Arc<Message>>) -> Result<Response, ApiError> {
    open(app, messages, None)
}

/// Stream of the current situation and of all events from now on, up to an event `end`.
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
            "The server has no free event stream; retry later.".to_string(),
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
            // Events sent before the shutdown are delivered first.
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
                // The match is gone; the snapshot contains its result.
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
