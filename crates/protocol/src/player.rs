//! The player: a server that lets an agent play matches of any managers.
//!
//! Every match has a thread (`session`) and an agent on another thread; connections are tasks that wait for them.
//! Whatever the agent does, an answer is sent before the clock ends; the fallback is a legal move that the match
//! published beforehand. Every message gets an answer, `busy` if it is out of order.

use crate::http;
use crate::http::server::{Connections, Incoming, serve};
use crate::message::{Information, Malformed, News, Request};
use ludens_engine::Options;
use ludens_play::Player;
use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

mod follow;
mod games;
mod preparation;
mod session;

use games::Games;
use preparation::Preparation;
use session::{Event, Fallback, NOTHING, Session, Terms, Verdict};

/// Default maximum number of simultaneous matches.
pub const MOST_MATCHES: usize = 16;

/// Default time without a message after which a match is given up.
pub const IDLE: Duration = Duration::from_secs(15 * 60);

/// Maximum number of set-ups that still run after their match has ended; they cannot be interrupted.
const UNATTENDED: usize = 4;

/// Clocks below this are treated as this long, so that at least a legal move can be chosen.
const SHORTEST_CLOCK: Duration = Duration::from_millis(250);

/// Sink of log lines.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Options of a player.
#[derive(Clone)]
pub struct PlayerOptions {
    /// Name of the player.
    pub name: String,
    /// Agent that chooses the moves.
    pub agent: Player,
    /// Maximum number of simultaneous matches.
    pub most_matches: usize,
    /// Time before the end of a clock at which the player answers; `None` for a fifth of the clock, at most a second.
    pub margin: Option<Duration>,
    /// Time without a message after which a match is given up.
    pub idle: Duration,
    /// How games are set up.
    pub engine: Options,
    /// Limits on connections.
    pub limits: http::Limits,
    /// Seed of all random choices.
    pub seed: u64,
    /// Sink of log lines.
    pub log: Log,
}

impl PlayerOptions {
    /// Options with default limits.
    pub fn new(agent: Player) -> PlayerOptions {
        PlayerOptions {
            name: "ludens".to_string(),
            agent,
            most_matches: MOST_MATCHES,
            margin: None,
            idle: IDLE,
            engine: Options::default(),
            limits: http::Limits::default(),
            seed: 1,
            log: Arc::new(|_| ()),
        }
    }

    /// Time before the end of this clock at which the player answers.
    pub fn margin(&self, clock: Duration) -> Duration {
        match self.margin {
            None => (clock / 5).min(Duration::from_secs(1)),
            Some(margin) => margin.min(clock / 2),
        }
    }
}

/// Counters of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Running matches.
    pub matches: usize,
    /// Match threads, including ending ones.
    pub match_threads: usize,
    /// Threads that set up games.
    pub set_ups: usize,
    /// Games set up since the start; matches of the same rules share one.
    pub games: u64,
    /// Open connections.
    pub connections: usize,
    /// Messages answered.
    pub messages: u64,
    /// Moves answered by the fallback because the agent was late.
    pub rescues: u64,
}

/// A running player.
pub struct PlayerServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl PlayerServer {
    /// Listens on an address; port 0 picks a free one.
    pub fn start(address: impl ToSocketAddrs, options: PlayerOptions) -> io::Result<PlayerServer> {
        let (address, listener, runtime) = http::listen(address, "player", 2)?;
        let shared = Arc::new(Shared {
            log: options.log.clone(),
            options: Arc::new(options),
            matches: Mutex::default(),
            threads: Arc::default(),
            set_ups: Arc::default(),
            games: Arc::default(),
            messages: AtomicU64::new(0),
            rescues: AtomicU64::new(0),
            connections: Arc::default(),
        });
        let (limits, connections) = (shared.options.limits, shared.connections.clone());
        let attendant = shared.clone();
        runtime.spawn(serve(listener, limits, connections, move |incoming| {
            let shared = attendant.clone();
            async move { shared.answer(incoming).await }
        }));
        Ok(PlayerServer {
            address,
            shared,
            runtime: Some(runtime),
        })
    }

