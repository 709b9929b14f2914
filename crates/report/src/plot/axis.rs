//! Range of an axis, with round numbers as ticks.

use super::Scale;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Range of values on a scale, never empty.
#[derive(Clone, Debug)]
pub(super) struct AxisRange {
    low: f64,
    high: f64,
    scale: Scale,
}

impl AxisRange {
    /// Range between round numbers that contains all values and, for bars, their start.
    pub(super) fn around(values: impl Iterator<Item = f64>, scale: Scale, has_bars: bool) -> AxisRange {
        let shown = values.filter(|&value| is_shown(value, scale));
        let (mut low, mut high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            (low, high) = (1.0, 1.0);
        }
        match scale {
            Scale::Logarithmic => {
                // A bar of the lowest value must still be visible.
                let least = if has_bars { low * 0.8 } else { low };
                let down = least.log10().floor();
                let up = high.log10().ceil().max(down + 1.0);
                (low, high) = (10f64.powf(down), 10f64.powf(up));
            }
            Scale::Linear => {
                if has_bars {
                    (low, high) = (low.min(0.0), high.max(0.0));
                }
                if low == high {
                    (low, high) = (low - 0.5, high + 0.5);
                }
                let step = round_step((high - low) / 8.0);
                (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
            }
        }
        AxisRange { low, high, scale }
    }

    /// Linear range with exactly these ends.
    pub(super) fn exact(low: f64, high: f64) -> AxisRange {
        AxisRange {
            low,
            high,
            scale: Scale::Linear,
        }
    }

    /// Start of bars.
    pub(super) fn start(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0.0,
            Scale::Logarithmic => self.low,
        }
    }

    /// Position of a value on the axis, from 0 to 1 within the range.
    fn position(&self, value: f64) -> f64 {
        let place = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.max(f64::MIN_POSITIVE).log10(),
        };
        (place(value) - place(self.low)) / (place(self.high) - place(self.low))
    }

    /// Round numbers within the range, at most `most`.
    fn marks(&self, most: usize) -> Vec<f64> {
        match self.scale {
            _ if most == 0 => Vec::new(),
            Scale::Linear => {
                let step = round_step((self.high - self.low) / most as f64);
                let first = (self.low / step - 1e-9).ceil() as i64;
                let last = (self.high / step + 1e-9).floor() as i64;
                (first..=last).map(|number| number as f64 * step).collect()
            }
            Scale::Logarithmic => {
                let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
                let every = ((last - first) as usize / most + 1).max(1);
                (first..=last).step_by(every).map(|power| 10f64.powi(power)).collect()
            }
        }
    }
}

/// Whether the scale can represent a value.
pub(super) fn is_shown(value: f64, scale: Scale) -> bool {
    value.is_finite() && (scale == Scale::Linear || value > 0.0)
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least this.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A number in three significant digits: `250`, `1.2k`, `3.04M`.
pub(super) fn short(value: f64) -> String {
    let (factor, unit) = match value.abs() {
        size if size >= 999_500_000.0 => (1e9, "G"),
        size if size >= 999_500.0 => (1e6, "M"),
        size if size >= 999.5 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let scaled = value / factor;
    let digits = match scaled.abs() {
        size if size >= 99_950.0 || (size < 0.1 && size != 0.0) => return format!("{value:.1e}"),
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{scaled:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

impl Ranged for AxisRange {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        limit.0 + (self.position(*value) * length).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.marks(hint.bold_points())
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for AxisRange {
    fn format_ext(&self, value: &f64) -> String {
        short(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_at_round_numbers() {
        let log = AxisRange::around([3.0, 4000.0, 0.0, f64::NAN].into_iter(), Scale::Logarithmic, true);
        assert_eq!((log.low, log.high), (1.0, 10_000.0));
        assert_eq!(log.marks(10), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(log.marks(3), [1.0, 100.0, 10_000.0]);
        let log = AxisRange::around([10.0].into_iter(), Scale::Logarithmic, true);
        assert_eq!((log.low, log.high), (1.0, 10.0));
        let linear = AxisRange::around([3.0, 17.0].into_iter(), Scale::Linear, true);
        assert_eq!((linear.low, linear.high), (0.0, 20.0));
        assert_eq!(linear.marks(4), [0.0, 5.0, 10.0, 15.0, 20.0]);
    }

    #[test]
    fn ranges_are_never_empty() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for values in [vec![], vec![0.0], vec![7.0, 7.0], vec![-1.0], vec![1e300, 1e-300]] {
                let range = AxisRange::around(values.iter().copied(), scale, false);
                assert!(range.low < range.high, "{values:?} {range:?}");
                assert!(range.marks(8).len() < 20, "{values:?} {range:?}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        let numbers = [
            0.0,
            0.5,
            2.0,
            31.4,
            999.0,
            1000.0,
            1234.0,
            12_345.0,
            999_999.0,
            3_035_000.0,
            -20.0,
        ];
        let texts = numbers.map(short);
        assert_eq!(
            texts,
            [
                "0", "0.5", "2", "31.4", "999", "1k", "1.23k", "12.3k", "1M", "3.04M", "-20"
            ]
        );
    }
}
