//! The GGP protocol over sockets.
//!
//! Matches of General Game Playing run over a small protocol: a *manager* keeps the clocks and asks *players*, which
//! are HTTP servers, for their moves. This crate implements both sides.
//!
//! - [`message`]: the messages, parsed tolerantly and printed strictly.
//! - [`http`]: an HTTP server and client that accept what programs of the field send.
//! - [`player`]: a server that lets agents play matches of any managers, several at once.
//! - [`remote`]: a player at an address as an agent, so that the match loop (`ludens_play::Match`) can ask it.
//! - [`scramble`]: renames all constants, so that players cannot recognise a game by its words.
//! - [`manager`]: matches with remote players, several at once.
//! - [`spectate`]: shows running matches to spectators.
//!
//! ```
//! use ludens_engine::Game;
//! use ludens_play::{AgentSpec, Pace, PlayerSpec, Setup, play};
//! use ludens_protocol::player::{PlayerOptions, PlayerServer};
//! use ludens_protocol::remote::{self, RemoteOptions};
//! use std::time::Duration;
//!
//! let options = PlayerOptions::new(AgentSpec::parse("legal").unwrap().into());
//! let server = PlayerServer::start("127.0.0.1:0", options).unwrap();
//! let PlayerSpec::Remote(address) = PlayerSpec::parse(&server.address().to_string()).unwrap() else { panic!() };
//!
//! let rules = ludens_library::find("tic-tac-toe").unwrap();
//! let game = Game::read(rules.source()).unwrap();
//! let second = Duration::from_secs(1);
//! let elsewhere = remote::player(address, RemoteOptions::new(1, 1));
//! let here = AgentSpec::parse("random").unwrap().into();
//! let setup = Setup::new(game, vec![elsewhere, here], Pace::Clocks { start: second, play: second });
//! let record = play(&setup);
//! assert!(record.is_clean(), "{:?}", record.errors);
//! assert_eq!(record.moves[0][0], "(mark 1 1)");
//! server.stop();
//! ```

pub mod http;
pub mod manager;
pub mod message;
pub mod player;
pub mod remote;
pub mod scramble;
pub mod spectate;
