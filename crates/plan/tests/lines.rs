//! Lines that the searches find: they can be played, reach the score they claim, and are found again by the same seed.

use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Role};
use ludens_plan::{Adaptation, AdaptationSettings, LineSearch, Nested, NotForOne};

fn library(name: &str) -> Game {
    Game::read(ludens_library::find(name).unwrap().source()).unwrap()
}

fn searches(game: &Game, seed: u64) -> Vec<Box<dyn LineSearch>> {
    let settings = AdaptationSettings {
        level: 2,
        iterations: 30,
        ..AdaptationSettings::default()
    };
    vec![
        Box::new(Nested::new(game, 1, seed).unwrap()),
        Box::new(Nested::new(game, 2, seed).unwrap()),
        Box::new(Adaptation::new(game, settings, seed).unwrap()),
    ]
}

#[test]
fn every_line_reaches_the_score_it_claims() {
    for name in [
        "pancakes-6",
        "peg-solitaire",
        "morpion-4d",
        "samegame-5x5",
        "sokoban-1",
        "knights-tour-5x5",
    ] {
        let game = library(name);
        for mut search in searches(&game, 3) {
            let found = search.search(game.initial(), &Budget::iterations(300));
            let mut machine = game.machine();
            for move_id in &found.line.moves {
                assert!(
                    !machine.is_terminal() && machine.legal(Role(0)).contains(move_id),
                    "{name}"
                );
                machine.step(&[*move_id]);
            }
            assert!(machine.is_terminal(), "{name}");
            assert_eq!(machine.score(Role(0)), found.line.score, "{name}");
        }
    }
}

#[test]
fn counted_searches_stop_at_their_count_and_are_repeated_by_their_seed() {
    let game = library("morpion-4d");
    let run = |number: usize, seed| searches(&game, seed)[number].search(game.initial(), &Budget::iterations(200));
    for number in 0..3 {
        let found = run(number, 5);
        assert_eq!((found.playouts, found.stop), (200, StopReason::Iterations));
        assert_eq!(found, run(number, 5));
        assert_ne!(found.line, run(number, 6).line);
    }
}

#[test]
fn small_puzzles_are_solved() {
    // Adaptation gives a move one weight wherever it is made, which does not suit flips of pancakes.
    for (name, number) in [("hanoi-3", 1), ("pancakes-5", 1)] {
        let game = library(name);
        let found = searches(&game, 1)[number].search(game.initial(), &Budget::iterations(50_000));
        assert_eq!(
            (found.line.score, found.stop),
            (100, StopReason::Solved),
            "{name}, search {number}"
        );
    }
}

#[test]
fn searches_beat_random_play_in_morpion() {
    let game = library("morpion-4d");
    let random = searches(&game, 1)[0]
        .search(game.initial(), &Budget::iterations(1))
        .line
        .score;
    for mut search in searches(&game, 1) {
        let found = search.search(game.initial(), &Budget::iterations(3_000));
        assert!(
            found.line.score >= random.max(28),
            "{} after {random}",
            found.line.score
        );
        assert!(found.line.score <= 35, "the optimum is 35, not {}", found.line.score);
    }
}

#[test]
fn games_of_several_roles_are_refused() {
    let refused = |name: &str| Nested::new(&library(name), 1, 0).err();
    assert_eq!(refused("tic-tac-toe"), Some(NotForOne::Roles(2)));
    assert_eq!(refused("monty-hall"), Some(NotForOne::Roles(2)));
    assert!(NotForOne::Roles(2).to_string().contains("has 2"));
}
