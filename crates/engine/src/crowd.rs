//! Many states at once: for every fluent the matches in which it holds, one bit a match.
//!
//! Whoever guides hundreds of matches at a time can judge the moves of 64 of them together, one operation for all.

use crate::state::{Fluent, State};

/// How many matches a [`Crowd`] has at most.
pub const CROWD: usize = 64;

/// Up to 64 matches in which a role is about to choose.
#[derive(Clone, Copy)]
pub struct Crowd<'a> {
    states: States<'a>,
    lanes: u64,
}

#[derive(Clone, Copy)]
enum States<'a> {
    /// One word of the rows of all fluents, which come one after the other.
    Rows {
        words: &'a [u64],
        width: usize,
        word: usize,
    },
    One(&'a State),
}

impl<'a> Crowd<'a> {
    /// One word of rows that are `width` words long.
    pub(crate) fn of_rows(words: &'a [u64], width: usize, word: usize, lanes: u64) -> Crowd<'a> {
        Crowd {
            states: States::Rows { words, width, word },
            lanes,
        }
    }

    /// A single match.
    pub fn of_state(state: &'a State) -> Crowd<'a> {
        Crowd {
            states: States::One(state),
            lanes: 1,
        }
    }

    /// The matches that are about to choose, as bits. What is said of others means nothing.
    pub fn lanes(&self) -> u64 {
        self.lanes
    }

    /// The matches in which a fluent holds, as bits.
    pub fn holds(&self, fluent: Fluent) -> u64 {
        match self.states {
            States::Rows { words, width, word } => {
                let place = fluent.0 as usize * width + word;
                words.get(place).copied().unwrap_or(0)
            }
            States::One(state) => u64::from(state.holds(fluent)),
        }
    }
}
