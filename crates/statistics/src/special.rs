//! Distribution functions for intervals and p-values, defined for every input.
//!
//! The functions themselves come from `statrs`. Two things are done here. Inputs for which `statrs` would panic are
//! kept from it. And where it is not to be relied on, another way is taken: its inverse of Student's distribution is
//! wrong for millions of degrees of freedom and does not end for billions, and its binomial sums are wrong from about a
//! million trials on.

use statrs::distribution::{Binomial, ContinuousCDF, Discrete, Normal, StudentsT};

/// Degrees of freedom above which Student's distribution is taken to be the normal one. They differ by less than one
/// millionth there.
const ALMOST_NORMAL: f64 = 1e6;

/// The standard deviation of a binomial count above which its sums are taken from the normal distribution, as the
/// number of terms grows with it. The error is less than 0.00001 there.
const MANY_TERMS: f64 = 1e4;

/// Whether `confidence` is a level that intervals can have: between 0 and 1, both excluded.
pub(crate) fn is_confidence(confidence: f64) -> bool {
    0.0 < confidence && confidence < 1.0
}

/// The probability that a standard normal value is at least as far from 0 as `z`.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    (2.0 * Normal::standard().sf(z.abs())).min(1.0)
}

/// The distance from 0 within which a standard normal value is with probability `confidence`.
pub(crate) fn normal_reach(confidence: f64) -> Option<f64> {
    // The lower tail is asked for, as a number near 0 keeps digits that a number near 1 loses.
    is_confidence(confidence).then(|| -Normal::standard().inverse_cdf((1.0 - confidence) / 2.0))
}

/// The probability that a value of Student's distribution is at least as far from 0 as `t`.
pub(crate) fn student_two_sided(t: f64, freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) if freedom < ALMOST_NORMAL && !t.is_nan() => (2.0 * student.sf(t.abs())).clamp(0.0, 1.0),
        _ => normal_two_sided(t),
    }
}

