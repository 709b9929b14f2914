//! What a role may believe in a game with hidden information (GDL-II).
//!
//! A role knows its own moves and its percepts. A [`Belief`] is the set of worlds that agree with them, each with its
//! probability: exact as long as the steps to look at are few enough, weighted particles after that. Worlds are weighed
//! by the probability of the chance moves and of the others' moves by a [`Model`], so two worlds that look the same to
//! the role need not be equally likely.
//!
//! ```
//! use ludens_belief::{Belief, Settings};
//! use ludens_budget::Budget;
//! use ludens_engine::{Game, Observation, Role};
//!
//! let rules = ludens_library::find("monty-hall").unwrap();
//! let game = Game::read(rules.source()).unwrap();
//! let candidate = game.find_role("candidate").unwrap();
//! let mut belief = Belief::new(&game, candidate, Settings::default());
//! for (own, percepts) in [("noop", vec![]), ("(choose 1)", vec![]), ("noop", vec!["(opened 3)".to_string()])] {
//!     let own = game.parse_move(candidate, own);
//!     let percepts = game.parse_percepts(candidate, &percepts).unwrap();
//!     belief.observe(&Observation { own, percepts }, false, &Budget::default());
//! }
//! // The host had a choice of doors if the car is behind the chosen one, so that world is half as likely.
//! let car = game.parse_fluent("(car 2)").unwrap();
//! assert!((belief.probability(car) - 2.0 / 3.0).abs() < 1e-12);
//! ```

mod belief;
mod exact;
mod model;
mod particles;
mod regenerate;
mod steps;
mod summary;
mod world;

pub use belief::{Belief, Kind, Settings};
pub use model::{Model, Strategies, Uniform};
pub use summary::Summary;
pub use world::World;
