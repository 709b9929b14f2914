//! Symbolic solving: known figures, agreement with the explicit method, databases, limits.

use ludens_budget::{Budget, Progress, StopReason, Stopped};
use ludens_engine::knowledge::Known;
use ludens_engine::{Game, Rng, State};
use ludens_solve::symbolic::endgame::endgame;
use ludens_solve::symbolic::ordering::Heuristic;
use ludens_solve::symbolic::solve_ordered;
use ludens_solve::{Method, Options, Order, Report, Solution, SolveError, Status, solve};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).unwrap_or_else(|| panic!("there is no game {name}"));
    Game::read(entry.source()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn options(method: Method, order: Order) -> Options {
    Options {
        method,
        order,
        threads: 1,
        ..Options::default()
    }
}

fn budget() -> Budget {
    Budget::default().with_bytes(1 << 30)
}

fn solved(game: &Game, method: Method, order: Order) -> (Report, Option<Solution>) {
    solve(game, &options(method, order), &budget()).unwrap_or_else(|error| panic!("{}: {error}", game.name()))
}

/// States of random matches.
fn seen(game: &Game, matches: usize) -> Vec<State> {
    let mut rng = Rng::with_seed(3);
    let mut machine = game.machine();
    let mut states = Vec::new();
    for _ in 0..matches {
        machine.load(game.initial());
        for _ in 0..200 {
            states.push(machine.state().clone());
            if machine.is_terminal() {
                break;
            }
            let joint: Vec<_> = game
                .roles()
                .map(|role| {
                    let legal = machine.legal(role);
                    legal[rng.usize(..legal.len())]
                })
                .collect();
            machine.step(&joint);
        }
    }
    states
}

#[test]
fn known_figures_come_out() {
    // reachable, terminal, values
    let figures: [(&str, &str, &str, &[f64]); 4] = [
        ("tic-tac-toe", "5478", "958", &[50.0, 50.0]),
        ("connect-four-4x4", "161029", "26740", &[50.0, 50.0]),
        ("connect-four-suicide-4x4", "161029", "26740", &[0.0, 100.0]),
        ("clobber-3x4", "13343", "996", &[30.0, 70.0]),
    ];
    for (name, reachable, terminal, values) in figures {
        let (report, _) = solved(&game(name), Method::Symbolic, Order::Own);
        assert_eq!(report.reachable.to_string(), reachable, "{name}");
        assert_eq!(report.terminal.to_string(), terminal, "{name}");
        assert_eq!(report.values.as_deref(), Some(values), "{name}");
        assert!(report.complete, "{name}");
    }
}

#[test]
fn best_play_of_clobber_leaves_two_pieces_of_each() {
    let game = game("clobber-3x4");
    let (_, solution) = solved(&game, Method::Symbolic, Order::Difference);
    let solution = solution.expect("it is solved");
    let mut machine = game.machine();
    for joint in solution.best_line(&game, game.initial(), 100) {
        machine.step(&joint);
    }
    assert!(machine.is_terminal());
    let texts = game.state_texts(machine.state());
    let pieces = |colour: &str| {
        texts
            .iter()
            .filter(|text| text.starts_with("(cell") && text.contains(colour))
            .count()
    };
    assert_eq!((pieces("white"), pieces("black")), (2, 2), "{texts:?}");
}

#[test]
fn both_methods_find_the_same() {
    let names = [
        "tic-tac-toe",
        "tic-tac-toe-3-player",
        "clobber-3x4",
        "number-scrabble",
        "pancakes-5",
        "hanoi-4",
        "maze",
        "switches",
        "nim",
        "chomp",
        "domineering-4x4",
        "sheep-and-wolf",
        "criss-cross",
        "centipede",
        "ultimatum",
        "blocks-world",
        "lights-out",
        "predator-prey-4",
    ];
    let mut compared = 0;
    for name in names {
        let Some(entry) = ludens_library::find(name) else {
            continue;
        };
        let game = Game::read(entry.source()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for order in [Order::Own, Order::Difference] {
            let few = budget().with_nodes(60_000);
            let (explicit, _) = solve(&game, &options(Method::Explicit, order), &few).expect("it can be solved");
            if !explicit.complete {
                continue;
            }
            let symbolic = match solve(&game, &options(Method::Symbolic, order), &budget()) {
                Ok((report, _)) => report,
                Err(SolveError::Unsuitable { .. }) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            assert_eq!(symbolic.values, explicit.values, "{name}");
            assert_eq!(symbolic.layers, explicit.layers, "{name}");
            assert_eq!(symbolic.reachable, explicit.reachable, "{name}");
            assert_eq!(symbolic.terminal, explicit.terminal, "{name}");
            assert_eq!(symbolic.stuck, explicit.stuck, "{name}");
            assert_eq!(symbolic.classified, explicit.classified, "{name}");
            assert_eq!(symbolic.buckets, explicit.buckets, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "only {compared} comparisons were made");
}

#[test]
fn every_order_of_bits_gives_the_same_answer() {
    let game = game("tic-tac-toe");
    let options = options(Method::Symbolic, Order::Own);
    let solve = |heuristic| solve_ordered(&game, &options, heuristic, &budget());
    let (best, _) = solve(Heuristic::Ties).expect("it can be solved");
    for heuristic in [Heuristic::Terms, Heuristic::Texts, Heuristic::Scrambled] {
        let (other, _) = solve(heuristic).expect("it can be solved");
        assert_eq!((&other.values, &other.layers), (&best.values, &best.layers));
        assert_eq!(other.buckets, best.buckets);
    }
}

#[test]
fn single_roles_get_a_shortest_solution() {
    let game = game("pancakes-6");
    let (report, solution) = solved(&game, Method::Symbolic, Order::Own);
    let solution = solution.expect("it is solved");
    assert_eq!(report.values.as_deref(), Some(&[100.0][..]));
    let line = solution.best_line(&game, game.initial(), 100);
    assert_eq!(Some(line.len() as u32), solution.distance(game.initial()));
    let mut machine = game.machine();
    for joint in &line {
        assert!(!machine.is_terminal());
        machine.step(joint);
    }
    assert!(machine.is_terminal());
    assert_eq!(machine.score(ludens_engine::Role(0)), 100);
}

#[test]
fn solutions_are_the_same_after_writing_and_reading() {
    let game = game("clobber-3x4");
    let (_, solution) = solved(&game, Method::Symbolic, Order::Difference);
    let solution = solution.expect("it is solved");
    let mut bytes = Vec::new();
    solution
        .write(&game, &mut bytes)
        .expect("writing to memory cannot fail");
    let again = Solution::read(&game, &bytes).expect("it can be read again");
    assert_eq!(again.order(), Order::Difference);
    for state in seen(&game, 20) {
        assert!(solution.values(&state).is_some());
        assert_eq!(solution.values(&state), again.values(&state));
    }
}

#[test]
fn databases_know_nothing_wrong_and_more_with_every_round() {
    let game = game("clobber-3x4");
    let (_, solution) = solved(&game, Method::Symbolic, Order::Difference);
    let solution = solution.expect("it is solved");
    let states = seen(&game, 50);
    let mut before = 0;
    for rounds in [0, 2, 4, 20] {
        let options = options(Method::Symbolic, Order::Difference);
        let database = endgame(&game, rounds, &options, &budget()).expect("it can be built");
        assert_eq!(database.stop, None);
        let mut known = 0;
        for state in &states {
            let mut goals = [0; 2];
            if database.values.goals(state, &mut goals) {
                known += 1;
                assert_eq!(Some(goals.map(f64::from).to_vec()), solution.values(state));
            }
        }
        assert!(known > before, "{rounds} rounds");
        before = known;
    }
    assert_eq!(before, states.len(), "matches take fewer rounds");
}

#[test]
fn limits_leave_what_was_found() {
    let game = game("connect-four-5x5");
    let options = options(Method::Symbolic, Order::Own);
    let (report, _) = solve(&game, &options, &Budget::default().with_bytes(4 << 20)).expect("limits are no errors");
    assert_eq!(report.stop, Some(Stopped::memory(4 << 20)));
    assert!(!report.complete && report.values.is_none());

    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let stop = Progress::every(std::time::Duration::ZERO, move |status: &Status| {
        if status.step == 12 {
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let budget = budget().or_cancelled(cancel).observed_by(stop);
    let (report, _) = solve(&game, &options, &budget).expect("nor is this");
    assert_eq!(report.stop, Some(StopReason::Interrupted.into()));
    assert!(report.layers.len() > 12);
    assert_eq!(report.reachable, report.layers.iter().sum());
    assert_eq!(report.layers[1].to_string(), "5");
}

#[test]
fn simultaneous_games_are_refused() {
    let game = game("goofspiel-4");
    let refused = solve(&game, &options(Method::Symbolic, Order::Own), &Budget::default());
    match refused {
        Err(SolveError::Unsuitable { cause, .. }) => assert!(cause.contains("at the same time"), "{cause}"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("goofspiel was solved symbolically"),
    }
}
