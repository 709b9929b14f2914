//! The strongest agent, by our own tournaments (docs/studies.md).
//!
//! For now that is the tree search with the playout policy that won most. It is the same searcher as `uct`, so whatever
//! is found to be stronger goes into the settings below.

use super::uct::{NODES, THREADS, threads, usual_leaf};
use super::{AgentKind, searching};
use ludens_engine::Game;
use ludens_search::mcts::{Mcts, PlayoutPolicy, Settings};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "best",
    summary: "the strongest search by our own tournaments, chosen by the kind of game",
    settings: &[NODES, THREADS],
    create: |place, values| {
        let settings = Settings {
            most_nodes: values.count("nodes"),
            threads: threads(values),
            ..strongest(&place.game)
        };
        searching(Mcts::new(&place.game, place.role, settings, place.seed))
    },
};

/// The settings for a kind of game.
fn strongest(game: &Game) -> Settings {
    Settings {
        leaf: usual_leaf(game),
        playout: match game.roles().len() {
            // Alone, chance finds more plans than averages do.
            1 => PlayoutPolicy::Uniform,
            _ => PlayoutPolicy::Mast,
        },
        ..Settings::default()
    }
}
