//! General Game Playing for Rust programs: load the rules of a game and play it.
//!
//! This crate re-exports the stages of the pipeline: [`gdl`] reads and checks rules, [`engine`] runs them, [`library`]
//! holds the built-in games, [`search`] chooses moves, and [`play`] runs matches between agents.
//!
//! # Load a game and play it out
//!
//! ```
//! use ludens::{Game, Rng, library, playout};
//!
//! let rules = library::find("tic-tac-toe").expect("a built-in game").source();
//! let game = Game::read(rules)?;
//! let mut machine = game.machine();
//! let end = playout::play_out(&mut *machine, &mut Rng::with_seed(7), 1000);
//! for role in game.roles() {
//!     println!("{}: {}", game.role_name(role), end.scores[role]);
//! }
//! # assert_eq!(end.scores.values().map(|&score| u32::from(score)).sum::<u32>(), 100);
//! # Ok::<(), ludens::GameError>(())
//! ```
//!
//! # Step by step
//!
//! A [`Machine`] is a cursor at a state. Moves are small numbers; the game knows their names.
//!
//! ```
//! use ludens::{Game, Source};
//!
//! let rules = "
//!     (role walker) (init (at 1)) (succ 1 2) (succ 2 3)
//!     (<= (legal walker (go ?to)) (true (at ?from)) (succ ?from ?to))
//!     (<= (next (at ?to)) (does walker (go ?to)))
//!     (<= terminal (true (at 3)))
//!     (<= (goal walker 100) (true (at 3)))
//!     (<= (goal walker 0) (not (true (at 3))))";
//! let game = Game::read(Source::new("walk", rules))?;
//! let walker = game.find_role("walker").unwrap();
//! let mut machine = game.machine();
//! while !machine.is_terminal() {
//!     let first = machine.legal(walker)[0];
//!     println!("{}", game.move_text(walker, first));
//!     machine.step(&[first]);
//! }
//! assert_eq!(machine.goal(walker), Some(100));
//! assert_eq!(game.state_texts(machine.state()), ["(at 3)"]);
//! # Ok::<(), ludens::GameError>(())
//! ```
//!
//! # States are values
//!
//! A [`State`] can be stored, compared, hashed and loaded into any machine of the same game, in any thread:
//!
//! ```
//! # use ludens::{Game, library};
//! let game = Game::read(library::find("connect-four").unwrap().source())?;
//! let start = game.initial().clone();
//! let counts: Vec<usize> = std::thread::scope(|scope| {
//!     let count = || {
//!         let mut machine = game.machine();
//!         machine.load(&start);
//!         machine.legal(ludens::Role(0)).len()
//!     };
//!     let threads: Vec<_> = (0..2).map(|_| scope.spawn(count)).collect();
//!     threads.into_iter().map(|thread| thread.join().unwrap()).collect()
//! });
//! assert_eq!(counts, [7, 7]);
//! # Ok::<(), ludens::GameError>(())
//! ```
//!
//! # Let agents play
//!
//! ```
//! use ludens::play::{AgentSpec, Pace, Player, Setup, play};
//! use ludens::{Game, library};
//!
//! let game = Game::read(library::find("tic-tac-toe").unwrap().source())?;
//! let players = ["flat", "random"].map(|text| Player::from(AgentSpec::parse(text).unwrap()));
//! let setup = Setup::new(game, players.to_vec(), Pace::Iterations(1000)).with_seed(1);
//! let record = play(&setup);
//! assert_eq!(record.goals, Some(vec![100, 0]));
//! # Ok::<(), ludens::GameError>(())
//! ```
//!
//! # Check rules
//!
//! ```
//! use ludens::{Description, Source};
//!
//! let description = Description::read(Source::new("broken", "(role w) (<= (legal w ?m) (true f))"));
//! assert!(!description.is_valid());
//! let unsafe_head = description.diagnostics.iter().find(|diagnostic| diagnostic.code.id == "E301").unwrap();
//! assert!(unsafe_head.message.contains("?m"));
//! ```

pub use ludens_budget as budget;
pub use ludens_engine as engine;
pub use ludens_gdl as gdl;
pub use ludens_library as library;
pub use ludens_play as play;
pub use ludens_search as search;

pub use ludens_budget::Budget;
pub use ludens_engine::{
    Engine, Fluent, Game, GameError, JointMoves, Limits, Machine, MoveId, Rng, Role, State, playout,
};
pub use ludens_gdl::{Description, Diagnostic, Severity, Source};
