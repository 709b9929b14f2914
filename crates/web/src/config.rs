//! Configuration of the server, and the limits on requests.

use ludens_engine::Limits as EngineLimits;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;
use utoipa::ToSchema;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address to listen on.
    pub host: IpAddr,
    /// Port to listen on; 0 picks a free one.
    pub port: u16,
    /// Folder of the store; `None` keeps everything in memory.
    pub data: Option<PathBuf>,
    /// Token that clients must send with every change, if any.
    pub token: Option<String>,
    /// Host names the server answers to, besides `localhost` and IP addresses.
    pub names: Vec<String>,
    /// Limits on requests and on the work they start.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            data: None,
            token: None,
            names: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// Limits on what clients can make the server do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum size of a request body.
    pub body_bytes: usize,
    /// Maximum time to receive a request.
    pub request_time: Duration,
    /// Maximum size of the rules of a game.
    pub rules_bytes: usize,
    /// Maximum nesting depth of lists in rules.
    pub nesting: usize,
    /// Limits on setting up a game.
    pub setup: EngineLimits,
    /// Number of games set up at the same time.
    pub setup_workers: usize,
    /// Maximum number of games waiting to be set up.
    pub setup_queue: usize,
    /// Time limit of each stage of computing the facts of a game.
    pub facts_time: Duration,
    /// Maximum number of games in the game cache.
    pub games_ready: usize,
    /// Maximum number of added games.
    pub games_added: usize,
    /// Maximum number of running matches.
    pub running_matches: usize,
    /// Maximum number of steps of a match.
    pub most_steps: usize,
    /// Maximum clock.
    pub most_clock: Duration,
    /// Maximum number of iterations per move.
    pub most_iterations: u64,
    /// Maximum number of tree nodes of an agent.
    pub most_nodes: u64,
    /// A match is aborted when a person has not moved for this long.
    pub idle: Duration,
    /// A match that waits for a person gives way to new matches when nobody has watched or requested it for this long.
    pub absence: Duration,
    /// Maximum number of matches of one tournament.
    pub tournament_matches: u64,
    /// Maximum number of running and queued tournaments.
    pub open_tournaments: usize,
    /// Maximum number of open event streams.
    pub watchers: usize,
    /// Maximum size of the store; once reached, nothing new is accepted.
    pub store_bytes: u64,
    /// Maximum number of open connections.
    pub connections: usize,
    /// Sustained number of requests per second and client.
    pub requests_per_second: f64,
    /// Sustained number of changes per second and client.
    pub writes_per_second: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 1_500_000,
            request_time: Duration::from_secs(20),
            rules_bytes: 1_000_000,
            nesting: 200,
            setup: EngineLimits {
                facts: 2_000_000,
                memory: 1 << 30,
                term_depth: 200,
                setup: Duration::from_secs(20),
                ..EngineLimits::DEFAULT
            },
            setup_workers: 2,
            setup_queue: 32,
            facts_time: Duration::from_secs(2),
            games_ready: 16,
            games_added: 10_000,
            running_matches: 16,
            most_steps: 2_000,
            most_clock: Duration::from_secs(600),
            most_iterations: 10_000_000,
            most_nodes: 300_000,
            idle: Duration::from_secs(3600),
            absence: Duration::from_secs(180),
            tournament_matches: 10_000,
            open_tournaments: 8,
            watchers: 1_000,
            store_bytes: 4 << 30,
            connections: 1_200,
            requests_per_second: 100.0,
            writes_per_second: 10.0,
        }
    }
}

/// The limits that `/api/version` shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PublicLimits {
    body_bytes: usize,
    rules_bytes: usize,
    setup_seconds: f64,
    setup_memory_bytes: usize,
    running_matches: usize,
    most_steps: usize,
    most_clock_seconds: f64,
    most_iterations: u64,
    tournament_matches: u64,
}

impl From<&Limits> for PublicLimits {
    fn from(limits: &Limits) -> PublicLimits {
        PublicLimits {
            body_bytes: limits.body_bytes,
            rules_bytes: limits.rules_bytes,
            setup_seconds: limits.setup.setup.as_secs_f64(),
            setup_memory_bytes: limits.setup.memory,
            running_matches: limits.running_matches,
            most_steps: limits.most_steps,
            most_clock_seconds: limits.most_clock.as_secs_f64(),
            most_iterations: limits.most_iterations,
            tournament_matches: limits.tournament_matches,
        }
    }
}
