//! What the order of bits is worth: nodes of the reachable states of some games, by the way the order is found. The table of
//! docs/solving-symbolic.md is made with this. Arguments are names of games of the library.

use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_solve::symbolic::ordering::Heuristic;
use ludens_solve::symbolic::solve_ordered;
use ludens_solve::{Method, Options};
use std::time::Duration;

/// Seconds for each game and order.
const PATIENCE: u64 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["connect-four-5x4", "clobber-4x5", "eight-puzzle"]
            .map(String::from)
            .into();
    }
    let options = Options {
        method: Method::Symbolic,
        reachable_only: true,
        ..Options::default()
    };
    for name in names {
        let entry = ludens_library::find(&name).ok_or_else(|| format!("there is no game {name}"))?;
        let game = Game::read(entry.source())?;
        for heuristic in [
            Heuristic::Ties,
            Heuristic::Terms,
            Heuristic::Texts,
            Heuristic::Scrambled,
        ] {
            let budget = Budget::default().within(Duration::from_secs(PATIENCE));
            let (report, _) = solve_ordered(&game, &options, heuristic, &budget)?;
            match report.nodes.filter(|_| report.complete) {
                Some(nodes) => println!("{name} {heuristic:?} {nodes}"),
                None => println!("{name} {heuristic:?} not done in {PATIENCE} s"),
            }
        }
    }
    Ok(())
}
