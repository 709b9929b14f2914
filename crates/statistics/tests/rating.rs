//! Ratings against published strengths, and their intervals against simulated tournaments.

use fastrand::Rng;
use ludens_statistics::CONFIDENCE;
use ludens_statistics::elo;
use ludens_statistics::outcome::{Outcome, Tally};
use ludens_statistics::rating::{Pairings, Ratings, Settings};
use proptest::prelude::*;

/// Elo points for each unit of the natural logarithm.
const POINTS: f64 = 173.717_792_761;

fn rate<Player: Ord + Clone>(pairings: &Pairings<Player>) -> Ratings<Player> {
    pairings.rate(&Settings::default())
}

/// The matches of the American League in 1987 and the strengths that Alan Agresti, *Categorical Data Analysis*, gives
/// for them: natural logarithms above Baltimore, with a standard error of about 0.34 for Milwaukee.
#[test]
fn baseball_of_agresti() {
    let teams = [
        "Milwaukee",
        "Detroit",
        "Toronto",
        "New York",
        "Boston",
        "Cleveland",
        "Baltimore",
    ];
    let wins: [[u64; 7]; 7] = [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ];
    let mut pairings = Pairings::new();
    for (row, wins) in wins.iter().enumerate() {
        for (column, &wins) in wins.iter().enumerate() {
            pairings.add_tally(
                teams[row],
                teams[column],
                &Tally {
                    wins,
                    draws: 0,
                    losses: 0,
                },
            );
        }
    }
    // Next to no virtual draws, as the published strengths have none.
    let ratings = pairings.rate(&Settings {
        prior_draws: 0.01,
        ..Settings::default()
    });
    for (team, strength) in teams.iter().zip([1.581, 1.436, 1.294, 1.248, 1.108, 0.684]) {
        let difference = ratings.difference(team, &"Baltimore", CONFIDENCE).unwrap();
        assert!(
            (difference.elo / POINTS - strength).abs() < 2e-3,
            "{team}: {}",
            difference.elo / POINTS
        );
    }
    let milwaukee = ratings.difference(&"Milwaukee", &"Baltimore", CONFIDENCE).unwrap();
    let error = milwaukee.interval.width() / 2.0 / 1.959964 / POINTS;
    assert!((error - 0.343).abs() < 2e-3, "{error}");
    assert!(milwaukee.p_value < 1e-4);
    let order: Vec<&str> = ratings.by_strength().iter().map(|rating| rating.player).collect();
    assert_eq!(order, teams);
    assert_eq!(ratings.get(&"Boston").unwrap().matches, 78);
}

/// With two players and hardly a virtual draw, the difference is that of the share, and its error √(1 / (n p (1 − p))).
#[test]
fn two_players_by_hand() {
    let mut pairings = Pairings::new();
    pairings.add_tally(
        "a",
        "b",
        &Tally {
            wins: 60,
            draws: 30,
            losses: 10,
        },
    );
    let ratings = pairings.rate(&Settings {
        prior_draws: 0.0,
        ..Settings::default()
    });
    let difference = ratings.difference(&"a", &"b", CONFIDENCE).unwrap();
    assert!((difference.elo - elo::difference_of_share(0.75).unwrap()).abs() < 0.1);
    let half = 1.959964 * POINTS / (100.0 * 0.75 * 0.25f64).sqrt();
    assert!((difference.interval.width() / 2.0 - half).abs() < 0.1);
    assert_eq!(ratings.get(&"a").unwrap().share, Some(0.75));
}

#[test]
fn nobody_and_nothing() {
    assert!(rate(&Pairings::<u32>::new()).by_strength().is_empty());
    let mut pairings = Pairings::new();
    pairings.add_player("alone");
    pairings.add("alone", "alone", Outcome::Win);
    pairings.add_match(&[("alone", 100.0)]);
    pairings.add_match(&[]);
    let ratings = rate(&pairings);
    let alone = ratings.get(&"alone").unwrap();
    assert_eq!((alone.elo, alone.matches, alone.share), (0.0, 0, None));
    assert_eq!(ratings.difference(&"alone", &"alone", CONFIDENCE).unwrap().p_value, 1.0);
    assert_eq!(ratings.difference(&"alone", &"nobody", CONFIDENCE), None);
    assert_eq!(ratings.difference(&"alone", &"alone", 1.0), None);
}

#[test]
fn who_wins_everything_is_still_finite() {
    let mut pairings = Pairings::new();
    pairings.add_tally(
        "a",
        "b",
        &Tally {
            wins: 20,
            draws: 0,
            losses: 0,
        },
    );
    pairings.add_tally(
        "b",
        "c",
        &Tally {
            wins: 20,
            draws: 0,
            losses: 0,
        },
    );
    pairings.add_player("d");
    let ratings = rate(&pairings);
    let elo = |player| ratings.get(&player).unwrap().elo;
    assert!(elo("a") > elo("b") + 200.0 && elo("b") > elo("c") + 200.0);
    assert!((elo("b") - elo("d")).abs() < 1.0, "who never played is average");
    assert!(
        ratings.get(&"d").unwrap().interval.width() > 1000.0,
        "and nothing is known about it"
    );
    assert!(ratings.get(&"a").unwrap().interval.low > elo("b"));
}

