//! Tests that an evaluation never falls when a condition that only better goals want comes nearer.

use super::featured::{FeatureNetwork, FeatureSettings};
use super::{Aggregation, Settings};
use crate::rules::derived::{Kind, Kinds, Reading};
use crate::rules::distance::Choice;
use crate::rules::fuzzy::{self, Fuzzy};
use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, State};
use ludens_testkit::{corpus_game, library};
use std::time::Duration;

const EXTENT: Extent = Extent {
    seed: 4,
    playouts: 3,
    states: 60,
};

fn network(game: &Game, kinds: Kinds, aggregation: Aggregation) -> FeatureNetwork {
    let settings = Settings {
        distances: Some(Choice::Both),
        aggregation,
        ..Settings::default()
    };
    let features = FeatureSettings {
        kinds,
        ..FeatureSettings::default()
    };
    let budget = Budget::default().within(Duration::from_secs(20));
    FeatureNetwork::new(game, settings, features, &budget).expect("the game is compiled")
}

fn states(game: &Game) -> Vec<State> {
    let budget = Budget::default();
    let mut play = RandomPlay::new(game, EXTENT, &budget);
    let mut states = Vec::new();
    while let Some(visit) = play.next_state() {
        if visit.end.is_none() && visit.depth % 4 == 0 {
            states.push(visit.state.clone());
        }
    }
    states
}

/// Number of leaves that were moved nearer, and how often a role's evaluation fell.
fn count(game: &Game, kinds: Kinds, aggregation: Aggregation) -> (usize, usize) {
    let mut network = network(game, kinds, aggregation);
    let leaves: Vec<Vec<usize>> = (0..game.roles().len()).map(|role| network.promising(role)).collect();
    let (mut tried, mut fallen) = (0, 0);
    for state in states(game) {
        for (role, leaves) in leaves.iter().enumerate() {
            for &leaf in leaves {
                network.compute(&state);
                let reading = network.reading(leaf);
                if reading.holds || reading.settled || reading.degree < 0.0 {
                    continue;
                }
                let before = network.goal(role);
                let degree = reading.degree + (1.0 - reading.degree) / 2.0;
                network.read_as(leaf, Reading { degree, ..reading });
                tried += 1;
                fallen += usize::from(network.goal(role) < before - 1e-9);
            }
        }
    }
    (tried, fallen)
}

fn never_worse(game: &Game) -> usize {
    let fixed = Kinds::of(&[Kind::FixedDistance]);
    let mut all = 0;
    for kinds in [fixed, Kinds::ALL] {
        let (tried, fallen) = count(game, kinds, Aggregation::Cumulative);
        assert_eq!(fallen, 0, "{}: of {tried}, {kinds:?}", game.name());
        all += tried;
    }
    all
}

#[test]
fn nearer_is_never_worse_in_library_games() {
    for name in [
        "breakthrough-small",
        "tic-tac-toe-3-player",
        "goofspiel-4",
        "pursuit",
        "clobber-3x4",
    ] {
        never_worse(&library(name));
    }
    assert!(never_worse(&library("breakthrough-small")) > 100);
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn nearer_is_never_worse_in_corpus_games() {
    for name in [
        "chineseCheckers2",
        "skirmish",
        "crisscross",
        "chineseCheckers4",
        "racer4",
        "blocks2player",
        "quad_5x5",
        "knightThrough",
        "breakthrough",
        "breakthroughHoles",
        "ghostMaze2p",
        "nim4",
        "checkersSmall",
        "hanoi7_bugfix",
    ] {
        let game = corpus_game(name);
        assert!(never_worse(&game) > 0, "{name}");
    }
    // The published sum fails where there are several goals below the usual one.
    let fixed = Kinds::of(&[Kind::FixedDistance]);
    assert!(count(&corpus_game("chineseCheckers2"), fixed, Aggregation::Published).1 > 0);
}

/// Distances along which pieces move must not be switched off by conditions that want no piece to be left.
#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn pieces_that_must_reach_a_row_have_distances_in_corpus_games() {
    for name in ["knightThrough", "breakthrough", "breakthroughSmall"] {
        let game = corpus_game(name);
        let network = network(&game, Kinds::NONE, Aggregation::Cumulative);
        let found = network.found().features.iter();
        let rows = found.filter(|feature| feature.kind == Kind::AdmissibleDistance).count();
        assert!(rows >= 12, "{name}: {rows}");
        let fuzzy = Fuzzy::new(&game, fuzzy::Settings::default()).expect("the game is compiled");
        assert!(fuzzy.distances() >= 12, "{name}: {}", fuzzy.distances());
    }
    let game = corpus_game("chineseCheckers2");
    let network = network(&game, Kinds::of(&[Kind::FixedDistance]), Aggregation::Cumulative);
    let mut found = network.found().features.iter();
    assert!(found.any(|feature| feature.text == "(cell i1 red)" && feature.kind == Kind::FixedDistance));
}

#[test]
fn pawns_of_breakthrough_have_distances() {
    let game = library("breakthrough-small");
    let network = network(&game, Kinds::NONE, Aggregation::Cumulative);
    let found = network.found().features.iter();
    assert!(found.filter(|feature| feature.kind == Kind::AdmissibleDistance).count() >= 10);
}
