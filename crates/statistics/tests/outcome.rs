//! Outcomes, counts and records over games.

use ludens_statistics::CONFIDENCE;
use ludens_statistics::mean::Mean;
use ludens_statistics::outcome::{ByGame, Outcome, Record, Tally};
use proptest::prelude::*;

#[test]
fn outcomes_of_scores() {
    assert_eq!(Outcome::of_scores(100.0, 0.0), Outcome::Win);
    assert_eq!(Outcome::of_scores(50.0, 50.0), Outcome::Draw);
    assert_eq!(Outcome::of_scores(0.0, 1.0), Outcome::Loss);
    assert_eq!(Outcome::of_scores(f64::NAN, 1.0), Outcome::Draw);
    assert_eq!(Outcome::among(50.0, &[20.0, 50.0, 0.0]), Some(Outcome::Draw));
    assert_eq!(Outcome::among(60.0, &[20.0, 50.0]), Some(Outcome::Win));
    assert_eq!(Outcome::among(40.0, &[20.0, 50.0]), Some(Outcome::Loss));
    assert_eq!(Outcome::among(40.0, &[]), None);
}

#[test]
fn counts() {
    let none = Tally::default();
    assert_eq!((none.matches(), none.share(), none.elo()), (0, None, None));
    let tally: Tally = [Outcome::Win, Outcome::Win, Outcome::Draw, Outcome::Loss]
        .into_iter()
        .collect();
    assert_eq!((tally.matches(), tally.points(), tally.share()), (4, 2.5, Some(0.625)));
    // 400 log10(5 / 3).
    assert!((tally.elo().unwrap() - 88.739).abs() < 1e-3);
    let won = Tally {
        wins: 3,
        draws: 0,
        losses: 0,
    };
    assert_eq!((won.share(), won.elo()), (Some(1.0), None));
}

#[test]
fn games_for_one_player_have_scores_but_no_outcomes() {
    let mut record = Record::default();
    record.add(75.0, &[]);
    record.add(100.0, &[0.0]);
    assert_eq!((record.tally.matches(), record.scores.count()), (1, 2));
}

#[test]
fn games_apart_and_together() {
    let mut results = ByGame::new();
    for _ in 0..3 {
        results.add("chess", 100.0, &[0.0]);
    }
    results.add("maze", 40.0, &[]);
    assert_eq!(results.game(&"chess").unwrap().tally.wins, 3);
    assert_eq!(results.game(&"go"), None);
    assert_eq!(
        results.games().map(|(game, _)| *game).collect::<Vec<_>>(),
        ["chess", "maze"]
    );
    assert_eq!(results.overall().scores.mean(), Some(85.0));
    assert_eq!(results.average(), Some(70.0));
    let interval = results.average_interval(CONFIDENCE).unwrap();
    assert!(interval.contains(70.0) && interval.width() > 30.0, "{interval:?}");
}

#[test]
fn nothing_played() {
    let results = ByGame::<&str>::new();
    assert_eq!((results.average(), results.average_interval(CONFIDENCE)), (None, None));
    assert_eq!(results.overall(), Record::default());
}

/// With one game, the formula for several is Student's.
#[test]
fn one_game_is_the_plain_mean() {
    let scores = [100.0, 50.0, 0.0, 100.0, 75.0];
    let mut results = ByGame::new();
    scores.iter().for_each(|&score| results.add((), score, &[50.0]));
    let (one, other) = (
        results.average_interval(CONFIDENCE).unwrap(),
        scores.into_iter().collect::<Mean>().score_interval(CONFIDENCE).unwrap(),
    );
    assert!((one.low - other.low).abs() < 1e-9 && (one.high - other.high).abs() < 1e-9);
}

/// Two games with equal spreads and n matches each: the error is s/√(2n), and the degrees of freedom add up.
#[test]
fn two_games_by_hand() {
    let mut results = ByGame::new();
    for score in [40.0, 50.0, 60.0] {
        results.add("a", score, &[50.0]);
        results.add("b", score + 10.0, &[50.0]);
    }
    let interval = results.average_interval(CONFIDENCE).unwrap();
    // s = 10, n = 3 + 3, and t with 4 degrees of freedom is 2.776 in the tables.
    let half = 2.776 * 10.0 / 6f64.sqrt();
    assert!((interval.low - (55.0 - half)).abs() < 2e-3 && (interval.high - (55.0 + half)).abs() < 2e-3);
}

proptest! {
    #[test]
    fn reversed_twice_is_the_same(wins in 0u64..1000, draws in 0u64..1000, losses in 0u64..1000) {
        let tally = Tally { wins, draws, losses };
        prop_assert_eq!(tally.reversed().reversed(), tally);
        prop_assert_eq!(tally.points() + tally.reversed().points(), tally.matches() as f64);
    }

    /// Intervals over games are there whenever there is a match, in range, and hold the average.
    #[test]
    fn averages(matches in prop::collection::vec((0u8..5, 0u8..=100, 0u8..=100), 1..60)) {
        let mut results = ByGame::new();
        for (game, own, other) in matches {
            results.add(game, f64::from(own), &[f64::from(other)]);
        }
        let average = results.average().unwrap();
        let interval = results.average_interval(CONFIDENCE).unwrap();
        prop_assert!(0.0 <= interval.low && interval.high <= 100.0);
        prop_assert!(interval.low - 1e-9 <= average && average <= interval.high + 1e-9);
    }
}