/// The distance from 0 within which a value of Student's distribution is with probability `confidence`.
pub(crate) fn student_reach(confidence: f64, freedom: f64) -> Option<f64> {
    if !is_confidence(confidence) || freedom.is_nan() || freedom <= 0.0 {
        return None;
    }
    if freedom >= ALMOST_NORMAL {
        return normal_reach(confidence);
    }
    let outside = 1.0 - confidence;
    let mut high = 1.0;
    while student_two_sided(high, freedom) > outside && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return Some(high);
        }
        if student_two_sided(middle, freedom) > outside {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probabilities of at most, and of at least, `successes` in `trials` where each succeeds with `probability`, which
/// is strictly between 0 and 1.
pub(crate) fn binomial_tails(successes: u64, trials: u64, probability: f64) -> (f64, f64) {
    let mean = trials as f64 * probability;
    if successes as f64 <= mean {
        lower_tail(successes, trials, probability)
    } else {
        // Failures are successes of the opposite event.
        let (upper, lower) = lower_tail(trials - successes, trials, 1.0 - probability);
        (lower, upper)
    }
}

/// [`binomial_tails`] for a number of successes that is not above the mean.
fn lower_tail(successes: u64, trials: u64, probability: f64) -> (f64, f64) {
    let deviation = (trials as f64 * probability * (1.0 - probability)).sqrt();
    if deviation > MANY_TERMS {
        let below = |bound: f64| Normal::standard().cdf((bound - trials as f64 * probability) / deviation);
        return (below(successes as f64 + 0.5), 1.0 - below(successes as f64 - 0.5));
    }
    let here = Binomial::new(probability, trials).map_or(0.0, |binomial| binomial.pmf(successes));
    // From the term at hand downwards terms only get smaller, so that the sum can end when they no longer count.
    let odds = (1.0 - probability) / probability;
    let (mut term, mut sum, mut at) = (here, here, successes);
    while at > 0 && term > sum * 1e-17 {
        term *= at as f64 / (trials - at + 1) as f64 * odds;
        sum += term;
        at -= 1;
    }
    (sum.min(1.0), (1.0 - sum + here).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not near {expected}");
    }

    /// From the table of the normal distribution that every textbook has.
    #[test]
    fn normal_tables() {
        near(normal_reach(0.90).unwrap(), 1.644854, 1e-6);
        near(normal_reach(0.95).unwrap(), 1.959964, 1e-6);
        near(normal_reach(0.99).unwrap(), 2.575829, 1e-6);
        near(normal_two_sided(1.0), 0.317311, 1e-6);
        near(normal_two_sided(-2.0), 0.045500, 1e-6);
        assert_eq!(normal_two_sided(0.0), 1.0);
        assert_eq!(normal_two_sided(1e300), 0.0);
        assert_eq!(
            (normal_two_sided(f64::NAN), student_two_sided(f64::NAN, 3.0)),
            (1.0, 1.0)
        );
    }

    /// From the table of Student's distribution that every textbook has, to its three decimals.
    #[test]
    fn student_tables() {
        for (freedom, at_95, at_99) in [
            (1.0, 12.706, 63.657),
            (2.0, 4.303, 9.925),
            (4.0, 2.776, 4.604),
            (9.0, 2.262, 3.250),
            (30.0, 2.042, 2.750),
            (120.0, 1.980, 2.617),
        ] {
            near(student_reach(0.95, freedom).unwrap(), at_95, 6e-4);
            near(student_reach(0.99, freedom).unwrap(), at_99, 6e-4);
        }
    }

    /// With one degree of freedom the distribution function is an arc tangent, with two it is algebraic.
    #[test]
    fn student_closed_forms() {
        for t in [0.0, 0.1, 1.0, 3.0, 50.0, 1e6] {
            near(
                student_two_sided(t, 1.0),
                1.0 - 2.0 * f64::atan(t) / std::f64::consts::PI,
                1e-9,
            );
            near(student_two_sided(t, 2.0), 1.0 - t / (2.0 + t * t).sqrt(), 1e-9);
        }
    }

    #[test]
    fn student_with_any_number_of_degrees() {
        let normal = normal_reach(0.95).unwrap();
        let mut last = f64::INFINITY;
        for exponent in 0..16 {
            let reach = student_reach(0.95, 10f64.powi(exponent)).unwrap();
            assert!(
                reach <= last && reach >= normal - 1e-9,
                "10^{exponent}: {reach} after {last}"
            );
            last = reach;
        }
        // The first terms of the expansion for many degrees, Abramowitz and Stegun 26.7.5.
        for freedom in [1e4, 1e5, 9e5] {
            near(
                student_reach(0.95, freedom).unwrap(),
                normal + (normal.powi(3) + normal) / (4.0 * freedom),
                1e-7,
            );
        }
        for confidence in [1e-12, 0.01, 0.5, 1.0 - 1e-12] {
            assert!(student_reach(confidence, 1.0).unwrap().is_finite());
        }
        for (confidence, freedom) in [(0.0, 5.0), (1.0, 5.0), (f64::NAN, 5.0), (0.95, 0.0), (0.95, f64::NAN)] {
            assert_eq!(student_reach(confidence, freedom), None);
        }
    }

    /// Numbers of ways counted as whole numbers: Pascal's triangle.
    #[test]
    fn binomial_by_counting() {
        for trials in 0..=40u64 {
            let mut ways = vec![1u64];
            for size in 1..=trials {
                let next = (0..=size).map(|k| {
                    let left = if k > 0 { ways[k as usize - 1] } else { 0 };
                    left + ways.get(k as usize).copied().unwrap_or(0)
                });
                ways = next.collect();
            }
            let all = 2f64.powi(trials as i32);
            for successes in 0..=trials {
                let at_most = ways[..=successes as usize].iter().sum::<u64>() as f64 / all;
                let at_least = ways[successes as usize..].iter().sum::<u64>() as f64 / all;
                let (lower, upper) = binomial_tails(successes, trials, 0.5);
                near(lower, at_most, 1e-12);
                near(upper, at_least, 1e-12);
            }
        }
    }

    /// The sum and the normal approximation agree where one gives way to the other.
    #[test]
    fn binomial_with_many_trials() {
        for trials in [399_999_990u64, 400_000_010] {
            for distance in [0u64, 5_000, 20_000, 40_000] {
                let (lower, upper) = binomial_tails(trials / 2 - distance, trials, 0.5);
                let z = (distance as f64 - 0.5) / (trials as f64 / 4.0).sqrt();
                near(lower, Normal::standard().cdf(-z), 1e-6);
                near(lower + upper, 1.0, 1e-4);
            }
        }
        let (lower, upper) = binomial_tails(u64::MAX / 2, u64::MAX, 0.5);
        near(lower, 0.5, 1e-6);
        near(upper, 0.5, 1e-6);
    }
}
