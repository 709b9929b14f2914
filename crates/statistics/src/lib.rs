//! Statistics for judging whether tournament results are significant.
//!
//! A table of scores says who scored more; it does not say whether that would happen again. This crate answers that
//! question for matches of games: how sure is a mean ([`mean`], [`proportion`]), who won how often ([`outcome`]), how
//! strong is each player ([`rating`]), is one player better than another ([`compare`]), and when may a test stop
//! ([`sprt`]). It knows nothing of games and players but their names, does no input or output, and needs no chance: the
//! same numbers always give the same answers.
//!
//! Nothing here panics or returns a number that is not a number. Where there is no answer, such as the mean of nothing,
//! functions return `None`; where the usual formula breaks down, such as the spread of equal scores, the documentation
//! says what is returned instead.
//!
//! The manual, `docs/statistics.md`, has the definitions and a worked example.
//!
//! ```
//! use ludens_statistics::{CONFIDENCE, outcome::Tally, rating::{Pairings, Settings}};
//!
//! let mut pairings = Pairings::new();
//! pairings.add_tally("tree search", "random", &Tally { wins: 17, draws: 2, losses: 1 });
//! let ratings = pairings.rate(&Settings::default());
//! let difference = ratings.difference(&"tree search", &"random", CONFIDENCE).unwrap();
//! assert!(difference.interval.low > 0.0, "tree search is better than random play");
//! ```

#![forbid(unsafe_code)]

pub mod compare;
pub mod elo;
mod interval;
pub mod mean;
pub mod outcome;
pub mod proportion;
pub mod rating;
mod special;
pub mod sprt;

pub use interval::{CONFIDENCE, Interval};

/// The examples of the manual page, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/statistics.md")]
mod manual {}
