//! `ludens manager`: runs matches over the GGP protocol.

use crate::output::{Answer, Failure, Outcome, counted, print, print_json};
use crate::{interrupt, load, players, progress};
use anyhow::{Context, anyhow};
use ludens_budget::Budget;
use ludens_engine::{Game, Rng};
use ludens_play::{EndReason, MOST_STEPS, MatchRecord, Pace, Player, Setup, ggp};
use ludens_protocol::manager::{Played, Publication, play_match, play_matches};
use ludens_protocol::remote::{Dialect, RemoteOptions, SLACK};
use ludens_protocol::spectate::{LatestMatches, SpectatorServer};
use serde::Serialize;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run matches with players at addresses, over the GGP protocol
#[derive(clap::Args)]
#[command(
    after_help = "Players are addresses such as `http://localhost:9147` or `localhost:9147`, or agents of this program \
    (`ludens agents` lists them). Name one for each role, in the order of the roles; the role `random` is chance and \
    needs none.\n\
    Players at addresses must answer an INFO message before the first match.\n\
    A late, illegal or missing answer is a fault of the player, and a random legal move is made instead.\n\
    Ctrl-C aborts the matches, notifies the players and keeps the moves made. Exit status: 0 all matches ended normally, \
    1 a player failed or a match did not end normally, 2 a player does not answer."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Agents or addresses of players, one for each role
    #[arg(long, value_name = "URL|SPEC,...")]
    players: String,
    /// Seconds before the first move
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = crate::arguments::seconds)]
    start_clock: f64,
    /// Seconds per move
    #[arg(long, value_name = "S", default_value_t = 15.0, value_parser = crate::arguments::seconds)]
    play_clock: f64,
    /// Tolerance for late answers, in seconds
    #[arg(long, value_name = "S", default_value_t = SLACK.as_secs_f64(), value_parser = crate::arguments::seconds)]
    slack: f64,
    /// Rename all constants of the rules that players get
    #[arg(long)]
    scramble: bool,
    /// What players are told in games with hidden information (default: turns, or moves with --open)
    #[arg(long, value_name = "WHAT", value_enum)]
    tell: Option<Tell>,
    /// Let all players see the whole state, also where the rules hide information
    #[arg(long)]
    open: bool,
    /// Number of matches
    #[arg(long, value_name = "N", default_value_t = 1)]
    matches: usize,
    /// Number of simultaneous matches (default: all)
    #[arg(long, value_name = "N")]
    at_once: Option<usize>,
    /// Seed of all random choices (default: random); each further match has the next seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Maximum number of steps of a match
    #[arg(long, value_name = "N", default_value_t = MOST_STEPS)]
    most_steps: usize,
    /// Write the record of each match to a file in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// With --save, also write the matches in the format of ggp.org
    #[arg(long, requires = "save")]
    ggp: bool,
    /// URL of the rules, for the format of ggp.org; ends in a version such as /v0/
    #[arg(long, value_name = "URL")]
    ggp_url: Option<String>,
    /// Port on which spectators can watch the matches; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    spectate: Option<u16>,
    /// Address on which spectators can connect
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", requires = "spectate")]
    spectate_bind: IpAddr,
    /// Seconds for which spectators can still see a finished match
    #[arg(long, value_name = "S", default_value_t = 0.0, value_parser = crate::arguments::seconds, requires = "spectate")]
    linger: f64,
    /// Print the record of the match as JSON; several matches as a list
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

/// Messages to players in games with hidden information.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Tell {
    /// All moves, as in other games; needs --open
    Moves,
    /// Percepts
    Percepts,
    /// Number of the turn, own move and percepts
    Turns,
}

impl From<Tell> for Dialect {
    fn from(tell: Tell) -> Dialect {
        match tell {
            Tell::Moves => Dialect::Moves,
            Tell::Percepts => Dialect::Percepts,
            Tell::Turns => Dialect::Turns,
        }
    }
}

