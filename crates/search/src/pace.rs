//! How many playouts a round may have when time is short.
//!
//! Hundreds of playouts at once are the fastest way to thousands, but in a large game the first of them may end when the
//! time for the move is over, and then nothing was learned. So rounds are timed, and what cannot be expected to end in
//! time is not begun: fewer playouts, which end sooner, take its place. Without a deadline times decide nothing, as
//! searches that count must come out the same every time.

use std::time::Duration;

/// The share of the time left that a round may be expected to take.
const SHARE: f64 = 0.8;

/// How much longer a size that was never tried is taken to need than the next smaller one.
const GROWTH: f64 = 4.0;

/// How much longer a round that was cut off is taken to need than it was given.
const BEYOND: f64 = 2.0;

/// What a new time counts for beside those before: single matches differ much in length.
const NEWS: f64 = 0.25;

/// How long playouts take, by how many there are at once.
#[derive(Debug)]
pub(crate) struct Pace {
    /// How many can be under way at once, from few to many, and the seconds that so many take.
    sizes: Vec<(u64, Option<f64>)>,
}

impl Pace {
    pub(crate) fn new(sizes: &[u64]) -> Pace {
        Pace {
            sizes: sizes.iter().map(|&size| (size, None)).collect(),
        }
    }

    /// How many of the playouts wanted can be expected to end in the time left. A size that was never tried is tried
    /// before larger ones, and the smallest is taken where nothing else will do.
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

    /// Takes note of a round: how many playouts it was to have, how long it took, and whether it was cut off.
    pub(crate) fn note(&mut self, playouts: u64, time: Duration, was_cut: bool) {
        let Some(place) = self.sizes.iter().position(|&(size, _)| playouts <= size) else {
            // More than one generation of matches.
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
        // As a match goes on, playouts become shorter, whatever their number.
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
        let mut pace = Pace::new(&[1, 64, 512]);
        assert_eq!(pace.fitting(4096, ms(1000)), 1, "nothing is known");
        pace.note(1, ms(5), false);
        assert_eq!(pace.fitting(10, ms(1000)), 10);
        assert_eq!(pace.fitting(4096, ms(1000)), 64, "one size after the other");
        assert_eq!(pace.fitting(4096, ms(20)), 1, "64 may take 20 ms");
        assert_eq!(pace.fitting(4096, ms(1)), 1, "there is nothing smaller");
        pace.note(64, ms(12), false);
        assert_eq!(pace.fitting(4096, ms(20)), 64);
        assert_eq!(pace.fitting(4096, ms(1000)), 512);
        pace.note(512, ms(100), false);
        assert_eq!(pace.fitting(4096, ms(1000)), 4096);
        assert_eq!(pace.fitting(4096, ms(100)), 64);
    }

    #[test]
    fn what_was_cut_off_is_not_tried_again_with_the_same_time() {
        let mut pace = Pace::new(&[1, 64]);
        pace.note(1, ms(2), false);
        assert_eq!(pace.fitting(64, ms(20)), 64);
        pace.note(64, ms(20), true);
        assert_eq!(pace.fitting(64, ms(20)), 1);
        assert_eq!(pace.fitting(64, ms(60)), 64);
    }

    #[test]
    fn shorter_playouts_make_room_for_more_of_them() {
        let mut pace = Pace::new(&[1, 64]);
        pace.note(1, ms(4), false);
        pace.note(64, ms(40), false);
        assert_eq!(pace.fitting(64, ms(20)), 1);
        (0..10).for_each(|_| pace.note(1, ms(1), false));
        assert_eq!(pace.fitting(64, ms(20)), 64);
    }

    #[test]
    fn long_rounds_say_nothing_about_a_single_one() {
        let mut pace = Pace::new(&[1]);
        pace.note(1, ms(1), false);
        pace.note(4096, ms(4096), false);
        assert_eq!(pace.sizes, [(1, Some(0.001))]);
        assert_eq!(pace.fitting(4096, ms(1)), 4096, "all sizes fit that there are");
    }
}
