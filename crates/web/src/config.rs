//! What the server is told when it starts, and the limits that requests meet.

use ludens_engine::Limits as EngineLimits;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;
use utoipa::ToSchema;

/// Everything that can be said about a server before it starts.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port to listen on; 0 for any that is free.
    pub port: u16,
    /// The folder of the store; without one everything is forgotten at the end.
    pub data: Option<PathBuf>,
    /// What a client must know to change something, if it must know something.
    pub token: Option<String>,
    /// Names under which the server may be asked for, besides `localhost` and all addresses of numbers.
    pub names: Vec<String>,
    /// The limits.
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

/// Bounds on what strangers can make the server do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The size of the body of a request.
    pub body_bytes: usize,
    /// How long a client may take to send a request.
    pub request_time: Duration,
    /// The size of the rules of a game.
    pub rules_bytes: usize,
    /// How deeply lists in rules may be nested.
    pub nesting: usize,
    /// Bounds on setting up a game.
    pub setup: EngineLimits,
    /// Games that are set up at the same time.
    pub setup_workers: usize,
    /// Games that wait to be set up; more are refused.
    pub setup_queue: usize,
    /// How long each part of finding out the facts of a game may take.
    pub facts_time: Duration,
    /// Games that are kept ready.
    pub games_ready: usize,
    /// Games that can be added.
    pub games_added: usize,
    /// Matches under way at the same time; more are refused.
    pub running_matches: usize,
    /// The greatest number of steps of a match.
    pub most_steps: usize,
    /// The longest clock.
    pub most_clock: Duration,
    /// The greatest number of iterations.
    pub most_iterations: u64,
    /// States that a searching agent may keep in memory.
    pub most_nodes: u64,
    /// After this time without a move of a person a match is aborted.
    pub idle: Duration,
    /// After this time without a stream or a request a match that waits for a person gives way to new ones.
    pub absence: Duration,
    /// Matches of one tournament.
    pub tournament_matches: u64,
    /// Tournaments that run or wait at the same time; more are refused.
    pub open_tournaments: usize,
    /// Streams of events that are open at the same time.
    pub watchers: usize,
    /// The size of the store; when it is reached, nothing new is begun.
    pub store_bytes: u64,
    /// Connections that are open at the same time.
    pub connections: usize,
    /// Requests of one client in a second, over a longer time.
    pub requests_per_second: f64,
    /// Requests that change something of one client in a second, over a longer time.
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

/// The limits that clients are told about.
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
