//! What a tournament showed: standings, comparisons, a page.

mod page;
mod report;
mod sequential;

pub use page::html;
pub use report::{Grid, PlayerLine, Report, ReportJson};
pub use sequential::{SequentialTest, parse as parse_sequential_test};

use crate::notes;
use ludens_engine::Game;
use ludens_play::tournament::seatings;
use ludens_play::{Player, seats};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Everything that the results of a tournament depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The version of Ludens.
    pub version: String,
    /// The games.
    pub games: Vec<GameDescription>,
    /// The players, with names that differ.
    pub players: Vec<String>,
    /// Seconds before the first move.
    pub start_clock: Option<f64>,
    /// Seconds for each move.
    pub play_clock: Option<f64>,
    /// How many seconds an answer may be late.
    pub margin: Option<f64>,
    /// Iterations for each move, if there are no clocks.
    pub iterations: Option<u64>,
    /// Where all chance comes from.
    pub seed: u64,
    /// The greatest number of steps of a match.
    pub most_steps: usize,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameDescription {
    /// What it is called.
    pub name: String,
    /// The roles that players have, without chance.
    pub roles: Vec<String>,
    /// A hash of the rules.
    pub rules: String,
    /// What must be known about results in this game, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl GameDescription {
    /// Describes a game.
    pub fn new(game: &Game) -> GameDescription {
        let roles = seats(game).into_iter();
        GameDescription {
            name: game.name().to_string(),
            roles: roles.map(|role| game.role_name(role).to_string()).collect(),
            rules: hash(game.description().source.text()),
            note: notes::hidden_information(game),
        }
    }
}

impl Description {
    /// For each game, how many matches a round has.
    pub fn round_sizes(&self) -> Vec<usize> {
        let size = |game: &GameDescription| seatings(self.players.len(), game.roles.len()).map_or(0, |all| all.len());
        self.games.iter().map(size).collect()
    }
}

/// The first half of a SHA-256, which is more than enough to tell texts apart.
pub fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The players of a tournament. One that is named again gets a number, so that results can be told apart.
pub fn numbered(players: Vec<Player>) -> Vec<Player> {
    let mut names: Vec<String> = Vec::new();
    let player = |player: Player| {
        let name = player.name().to_string();
        let before = names.iter().filter(|known| **known == name).count();
        names.push(name.clone());
        match before {
            0 => player,
            _ => player.named(format!("{name}#{}", before + 1)),
        }
    };
    players.into_iter().map(player).collect()
}
