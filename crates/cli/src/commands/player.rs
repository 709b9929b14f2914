//! `ludens player`: an agent as a player of the GGP protocol.

use crate::output::{Answer, Outcome};
use crate::{interrupt, load, players};
use anyhow::{Context, anyhow};
use ludens_play::{AgentSpec, PLAYER_PORT};
use ludens_protocol::http;
use ludens_protocol::player::{IDLE, MOST_MATCHES, PlayerOptions, PlayerServer};
use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Run an agent as a player for GGP managers
#[derive(clap::Args)]
#[command(
    after_help = "The player answers INFO, PREVIEW, START, PLAY, STOP and ABORT over HTTP, and `busy` to messages out of \
    order. Events are logged to standard error, one per line.\n\
    Ctrl-C ends all matches and the player. Exit status: 0 after Ctrl-C, 2 if it cannot listen."
)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "P", default_value_t = PLAYER_PORT)]
    port: u16,
    /// Agent that chooses the moves; `ludens agents` lists them
    #[arg(long, value_name = "SPEC", default_value = "best")]
    agent: String,
    /// Address to listen on; 0.0.0.0 admits other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Name of the player
    #[arg(long, value_name = "WORD", default_value = "ludens", value_parser = word)]
    name: String,
    /// Maximum number of simultaneous matches; further ones are answered `busy`
    #[arg(long, value_name = "N", default_value_t = MOST_MATCHES)]
    most_matches: usize,
    /// Seconds before the end of a clock at which the player answers (default: a fifth of the clock, at most 1)
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    margin: Option<f64>,
    /// Seconds without a message after which a match is given up
    #[arg(long, value_name = "S", default_value_t = IDLE.as_secs_f64(), value_parser = crate::arguments::seconds)]
    idle: f64,
    /// Maximum size of a message, as in `500K` or `4M`
    #[arg(long, value_name = "SIZE", default_value = "4M", value_parser = crate::arguments::memory_size)]
    most_bytes: usize,
    /// Maximum number of simultaneous connections
    #[arg(long, value_name = "N", default_value_t = http::Limits::default().connections)]
    most_connections: usize,
    /// Seed of all random choices (default: random)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write nothing to standard error
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Parses a name that is safe in messages.
fn word(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_string()),
        false => Err("use letters, digits, `.`, `_` and `-`".to_string()),
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let agent = AgentSpec::parse(&arguments.agent).map_err(|error| anyhow!("{error}"))?;
    players::read_files(&agent)?;
    if arguments.most_matches == 0 {
        return Err(anyhow!("--most-matches must be at least 1").into());
    }
    let budget = interrupt::budget();
    super::single_match::silence_agents();
    let is_quiet = arguments.quiet;
    let options = PlayerOptions {
        name: arguments.name,
        most_matches: arguments.most_matches,
        margin: arguments.margin.map(Duration::from_secs_f64),
        idle: Duration::from_secs_f64(arguments.idle),
        engine: arguments.limits.options(Default::default()),
        limits: http::Limits {
            body: arguments.most_bytes,
            connections: arguments.most_connections,
            ..http::Limits::default()
        },
        seed: arguments.seed.unwrap_or_else(|| ludens_engine::Rng::new().u64(..)),
        log: Arc::new(move |text| {
            if !is_quiet {
                // Ignores a closed pipe.
                let _ = writeln!(std::io::stderr(), "{text}");
            }
        }),
        ..PlayerOptions::new(agent.clone().into())
    };
    let place = (arguments.bind, arguments.port);
    let server = PlayerServer::start(place, options)
        .with_context(|| format!("cannot listen at {}:{}", arguments.bind, arguments.port))?;
    // Printed even with --quiet: with port 0 there is no other way to know the port.
    tell!("{agent} plays at http://{}", server.address());
    while !budget.is_cancelled() {
        std::thread::sleep(Duration::from_millis(50));
    }
    server.stop();
    Ok(Answer::Yes)
}
