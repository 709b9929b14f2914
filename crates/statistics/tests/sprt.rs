//! The sequential test against likelihoods maximised by trying, and its errors in simulated matches.

use fastrand::Rng;
use ludens_statistics::elo;
use ludens_statistics::outcome::{Outcome, Tally};
use ludens_statistics::sprt::{Decision, Sprt};
use proptest::prelude::*;

/// The greatest log-likelihood of the counts with a given share, by trying rates of draws ever more finely.
fn by_trying(tally: &Tally, share: f64) -> f64 {
    let log_likelihood = |draw: f64| {
        let (win, loss) = (share - draw / 2.0, 1.0 - share - draw / 2.0);
        tally.wins as f64 * win.ln() + tally.draws as f64 * draw.ln() + tally.losses as f64 * loss.ln()
    };
    let (mut low, mut high) = (0.0, 2.0 * share.min(1.0 - share));
    for _ in 0..200 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if log_likelihood(left) < log_likelihood(right) {
            low = left;
        } else {
            high = right;
        }
    }
    log_likelihood((low + high) / 2.0)
}

#[test]
fn likelihoods_by_trying() {
    for (elo0, elo1) in [(0.0, 5.0), (-3.0, 1.0), (0.0, 100.0), (50.0, 300.0)] {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
        for (wins, draws, losses) in [(10, 5, 3), (300, 500, 280), (1, 1, 1), (5, 100, 30), (4000, 1, 3900)] {
            let tally = Tally { wins, draws, losses };
            let expected = by_trying(&tally, elo::expected_share(elo1)) - by_trying(&tally, elo::expected_share(elo0));
            let llr = sprt.verdict(&tally).llr;
            assert!(
                (llr - expected).abs() < 1e-6 * expected.abs().max(1.0),
                "{llr} is not {expected}"
            );
        }
    }
}

/// For near hypotheses the ratio is nearly N (s₁ − s₀) (2s − s₀ − s₁) / 2σ², the approximation of Van den Bergh.
#[test]
fn near_hypotheses() {
    let tally = Tally {
        wins: 5300,
        draws: 9800,
        losses: 4900,
    };
    let (s0, s1) = (elo::expected_share(0.0), elo::expected_share(5.0));
    let (matches, share) = (tally.matches() as f64, tally.share().unwrap());
    let variance = (tally.wins as f64 + tally.draws as f64 / 4.0) / matches - share * share;
    let approximation = matches * (s1 - s0) * (2.0 * share - s0 - s1) / (2.0 * variance);
    let llr = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap().verdict(&tally).llr;
    assert!(
        (llr / approximation - 1.0).abs() < 0.01,
        "{llr} is not near {approximation}"
    );
}

/// Bounds for errors of 5 in 100 are ± ln 19.
#[test]
fn bounds() {
    let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap();
    assert!((sprt.upper() - 19f64.ln()).abs() < 1e-12 && (sprt.lower() + 19f64.ln()).abs() < 1e-12);
    let strict = Sprt::new(0.0, 10.0, 0.01, 0.2).unwrap();
    assert!((strict.upper() - 80f64.ln()).abs() < 1e-12 && (strict.lower() - (0.2f64 / 0.99).ln()).abs() < 1e-12);
}

#[test]
fn odd_tests_are_refused() {
    for (elo0, elo1, alpha, beta) in [
        (5.0, 5.0, 0.05, 0.05),
        (5.0, 0.0, 0.05, 0.05),
        (f64::NAN, 0.0, 0.05, 0.05),
        (0.0, f64::INFINITY, 0.05, 0.05),
        (0.0, 5.0, 0.0, 0.05),
        (0.0, 5.0, 0.5, 0.5),
        (0.0, 5.0, 0.05, f64::NAN),
    ] {
        assert_eq!(Sprt::new(elo0, elo1, alpha, beta), None);
    }
}

#[test]
fn few_matches() {
    let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05).unwrap();
    let none = sprt.verdict(&Tally::default());
    assert_eq!((none.decision, none.llr), (Decision::Continue, 0.0));
    for (tally, sign) in [
        (
            Tally {
                wins: 1,
                draws: 0,
                losses: 0,
            },
            1.0,
        ),
        (
            Tally {
                wins: 0,
                draws: 1,
                losses: 0,
            },
            -1.0,
        ),
        (
            Tally {
                wins: 0,
                draws: 0,
                losses: 1,
            },
            -1.0,
        ),
    ] {
        let verdict = sprt.verdict(&tally);
        assert_eq!(verdict.decision, Decision::Continue);
        assert!(verdict.llr * sign > 0.0, "{tally:?} gives {}", verdict.llr);
    }
    let wins = sprt.verdict(&Tally {
        wins: 200,
        draws: 0,
        losses: 0,
    });
    assert_eq!(wins.decision, Decision::AcceptH1);
    let draws = sprt.verdict(&Tally {
        wins: 0,
        draws: 1000,
        losses: 0,
    });
    assert_eq!(draws.decision, Decision::AcceptH0);
}

