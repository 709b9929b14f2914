//! Games that can be played: states, moves, the game interface, and the reference interpreter.
//!
//! ```
//! use ludens_engine::{Game, Rng, playout};
//! use ludens_gdl::Source;
//!
//! let rules = "(role you) (init (step 1)) (succ 1 2) (succ 2 3)
//!     (<= (legal you go) (true (step 1))) (<= (legal you go) (true (step 2)))
//!     (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
//!     (<= terminal (true (step 3))) (<= (goal you 100) (true (step 3)))";
//! let game = Game::read(Source::new("walk", rules)).unwrap();
//! let mut machine = game.machine();
//! let end = playout::play_out(&mut *machine, &mut Rng::with_seed(1), 100);
//! assert_eq!((end.steps, end.scores.as_slice()), (2, &[100][..]));
//! ```

pub mod compiled;
mod cost;
mod effects;
mod fingerprint;
mod game;
mod goals;
pub mod interpret;
mod joint;
pub mod knowledge;
mod lanes;
mod machine;
mod observation;
pub mod perft;
pub mod playout;
mod random;
pub mod sample;
mod state;
mod vocabulary;

pub use compiled::Stepping;
pub use cost::StepCost;
pub use fastrand::Rng;
pub use fingerprint::fingerprint;
pub use game::{EngineChoice, Game, GameError, Options};
pub use goals::SeveralGoals;
pub use joint::{JointMoves, Questions};
pub use lanes::{LANES, Lanes};
pub use ludens_datalog::Limits;
pub use machine::{Circuit, Engine, Machine, PlayoutOptions, PlayoutSource, Playouts, Successor, Successors};
pub use observation::{HistoryHash, Observation, Percepts};
pub use random::{Weight, random_argmax, weighted_index};
pub use state::{Fluent, MoveId, PerceptId, Role, RoleMap, State};
pub use vocabulary::{Named, Vocabulary};
