//! Is one player better than another, or was it luck?
//!
//! Each test here asks how often results at least as one-sided would come about if both players were equally good. That
//! is its p-value; below 0.05 the difference is called significant. All tests are two-sided: before the matches, either
//! player might have turned out to be the better one.
//!
//! | what is known | test |
//! | --- | --- |
//! | scores of both players in the same matches or rounds | [`paired`] |
//! | only who won | [`sign_test`] |
//! | shares in separate sets of matches, such as two versions against the same opponent | [`two_proportions`] |
//! | matches among many players | [`crate::rating::Ratings::difference`] |
//!
//! Among twenty comparisons, one has p < 0.05 by luck alone. [`holm`] corrects for that.

use crate::mean::Mean;
use crate::proportion::Proportion;
use crate::{Interval, special};

/// The difference of two players, and whether it is more than luck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The observed difference: first minus second.
    pub difference: f64,
    /// Interval of the true difference, if any.
    pub interval: Option<Interval>,
    /// The probability of a difference at least as large between equals.
    pub p_value: f64,
}

/// Compares two players by the differences of their scores in matches that they played against each other, or under the
/// same conditions: Student's test of paired differences ("The probable error of a mean", 1908). `None` without
/// differences, or if `confidence` is not strictly between 0 and 1.
///
/// Roles are seldom equal, so both players must have had each role equally often. Best, a difference is the mean over a
/// *round*, in which every role was once had by each player (see [`rounds`]): then the advantage of a role cancels
/// within each difference and does not even add to the spread.
///
/// A single difference, and differences that are all equal, have no spread to go by. Then there is no interval, and the
/// p-value is that of the [`sign_test`]: 1 for one difference, 1/512 for ten equal ones.
pub fn paired(differences: &[f64], confidence: f64) -> Option<Comparison> {
    if !special::is_confidence(confidence) {
        return None;
    }
    let mean: Mean = differences.iter().copied().collect();
    let difference = mean.mean()?;
    match mean.standard_error() {
        Some(error) if error > 0.0 => Some(Comparison {
            difference,
            interval: mean.interval(confidence),
            p_value: special::student_two_sided(difference / error, (mean.count() - 1) as f64),
        }),
        _ => {
            let (positive, negative) = signs(differences);
            Some(Comparison {
                difference,
                interval: None,
                p_value: sign_test(positive, negative),
            })
        }
    }
}

/// Means over rounds of `matches` matches each, taken in order. An unfinished round at the end is left out, as in it
/// roles are not balanced. A round has at least one match.
pub fn rounds(differences: &[f64], matches: usize) -> Vec<f64> {
    let matches = matches.max(1);
    let rounds = differences.chunks_exact(matches);
    rounds.map(|round| round.iter().sum::<f64>() / matches as f64).collect()
}

/// Returns the number of values above 0 and of those below.
pub fn signs(differences: &[f64]) -> (u64, u64) {
    let count = |wanted: fn(f64) -> bool| differences.iter().filter(|&&difference| wanted(difference)).count() as u64;
    (
        count(|difference| difference > 0.0),
        count(|difference| difference < 0.0),
    )
}

/// The p-value of `wins` and `losses` between equals, draws left out (J. Arbuthnot, 1710): the exact binomial test
/// with probability ½. It assumes nothing but that matches are independent. 1 without wins and losses.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    binomial_test(wins, wins.saturating_add(losses), 0.5).unwrap_or(1.0)
}

/// The p-value of `successes` in `trials` where each trial succeeds with `probability`: twice the smaller of the
/// two exact tails, at most 1. `None` if there are more successes than trials, or if `probability` is not strictly
/// between 0 and 1. Without trials it is 1.
pub fn binomial_test(successes: u64, trials: u64, probability: f64) -> Option<f64> {
    let valid = successes <= trials && 0.0 < probability && probability < 1.0;
    valid.then(|| {
        let (at_most, at_least) = special::binomial_tails(successes, trials, probability);
        (2.0 * at_most.min(at_least)).min(1.0)
    })
}

/// Compares two proportions from separate trials. `None` if `confidence` is not strictly between 0 and 1.
///
/// The p-value is that of the difference divided by its standard error if both proportions were the pooled one, by the
/// normal distribution; it wants some five successes and failures on each side. If all trials succeeded, or all failed,
/// it is 1. The interval is made of Wilson's intervals of both (R. G. Newcombe, "Interval estimation for the difference
/// between independent proportions", 1998, method 10), and fits few trials too. Half successes for draws make both too
/// careful.
pub fn two_proportions(first: Proportion, second: Proportion, confidence: f64) -> Option<Comparison> {
    let (one, two) = (first.interval(confidence)?, second.interval(confidence)?);
    let (p, q) = (first.share(), second.share());
    let difference = p - q;
    let interval = Interval {
        low: difference - (p - one.low).hypot(two.high - q),
        high: difference + (one.high - p).hypot(q - two.low),
    };
    let weight = first.trials() / (first.trials() + second.trials());
    let pooled = weight * p + (1.0 - weight) * q;
    let error = (pooled * (1.0 - pooled) * (1.0 / first.trials() + 1.0 / second.trials())).sqrt();
    let p_value = if error > 0.0 {
        special::normal_two_sided(difference / error)
    } else {
        1.0
    };
    Some(Comparison {
        difference,
        interval: Some(interval),
        p_value,
    })
}

/// Corrects the p-values of many comparisons by Holm's method (S. Holm, "A simple sequentially rejective multiple test
/// procedure", 1979): the smallest is multiplied by their number n, the next by n − 1, and so on, none being made
/// smaller than one before it. Calling those below 0.05 significant is wrong about even one of them at most 5 times in
/// 100, whether the comparisons are independent or not. Answers stand in the order of the p-values; what is not a
/// number is taken for 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let value = |at: usize| {
        if p_values[at].is_nan() {
            1.0
        } else {
            p_values[at].clamp(0.0, 1.0)
        }
    };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let mut corrected = vec![1.0; p_values.len()];
    let mut least = 0f64;
    for (place, &at) in order.iter().enumerate() {
        least = least.max(value(at) * (p_values.len() - place) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}
