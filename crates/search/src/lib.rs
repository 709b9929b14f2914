//! Choosing a move within a budget: Monte Carlo tree search, alpha-beta, information-set search, and simple
//! baselines.
//!
//! A [`Searcher`] plays one role of one game. It is given a state and a [`Budget`](ludens_budget::Budget) and returns a
//! [`Decision`]: the move to make and statistics of all its moves. It knows nothing of matches, clocks and opponents;
//! the crate `play` does.
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
pub mod baselines;
mod batch_size;
mod decision;
mod flat;
pub mod information_set;
mod lookahead;
pub mod mcts;
mod searcher;

pub use decision::{Decision, MoveStatistics};
pub use flat::{Arm, FlatPlayouts};
pub use lookahead::Lookahead;
pub use searcher::Searcher;
