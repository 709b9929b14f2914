//! Comparisons of two players against published values and their own properties.

use ludens_statistics::CONFIDENCE;
use ludens_statistics::compare::{binomial_test, holm, paired, rounds, sign_test, signs, two_proportions};
use ludens_statistics::proportion::Proportion;
use proptest::prelude::*;

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not near {expected}");
}

/// The ten pairs of Student's paper of 1908, hours of sleep gained with two drugs. R gives t = 4.0621 with 9 degrees of
/// freedom, p = 0.002833 and the interval 0.70011 to 2.45989 for them (example of `t.test` with the data `sleep`).
#[test]
fn sleep_of_student() {
    let gained = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
    let comparison = paired(&gained, CONFIDENCE).unwrap();
    near(comparison.difference, 1.58, 1e-12);
    near(comparison.p_value, 0.002833, 5e-7);
    let interval = comparison.interval.unwrap();
    near(interval.low, 0.7001142, 1e-6);
    near(interval.high, 2.4598858, 1e-6);
}

#[test]
fn no_spread() {
    assert_eq!(paired(&[], CONFIDENCE), None);
    assert_eq!(paired(&[f64::NAN], CONFIDENCE), None);
    assert_eq!(paired(&[1.0, 2.0], 0.0), None);
    let one = paired(&[100.0], CONFIDENCE).unwrap();
    assert_eq!((one.difference, one.interval, one.p_value), (100.0, None, 1.0));
    let equal = paired(&[0.0; 8], CONFIDENCE).unwrap();
    assert_eq!((equal.difference, equal.interval, equal.p_value), (0.0, None, 1.0));
    let always = paired(&[20.0; 10], CONFIDENCE).unwrap();
    near(always.p_value, 1.0 / 512.0, 1e-12);
}

/// Where the first role always wins, matches differ by 100 each, but rounds with both roles do not.
#[test]
fn rounds_cancel_the_advantage_of_a_role() {
    let matches = [100.0, -100.0, 100.0, -90.0, 100.0, -100.0, 100.0];
    assert_eq!(rounds(&matches, 2), [0.0, 5.0, 0.0]);
    assert_eq!(rounds(&matches, 0), matches);
    assert!(rounds(&matches, 8).is_empty());
    assert_eq!(signs(&matches), (4, 3));
}

/// Counted by hand: 9 or 10 of 10 heads are 11 of 1024 ways, 8 to 10 are 56.
#[test]
fn coins() {
    near(sign_test(9, 1), 22.0 / 1024.0, 1e-12);
    near(sign_test(2, 8), 112.0 / 1024.0, 1e-12);
    assert_eq!((sign_test(5, 5), sign_test(0, 0), sign_test(1, 0)), (1.0, 1.0, 1.0));
    assert_eq!(sign_test(u64::MAX, u64::MAX), sign_test(u64::MAX, 0));
    // A die that shows a six twice in two throws: 1/36, doubled.
    near(binomial_test(2, 2, 1.0 / 6.0).unwrap(), 1.0 / 18.0, 1e-12);
    assert_eq!(binomial_test(3, 2, 0.5), None);
    assert_eq!(binomial_test(1, 2, 1.0), None);
    assert_eq!(binomial_test(1, 2, f64::NAN), None);
}

/// The examples of table II in Newcombe's paper on differences of proportions, 1998, method 10, to its four decimals.
#[test]
fn differences_of_newcombe() {
    for (first, second, low, high) in [
        ((56.0, 70.0), (48.0, 80.0), 0.0524, 0.3339),
        ((9.0, 10.0), (3.0, 10.0), 0.1705, 0.8090),
        ((10.0, 10.0), (0.0, 10.0), 0.6075, 1.0000),
    ] {
        let proportion = |(successes, trials)| Proportion::new(successes, trials).unwrap();
        let comparison = two_proportions(proportion(first), proportion(second), CONFIDENCE).unwrap();
        let interval = comparison.interval.unwrap();
        near(interval.low, low, 5e-5);
        near(interval.high, high, 5e-5);
    }
}

/// By hand: pooled 104/150, z = 0.2 / √(0.69333 · 0.30667 · (1/70 + 1/80)) = 2.6502, whose two tails are 0.00804.
#[test]
fn pooled_proportions() {
    let proportion = |successes, trials| Proportion::new(successes, trials).unwrap();
    let comparison = two_proportions(proportion(56.0, 70.0), proportion(48.0, 80.0), CONFIDENCE).unwrap();
    near(comparison.difference, 0.2, 1e-12);
    near(comparison.p_value, 0.00804, 1e-5);
    let same = two_proportions(proportion(5.0, 5.0), proportion(3.0, 3.0), CONFIDENCE).unwrap();
    assert_eq!((same.difference, same.p_value), (0.0, 1.0));
    assert_eq!(two_proportions(proportion(1.0, 2.0), proportion(1.0, 2.0), 1.0), None);
}

/// By hand: 4 · 0.005, 3 · 0.01, 2 · 0.03, and 0.04, which may not be below the one before.
#[test]
fn holm_by_hand() {
    let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (value, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        near(*value, expected, 1e-12);
    }
    assert!(holm(&[]).is_empty());
    assert_eq!(holm(&[0.2]), [0.2]);
    assert_eq!(holm(&[f64::NAN, 2.0, -1.0]), [1.0, 1.0, 0.0]);
}

proptest! {
    #[test]
    fn paired_is_symmetric(differences in prop::collection::vec(-100.0..100.0f64, 1..40)) {
        let turned: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let (one, other) = (paired(&differences, CONFIDENCE).unwrap(), paired(&turned, CONFIDENCE).unwrap());
        prop_assert!((one.p_value - other.p_value).abs() < 1e-9);
        prop_assert!((0.0..=1.0).contains(&one.p_value));
        // The interval holds 0 exactly if the difference is not significant.
        if let Some(interval) = one.interval {
            prop_assert!(interval.contains(0.0) == (one.p_value > 0.05) || (one.p_value - 0.05).abs() < 1e-6);
        }
    }

    #[test]
    fn signs_are_symmetric(wins in 0u64..3000, losses in 0u64..3000) {
        let p = sign_test(wins, losses);
        prop_assert!((0.0..=1.0).contains(&p) && (p - sign_test(losses, wins)).abs() < 1e-9);
    }

    #[test]
    fn proportions_give_numbers(a in 0.0..=1.0f64, b in 0.0..=1.0f64, n in 1u32..2000, m in 1u32..2000) {
        let first = Proportion::new(a * f64::from(n), f64::from(n)).unwrap();
        let second = Proportion::new(b * f64::from(m), f64::from(m)).unwrap();
        let comparison = two_proportions(first, second, CONFIDENCE).unwrap();
        let interval = comparison.interval.unwrap();
        prop_assert!((0.0..=1.0).contains(&comparison.p_value));
        prop_assert!(-1.0 - 1e-9 <= interval.low && interval.high <= 1.0 + 1e-9);
        prop_assert!(interval.contains(comparison.difference));
    }

    /// Correcting never makes a p-value smaller, and keeps their order.
    #[test]
    fn holm_keeps_order(p_values in prop::collection::vec(0.0..=1.0f64, 0..30)) {
        let corrected = holm(&p_values);
        for (at, &p) in p_values.iter().enumerate() {
            prop_assert!(corrected[at] >= p && corrected[at] <= 1.0);
            for (other, &q) in p_values.iter().enumerate() {
                prop_assert!(p > q || corrected[at] <= corrected[other]);
            }
        }
    }
}
