//! The table of all agents.
//!
//! A new agent is a file in `agents/` with its settings, how it is created and what it asks of a game, and its line in
//! [`AGENTS`].

use crate::agent::{Agent, Place, searching};
use crate::settings::{Configurable, Entry, Listed};
pub(crate) use determinized::determinized;
use ludens_engine::Game;
use ludens_gdl::diagnostic::closest;
use std::fmt::Debug;

mod against;
mod alphabeta;
mod best;
mod cadia;
mod cfr;
mod clune;
mod depth_first;
mod determinized;
mod flat;
mod flux;
mod graph;
mod greedy;
mod guct;
mod halving;
mod information_set;
mod knowing;
mod legal;
mod mixed;
mod mobility;
mod nexplayer;
mod nmcs;
mod nrpa;
mod perfect;
mod planned;
mod random;
mod rnr;
mod solution;
mod support;
mod table;
mod tree_search;
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
    &cadia::AGENT,
    &nmcs::AGENT,
    &nrpa::AGENT,
    &perfect::AGENT,
    &cfr::AGENT,
    &table::AGENT,
    &rnr::AGENT,
    &mixed::AGENT,
    &determinized::AGENT,
    &information_set::AGENT,
    &best::AGENT,
];

/// A line of the table of agents.
pub type AgentKind = Entry<dyn AgentSettings>;

impl Listed for dyn AgentSettings {
    fn table() -> &'static [&'static AgentKind] {
        AGENTS
    }
}

/// The settings of an agent: how it is created, and which games it is for.
pub trait AgentSettings: Configurable + Debug + Send + Sync {
    /// Creates an agent for one role of one match.
    fn create(&self, place: &Place) -> Box<dyn Agent>;

    /// What the agent has to see.
    fn sight(&self) -> Sight {
        Sight::Whole
    }

    /// Returns whether the agent answers at once, whatever time it has. Matches between such agents can be played side
    /// by side under a clock.
    fn is_light(&self) -> bool {
        false
    }

    /// Checks that the files that settings name fit a game; an error says what is wrong.
    fn check(&self, _game: &Game) -> Result<(), String> {
        Ok(())
    }

    /// Checks that the method is meant for games of this kind. An error says what the agent does instead: it plays, but
    /// not as its name promises.
    fn accepts(&self, _game: &Game) -> Result<(), String> {
        Ok(())
    }
}

/// What an agent has to see of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Whole states. Where information is hidden, it is asked in sampled worlds.
    Whole,
    /// What its role observes is enough.
    Percepts,
    /// Whole states, and sampled ones will not do; the sentence says why.
    Refuses(&'static str),
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
