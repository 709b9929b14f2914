//! Equilibria of library games, by all methods, against each other and against what is known.

use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_equilibrium::{
    Cfr, EquilibriumError, Graph, GraphOptions, Settings, Start, Strategy, Variant, assess, backward, best_response,
    caveat, curve, grow,
};

fn graph(name: &str) -> Graph {
    let game = Game::read(ludens_library::find(name).expect("a library game").source()).expect("it can be played");
    let growth = grow(
        &game,
        game.initial(),
        &GraphOptions::default(),
        None,
        &Budget::default(),
    );
    growth.expect("it has a graph").graph
}

fn learned(graph: &Graph, variant: Variant, iterations: u64) -> Cfr {
    let settings = Settings {
        variant,
        ..Settings::default()
    };
    let mut cfr = Cfr::new(graph, settings).expect("one thread");
    assert_eq!(cfr.iterate(graph, iterations, &Budget::default()), iterations);
    cfr
}

fn exploitability(graph: &Graph, variant: Variant, iterations: u64) -> f64 {
    let cfr = learned(graph, variant, iterations);
    assess(graph, &cfr.average(graph))
        .exploitability
        .expect("the sum is constant")
}

fn exact(graph: &Graph) -> backward::Exact {
    backward::solve(graph, 2, &Budget::default())
        .expect("it is suitable")
        .expect("nobody stops it")
}

#[test]
fn biased_rock_paper_scissors() {
    let graph = graph("biased-rock-paper-scissors");
    let solution = exact(&graph);
    assert!((solution.values[0] - 50.0).abs() < 1e-9);
    let mut sorted = solution.strategy.at(&graph, 0, 0).to_vec();
    sorted.sort_by(f64::total_cmp);
    let expected = [1.0 / 16.0, 5.0 / 16.0, 10.0 / 16.0];
    assert!(
        sorted
            .iter()
            .zip(expected)
            .all(|(one, other)| (one - other).abs() < 1e-6),
        "{sorted:?}"
    );
    assert!(exploitability(&graph, Variant::Predictive, 1_000) < 1e-3);
    assert!(exploitability(&graph, Variant::Plus, 1_000) < 0.02);
    // What an independent program found for the vanilla variant.
    for (iterations, expected) in [(1, 16.7), (10, 4.1), (100, 1.7), (1_000, 0.64), (10_000, 0.22)] {
        let found = exploitability(&graph, Variant::Vanilla, iterations);
        assert!(
            (found - expected).abs() < 0.05 * expected + 0.05,
            "{iterations}: {found}"
        );
    }
}

#[test]
fn goofspiel_gets_better_as_it_is_known_to() {
    let graph = graph("goofspiel-5");
    let mut cfr = Cfr::new(&graph, Settings::default()).expect("one thread");
    // What an independent program found. Later on, moves that are worth the same are told apart by rounding alone, and
    // runs that differ in nothing but the order of additions differ in what they reach.
    for (iterations, expected, tolerance) in [
        (1, 81.7, 0.06),
        (10, 55.8, 0.06),
        (100, 18.0, 0.06),
        (1_000, 5.9, 0.06),
        (10_000, 3.3, 1.5),
    ] {
        cfr.iterate(&graph, iterations - cfr.iterations(), &Budget::default());
        let found = assess(&graph, &cfr.average(&graph))
            .exploitability
            .expect("the sum is constant");
        assert!((found - expected).abs() <= tolerance, "{iterations}: {found}");
    }
    for (variant, iterations, expected) in [
        (Variant::Predictive, 1_000, 0.1),
        (Variant::Plus, 1_000, 0.5),
        (Variant::DISCOUNTED, 1_000, 2.5),
        (Variant::Linear, 1_000, 8.0),
    ] {
        let found = exploitability(&graph, variant, iterations);
        assert!(found < expected, "{variant:?}: {found}");
    }
}

#[test]
fn exact_values_and_learned_values_agree() {
    for name in [
        "goofspiel-4",
        "goofspiel-5",
        "rock-paper-scissors",
        "matching-pennies",
        "colonel-blotto-small",
        "repeated-rock-paper-scissors-9",
        "tic-tac-toe",
        "simultaneous-tic-tac-toe",
        "simultaneous-breakthrough-3x5",
    ] {
        let graph = graph(name);
        let solution = exact(&graph);
        let best = assess(&graph, &solution.strategy);
        // Where moves may change nothing, values are found by halving intervals.
        let tolerance = if name == "simultaneous-tic-tac-toe" { 1e-5 } else { 1e-8 };
        assert!(
            best.exploitability.is_some_and(|error| error < tolerance),
            "{name}: {best:?}"
        );
        assert!((best.values[0] - solution.values[0]).abs() < tolerance, "{name}");
        if graph.has_loops() {
            // Learned strategies err with small chances, and whoever can wait gains by it.
            assert!(
                caveat(&graph).is_some_and(|text| text.contains("change nothing")),
                "{name}"
            );
            continue;
        }
        let cfr = learned(&graph, Variant::Plus, 200);
        let assessment = assess(&graph, &cfr.average(&graph));
        let gap = assessment.exploitability.expect("the sum is constant");
        // The value lies between what the roles guarantee.
        assert!(
            (assessment.values[0] - solution.values[0]).abs() <= gap + 1e-9,
            "{name}: {assessment:?}"
        );
        assert!(gap < 4.0, "{name}: {gap}");
    }
    let goofspiel = exact(&graph("goofspiel-5"));
    assert!((goofspiel.values[0] - 50.0).abs() < 1e-9);
}

