//! What to do within a budget.
//!
//! A [`Searcher`] plays one role of one game. It is given a state and a [`Budget`](ludens_budget::Budget), which says how long it may go on,
//! and gives a [`Decision`]: the move to make, and what it found out about all of its moves. It knows nothing of matches,
//! clocks and opponents by name; that is for the crate above.
//!
//! ```
//! use ludens_budget::Budget;
//! use ludens_engine::{Game, Role};
//! use ludens_search::{Searcher, baselines::Flat};
//!
//! let rules = ludens_library::find("tic-tac-toe").unwrap();
//! let game = Game::read(rules.source()).unwrap();
//! let mut flat = Flat::new(&game, Role(0), 7);
//! let decision = flat.decide(game.initial(), &Budget::iterations(5000));
//! assert_eq!(game.move_text(Role(0), decision.choice), "(mark 2 2)");
//! assert_eq!(decision.playouts, 5000);
//! ```

pub mod alphabeta;
mod bandit;
pub mod baselines;
mod decision;
pub mod mcts;
mod outlook;
mod pace;
mod searcher;

pub use bandit::{Arm, Bandit};
pub use decision::{Decision, MoveStatistics};
pub use outlook::Outlook;
pub use searcher::Searcher;
