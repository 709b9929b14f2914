//! Random choices beyond uniform ones.

use crate::Rng;
use std::iter::Sum;
use std::ops::{Mul, Sub};

/// A number that can weigh a choice.
pub trait Weight: Copy + PartialOrd + Default + Sum + Sub<Output = Self> + Mul<Output = Self> {
    /// Draws a number from 0 (included) to 1 (excluded).
    fn draw(rng: &mut Rng) -> Self;
}

impl Weight for f32 {
    fn draw(rng: &mut Rng) -> f32 {
        rng.f32()
    }
}

impl Weight for f64 {
    fn draw(rng: &mut Rng) -> f64 {
        rng.f64()
    }
}

/// Draws an index with a probability in proportion to its weight; `None` if no weight is positive. Draws one number in
/// any case.
#[inline]
pub fn weighted_index<W: Weight>(weights: impl Iterator<Item = W> + Clone, rng: &mut Rng) -> Option<usize> {
    let total: W = weights.clone().sum();
    let mut left = W::draw(rng) * total;
    for (index, weight) in weights.clone().enumerate() {
        left = left - weight;
        if left < W::default() {
            return Some(index);
        }
    }
    // By rounding nothing was drawn: the last index that can be.
    let possible = weights.enumerate().filter(|(_, weight)| *weight > W::default());
    possible.map(|(index, _)| index).last()
}

/// Returns the index of the greatest value, a random one of several; 0 if there are none.
pub fn random_argmax(values: impl Iterator<Item = f64>, rng: &mut Rng) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    let mut equal = 0;
    for (index, value) in values.enumerate() {
        if value > best.0 {
            best = (value, index);
            equal = 1;
        } else if value == best.0 {
            // Reservoir sampling: each of n equal ones is kept with probability 1/n.
            equal += 1;
            if rng.usize(..equal) == 0 {
                best.1 = index;
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_drawn_in_proportion_to_their_weights() {
        let mut rng = Rng::with_seed(1);
        let weights = [0.0, 1.0, 3.0, 0.0];
        let mut counts = [0; 4];
        for _ in 0..40_000 {
            counts[weighted_index(weights.into_iter(), &mut rng).unwrap()] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((9_500..10_500).contains(&counts[1]), "{counts:?}");
        assert_eq!(weighted_index([0.0f32; 3].into_iter(), &mut rng), None);
    }

    #[test]
    fn ties_for_the_greatest_value_are_broken_evenly() {
        let mut rng = Rng::with_seed(1);
        let mut counts = [0; 4];
        for _ in 0..30_000 {
            counts[random_argmax([5.0, 1.0, 5.0, 5.0].into_iter(), &mut rng)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!(
            counts
                .iter()
                .all(|&count| count == 0 || (9_500..10_500).contains(&count))
        );
    }
}
