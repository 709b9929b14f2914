//! Playouts of a compiled game in batches of the size that fits the request.
//!
//! A batch of 512 lanes costs eight times the memory traffic of one of 64, which dominates in large networks. Where
//! machines step incrementally, a single playout on a machine is faster still. Requests for few playouts finish sooner
//! this way.

use super::CompiledParts;
use super::batch::Batch;
use super::wide::WIDE;
use crate::Rng;
use crate::machine::{Machine, OneByOne, PlayoutSource, Playouts};

/// Words per row of the small batch.
const NARROW: usize = 1;

/// The batch sizes, each built on first use.
pub(super) struct CompiledPlayouts {
    parts: CompiledParts,
    /// Runs single playouts, if a machine is faster than a batch.
    alone: Option<OneByOne>,
    narrow: Option<Batch<NARROW>>,
    wide: Option<Batch<WIDE>>,
}

impl CompiledPlayouts {
    /// `alone` is a machine for single playouts, if it is faster than a batch.
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
    fn run(&mut self, rng: &mut Rng, max_steps: usize, source: &mut dyn PlayoutSource) {
        const FEW: u64 = 64 * NARROW as u64;
        let parts = || self.parts.clone();
        match (source.options().at_most, &mut self.alone) {
            (Some(0..=1), Some(alone)) => alone.run(rng, max_steps, source),
            (Some(0..=FEW), _) => {
                let narrow = self.narrow.get_or_insert_with(|| Batch::new(parts()));
                narrow.run(rng, max_steps, source);
            }
            _ => {
                let wide = self.wide.get_or_insert_with(|| Batch::new(parts()));
                wide.run(rng, max_steps, source);
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
