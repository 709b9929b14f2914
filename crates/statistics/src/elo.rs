//! The Elo scale: differences of strength as differences of numbers.
//!
//! A player who is `d` points above another is expected to get the share 1 / (1 + 10^(−d/400)) of the points, where a
//! win is one point and a draw half a point (Arpad Elo, *The Rating of Chessplayers*, in its logistic form). 0 is an
//! even match; 100 means a share of 64 %, 200 of 76 %, 400 of 91 %.

/// Elo points for each unit of the natural logarithm of the odds.
pub(crate) const POINTS_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The expected share of the points of a player who is `difference` Elo points above the opponent.
pub fn expected_share(difference: f64) -> f64 {
    if difference.is_nan() {
        0.5
    } else {
        1.0 / (1.0 + (-difference / POINTS_PER_LOGIT).exp())
    }
}

/// By how many Elo points a player who gets this share of the points is above the opponent. `None` for shares that are
/// not strictly between 0 and 1: who wins or loses everything is infinitely far away, and [`crate::rating`] shows what
/// can be said all the same.
pub fn difference_of_share(share: f64) -> Option<f64> {
    let inside = 0.0 < share && share < 1.0;
    inside.then(|| POINTS_PER_LOGIT * (share / (1.0 - share)).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the table in Elo's book, to its two decimals.
    #[test]
    fn table() {
        for (difference, share) in [(0.0, 0.50), (100.0, 0.64), (200.0, 0.76), (400.0, 0.91), (-100.0, 0.36)] {
            assert!((expected_share(difference) - share).abs() < 0.005);
        }
    }

    #[test]
    fn there_and_back() {
        for difference in [-800.0, -3.5, 0.0, 120.0, 1000.0] {
            assert!((difference_of_share(expected_share(difference)).unwrap() - difference).abs() < 1e-9);
        }
    }

    #[test]
    fn odd_inputs() {
        assert_eq!(difference_of_share(0.0), None);
        assert_eq!(difference_of_share(1.0), None);
        assert_eq!(difference_of_share(f64::NAN), None);
        assert_eq!(expected_share(f64::INFINITY), 1.0);
        assert_eq!(expected_share(f64::NEG_INFINITY), 0.0);
        assert_eq!(expected_share(f64::NAN), 0.5);
    }
}
