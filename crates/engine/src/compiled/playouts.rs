//! Random playouts of a compiled game, as many at once as there are to play.
//!
//! A batch of 512 costs eight times the memory traffic of one of 64, and in large networks that is what takes the time;
//! where a single state is computed by what changes in it, a single match is faster still. Whoever has few matches to play
//! and little time gets their results sooner that way.

use super::CompiledParts;
use super::batch::Batch;
use super::wide::WIDE;
use crate::Rng;
use crate::machine::{Machine, Matches, OneByOne, Playouts};

/// Words in a row where there is little to do at once.
const NARROW: usize = 1;

/// All ways to play, made when they are needed first.
pub(super) struct CompiledPlayouts {
    parts: CompiledParts,
    /// Where single matches are faster than batches.
    alone: Option<OneByOne>,
    narrow: Option<Batch<NARROW>>,
    wide: Option<Batch<WIDE>>,
}

impl CompiledPlayouts {
    /// With a machine for single matches, if it is faster than a batch.
    pub(super) fn new(parts: CompiledParts, alone: Option<Box<dyn Machine>>) -> CompiledPlayouts {
        CompiledPlayouts {
            parts,
            alone: alone.map(OneByOne),
            narrow: None,
            wide: None,
        }
    }
}

impl Playouts for CompiledPlayouts {
    fn run(&mut self, rng: &mut Rng, most_steps: usize, matches: &mut dyn Matches) {
        const FEW: u64 = 64 * NARROW as u64;
        let parts = || self.parts.clone();
        match (matches.wishes().at_most, &mut self.alone) {
            (Some(0..=1), Some(alone)) => alone.run(rng, most_steps, matches),
            (Some(0..=FEW), _) => {
                let narrow = self.narrow.get_or_insert_with(|| Batch::new(parts()));
                narrow.run(rng, most_steps, matches);
            }
            _ => {
                let wide = self.wide.get_or_insert_with(|| Batch::new(parts()));
                wide.run(rng, most_steps, matches);
            }
        }
    }

    fn sizes(&self) -> &'static [u64] {
        const SIZES: [u64; 3] = [1, 64 * NARROW as u64, 64 * WIDE as u64];
        match self.alone {
            Some(_) => &SIZES,
            None => &SIZES[1..],
        }
    }
}
