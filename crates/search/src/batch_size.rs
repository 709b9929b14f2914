//! Batch sizes under a deadline.
//!
//! Hundreds of playouts at once have the greatest throughput, but in a large game the first of them may finish after
//! the deadline, with nothing learnt. So rounds are timed, and a round that is not expected to finish in time is
//! replaced by a smaller one. Without a deadline times decide nothing, so that results stay reproducible.

use std::time::Duration;

/// Share of the remaining time that a round may be expected to take.
const SHARE: f64 = 0.8;

/// Assumed factor on the time of the next smaller size, for a size that was never tried.
const GROWTH: f64 = 4.0;

/// Assumed factor on the time of a round that was cut off.
const BEYOND: f64 = 2.0;

/// Weight of a new measurement in the moving average: single playouts differ much in length.
const NEWS: f64 = 0.25;

/// Times of rounds, by their size.
#[derive(Debug)]
pub(crate) struct BatchSize {
    /// Batch sizes in ascending order, each with the seconds that a batch takes, if known.
    sizes: Vec<(u64, Option<f64>)>,
}

impl BatchSize {
    pub(crate) fn new(sizes: &[u64]) -> BatchSize {
        BatchSize {
            sizes: sizes.iter().map(|&size| (size, None)).collect(),
        }
    }

    /// Returns how many of the playouts wanted are expected to finish in the time left. A size that was never tried is
    /// tried before larger ones; the smallest is used if nothing fits.
    pub(crate) fn fitting(&self, wanted: u64, left: Duration) -> u64 {
        let most = left.as_secs_f64() * SHARE;
        let mut smaller: Option<(u64, f64)> = None;
        for &(size, seconds) in &self.sizes {
            let expected = seconds.or(smaller.map(|(_, seconds)| seconds * GROWTH));
            if let (Some((size, _)), Some(expected)) = (smaller, expected)
                && expected > most
            {
                return wanted.min(size);
            }
            match seconds {
                Some(seconds) if size < wanted => smaller = Some((size, seconds)),
                Some(_) => break,
                None => return wanted.min(size),
            }
        }
        wanted
    }

    /// Records the time of a round of playouts, and whether it was cut off.
    pub(crate) fn note(&mut self, playouts: u64, time: Duration, was_cut: bool) {
        let Some(place) = self.sizes.iter().position(|&(size, _)| playouts <= size) else {
            // More than one batch.
            return;
        };
        let time = time.as_secs_f64();
        let known = self.sizes[place].1;
        if was_cut {
            self.sizes[place].1 = Some(known.unwrap_or(0.0).max(time * BEYOND));
            return;
        }
        let new = known.map_or(time, |known| known + NEWS * (time - known));
        self.sizes[place].1 = Some(new);
        // As a match goes on, playouts become shorter at all sizes.
        if let Some(known) = known.filter(|&known| known > 0.0) {
            let others = self.sizes.iter_mut().enumerate().filter(|(other, _)| *other != place);
            for (_, (_, seconds)) in others {
                *seconds = seconds.map(|seconds| seconds * new / known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn rounds_grow_as_far_as_they_fit() {
        let mut batch_size = BatchSize::new(&[1, 64, 512]);
        assert_eq!(batch_size.fitting(4096, ms(1000)), 1, "nothing is known");
        batch_size.note(1, ms(5), false);
        assert_eq!(batch_size.fitting(10, ms(1000)), 10);
        assert_eq!(batch_size.fitting(4096, ms(1000)), 64, "one size after the other");
        assert_eq!(batch_size.fitting(4096, ms(20)), 1, "64 may take 20 ms");
        assert_eq!(batch_size.fitting(4096, ms(1)), 1, "there is nothing smaller");
        batch_size.note(64, ms(12), false);
        assert_eq!(batch_size.fitting(4096, ms(20)), 64);
        assert_eq!(batch_size.fitting(4096, ms(1000)), 512);
        batch_size.note(512, ms(100), false);
        assert_eq!(batch_size.fitting(4096, ms(1000)), 4096);
        assert_eq!(batch_size.fitting(4096, ms(100)), 64);
    }

    #[test]
    fn what_was_cut_off_is_not_tried_again_with_the_same_time() {
        let mut batch_size = BatchSize::new(&[1, 64]);
        batch_size.note(1, ms(2), false);
        assert_eq!(batch_size.fitting(64, ms(20)), 64);
        batch_size.note(64, ms(20), true);
        assert_eq!(batch_size.fitting(64, ms(20)), 1);
        assert_eq!(batch_size.fitting(64, ms(60)), 64);
    }

    #[test]
    fn shorter_playouts_make_room_for_more_of_them() {
        let mut batch_size = BatchSize::new(&[1, 64]);
        batch_size.note(1, ms(4), false);
        batch_size.note(64, ms(40), false);
        assert_eq!(batch_size.fitting(64, ms(20)), 1);
        (0..10).for_each(|_| batch_size.note(1, ms(1), false));
        assert_eq!(batch_size.fitting(64, ms(20)), 64);
    }

    #[test]
    fn long_rounds_say_nothing_about_a_single_one() {
        let mut batch_size = BatchSize::new(&[1]);
        batch_size.note(1, ms(1), false);
        batch_size.note(4096, ms(4096), false);
        assert_eq!(batch_size.sizes, [(1, Some(0.001))]);
        assert_eq!(batch_size.fitting(4096, ms(1)), 4096, "all sizes fit that there are");
    }
}
