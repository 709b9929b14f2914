//! When to stop: the sequential probability ratio test.
//!
//! Looking at a p-value after every match and stopping when it is small finds differences where there are none. The
//! test of Abraham Wald (*Sequential Analysis*, 1947) may be looked at after every match, and ends as soon as the
//! results are clear, on average after far fewer matches than a test of fixed length.
//!
//! Two hypotheses are weighed: that the player is `elo0` points above the opponent (H0), or `elo1` (H1). The logarithm
//! of the ratio of their likelihoods, the LLR, starts at 0; when it falls to ln(β / (1 − α)) H0 is accepted, when it
//! rises to ln((1 − β) / α) H1 is. The probability of accepting H1 where H0 holds is then about α, that of accepting H0
//! where H1 holds about β. If the truth is beyond one of them, errors are rarer; if it is between them, matches are
//! most.
//!
//! An Elo difference fixes the expected share of the points but not how many matches are drawn. As in the testing of
//! chess engines, the rate of draws is left open: the likelihood of a hypothesis is that of the most likely
//! probabilities of win, draw and loss with that share (the *generalised* test; M. Van den Bergh, "A practical
//! introduction to the GSPRT"). With the observed frequencies fᵢ of the values aᵢ (0, ½, 1) and the share s, these are
//! pᵢ = fᵢ / (1 + λ (aᵢ − s)), where λ is the one number for which their mean is s.

use crate::elo;
use crate::outcome::Tally;

/// Replaces a count of 0, so that an outcome not seen so far is unlikely but not impossible.
const UNSEEN: f64 = 1e-3;

/// Expected shares of greater differences are too near to 0 or 1 to be told from certainty.
const GREATEST_ELO: f64 = 1000.0;

/// The number above −1 that is next to it, or nearly so.
const NEAR_MINUS_ONE: f64 = -1.0 + f64::EPSILON;

/// A test: its hypotheses and how often it may be wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Undecided: more matches are needed.
    Continue,
    /// The difference is `elo0` or less.
    AcceptH0,
    /// The difference is `elo1` or more.
    AcceptH1,
}

/// State of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether to go on.
    pub decision: Decision,
    /// The logarithm of the likelihood ratio: above 0 speaks for H1, below 0 for H0.
    pub llr: f64,
    /// H0 is accepted at or below this.
    pub lower: f64,
    /// H1 is accepted at or above this.
    pub upper: f64,
}

impl Sprt {
    /// The test of a difference of `elo0` against one of `elo1`, which must be greater, where H1 is wrongly accepted
    /// with probability `alpha` and H0 with probability `beta`. Usual are 0 against some 10 to 50, and 0.05 for both.
    /// `None` if the differences are not in order or beyond 1000, or if the probabilities are not above 0 with a sum
    /// below 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Option<Sprt> {
        let ordered = -GREATEST_ELO <= elo0 && elo0 < elo1 && elo1 <= GREATEST_ELO;
        let probable = alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0;
        (ordered && probable).then_some(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// The LLR at or below which H0 is accepted.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The LLR at or above which H1 is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Returns the state of the test after these matches. Without matches the LLR is 0.
    pub fn verdict(&self, tally: &Tally) -> Verdict {
        self.verdict_of_shares(&[(1.0, tally.wins), (0.5, tally.draws), (0.0, tally.losses)])
    }

    /// Returns the state of the test after trials that each gave a share from 0 to 1. Each share comes with its count.
    ///
    /// With this, a trial may be a round of matches in which both players had each role, its share being the mean of
    /// its matches (two matches give five possible shares, the *pentanomial* test). Matches of a round are not
    /// independent when roles are unequal, and the test then needs fewer matches. Shares that are not from 0 to 1 are
    /// left out.
    pub fn verdict_of_shares(&self, counts: &[(f64, u64)]) -> Verdict {
        let llr = self.log_likelihood_ratio(counts);
        let (lower, upper) = (self.lower(), self.upper());
        let decision = if llr <= lower {
            Decision::AcceptH0
        } else if llr >= upper {
            Decision::AcceptH1
        } else {
            Decision::Continue
        };
        Verdict {
            decision,
            llr,
            lower,
            upper,
        }
    }

    fn log_likelihood_ratio(&self, counts: &[(f64, u64)]) -> f64 {
        let seen = counts
            .iter()
            .filter(|(share, count)| (0.0..=1.0).contains(share) && *count > 0);
        let mut seen: Vec<(f64, f64)> = seen.map(|&(share, count)| (share, count as f64)).collect();
        if seen.is_empty() {
            return 0.0;
        }
        // With 0 and 1 among the shares, some probabilities have any mean between.
        for share in [0.0, 0.5, 1.0] {
            if seen.iter().all(|&(other, _)| other != share) {
                seen.push((share, UNSEEN));
            }
        }
        log_likelihood(&seen, elo::expected_share(self.elo1)) - log_likelihood(&seen, elo::expected_share(self.elo0))
    }
}

/// The greatest logarithm of the likelihood of the counts for probabilities with the given mean, compared with that of
/// the observed frequencies.
fn log_likelihood(counts: &[(f64, f64)], mean: f64) -> f64 {
    let multiplier = multiplier(counts, mean);
    // A frequency near 0 beside very large counts can make the logarithm that of a 0 that is only due to rounding.
    let logarithm = |share: f64| (multiplier * (share - mean)).max(NEAR_MINUS_ONE).ln_1p();
    -counts
        .iter()
        .map(|&(share, count)| count * logarithm(share))
        .sum::<f64>()
}

/// The λ of the module's documentation. The sum of fᵢ (aᵢ − s) / (1 + λ (aᵢ − s)) falls as λ grows, from above 0 to
/// below 0 between the two values where a probability would become infinite, so halving that range finds where it is 0.
fn multiplier(counts: &[(f64, f64)], mean: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let excess: f64 = counts
            .iter()
            .map(|(share, count)| count * (share - mean) / (1.0 + middle * (share - mean)))
            .sum();
        if excess > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