#[test]
fn threads_change_nothing() {
    let graph = graph("goofspiel-6");
    for variant in [Variant::Vanilla, Variant::Plus, Variant::DISCOUNTED] {
        let alone = learned(&graph, variant, 12);
        let settings = Settings {
            variant,
            threads: 3,
            ..Settings::default()
        };
        let mut together = Cfr::new(&graph, settings).expect("three threads");
        together.iterate(&graph, 12, &Budget::default());
        assert_eq!(alone.average(&graph), together.average(&graph), "{variant:?}");
        assert_eq!(alone.regrets(), together.regrets(), "{variant:?}");
    }
}

#[test]
fn a_frozen_role_is_answered_to() {
    let graph = graph("goofspiel-4");
    let model = Strategy::pure(&graph, |_, _| 0);
    let best = best_response(&graph, &model, 0);
    let settings = Settings {
        start: Start::Given(model.clone()),
        frozen: vec![1],
        ..Settings::default()
    };
    let mut cfr = Cfr::new(&graph, settings).expect("one thread");
    cfr.iterate(&graph, 2_000, &Budget::default());
    let average = cfr.average(&graph);
    assert_eq!(
        average.with_role(&graph, 0, &model),
        model,
        "the frozen role does not move"
    );
    let value = assess(&graph, &average).values[0];
    assert!(value > best.value() - 0.5, "{value} instead of {}", best.value());
    // The response itself gets what it promises.
    let response = best.strategy(&graph, &model);
    assert_eq!(assess(&graph, &response).values[0], best.value());
}

#[test]
fn other_games_come_with_a_caveat() {
    let dilemma = graph("prisoners-dilemma");
    assert!(caveat(&dilemma).is_some_and(|text| text.contains("constant sum") && text.contains("nash_conv")));
    let cfr = learned(&dilemma, Variant::Vanilla, 3_000);
    let assessment = assess(&dilemma, &cfr.average(&dilemma));
    assert_eq!(assessment.exploitability, None);
    assert!(assessment.nash_conv < 0.1, "{assessment:?}");
    let refused = backward::solve(&dilemma, 1, &Budget::default());
    assert!(matches!(refused, Err(EquilibriumError::Unsuitable(_))));

    let thirds = graph("two-thirds");
    assert!(thirds.roles() == 3 && caveat(&thirds).is_some_and(|text| text.contains("more than two roles")));
    let cfr = learned(&thirds, Variant::Vanilla, 200);
    let assessment = assess(&thirds, &cfr.average(&thirds));
    assert!(assessment.exploitability.is_none() && assessment.best_responses.len() == 3);
    assert!(caveat(&graph("goofspiel-4")).is_none());
}

#[test]
fn the_distance_from_the_solution_shrinks() {
    let graph = graph("biased-rock-paper-scissors");
    let solution = exact(&graph);
    let mut cfr = Cfr::new(&graph, Settings::default()).expect("one thread");
    let points = curve::follow(&graph, &mut cfr, 10_000, Some(&solution.strategy), &Budget::default());
    let (first, last) = (&points[0], &points[points.len() - 1]);
    assert_eq!((first.iterations, last.iterations), (1, 10_000));
    assert!(last.assessment.exploitability < first.assessment.exploitability);
    assert!(last.mean_square_error.expect("there is a reference") < 1e-4);
    assert!(points.windows(2).all(|pair| pair[0].iterations < pair[1].iterations));
}

#[test]
fn where_nothing_may_change_the_state_is_worth_what_it_is_worth() {
    // Matching a coin ends the match, else both choose again; heads are worth more. The first role wants to match.
    let rules = "(role one) (role two) (init start) (side heads) (side tails)
        (<= (legal ?who ?side) (role ?who) (side ?side))
        (<= (next (both ?side)) (does one ?side) (does two ?side))
        (<= (next missed) (does one heads) (does two tails))
        (<= (next start) (does one tails) (does two heads))
        (<= terminal (true (both ?side))) (<= terminal (true missed))
        (<= (goal one 80) (true (both heads))) (<= (goal two 20) (true (both heads)))
        (<= (goal one 40) (true (both tails))) (<= (goal two 60) (true (both tails)))
        (<= (goal one 0) (true missed)) (<= (goal two 100) (true missed))";
    let game = Game::read(ludens_gdl::Source::new("coins", rules)).expect("it can be played");
    let growth = grow(
        &game,
        game.initial(),
        &GraphOptions::default(),
        None,
        &Budget::default(),
    );
    let graph = growth.expect("it has a graph").graph;
    assert!(graph.has_loops());
    // The value v solves v = max min of ((80, 0), (v, 40)): both moves of the second role are worth the same.
    let solution = exact(&graph);
    let value = solution.values[0];
    let rows = solution.strategy.at(&graph, 0, 0);
    assert!(
        (rows[0] * 80.0 + rows[1] * value - value).abs() < 1e-6,
        "{value} {rows:?}"
    );
    assert!((rows[1] * 40.0 - value).abs() < 1e-6, "{value} {rows:?}");
    let cfr = learned(&graph, Variant::Plus, 20_000);
    let average = cfr.average(&graph);
    let learned = assess(&graph, &average);
    assert!((learned.values[0] - value).abs() < 1.0, "{value} {learned:?}");
}
