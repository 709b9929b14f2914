//! The inner loop over the gates, compiled for the widest vectors that the processor has.
//!
//! The loop is ordinary safe code; what differs is the instruction set that the compiler may use for it. A function
//! compiled for an instruction set may only be called where the processor has it, which is checked once at run time.
//! That check is the reason for the `unsafe` blocks, the only ones in this crate.
#![allow(unsafe_code)]

use ludens_ground::network::Lit;
use std::ops::Range;

/// Words in a row where there is much to do at once.
pub(super) const WIDE: usize = 8;

/// A row of bits, one per lane: `W` words of 64.
pub(super) type Row<const W: usize> = [u64; W];

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The baseline of the architecture.
    Plain,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors with three-input logic.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// Returns the best level of this processor.
    pub(super) fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Plain
    }

    /// Computes gates one after the other; the node of the first gate of all is `first`.
    pub(super) fn gates<const W: usize>(
        self,
        gates: &[[Lit; 2]],
        first: usize,
        range: Range<usize>,
        values: &mut [Row<W>],
    ) {
        match self {
            Level::Plain => compute(gates, first, range, values),
            // SAFETY: `detect` gives this level only if the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { compute_avx2(gates, first, range, values) },
            // SAFETY: `detect` gives this level only if the processor has AVX-512F.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { compute_avx512(gates, first, range, values) },
        }
    }
}

/// All bits set if the literal is negated.
pub(super) fn inversion(lit: Lit) -> u64 {
    0u64.wrapping_sub(u64::from(lit.0 & 1))
}

#[inline(always)]
fn compute<const W: usize>(gates: &[[Lit; 2]], first: usize, range: Range<usize>, values: &mut [Row<W>]) {
    for (number, &[a, b]) in range.clone().zip(&gates[range]) {
        let (computed, rest) = values.split_at_mut(first + number);
        let (left, right) = (&computed[a.node()], &computed[b.node()]);
        let (invert_left, invert_right) = (inversion(a), inversion(b));
        for word in 0..W {
            rest[0][word] = (left[word] ^ invert_left) & (right[word] ^ invert_right);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn compute_avx2<const W: usize>(gates: &[[Lit; 2]], first: usize, range: Range<usize>, values: &mut [Row<W>]) {
    compute(gates, first, range, values);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn compute_avx512<const W: usize>(gates: &[[Lit; 2]], first: usize, range: Range<usize>, values: &mut [Row<W>]) {
    compute(gates, first, range, values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn all_levels_compute_the_same() {
        let mut rng = Rng::with_seed(1);
        let inputs = 20;
        let gates: Vec<[Lit; 2]> = (0..500u32)
            .map(|number| [0, 1].map(|_| Lit(rng.u32(..2 * (inputs + number)))))
            .collect();
        let start: Vec<Row<WIDE>> = (0..inputs as usize + gates.len())
            .map(|_| std::array::from_fn(|_| rng.u64(..)))
            .collect();
        let mut plain = start.clone();
        Level::Plain.gates(&gates, inputs as usize, 0..gates.len(), &mut plain);
        let mut best = start.clone();
        Level::detect().gates(&gates, inputs as usize, 0..gates.len(), &mut best);
        assert!(plain == best);
        let first = &gates[0];
        let expected =
            (start[first[0].node()][3] ^ inversion(first[0])) & (start[first[1].node()][3] ^ inversion(first[1]));
        assert_eq!(plain[inputs as usize][3], expected);
    }
}