    /// Address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Current counters.
    pub fn metrics(&self) -> Metrics {
        let shared = &self.shared;
        Metrics {
            matches: shared.matches().len(),
            match_threads: shared.threads.load(Ordering::Relaxed),
            set_ups: shared.set_ups.load(Ordering::Relaxed),
            games: shared.games.set_ups(),
            connections: shared.connections.open(),
            messages: shared.messages.load(Ordering::Relaxed),
            rescues: shared.rescues.load(Ordering::Relaxed),
        }
    }

    /// Ends all matches and closes all connections.
    pub fn stop(mut self) {
        self.close();
    }

    fn close(&mut self) {
        for (_, seat) in std::mem::take(&mut *self.shared.matches()) {
            seat.abort();
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(500));
        }
    }
}

impl Drop for PlayerServer {
    fn drop(&mut self) {
        self.close();
    }
}

/// A match as connections see it.
#[derive(Clone)]
struct Handle {
    events: Sender<Event>,
    fallback: Arc<Fallback>,
    play_clock: Duration,
}

impl Handle {
    fn abort(&self) {
        self.fallback.cancel.store(true, Ordering::Relaxed);
        let _ = self.events.send(Event::Abort);
    }
}

/// State shared by all connections.
struct Shared {
    options: Arc<PlayerOptions>,
    log: Log,
    matches: Mutex<BTreeMap<String, Handle>>,
    threads: Arc<AtomicUsize>,
    set_ups: Arc<AtomicUsize>,
    games: Arc<Games>,
    messages: AtomicU64,
    rescues: AtomicU64,
    connections: Arc<Connections>,
}

/// Messages of this size are parsed on another thread, so that other connections need not wait.
const LARGE: usize = 64 << 10;

async fn parsed(text: String) -> Result<Request, Malformed> {
    match text.len() < LARGE {
        true => Request::parse(&text),
        false => tokio::task::spawn_blocking(move || Request::parse(&text))
            .await
            .unwrap_or(Err(Malformed::Empty)),
    }
}

const BUSY: &str = "busy";

