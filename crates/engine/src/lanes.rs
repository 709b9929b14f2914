//! Up to 64 playout states side by side, bit-sliced: one word per fluent, one bit (lane) per playout.
//!
//! A playout policy that guides hundreds of playouts at a time evaluates the moves of 64 of them with one operation.

use crate::state::{Fluent, State};

/// Maximum number of playouts in [`Lanes`].
pub const LANES: usize = 64;

/// The states of up to 64 playouts in which a role is about to choose.
#[derive(Clone, Copy)]
pub struct Lanes<'a> {
    states: States<'a>,
    active: u64,
}

#[derive(Clone, Copy)]
enum States<'a> {
    /// Word number `word` of each fluent's row; the rows are `width` words long and stored one after the other.
    Rows {
        words: &'a [u64],
        width: usize,
        word: usize,
    },
    One(&'a State),
}

impl<'a> Lanes<'a> {
    /// Views word number `word` of rows that are `width` words long.
    pub(crate) fn of_rows(words: &'a [u64], width: usize, word: usize, active: u64) -> Lanes<'a> {
        Lanes {
            states: States::Rows { words, width, word },
            active,
        }
    }

    /// Views a single state, in lane 0.
    pub fn of_state(state: &'a State) -> Lanes<'a> {
        Lanes {
            states: States::One(state),
            active: 1,
        }
    }

    /// Bit mask of the lanes in use. The contents of other lanes are meaningless.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Bit mask of the lanes in which a fluent holds.
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
