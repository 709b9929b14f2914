//! Tournament reports: standings, comparisons, and an HTML page.

mod page;
mod report;
mod sequential;

pub use page::html;
pub use report::{Grid, PlayerLine, Report, ReportJson};
pub use sequential::{SequentialTest, parse as parse_sequential_test};

use ludens_engine::Game;
use ludens_play::tournament::seatings;
use ludens_play::{Player, seats};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Everything that the results of a tournament depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// Version of Ludens.
    pub version: String,
    /// The games.
    pub games: Vec<GameDescription>,
    /// Names of the players, all different.
    pub players: Vec<String>,
    /// Seconds before the first move.
    pub start_clock: Option<f64>,
    /// Seconds per move.
    pub play_clock: Option<f64>,
    /// Tolerance for late answers, in seconds.
    pub margin: Option<f64>,
    /// Iterations per move, if there are no clocks.
    pub iterations: Option<u64>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Maximum number of steps of a match.
    pub most_steps: usize,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameDescription {
    /// Name.
    pub name: String,
    /// Roles of players, without chance.
    pub roles: Vec<String>,
    /// Hash of the rules.
    pub rules: String,
    /// Caveat about results in this game, if any.
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
            note: None,
        }
    }
}

impl Description {
    /// Number of matches in a round, by game.
    pub fn round_sizes(&self) -> Vec<usize> {
        let size = |game: &GameDescription| seatings(self.players.len(), game.roles.len()).map_or(0, |all| all.len());
        self.games.iter().map(size).collect()
    }
}

/// The first half of a SHA-256 hash.
pub fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Players of a tournament. Players with the same name get numbers.
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
