//! Tournaments: who meets whom in which game, played and counted.
//!
//! A [`Plan`] says which matches there are. A round has every [seating](seatings()) of the players once in every game,
//! and each match has a number from which its seed follows, so that it does not matter in which order matches are
//! played, how many at a time, or whether there was a break in between. [`run`] plays matches of a plan and hands their
//! records over one by one; keeping them is left to the caller. [`Standings`] counts results.
//!
//! ```
//! use ludens_budget::Budget;
//! use ludens_engine::Game;
//! use ludens_play::tournament::{MatchResult, Plan, Standings, run};
//! use ludens_play::{AgentSpec, Pace, Player};
//! use std::ops::ControlFlow;
//!
//! let game = Game::read(ludens_library::find("tic-tac-toe").unwrap().source()).unwrap();
//! let players = ["flat", "random"].map(|text| Player::from(AgentSpec::parse(text).unwrap()));
//! let plan = Plan::new(vec![game], players.to_vec(), 10, Pace::Iterations(100)).unwrap().with_seed(1);
//! let mut results = Vec::new();
//! run(&plan, &plan.numbers(), 2, &Budget::default(), &mut |fixture, record| {
//!     results.push(MatchResult::new(&plan, &fixture, &record));
//!     ControlFlow::Continue(())
//! });
//! let standings = Standings::new(&plan.round_sizes(), 2, &results);
//! assert!(standings.overall.entries[0].mean_goal > standings.overall.entries[1].mean_goal);
//! ```

mod plan;
mod run;
mod seating;
mod standings;

pub use plan::{Fixture, Plan, PlanError};
pub use run::run;
pub use seating::{MOST_SEATINGS, seatings};
pub use standings::{Duel, Entry, MatchResult, Section, Standings};
