//! Why the states of a game cannot be enumerated. Limits of a budget are no errors: they leave a partial graph.

use ludens_analysis::GameFacts;
use ludens_engine::Game;

/// Why a state graph cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReachError {
    /// The engine hit a limit while running the rules.
    #[error("{game} cannot be run: {cause}")]
    Fault {
        /// Name of the game.
        game: String,
        /// The limit.
        cause: String,
    },
    /// A state has more joint moves than are expanded.
    #[error("a state has more than {most} joint moves")]
    TooWide {
        /// Maximum number of joint moves.
        most: u64,
    },
    /// The operating system started no threads.
    #[error("no threads can be started: {0}")]
    Threads(String),
}

/// Returns why solvers refuse a game, if they do: their graphs have neither chance nor hidden information.
pub fn refusal(game: &Game) -> Option<&'static str> {
    let facts = GameFacts::known(game);
    if facts.chance.is_yes() {
        Some("it has a chance role, and only games without chance are supported")
    } else if facts.hidden_information.is_yes() {
        Some("it hides information from roles, and only games with perfect information are supported")
    } else {
        None
    }
}