/// Five values of a pair of matches; odd shares are left out, and whole wins are what they are in a tally.
#[test]
fn shares() {
    let sprt = Sprt::new(0.0, 20.0, 0.05, 0.05).unwrap();
    let tally = Tally {
        wins: 30,
        draws: 40,
        losses: 20,
    };
    let as_shares = sprt.verdict_of_shares(&[(0.0, 20), (1.0, 30), (f64::NAN, 9), (1.5, 9), (0.5, 40), (0.25, 0)]);
    assert!((as_shares.llr - sprt.verdict(&tally).llr).abs() < 1e-9);
    // Pairs in which each player wins the match with the better role say more than the same matches taken singly.
    let pairs = sprt.verdict_of_shares(&[(0.5, 900), (0.75, 100)]);
    let matches = sprt.verdict(&Tally {
        wins: 1000,
        draws: 100,
        losses: 900,
    });
    assert!(
        matches.llr > 0.0 && pairs.llr > 3.0 * matches.llr,
        "{} against {}",
        pairs.llr,
        matches.llr
    );
}

/// The share of tests that accept H1, and the mean number of matches, if the true difference is `elo`.
fn simulate(sprt: &Sprt, elo: f64, draw_rate: f64, tests: u32, rng: &mut Rng) -> (f64, f64) {
    let (mut accepted, mut matches) = (0, 0);
    for _ in 0..tests {
        let mut tally = Tally::default();
        loop {
            let win = elo::expected_share(elo) - draw_rate / 2.0;
            let chance = rng.f64();
            tally.add(if chance < win {
                Outcome::Win
            } else if chance < win + draw_rate {
                Outcome::Draw
            } else {
                Outcome::Loss
            });
            match sprt.verdict(&tally).decision {
                Decision::Continue => {}
                Decision::AcceptH0 => break,
                Decision::AcceptH1 => {
                    accepted += 1;
                    break;
                }
            }
        }
        matches += tally.matches();
    }
    (
        f64::from(accepted) / f64::from(tests),
        matches as f64 / f64::from(tests),
    )
}

/// Errors are as rare as promised, within what 600 tests can show, with few draws and with many; and a test of fixed
/// length would need more matches: (1.645 + 1.282)² σ² / (s₁ − s₀)² of them.
#[test]
fn errors_are_rare() {
    let sprt = Sprt::new(0.0, 60.0, 0.05, 0.10).unwrap();
    let mut rng = Rng::with_seed(3);
    for draw_rate in [0.1, 0.6] {
        let (wrong, matches) = simulate(&sprt, 0.0, draw_rate, 600, &mut rng);
        assert!(
            (0.02..=0.08).contains(&wrong),
            "H1 accepted in {wrong} of the tests under H0"
        );
        let gain: f64 = elo::expected_share(60.0) - 0.5;
        let fixed = (1.645f64 + 1.282).powi(2) * (1.0 - draw_rate) / 4.0 / (gain * gain);
        assert!(matches < 0.7 * fixed, "{matches} matches, {fixed} with fixed length");
        let (right, _) = simulate(&sprt, 60.0, draw_rate, 600, &mut rng);
        assert!(
            (0.86..=0.95).contains(&right),
            "H1 accepted in {right} of the tests under H1"
        );
        let (beyond, _) = simulate(&sprt, 150.0, draw_rate, 200, &mut rng);
        assert!(beyond > 0.98, "H1 accepted in {beyond} of the tests beyond H1");
    }
}

proptest! {
    /// Whatever is counted, the ratio is a number, and the view of the opponent turns its sign.
    #[test]
    fn mirrored(
        counts in prop::array::uniform3(prop_oneof![0u64..5, 0u64..1_000_000, Just(u64::MAX)]),
        elo0 in -1000.0..999.0f64,
        step in 0.01..300.0f64,
    ) {
        let tally = Tally { wins: counts[0], draws: counts[1], losses: counts[2] };
        let elo1 = (elo0 + step).min(1000.0);
        let llr = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().verdict(&tally).llr;
        let mirrored = Sprt::new(-elo1, -elo0, 0.05, 0.05).unwrap().verdict(&tally.reversed()).llr;
        prop_assert!(llr.is_finite());
        prop_assert!((llr + mirrored).abs() <= 1e-6 * llr.abs() + 1e-12 * tally.matches() as f64 + 1e-6);
    }

    /// Another win never speaks for the weaker hypothesis, once there is something of everything.
    #[test]
    fn wins_help(wins in 1u64..500, draws in 1u64..500, losses in 1u64..500) {
        let sprt = Sprt::new(0.0, 30.0, 0.05, 0.05).unwrap();
        let llr = |wins| sprt.verdict(&Tally { wins, draws, losses }).llr;
        prop_assert!(llr(wins + 1) > llr(wins));
    }
}
