//! Agents, matches and tournaments.
//!
//! An [`Agent`] plays one role of one match, by what its [`View`] shows. The table [`AGENTS`](agents::AGENTS) lists all
//! kinds of them with their settings; an [`AgentSpec`] such as `ucb(c=20)` chooses one. [`Match`] is the only match loop:
//! it keeps the clocks, replaces moves that are late or illegal, and tells every [`Observer`] what happens as
//! [`MatchEvent`]s. [`play`] observes a match with a [`Recorder`] and returns its [`MatchRecord`]; a [`Replay`] leads from
//! the texts of a record back to states.
//!
//! ```
//! use ludens_engine::Game;
//! use ludens_play::{AgentSpec, Pace, Player, Setup, play};
//!
//! let rules = ludens_library::find("tic-tac-toe").unwrap();
//! let game = Game::read(rules.source()).unwrap();
//! let players = ["flat", "random"].map(|text| Player::from(AgentSpec::parse(text).unwrap()));
//! let setup = Setup::new(game, players.to_vec(), Pace::Iterations(1000)).with_seed(1);
//! let record = play(&setup);
//! assert_eq!(record.goals, Some(vec![100, 0]));
//! ```

pub mod advisors;
mod agent;
pub mod agents;
pub mod director;
pub mod evaluators;
mod event;
pub mod explain;
pub mod ggp;
pub mod modelling;
mod player_spec;
mod playouts;
mod record;
mod replay;
mod run;
mod seat;
pub mod settings;
mod setup;
mod spec;
pub mod tournament;
mod tracker;
mod view;

pub use agent::{Agent, Failure, Place, searching};
pub use event::{MatchEvent, Observer};
pub use player_spec::{PLAYER_PORT, PlayerSpec, RemoteAddress};
pub use record::{End, EndReason, Evaluation, Fault, FaultKind, Information, MatchRecord, Recorder, joint_texts};
pub use replay::{Replay, ReplayError};
pub use run::{Match, Outcome, play};
pub use seat::{Answer, Question, Seat, is_agent_at_work};
pub use setup::{Listener, MARGIN, MOST_STEPS, Pace, Player, Setup, Thought, seats};
pub use spec::{AgentSpec, SpecError, Written};
pub use tracker::Tracker;
pub use view::{Observed, Position, View};
