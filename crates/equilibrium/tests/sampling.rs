//! Sampling, playouts at leaves, and graphs that go along with a match.

use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_equilibrium::{
    Estimation, Graph, GraphOptions, Leaves, Online, Sampler, Sampling, Settings, Solver, SolverSettings, Strategy,
    Variant, When, assess, grow,
};
use ludens_testkit::library;

fn graph(game: &Game, depth: Option<usize>) -> Graph {
    let limits = GraphOptions {
        depth,
        ..GraphOptions::default()
    };
    grow(game, game.initial(), &limits, None, &Budget::default())
        .expect("it has a graph")
        .graph
}

#[test]
fn sampling_comes_near_an_equilibrium() {
    let graph = graph(&library("goofspiel-4"), None);
    let uniform = assess(&graph, &Strategy::uniform(&graph)).nash_conv;
    for (sampling, iterations, expected) in [(Sampling::External, 20_000, 3.0), (Sampling::Outcome, 200_000, 12.0)] {
        let mut sampler = Sampler::new(&graph, sampling, 7);
        assert_eq!(sampler.iterate(&graph, iterations, &Budget::default()), iterations);
        let found = assess(&graph, &sampler.average(&graph)).nash_conv;
        assert!(
            found < expected && expected < uniform,
            "{sampling:?}: {found}, uniform {uniform}"
        );
        let mut again = Sampler::new(&graph, sampling, 7);
        again.iterate(&graph, 100, &Budget::default());
        let mut other = Sampler::new(&graph, sampling, 7);
        other.iterate(&graph, 60, &Budget::default());
        other.iterate(&graph, 40, &Budget::default());
        assert_eq!(again.average(&graph), other.average(&graph), "{sampling:?}");
    }
}

#[test]
fn no_graph_is_needed() {
    let game = library("biased-rock-paper-scissors");
    let mut online = Online::new(&game, game.initial(), 1000, 3).expect("it is suitable");
    online.iterate(100_000, &Budget::default());
    let mut chances: Vec<f64> = online.mixture(0).into_iter().map(|(_, chance)| chance).collect();
    chances.sort_by(f64::total_cmp);
    let expected = [1.0 / 16.0, 5.0 / 16.0, 10.0 / 16.0];
    assert!(
        chances
            .iter()
            .zip(expected)
            .all(|(one, other)| (one - other).abs() < 0.06),
        "{chances:?}"
    );
    assert_eq!((online.states(), online.ends()), (10, 9));
    // With little room, states beyond it are played through without being kept.
    let game = library("goofspiel-5");
    let mut online = Online::new(&game, game.initial(), 50, 3).expect("it is suitable");
    online.iterate(2_000, &Budget::default());
    assert_eq!((online.states(), online.mixture(1).len()), (50, 5));
    let sum: f64 = online.mean_goals().iter().sum();
    assert!((sum - 100.0).abs() < 1e-9);
    assert!(online.make_room() && online.states() == 1);
}

#[test]
fn leaves_are_valued_whatever_the_number_of_threads() {
    let game = library("goofspiel-5");
    let estimated = |threads: usize| {
        let mut graph = graph(&game, Some(2));
        let mut leaves = Leaves::of(&graph);
        let how = Estimation {
            seed: 5,
            threads,
            ..Estimation::default()
        };
        leaves
            .estimate(&game, &mut graph, &how, &Budget::default())
            .expect("threads can be started");
        assert_eq!((leaves.len(), leaves.done()), (310, 310));
        // At least two batches each, and never more than a thousand playouts.
        assert!(
            (310 * 50..=310 * 1000).contains(&leaves.playouts()),
            "{}",
            leaves.playouts()
        );
        graph
    };
    let (one, three) = (estimated(1), estimated(3));
    assert_eq!(one.all_goals(), three.all_goals());
    assert_eq!(one.sum(), Some(100.0));
}

#[test]
fn a_graph_goes_along_with_a_match() {
    let game = library("goofspiel-5");
    let limits = |depth: usize| GraphOptions {
        depth: Some(depth),
        ..GraphOptions::default()
    };
    for when in [When::Before, When::During] {
        let settings = SolverSettings {
            cfr: Settings {
                variant: Variant::Plus,
                ..Settings::default()
            },
            when,
            ..SolverSettings::default()
        };
        let budget = Budget::default();
        let mut solver = Solver::new(&game, game.initial(), &limits(2), settings, &budget).expect("it has a graph");
        solver.estimate(&budget).expect("threads can be started");
        assert_eq!(solver.iterate(20, &budget).expect("threads can be started"), 20);
        assert_eq!((solver.depth(), solver.mixture(0).len()), (2, 5));
        let child = solver.graph().children(0)[7] as usize;
        let state = solver.graph().state(child);
        let known = solver.cfr().average(solver.graph()).mixture(solver.graph(), child, 0);
        solver.regrow(&state, &limits(2), &budget).expect("it has a graph");
        assert_eq!(solver.mixture(0), known, "what was learned is kept");
        assert_eq!(solver.graph().state(0), state);
        solver.estimate(&budget).expect("threads can be started");
        solver.iterate(10, &budget).expect("threads can be started");
        // To the end: nothing is estimated any more.
        solver
            .regrow(&state, &GraphOptions::default(), &budget)
            .expect("it has a graph");
        assert!(solver.leaves().is_empty());
        solver.iterate(200, &budget).expect("threads can be started");
        assert!(
            solver.assess().exploitability.is_some_and(|gap| gap < 5.0),
            "{:?}",
            solver.assess()
        );
    }
}