#[test]
fn all_equal() {
    let mut pairings = Pairings::new();
    for (one, other) in [(1, 2), (2, 3), (1, 3)] {
        pairings.add_tally(
            one,
            other,
            &Tally {
                wins: 5,
                draws: 10,
                losses: 5,
            },
        );
    }
    for rating in rate(&pairings).by_strength() {
        assert!(rating.elo.abs() < 1e-6 && rating.interval.contains(0.0));
        assert_eq!((rating.matches, rating.share), (40, Some(0.5)));
    }
}

/// More matches than anybody plays, in a chain: nothing overflows.
#[test]
fn very_many_matches() {
    let mut pairings = Pairings::new();
    for player in 0..20 {
        pairings.add_tally(
            player,
            player + 1,
            &Tally {
                wins: u64::MAX / 2,
                draws: 0,
                losses: 0,
            },
        );
    }
    let ratings = pairings.rate(&Settings {
        prior_draws: f64::NAN,
        confidence: f64::NAN,
    });
    for (place, rating) in ratings.by_strength().iter().enumerate() {
        assert_eq!(rating.player, place);
        assert!(rating.elo.is_finite() && rating.interval.low.is_finite() && rating.interval.high.is_finite());
    }
}

/// A match of two is the same whether added by scores or by outcome.
#[test]
fn matches_by_scores() {
    let (mut by_scores, mut by_outcome) = (Pairings::new(), Pairings::new());
    for (own, other) in [(100.0, 0.0), (50.0, 50.0), (30.0, 70.0), (100.0, 0.0)] {
        by_scores.add_match(&[("a", own), ("b", other)]);
        by_outcome.add("a", "b", Outcome::of_scores(own, other));
    }
    assert_eq!(rate(&by_scores), rate(&by_outcome));
}

/// Share of simulated tournaments in which the interval of the difference of two players holds the true one.
fn coverage(seed: u64, tournaments: usize, play: impl Fn(&mut Rng, &mut Pairings<usize>), truth: f64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let mut held = 0;
    for _ in 0..tournaments {
        let mut pairings = Pairings::new();
        play(&mut rng, &mut pairings);
        let difference = rate(&pairings).difference(&0, &1, CONFIDENCE).unwrap();
        held += usize::from(difference.interval.contains(truth));
    }
    held as f64 / tournaments as f64
}

/// Four players, 200 and less apart, each pair with 25 matches without draws: intervals hold the truth in about 95 of
/// 100 tournaments. The standard error of this share is 0.7 of 100.
#[test]
fn intervals_hold_the_truth() {
    let elos = [120.0, 0.0, -40.0, -80.0];
    let play = |rng: &mut Rng, pairings: &mut Pairings<usize>| {
        for (one, other) in (0..4).flat_map(|one| (0..one).map(move |other| (one, other))) {
            for _ in 0..25 {
                let won = rng.f64() < elo::expected_share(elos[one] - elos[other]);
                pairings.add(one, other, if won { Outcome::Win } else { Outcome::Loss });
            }
        }
    };
    let held = coverage(1, 1000, play, elos[0] - elos[1]);
    assert!((0.92..=0.98).contains(&held), "{held}");
}

/// Matches of five equal players without ties: the weight of their pairs keeps intervals right. Without weights the
/// same test gives 85 of 100.
#[test]
fn intervals_of_matches_of_many_players() {
    let play = |rng: &mut Rng, pairings: &mut Pairings<usize>| {
        for _ in 0..60 {
            let scores: Vec<(usize, f64)> = (0..5).map(|player| (player, rng.f64())).collect();
            pairings.add_match(&scores);
        }
    };
    let held = coverage(2, 1000, play, 0.0);
    assert!((0.92..=0.98).contains(&held), "{held}");
}

proptest! {
    /// Whatever the results, ratings are numbers with mean 0, and who swaps the results swaps the ratings.
    #[test]
    fn mirrored(results in prop::collection::vec((0u8..6, 0u8..6, 0u8..3), 0..80), prior in 0.0..5.0f64) {
        let outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss];
        let (mut pairings, mut mirror) = (Pairings::new(), Pairings::new());
        for (player, other, outcome) in results {
            pairings.add(player, other, outcomes[usize::from(outcome)]);
            mirror.add(player, other, outcomes[usize::from(outcome)].reversed());
        }
        let settings = Settings { prior_draws: prior, ..Settings::default() };
        let (ratings, mirrored) = (pairings.rate(&settings), mirror.rate(&settings));
        let mut sum = 0.0;
        for rating in ratings.by_strength() {
            let other = mirrored.get(&rating.player).unwrap();
            prop_assert!((rating.elo + other.elo).abs() < 1e-3);
            let width = rating.interval.width();
            prop_assert!((width - other.interval.width()).abs() < 1e-3 * width + 1e-3);
            prop_assert!(width.is_finite() && rating.interval.contains(rating.elo));
            sum += rating.elo;
        }
        prop_assert!(sum.abs() < 1e-6);
    }
}
