//! The baselines on games of all kinds.

use ludens_budget::{Budget, StopReason};
use ludens_engine::{EngineChoice, Game, MoveId, Options, Rng, Role, State};
use ludens_gdl::{Description, Source};
use ludens_search::baselines::{Flat, Greedy, Halving, Legal, Mobility, Random, Ucb};
use ludens_search::{FlatPlayouts, Searcher};
use ludens_testkit::library;

fn interpreted(name: &str) -> Game {
    let options = Options {
        engine: EngineChoice::Interpreted,
        ..Options::default()
    };
    Game::new(Description::read(ludens_library::find(name).unwrap().source()), options).unwrap()
}

fn all(game: &Game, role: Role, seed: u64) -> Vec<Box<dyn Searcher>> {
    vec![
        Box::new(Random::new(game, role, seed)),
        Box::new(Legal::new(game, role)),
        Box::new(Greedy::new(game, role, seed)),
        Box::new(Mobility::new(game, role, seed)),
        Box::new(Flat::new(game, role, seed)),
        Box::new(Ucb::new(game, role, seed)),
        Box::new(Halving::new(game, role, seed)),
    ]
}

/// The state after joint moves given as texts.
fn after(game: &Game, moves: &[&[&str]]) -> State {
    let mut machine = game.machine();
    for texts in moves {
        let joint: Vec<MoveId> = game
            .roles()
            .zip(*texts)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        assert!(
            game.roles()
                .zip(&joint)
                .all(|(role, chosen)| machine.legal(role).contains(chosen))
        );
        machine.step(&joint);
    }
    machine.state().clone()
}

#[test]
fn decisions_are_legal_and_complete() {
    for game in [
        library("tic-tac-toe-3-player"),
        library("smallest-3"),
        library("kuhn-poker"),
        interpreted("hanoi-3"),
    ] {
        for role in game.roles().filter(|&role| !game.is_random(role)) {
            let mut searchers = all(&game, role, 3);
            let mut machine = game.machine();
            let mut rng = Rng::with_seed(8);
            let mut joint = Vec::new();
            while !machine.is_terminal() {
                let legal = machine.legal(role).to_vec();
                for searcher in &mut searchers {
                    let decision = searcher.decide(machine.state(), &Budget::iterations(40));
                    assert!(legal.contains(&decision.choice));
                    assert_eq!(decision.stop == StopReason::OnlyMove, legal.len() == 1);
                    assert!(decision.value.is_none_or(|value| (0.0..=100.0).contains(&value)));
                    if !decision.moves.is_empty() {
                        let listed: Vec<MoveId> = decision.moves.iter().map(|known| known.move_id).collect();
                        assert_eq!(listed, legal);
                        let sum: f64 = decision.moves.iter().map(|known| known.probability).sum();
                        assert!((sum - 1.0).abs() < 1e-9);
                    }
                }
                ludens_engine::playout::choose_joint(&mut *machine, &mut rng, &mut joint).unwrap();
                machine.step(&joint);
            }
        }
    }
}

#[test]
fn all_but_the_simplest_take_a_win() {
    for game in [library("tic-tac-toe"), interpreted("tic-tac-toe")] {
        let x: &[&[&str]] = &[
            &["(mark 1 1)", "noop"],
            &["noop", "(mark 2 2)"],
            &["(mark 1 2)", "noop"],
            &["noop", "(mark 3 3)"],
        ];
        let state = after(&game, x);
        for searcher in all(&game, Role(0), 5).iter_mut().skip(2) {
            let decision = searcher.decide(&state, &Budget::iterations(300));
            assert_eq!(game.move_text(Role(0), decision.choice), "(mark 1 3)");
        }
    }
}

