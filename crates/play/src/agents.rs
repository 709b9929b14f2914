//! The table of all agents.
//!
//! A new agent is a file in `agents/` that says what it is called, what can be set and how it is made, and its line in
//! [`AGENTS`].

use crate::agent::{Agent, Place, searching};
use crate::settings::{Kind, Setting, Values};
use ludens_engine::Game;
use ludens_gdl::diagnostic::closest;
use ludens_search::baselines;

mod against;
mod alphabeta;
mod best;
mod cfr;
mod clune;
mod flat;
mod flux;
mod greedy;
mod guct;
mod halving;
mod heuristic;
mod knowing;
mod legal;
mod mixed;
mod mobility;
mod nexplayer;
mod perfect;
mod random;
mod rnr;
mod table;
mod ucb;
mod uct;

/// All agents, in the order in which they are shown: from simple to strong.
pub const AGENTS: &[&AgentKind] = &[
    &random::AGENT,
    &legal::AGENT,
    &greedy::AGENT,
    &mobility::AGENT,
    &flat::AGENT,
    &ucb::AGENT,
    &halving::AGENT,
    &alphabeta::AGENT,
    &flux::AGENT,
    &nexplayer::AGENT,
    &clune::AGENT,
    &uct::AGENT,
    &guct::AGENT,
    &perfect::AGENT,
    &cfr::AGENT,
    &table::AGENT,
    &rnr::AGENT,
    &mixed::AGENT,
    &best::AGENT,
];

/// A kind of agent.
#[derive(Debug)]
pub struct AgentKind {
    /// What it is called in a spec.
    pub name: &'static str,
    /// One line that says how it plays.
    pub summary: &'static str,
    /// What can be set.
    pub settings: &'static [Setting],
    /// Makes one.
    pub create: fn(&Place, &Values) -> Box<dyn Agent>,
}

/// The agents that do not use the time they are given: matches between them can be played side by side under a clock.
const LIGHT: &[&str] = &["random", "legal", "greedy", "mobility", "table"];

impl AgentKind {
    /// Whether it answers at once, whatever time it has.
    pub fn is_light(&self) -> bool {
        LIGHT.contains(&self.name)
    }
}

/// Other names of agents, as the literature calls their methods. They are read and never printed.
pub const ALIASES: &[(&str, &str)] = &[("mcts", "uct"), ("minimax", "alphabeta")];

/// The agent of this name or alias.
pub fn find(name: &str) -> Option<&'static AgentKind> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, meant)| meant);
    AGENTS.iter().copied().find(|kind| kind.name == name)
}

/// The name or alias that was most likely meant by one that does not exist.
pub fn suggest(name: &str) -> Option<&'static str> {
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    closest(name, AGENTS.iter().map(|kind| kind.name).chain(aliases))
}

/// Whether settings fit a game; else what is wrong. Only what comes from files can be at odds with a game.
pub(crate) fn check(kind: &AgentKind, game: &Game, values: &Values) -> Result<(), String> {
    match kind.name {
        "perfect" => perfect::check(game, values),
        "rnr" | "mixed" => against::check(game, values),
        "table" => table::check(game, values),
        _ => Ok(()),
    }
}

/// The constant of UCB.
const EXPLORATION: Setting = Setting {
    name: "c",
    help: "how much moves that are little known are preferred, for goals from 0 to 100",
    kind: Kind::Real {
        min: 0.0,
        max: 1e6,
        default: baselines::Ucb::EXPLORATION,
    },
};

/// The greatest length of a random match.
const STEPS: Setting = Setting {
    name: "steps",
    help: "steps after which a random match is broken off",
    kind: Kind::Integer {
        min: 1,
        max: 1_000_000,
        default: baselines::MOST_STEPS as i64,
    },
};

/// How many joint moves of the others are looked at.
const SAMPLES: Setting = Setting {
    name: "samples",
    help: "joint moves of the others that are looked at for each own move, at most",
    kind: Kind::Integer {
        min: 1,
        max: 1_000_000,
        default: baselines::SAMPLES as i64,
    },
};
