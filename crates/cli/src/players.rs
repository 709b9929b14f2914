//! Players from the `--players` argument: agents of this program, or addresses of players of the GGP protocol.

use crate::output::Failure;
use anyhow::{Context, anyhow};
use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_play::{AgentSpec, Pace, Player, PlayerSpec, RemoteAddress};
use ludens_protocol::remote::{self, RemoteOptions};
use std::io::Write;
use std::time::Duration;

/// Parses player specs and reads the files that settings of agents name.
pub(crate) fn parse(text: &str) -> Result<Vec<PlayerSpec>, Failure> {
    let specs = PlayerSpec::parse_list(text).map_err(|error| anyhow!("{error}"))?;
    for agent in specs.iter().filter_map(PlayerSpec::agent) {
        read_files(agent)?;
    }
    Ok(specs)
}

/// Reads the files that the settings of an agent name.
pub(crate) fn read_files(agent: &AgentSpec) -> Result<(), Failure> {
    agent.read_files(|path| std::fs::read(path).with_context(|| format!("cannot read {path}")))?;
    Ok(())
}

/// Checks that an agent can play a game with its settings, in an open match or not. Warns if the agent is not meant for
/// the game.
pub(crate) fn check(spec: &PlayerSpec, game: &Game, is_open: bool) -> Result<(), Failure> {
    let Some(agent) = spec.agent() else {
        return Ok(());
    };
    if let Some(why) = agent.refusal(game).filter(|_| !is_open) {
        return Err(anyhow!(why).into());
    }
    agent.check(game).map_err(anyhow::Error::msg)?;
    if let Err(why) = agent.accepts(game) {
        // Ignores a closed pipe.
        let _ = writeln!(std::io::stderr(), "warning: {agent}: {} {why}", game.name());
    }
    Ok(())
}

/// Options for players at addresses, if there are any. The protocol has clocks in whole seconds.
pub(crate) fn remote_options(specs: &[PlayerSpec], pace: Pace) -> Result<Option<RemoteOptions>, Failure> {
    if !specs.iter().any(PlayerSpec::is_remote) {
        return Ok(None);
    }
    let whole = |clock: Duration| (clock.subsec_nanos() == 0).then_some(clock.as_secs());
    let options = match pace {
        Pace::Iterations(_) => None,
        Pace::Clocks { start, play } => whole(start)
            .zip(whole(play).filter(|&play| play > 0))
            .map(|(start, play)| RemoteOptions::new(start, play)),
    };
    match options {
        Some(options) => Ok(Some(options)),
        None => Err(anyhow!(
            "players at an address need clocks in whole seconds: give --start-clock and --play-clock such values"
        )
        .into()),
    }
}

/// Addresses of players, without repetitions.
pub(crate) fn addresses(specs: &[PlayerSpec]) -> Vec<RemoteAddress> {
    let mut found: Vec<RemoteAddress> = Vec::new();
    for spec in specs {
        if let PlayerSpec::Remote(address) = spec
            && !found.contains(address)
        {
            found.push(address.clone());
        }
    }
    found
}

/// Asks the players at these addresses for their names, all at the same time. A player that does not answer is an
/// error, because its moves would otherwise be random.
pub(crate) fn introduced(
    players: Vec<Player>,
    addresses: &[RemoteAddress],
    budget: &Budget,
) -> Result<Vec<Player>, Failure> {
    let budget = budget.within(remote::PRESENCE);
    let answers: Vec<_> = std::thread::scope(|scope| {
        let ask = |address| {
            let budget = &budget;
            scope.spawn(move || remote::inquire(address, budget))
        };
        let asked: Vec<_> = addresses.iter().map(ask).collect();
        asked.into_iter().map(|thread| thread.join()).collect()
    });
    let mut absent = Vec::new();
    let mut names = Vec::new();
    for (address, answer) in addresses.iter().zip(answers) {
        match answer {
            Ok(Ok(information)) => {
                if information.status.as_deref() == Some("busy") {
                    // Ignores a closed pipe.
                    let _ = writeln!(
                        std::io::stderr(),
                        "warning: {address} says that it is busy and may refuse to play"
                    );
                }
                names.push((address.to_string(), remote::full_name(address, &information)));
            }
            Ok(Err(trouble)) => absent.push(format!("no player answers at {address} ({trouble})")),
            Err(_) => absent.push(format!("{address} could not be asked")),
        }
    }
    if !absent.is_empty() {
        return Err(anyhow!(
            "{}; start the player there (`ludens player --port PORT` starts one of ours), or correct --players",
            absent.join("; ")
        )
        .into());
    }
    let name = |player: Player| {
        let own = names.iter().find(|(address, _)| address == player.name());
        match own.map(|(_, name)| name.clone()) {
            Some(name) => player.named(name),
            None => player,
        }
    };
    Ok(players.into_iter().map(name).collect())
}

/// Creates a player from a spec.
pub(crate) fn player(spec: PlayerSpec, options: Option<RemoteOptions>) -> Result<Player, Failure> {
    match (spec, options) {
        (PlayerSpec::Agent(spec), _) => Ok(spec.into()),
        (PlayerSpec::Remote(address), Some(options)) => Ok(remote::player(address, options)),
        (PlayerSpec::Remote(address), None) => Err(anyhow!("{address} needs clocks").into()),
    }
}

/// Creates one player for each role except chance, for which no player or `random` may be named.
pub(crate) fn seated(
    game: &Game,
    mut specs: Vec<PlayerSpec>,
    options: Option<RemoteOptions>,
    is_open: bool,
) -> Result<Vec<Player>, Failure> {
    let chairs = ludens_play::seats(game);
    if specs.len() == game.roles().len() {
        let is_chance = |spec: &PlayerSpec| spec.agent().is_some_and(|agent| agent.kind().name == "random");
        let is_kept: Vec<bool> = game
            .roles()
            .zip(&specs)
            .map(|(role, spec)| !game.is_random(role) || !is_chance(spec))
            .collect();
        let mut kept = is_kept.iter();
        specs.retain(|_| *kept.next().unwrap_or(&true));
    }
    if specs.len() != chairs.len() {
        let names: Vec<&str> = chairs.iter().map(|&role| game.role_name(role)).collect();
        let (count, given) = (chairs.len(), specs.len());
        let ending = if count == 1 { "" } else { "s" };
        return Err(anyhow!(
            "{} needs {count} player{ending} ({}); {given} given",
            game.name(),
            names.join(", ")
        )
        .into());
    }
    for spec in &specs {
        check(spec, game, is_open)?;
    }
    specs.into_iter().map(|spec| player(spec, options)).collect()
}
