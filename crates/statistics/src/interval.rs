//! Confidence intervals: the values that agree with the observations.

/// The usual level of confidence: 95 %. Of intervals at this level, 95 in 100 contain the true value.
pub const CONFIDENCE: f64 = 0.95;

/// All values from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl Interval {
    /// The interval that reaches equally far to both sides of `middle`.
    pub fn around(middle: f64, half_width: f64) -> Interval {
        Interval {
            low: middle - half_width,
            high: middle + half_width,
        }
    }

    /// Width of the interval.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Whether `value` is in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether the intervals have a value in common. Means of two players whose intervals do not overlap differ
    /// significantly; that intervals overlap says little, so compare players with [`crate::compare`] instead.
    pub fn overlaps(&self, other: &Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// The interval with both ends multiplied by a number that is not negative.
    pub(crate) fn scaled(&self, factor: f64) -> Interval {
        Interval {
            low: self.low * factor,
            high: self.high * factor,
        }
    }

    /// The part of the interval that lies from `least` to `greatest`.
    pub(crate) fn within(&self, least: f64, greatest: f64) -> Interval {
        Interval {
            low: self.low.clamp(least, greatest),
            high: self.high.clamp(least, greatest),
        }
    }
}
