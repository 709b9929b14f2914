//! Means of scores, and how sure they are.
//!
//! Scores are added one at a time. Mean and variance are kept up by Welford's method (B. P. Welford, 1962), which
//! does not lose digits where the mean is large and the spread small; two means are merged by the formula of Chan,
//! Golub and LeVeque (1979), so that matches may be counted in several threads.
//!
//! The interval of a mean of `n` scores with standard deviation `s` is Student's: mean ± t · s / √n, with t from
//! Student's distribution with n − 1 degrees of freedom. It is used for every n: t makes up for not knowing the true
//! spread when there are few matches (t is 12.7 for two matches, 2.3 for ten), and becomes the 1.96 of the normal
//! distribution when there are many. Single scores need not be normally distributed, as means of some ten or more are
//! nearly so; with fewer than that, and scores that are only 0 or 100, take the interval as a rough guide.

use crate::proportion::Proportion;
use crate::{Interval, special};

/// The greatest score there is in a game.
const GREATEST_SCORE: f64 = 100.0;

/// Larger numbers than this are not accepted, as their squares could become infinite.
const GREATEST_VALUE: f64 = 1e100;

/// The mean of the numbers added so far, with their spread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    count: u64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    squares: f64,
}

impl Mean {
    /// The mean of nothing yet.
    pub fn new() -> Mean {
        Mean::default()
    }

    /// Adds a number. Numbers that are not finite, or further from 0 than 10^100, are left out.
    pub fn add(&mut self, value: f64) {
        if value.is_nan() || value.abs() > GREATEST_VALUE {
            return;
        }
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// Adds all that was added to `other`.
    pub fn merge(&mut self, other: &Mean) {
        if other.count == 0 {
            return;
        }
        let count = self.count.saturating_add(other.count);
        let part = other.count as f64 / count as f64;
        let distance = other.mean - self.mean;
        self.mean += distance * part;
        self.squares += other.squares + distance * distance * part * self.count as f64;
        self.count = count;
    }

    /// Number of values added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, if there is a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The variance of the distribution that the numbers come from, estimated with n − 1. `None` below two numbers.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The square root of the variance.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// The standard deviation of the mean itself: s / √n.
    pub fn standard_error(&self) -> Option<f64> {
        self.variance().map(|variance| (variance / self.count as f64).sqrt())
    }

    /// Student's interval of the mean. `None` below two numbers, or if `confidence` is not strictly between 0 and 1. If
    /// all numbers are equal it has no width; for scores, [`Mean::score_interval`] is more careful.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let reach = special::student_reach(confidence, self.count.checked_sub(1)? as f64)?;
        Some(Interval::around(self.mean, reach * self.standard_error()?))
    }

    /// The interval of a mean of scores from 0 to 100, within 0 to 100. `None` if there are no scores, or if
    /// `confidence` is not strictly between 0 and 1.
    ///
    /// It is Student's, but for one score and for scores that are all equal, of which Student's formula would say
    /// nothing or claim to be certain. Then it is Wilson's interval of mean/100 as a [`Proportion`], which assumes the
    /// greatest spread that scores with this mean can have, and so is rather too wide than too narrow.
    pub fn score_interval(&self, confidence: f64) -> Option<Interval> {
        match self.interval(confidence) {
            Some(interval) if self.squares > 0.0 => Some(interval.within(0.0, GREATEST_SCORE)),
            _ => widest_score_interval(self.mean()?, self.count as f64, confidence),
        }
    }
}

/// The interval of a mean of `count` scores from 0 to 100 of whose spread nothing is known.
pub(crate) fn widest_score_interval(mean: f64, count: f64, confidence: f64) -> Option<Interval> {
    let share = (mean / GREATEST_SCORE).clamp(0.0, 1.0);
    let interval = Proportion::new(share * count, count)?.interval(confidence)?;
    Some(interval.scaled(GREATEST_SCORE))
}

impl Extend<f64> for Mean {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, values: T) {
        values.into_iter().for_each(|value| self.add(value));
    }
}

impl FromIterator<f64> for Mean {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Mean {
        let mut mean = Mean::new();
        mean.extend(values);
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;
    use proptest::prelude::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not near {expected}");
    }

