//! `ludens serve`: the web page and its API in one process.

use crate::arguments::memory_size;
use crate::output::{Answer, Failure, Outcome, print};
use anyhow::{Context, anyhow};
use ludens_web::{App, Config, Limits};
use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::TcpListener;

/// Serve the web page for playing, watching, analysing and tournaments
#[derive(clap::Args)]
#[command(
    after_help = "The address is printed when the server is ready. Ctrl-C stops it; running matches are stored as they \
    stand.\n\
    By default only this machine can reach the server. Everyone who can reach it can use it: set a token (LUDENS_TOKEN) \
    before you admit others with --host."
)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "P", default_value_t = 8080)]
    port: u16,
    /// Address to listen on; 0.0.0.0 admits other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Host name that the server answers to, besides localhost and IP addresses (may be repeated)
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Folder of the store (default: a folder of the user)
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Keep everything in memory and discard it at the end
    #[arg(long, conflicts_with = "data")]
    no_data: bool,
    /// Token that clients need for changes
    #[arg(long, value_name = "TOKEN", env = "LUDENS_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Maximum number of running matches
    #[arg(long, value_name = "N", default_value_t = Limits::default().running_matches)]
    most_matches: usize,
    /// Time limit for compiling the rules of a game, in seconds; rules that exceed it are interpreted
    #[arg(long, value_name = "S", default_value_t = 20.0, value_parser = crate::arguments::seconds)]
    setup_seconds: f64,
    /// Memory limit for setting up a game, as in `500M` or `1G`
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory_size)]
    setup_memory: usize,
    /// Maximum size of the rules of a game
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = memory_size)]
    rules_size: usize,
    /// Sustained number of requests per second and client
    #[arg(long, value_name = "N", default_value_t = Limits::default().requests_per_second)]
    rate: f64,
    /// Write the log as JSON lines
    #[arg(long)]
    log_json: bool,
    /// Log level
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: tracing_level::Level,
}

/// Log levels on the command line.
mod tracing_level {
    /// Log level.
    #[derive(Clone, Copy, Debug, clap::ValueEnum)]
    pub(crate) enum Level {
        Error,
        Warn,
        Info,
        Debug,
        Trace,
    }

    impl Level {
        pub(crate) fn name(self) -> &'static str {
            match self {
                Level::Error => "error",
                Level::Warn => "warn",
                Level::Info => "info",
                Level::Debug => "debug",
                Level::Trace => "trace",
            }
        }
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    ludens_web::start_log(arguments.log.name(), arguments.log_json, colour);
    super::single_match::silence_agents();
    let config = config(arguments)?;
    let data = config.data.clone();
    if !config.host.is_loopback() && config.token.is_none() {
        tell!(
            "warning: everyone who can reach this machine can use the server; set LUDENS_TOKEN to require a token for changes"
        );
    }
    let address = SocketAddr::new(config.host, config.port);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the server")?;
    let result = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            anyhow!(
                "cannot listen on {address}: {error}; choose another port with --port, or any free one with --port 0"
            )
        })?;
        let app = App::open(config).map_err(anyhow::Error::from)?;
        let address = listener.local_addr().context("cannot listen")?;
        // Clients may connect, and users press Ctrl-C, as soon as the address is printed.
        let end = interrupted();
        print(&format!("Ludens is at http://{}/\n", reachable(address)))?;
        let kept = match data {
            Some(data) => format!("Matches and games are stored in {}.", data.display()),
            None => "Matches and games are kept in memory and lost when the server ends.".to_string(),
        };
        tell!("{kept} Ctrl-C ends the server.");
        ludens_web::serve(app, listener, end)
            .await
            .context("the server failed")?;
        Ok::<(), Failure>(())
    });
    // Workers may still be setting up a game.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result.map(|()| Answer::Yes)
}

fn config(arguments: Arguments) -> Result<Config, Failure> {
    if arguments.token.as_ref().is_some_and(|token| token.trim().is_empty()) {
        return Err(anyhow!("the token is empty; leave it out if there is none").into());
    }
    if !(0.1..=1e6).contains(&arguments.rate) {
        return Err(anyhow!("--rate is from 0.1 to 1,000,000").into());
    }
    let mut limits = Limits {
        running_matches: arguments.most_matches,
        rules_bytes: arguments.rules_size,
        body_bytes: arguments.rules_size.saturating_mul(3) / 2,
        requests_per_second: arguments.rate,
        writes_per_second: arguments.rate / 10.0,
        ..Limits::default()
    };
    limits.setup.setup = Duration::from_secs_f64(arguments.setup_seconds);
    limits.setup.memory = arguments.setup_memory;
    Ok(Config {
        host: arguments.host,
        port: arguments.port,
        data: match arguments.no_data {
            true => None,
            false => Some(arguments.data.unwrap_or_else(ludens_artifact::data_directory)),
        },
        token: arguments.token,
        names: arguments.name,
        limits,
    })
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new([127, 0, 0, 1].into(), address.port()),
        IpAddr::V6(ip) if ip.is_unspecified() => {
            SocketAddr::new(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST), address.port())
        }
        _ => address,
    }
}

/// Sets the handler of Ctrl-C now, and returns a future that is ready at the first Ctrl-C; the second ends the program
/// at once.
fn interrupted() -> impl Future<Output = ()> {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let handler = move || {
        if sender.send(()).is_err() {
            std::process::exit(130);
        }
    };
    let is_set = ctrlc::set_handler(handler).is_ok();
    async move {
        if !is_set {
            // Ctrl-C ends the program at once.
            std::future::pending::<()>().await;
        }
        receiver.recv().await;
        tell!("Ending; Ctrl-C again ends at once.");
    }
}
