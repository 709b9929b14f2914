//! Planning for one role: searches for a line of moves with a high goal.
//!
//! A game with one role and without chance has no opponent to guess: a line that was found once can be played to its end.
//! So searches here keep the best [`Line`] they have seen and never trade it for a worse one. [`Nested`] is nested Monte
//! Carlo search, [`Adaptation`] nested rollout policy adaptation.
//!
//! ```
//! use ludens_budget::Budget;
//! use ludens_engine::Game;
//! use ludens_plan::{LineSearch, Nested};
//!
//! let rules = ludens_library::find("hanoi-3").unwrap();
//! let game = Game::read(rules.source()).unwrap();
//! let mut search = Nested::new(&game, 2, 1).unwrap();
//! let found = search.search(game.initial(), &Budget::iterations(20_000));
//! assert_eq!(found.line.score, 100);
//! ```

mod adaptation;
mod line;
mod nested;
mod walk;

pub use adaptation::{Adaptation, AdaptationSettings};
pub use line::{Found, Line, LineSearch};
pub use nested::Nested;
pub use walk::NotForOne;
