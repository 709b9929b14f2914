//! Proportions: successes in a number of trials.
//!
//! The interval is Wilson's (E. B. Wilson, 1927): all true proportions `p` that are not too far from the observed one,
//! measured by the spread that `p` itself implies. Unlike the interval that is computed from the observed spread, it
//! never leaves 0 to 1, keeps a width when all trials succeed or all fail, and has about the promised confidence for
//! few trials too. With `x` successes in `n` trials and `z` the reach of the normal distribution:
//!
//! ```text
//! (x + z²/2 ± z √(x (n − x) / n + z²/4)) / (n + z²)
//! ```
//!
//! Successes need not be whole: a draw is half a success. As a trial with values between 0 and 1 never has more spread
//! than one with only 0 and 1 and the same mean, the interval is then wider than need be, never too narrow.

use crate::{Interval, special};

/// Some successes in some trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proportion {
    successes: f64,
    trials: f64,
}

impl Proportion {
    /// `None` if there are no trials, if there are more successes than trials, or if a number is negative or not
    /// finite.
    pub fn new(successes: f64, trials: f64) -> Option<Proportion> {
        let valid = trials.is_finite() && trials > 0.0 && (0.0..=trials).contains(&successes);
        valid.then_some(Proportion { successes, trials })
    }

    /// The number of successes.
    pub fn successes(&self) -> f64 {
        self.successes
    }

    /// The number of trials; it is above 0.
    pub fn trials(&self) -> f64 {
        self.trials
    }

    /// The observed proportion, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.successes / self.trials
    }

    /// Wilson's interval, within 0 to 1. `None` only if `confidence` is not strictly between 0 and 1.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let z = special::normal_reach(confidence)?;
        // The middle lies between the share and ½. Written like this, no number of trials overflows.
        let share = self.share();
        let total = self.trials + z * z;
        let middle = (share * self.trials + z * z / 2.0) / total;
        let reach = z * (share * (1.0 - share) * self.trials + z * z / 4.0).sqrt() / total;
        Some(Interval::around(middle, reach).within(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;
    use proptest::prelude::*;

    fn interval(successes: f64, trials: f64) -> Interval {
        Proportion::new(successes, trials)
            .unwrap()
            .interval(CONFIDENCE)
            .unwrap()
    }

    fn near(interval: Interval, low: f64, high: f64) {
        let close = (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5;
        assert!(close, "{interval:?} is not near {low} to {high}");
    }

    /// The examples in R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I,
    /// method 3, to its four decimals.
    #[test]
    fn examples_of_newcombe() {
        near(interval(81.0, 263.0), 0.2553, 0.3662);
        near(interval(15.0, 148.0), 0.0624, 0.1605);
        near(interval(0.0, 20.0), 0.0, 0.1611);
        near(interval(1.0, 29.0), 0.0061, 0.1718);
    }

    #[test]
    fn odd_inputs() {
        for (successes, trials) in [
            (0.0, 0.0),
            (-1.0, 5.0),
            (6.0, 5.0),
            (f64::NAN, 5.0),
            (1.0, f64::INFINITY),
        ] {
            assert_eq!(Proportion::new(successes, trials), None);
        }
        assert_eq!(Proportion::new(1.0, 2.0).unwrap().interval(1.0), None);
        let huge = interval(f64::MAX / 2.0, f64::MAX);
        assert!(huge.contains(0.5) && huge.width() < 1e-9);
        let tiny = interval(0.0, f64::MIN_POSITIVE);
        assert!(tiny.low < 1e-9 && tiny.high > 1.0 - 1e-9, "{tiny:?}");
    }

    proptest! {
        #[test]
        fn holds_the_share(trials in 1u32..10_000, part in 0.0..=1.0f64, confidence in 0.001..0.999f64) {
            let proportion = Proportion::new(part * f64::from(trials), f64::from(trials)).unwrap();
            let interval = proportion.interval(confidence).unwrap();
            prop_assert!(0.0 <= interval.low && interval.low <= proportion.share() + 1e-12);
            prop_assert!(proportion.share() - 1e-12 <= interval.high && interval.high <= 1.0);
            prop_assert!(interval.width() > 0.0);
        }

        #[test]
        fn is_symmetric(trials in 1u32..1000, part in 0.0..=1.0f64) {
            let trials = f64::from(trials);
            let (one, other) = (interval(part * trials, trials), interval((1.0 - part) * trials, trials));
            prop_assert!((one.low + other.high - 1.0).abs() < 1e-9);
        }
    }
}