#[test]
fn counts_are_spent_exactly() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "goofspiel-4",
        "eight-puzzle",
        "smallest-3",
    ] {
        let game = library(name);
        for iterations in [1, 2, 7, 100, 777, 5000] {
            let budget = Budget::iterations(iterations);
            let searchers: [Box<dyn Searcher>; 3] = [
                Box::new(Flat::new(&game, Role(0), 1)),
                Box::new(Ucb::new(&game, Role(0), 1)),
                Box::new(Halving::new(&game, Role(0), 1)),
            ];
            for mut searcher in searchers {
                let decision = searcher.decide(game.initial(), &budget);
                assert_eq!(decision.playouts, iterations, "{name}");
                assert_eq!(decision.moves.iter().map(|known| known.visits).sum::<u64>(), iterations);
                assert_eq!(decision.stop, StopReason::Iterations);
            }
        }
    }
}

#[test]
fn halving_tries_survivors_more() {
    let game = library("connect-four");
    let decision = Halving::new(&game, Role(0), 1).decide(game.initial(), &Budget::iterations(2100));
    // Seven moves, three rounds of 700: 100 each, then 175 each of four, then 350 each of two.
    let mut visits: Vec<u64> = decision.moves.iter().map(|known| known.visits).collect();
    visits.sort_unstable();
    assert_eq!(visits, [100, 100, 100, 275, 275, 625, 625]);
}

#[test]
fn ucb_prefers_good_moves() {
    let game = library("tic-tac-toe");
    let decision = Ucb::new(&game, Role(0), 1).decide(game.initial(), &Budget::iterations(20_000));
    let best = decision.moves.iter().max_by_key(|known| known.visits).unwrap();
    assert_eq!(best.move_id, decision.choice);
    assert!(best.visits > 20_000 / 9 * 2, "{decision:?}");
}

#[test]
fn the_same_seed_gives_the_same_decision() {
    for name in ["connect-four", "simultaneous-tic-tac-toe", "tic-tac-toe-3-player"] {
        let game = library(name);
        let decide = |seed| -> Vec<_> {
            let decide = |mut searcher: Box<dyn Searcher>| searcher.decide(game.initial(), &Budget::iterations(333));
            all(&game, Role(0), seed).into_iter().map(decide).collect()
        };
        assert_eq!(decide(4), decide(4));
        assert_ne!(decide(4), decide(5));
    }
}

#[test]
fn without_time_there_is_a_decision() {
    let game = library("connect-four");
    let budget = Budget::default().within(std::time::Duration::ZERO);
    for searcher in &mut all(&game, Role(0), 1) {
        let decision = searcher.decide(game.initial(), &budget);
        assert!(game.machine().legal(Role(0)).contains(&decision.choice));
        assert_eq!(decision.playouts, 0);
    }
}

#[test]
fn mobility_counts_moves() {
    // After b there are two moves to choose from, after a only one.
    let rules = "(role me) (role you) (init (at start)) (legal you stay)
        (<= (legal me a) (true (at start))) (<= (legal me b) (true (at start)))
        (<= (legal me (then 1)) (true (at wide))) (<= (legal me (then 2)) (true (at wide)))
        (<= (legal me only) (true (at narrow)))
        (<= (next (at wide)) (does me b)) (<= (next (at narrow)) (does me a))
        (<= (next (at end)) (not (true (at start))))
        (<= terminal (true (at end))) (goal me 50) (goal you 50)";
    let game = Game::read(Source::new("room", rules)).unwrap();
    let decision = Mobility::new(&game, Role(0), 1).decide(game.initial(), &Budget::default());
    assert_eq!(game.move_text(Role(0), decision.choice), "b");
}

#[test]
fn matches_begin_with_random_moves_of_the_others() {
    // In matching pennies every move wins half of the matches, whatever the others' order of moves.
    let game = library("matching-pennies");
    let mut bandit = FlatPlayouts::new(&game, Role(0));
    let mut left = 4000;
    bandit.run(&mut Rng::with_seed(1), 100, u64::MAX, &Default::default(), &mut |_| {
        left -= 1;
        (left >= 0).then_some(left as usize % 2)
    });
    for arm in bandit.arms() {
        assert_eq!(arm.visits, 2000);
        assert!((arm.mean().unwrap() - 50.0).abs() < 6.0, "{arm:?}");
    }
}
