//! Symmetries of the published games.

use ludens_budget::Budget;
use ludens_engine::{Game, Limits, Options};
use ludens_gdl::{Description, Source};
use ludens_symmetry::{Completeness, Kind, symmetries};
use ludens_testkit::{corpus, files};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time for the symmetries of a game, and for setting it up.
const TIME: Duration = Duration::from_secs(2);
const SETUP: Duration = Duration::from_secs(4);

/// Prints a row for each game and a summary; run it with `--nocapture` to see them.
#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn symmetries_of_the_corpus_are_found_within_their_budget() {
    let paths = files(&corpus().join("games"), &["kif"]);
    assert!(!paths.is_empty(), "the corpus has no games");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut orders: BTreeMap<String, usize> = BTreeMap::new();
    let mut times: Vec<f64> = Vec::new();
    for path in &paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let source = Source::from_bytes(name.clone(), std::fs::read(path).unwrap());
        let options = Options {
            limits: Limits {
                setup: SETUP,
                ..Limits::default()
            },
            ..Options::default()
        };
        let Ok(game) = Game::new(Description::read(source), options) else {
            *counts.entry("not set up").or_default() += 1;
            continue;
        };
        let start = Instant::now();
        let found = symmetries(&game, Kind::Game, &Budget::default().within(TIME));
        let seconds = start.elapsed().as_secs_f64();
        *counts.entry(found.completeness().name()).or_default() += 1;
        println!(
            "{name:40} {:>24} {:14} {seconds:7.3} s",
            found.order().to_string(),
            found.completeness().name()
        );
        if found.completeness() != Completeness::Unknown {
            times.push(seconds);
            *orders.entry(found.order().to_string()).or_default() += 1;
        }
        for mapping in found.generators() {
            assert_eq!(mapping.state(game.initial()), *game.initial(), "{name}");
        }
    }
    times.sort_by(f64::total_cmp);
    let share = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(0.0);
    println!("{counts:?}\norders {orders:?}");
    println!(
        "median {:.3} s, 95 % {:.3} s, longest {:.3} s",
        share(0.5),
        share(0.95),
        share(0.9999)
    );
    assert!(counts.get("proved").is_some_and(|&proved| proved > 0));
}