impl Shared {
    fn matches(&self) -> MutexGuard<'_, BTreeMap<String, Handle>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_free(&self) -> bool {
        let open = self.matches().len();
        // At most two threads per set-up.
        open < self.options.most_matches && self.set_ups.load(Ordering::Relaxed) < 2 * (open + UNATTENDED)
    }

    async fn answer(self: Arc<Shared>, incoming: Incoming) -> String {
        self.messages.fetch_add(1, Ordering::Relaxed);
        // An empty message is a test of the connection.
        let text = match incoming.text.trim() {
            "" => "(INFO)".to_string(),
            text => text.to_string(),
        };
        match parsed(text).await {
            Ok(Request::Info) => self.information(),
            Ok(Request::Ping | Request::Preview { .. }) => match self.is_free() {
                true => "ready".to_string(),
                false => BUSY.to_string(),
            },
            Ok(Request::Start {
                id,
                role,
                rules,
                start_clock,
                play_clock,
            }) => {
                let terms = Terms {
                    id,
                    role,
                    rules,
                    start_clock,
                    play_clock: play_clock.max(SHORTEST_CLOCK),
                    arrived: incoming.arrived,
                };
                self.start(terms).await
            }
            Ok(Request::Play { id, news }) => self.play(&id, news, incoming.arrived).await,
            Ok(Request::Stop { id, news }) => match self.leave(&id) {
                Some(handle) => {
                    // The agent's search is no longer needed.
                    handle.fallback.cancel.store(true, Ordering::Relaxed);
                    let _ = handle.events.send(Event::Stop(news));
                    "done".to_string()
                }
                None => self.busy(&format!("{id}: STOP for a match that is not played here")),
            },
            Ok(Request::Abort { id }) => match self.leave(&id) {
                Some(handle) => {
                    handle.abort();
                    (self.log)(&format!("{id}: aborted"));
                    "aborted".to_string()
                }
                None => self.busy(&format!("{id}: ABORT for a match that is not played here")),
            },
            Err(malformed) => self.busy(&malformed.to_string()),
        }
    }

    fn busy(&self, reason: &str) -> String {
        (self.log)(reason);
        BUSY.to_string()
    }

    fn information(&self) -> String {
        let status = if self.is_free() { "available" } else { BUSY };
        let information = Information {
            name: Some(self.options.name.clone()),
            status: Some(status.to_string()),
        };
        information.to_string()
    }

    fn leave(&self, id: &str) -> Option<Handle> {
        self.matches().remove(id)
    }

    async fn start(self: &Arc<Shared>, terms: Terms) -> String {
        let id = terms.id.clone();
        let deadline = terms.arrived + terms.start_clock - self.options.margin(terms.start_clock) / 2;
        let verdict = match self.open(terms) {
            Ok(verdict) => verdict,
            Err(reason) => return self.busy(&format!("{id}: {reason}")),
        };
        let verdict = tokio::time::timeout_at(deadline.into(), verdict).await;
        match verdict {
            Ok(Ok(Err(reason))) => self.busy(&format!("{id}: refused, {reason}")),
            // A game that is not ready yet is no reason to refuse the match.
            _ => "ready".to_string(),
        }
    }

    /// Starts a match; the receiver gets the result of the set-up.
    fn open(self: &Arc<Shared>, terms: Terms) -> Result<oneshot::Receiver<Verdict>, String> {
        if !self.is_free() {
            return Err("there are too many matches".to_string());
        }
        let id = terms.id.clone();
        let (events, incoming) = channel();
        let (verdict, receiver) = oneshot::channel();
        let fallback = Arc::new(Fallback::default());
        let handle = Handle {
            events,
            fallback: fallback.clone(),
            play_clock: terms.play_clock,
        };
        {
            let mut matches = self.matches();
            if matches.contains_key(&id) {
                return Err("this match is played already".to_string());
            }
            if matches.len() >= self.options.most_matches {
                return Err("there are too many matches".to_string());
            }
            matches.insert(id.clone(), handle);
        }
        let (rules, role) = (terms.rules.clone(), terms.role.clone());
        let preparation = Preparation::begin(rules, role, self.options.engine, &self.games, &self.set_ups);
        let shared = self.clone();
        self.threads.fetch_add(1, Ordering::Relaxed);
        let work = move || {
            let fallback_of_match = fallback.clone();
            let (options, log) = (shared.options.clone(), shared.log.clone());
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                Session::new(terms, options, log, fallback, preparation).run(&incoming, verdict);
            }));
            if result.is_err() {
                (shared.log)(&format!("{id}: the match panicked and is given up"));
            }
            shared.forget(&id, &fallback_of_match);
            shared.threads.fetch_sub(1, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new()
            .name("match".to_string())
            .stack_size(16 << 20);
        if let Err(error) = thread.spawn(work) {
            self.threads.fetch_sub(1, Ordering::Relaxed);
            return Err(format!("there is no room for another thread: {error}"));
        }
        Ok(receiver)
    }

    /// Removes a match that ended by itself, unless a new match has its identifier.
    fn forget(&self, id: &str, fallback: &Arc<Fallback>) {
        let mut matches = self.matches();
        if matches
            .get(id)
            .is_some_and(|handle| Arc::ptr_eq(&handle.fallback, fallback))
        {
            matches.remove(id);
        }
    }

    async fn play(&self, id: &str, news: News, arrived: Instant) -> String {
        let Some(handle) = self.matches().get(id).cloned() else {
            return self.busy(&format!("{id}: PLAY for a match that is not played here"));
        };
        let (answer, receiver) = oneshot::channel();
        if handle.events.send(Event::Play { news, arrived, answer }).is_err() {
            return self.busy(&format!("{id}: the match is over"));
        }
        let deadline = arrived + handle.play_clock - self.options.margin(handle.play_clock) / 2;
        match tokio::time::timeout_at(deadline.into(), receiver).await {
            Ok(Ok(text)) => text,
            _ => {
                self.rescues.fetch_add(1, Ordering::Relaxed);
                handle.fallback.fallback().unwrap_or_else(|| NOTHING.to_string())
            }
        }
    }
}