/// A record with the fields that the protocol adds.
#[derive(Serialize)]
struct Managed<'a> {
    id: &'a str,
    #[serde(flatten)]
    record: &'a MatchRecord,
    /// Number of faults of each player, in the order of the roles.
    faults: Vec<usize>,
    scrambled: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let specs = players::parse(&arguments.players)?;
    if arguments.matches == 0 || arguments.at_once == Some(0) {
        return Err(anyhow!("--matches and --at-once must be at least 1").into());
    }
    let pace = Pace::Clocks {
        start: Duration::from_secs_f64(arguments.start_clock),
        play: Duration::from_secs_f64(arguments.play_clock),
    };
    let remote = players::remote_options(&specs, pace)?.map(|clocks| RemoteOptions {
        slack: Duration::from_secs_f64(arguments.slack),
        scramble: arguments.scramble,
        dialect: match (arguments.tell, arguments.open) {
            (Some(tell), _) => tell.into(),
            (None, true) => Dialect::Moves,
            (None, false) => Dialect::Turns,
        },
        ..clocks
    });
    let budget = interrupt::budget();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    if matches!(arguments.tell, Some(Tell::Moves)) && game.hides_information() && !arguments.open {
        return Err(anyhow!(
            "{} hides information: `--tell moves` would show every player all moves; give --open to allow it",
            game.name()
        )
        .into());
    }
    let addresses = players::addresses(&specs);
    let players = players::seated(&game, specs, remote, arguments.open)?;
    let players = players::introduced(players, &addresses, &budget)?;
    if let Some(folder) = &arguments.save {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    super::single_match::silence_agents();
    let setups = setups(&arguments, pace, &game, &players, &budget);
    let mut publication = Publication {
        hub: None,
        game_url: arguments
            .ggp_url
            .clone()
            .unwrap_or_else(|| ggp::default_url(game.name())),
        is_scrambled: arguments.scramble,
    };
    let spectators = spectators(&arguments, &mut publication)?;
    let mut played = match setups.as_slice() {
        [setup] => vec![single(setup, &publication, arguments.json)?],
        _ => several(&arguments, &setups, &publication),
    };
    played.sort_by_key(|played| played.number);
    if let Some(folder) = &arguments.save {
        for one in &played {
            save(folder, one, arguments.ggp, arguments.scramble)?;
        }
    }
    report(&arguments, &played)?;
    if spectators.is_some() {
        let until = budget.within(Duration::from_secs_f64(arguments.linger));
        while !until.is_spent() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let is_clean = played.len() == setups.len() && played.iter().all(|played| played.record.is_clean());
    Ok(if is_clean { Answer::Yes } else { Answer::No })
}

fn setups(arguments: &Arguments, pace: Pace, game: &Game, players: &[Player], budget: &Budget) -> Vec<Setup> {
    let first = arguments.seed.unwrap_or_else(|| Rng::new().u32(..).into());
    let setup = |number: usize| {
        Setup {
            at_once: true,
            most_steps: arguments.most_steps,
            is_open: arguments.open,
            ..Setup::new(game.clone(), players.to_vec(), pace)
        }
        .with_seed(first.wrapping_add(number as u64))
        .with_budget(budget.clone())
    };
    (0..arguments.matches).map(setup).collect()
}

fn spectators(arguments: &Arguments, publication: &mut Publication) -> Result<Option<SpectatorServer>, Failure> {
    let Some(port) = arguments.spectate else {
        return Ok(None);
    };
    let hub = LatestMatches::default();
    publication.hub = Some(hub.clone());
    let server = SpectatorServer::start((arguments.spectate_bind, port), hub)
        .with_context(|| format!("cannot listen at {}:{port}", arguments.spectate_bind))?;
    tell!("spectators: http://{}/matches", server.address());
    Ok(Some(server))
}

/// Plays one match and prints it.
fn single(setup: &Setup, publication: &Publication, is_json: bool) -> Result<Played, Failure> {
    let mut printer = super::single_match::Printer::new(setup, is_json);
    let played = play_match(setup, publication, &mut printer);
    printer.finish().map(|()| played)
}

/// Plays several matches and shows their progress.
fn several(arguments: &Arguments, setups: &[Setup], publication: &Publication) -> Vec<Played> {
    let bar = progress::bar(setups.len() as u64);
    let mut played = Vec::new();
    let at_once = arguments.at_once.unwrap_or(setups.len());
    play_matches(setups, at_once, publication, &|_, _| (), &mut |one| {
        bar.inc(1);
        played.push(one);
    });
    bar.finish_and_clear();
    played
}

fn managed(played: &Played, scrambled: bool) -> Managed<'_> {
    Managed {
        id: &played.exchange.match_id,
        record: &played.record,
        faults: played.record.faults(),
        scrambled,
    }
}

fn save(folder: &Path, played: &Played, ggp: bool, scrambled: bool) -> Result<(), Failure> {
    let write = |ending: &str, text: Result<String, serde_json::Error>| {
        let path = folder.join(format!("{}.{ending}", played.exchange.match_id));
        let text = text.map_err(anyhow::Error::from)? + "\n";
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    write("json", serde_json::to_string_pretty(&managed(played, scrambled)))?;
    if ggp {
        write("ggp.json", serde_json::to_string_pretty(&played.exchange))?;
    }
    Ok(())
}

fn report(arguments: &Arguments, played: &[Played]) -> Result<(), Failure> {
    let scrambled = arguments.scramble;
    match (arguments.json, played, arguments.matches) {
        (true, [one], 1) => print_json(&managed(one, scrambled)),
        (true, ..) => {
            let matches: Vec<Managed<'_>> = played.iter().map(|one| managed(one, scrambled)).collect();
            print_json(&serde_json::json!({ "matches": matches }))
        }
        (false, [one], 1) => print(&super::single_match::result(&one.record)),
        (false, ..) => print(&played.iter().map(line).collect::<String>()),
    }
}

/// Summary of a match in one line.
fn line(played: &Played) -> String {
    let record = &played.record;
    let outcome = match (&record.goals, record.end.reason) {
        (Some(goals), _) => {
            let goals: Vec<String> = goals.iter().map(u8::to_string).collect();
            goals.join(" ")
        }
        (None, EndReason::Interrupted) => "interrupted".to_string(),
        (None, _) => "no result".to_string(),
    };
    let faults = match record.errors.len() {
        0 => String::new(),
        count => format!(", {}", counted(count, "fault")),
    };
    let id = &played.exchange.match_id;
    let steps = counted(record.moves.len(), "step");
    format!("{id}: {outcome} after {steps} in {:.1} s{faults}\n", record.seconds)
}