    /// Ten numbers whose sums are easy: mean 5.5, squared distances 82.5, t with 9 degrees 2.262 from the table.
    #[test]
    fn one_to_ten() {
        let mean: Mean = (1..=10).map(f64::from).collect();
        near(mean.mean().unwrap(), 5.5, 1e-12);
        near(mean.variance().unwrap(), 82.5 / 9.0, 1e-12);
        let half = 2.262 * (82.5f64 / 9.0 / 10.0).sqrt();
        let interval = mean.interval(CONFIDENCE).unwrap();
        near(interval.low, 5.5 - half, 1e-3);
        near(interval.high, 5.5 + half, 1e-3);
    }

    #[test]
    fn few_numbers() {
        let none = Mean::new();
        assert_eq!((none.mean(), none.variance(), none.interval(0.95)), (None, None, None));
        assert_eq!(none.score_interval(0.95), None);
        let one: Mean = [70.0].into_iter().collect();
        assert_eq!(
            (one.mean(), one.standard_error(), one.interval(0.95)),
            (Some(70.0), None, None)
        );
        let interval = one.score_interval(0.95).unwrap();
        assert!(
            interval.low < 25.0 && interval.high > 90.0,
            "one match says little: {interval:?}"
        );
    }

    #[test]
    fn equal_scores_are_not_certain() {
        let wins: Mean = [100.0; 10].into_iter().collect();
        assert_eq!(wins.interval(0.95).unwrap().width(), 0.0);
        let interval = wins.score_interval(0.95).unwrap();
        // Wilson's lower end for 10 of 10 is 10 / (10 + z²).
        near(interval.low, 100.0 * 10.0 / (10.0 + 1.959964 * 1.959964), 1e-3);
        assert_eq!(interval.high, 100.0);
        assert_eq!(wins.score_interval(1.5), None);
    }

    #[test]
    fn odd_numbers_are_left_out() {
        let mean: Mean = [f64::NAN, 1.0, f64::INFINITY, 1e200, f64::NEG_INFINITY, 3.0]
            .into_iter()
            .collect();
        assert_eq!((mean.count(), mean.mean()), (2, Some(2.0)));
        let large: Mean = [1e100, -1e100].into_iter().collect();
        assert!(large.variance().unwrap().is_finite());
    }

    proptest! {
        /// The running sums agree with the definitions.
        #[test]
        fn definitions(values in prop::collection::vec(-1e6..1e6f64, 2..60)) {
            let mean: Mean = values.iter().copied().collect();
            let count = values.len() as f64;
            let average = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|value| (value - average).powi(2)).sum::<f64>() / (count - 1.0);
            prop_assert!((mean.mean().unwrap() - average).abs() < 1e-6);
            prop_assert!((mean.variance().unwrap() - variance).abs() <= 1e-9 * variance.max(1.0));
        }

        /// Merging is the same as adding one by one, wherever the numbers are cut.
        #[test]
        fn merging(values in prop::collection::vec(0.0..100.0f64, 0..60), cut in 0usize..60) {
            let cut = cut.min(values.len());
            let whole: Mean = values.iter().copied().collect();
            let mut merged: Mean = values[..cut].iter().copied().collect();
            merged.merge(&values[cut..].iter().copied().collect());
            prop_assert_eq!(whole.count(), merged.count());
            prop_assert!((whole.mean - merged.mean).abs() < 1e-9);
            prop_assert!((whole.squares - merged.squares).abs() < 1e-6);
        }

        /// Whatever the scores are, the interval holds their mean and stays in range.
        #[test]
        fn score_intervals(scores in prop::collection::vec(0u8..=100, 1..40), confidence in 0.01..0.999f64) {
            let mean: Mean = scores.iter().map(|&score| f64::from(score)).collect();
            let interval = mean.score_interval(confidence).unwrap();
            prop_assert!(0.0 <= interval.low && interval.high <= 100.0 && interval.width() > 0.0);
            prop_assert!(interval.low - 1e-9 <= mean.mean && mean.mean <= interval.high + 1e-9);
        }
    }
}
