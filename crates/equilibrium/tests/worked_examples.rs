//! The worked examples of regret minimisation that the literature on these games goes through, on graphs made by hand.

use ludens_budget::Budget;
use ludens_equilibrium::passes::{Reach, Values, evaluate, regrets, spread};
use ludens_equilibrium::{Cfr, Graph, Settings, Sketch, Start, Strategy};

/// A matrix game of the first role's goals behind a choice of the second role: the matrix is the first of `ways` moves.
fn behind_a_choice(ways: u32, rows: &[Vec<f64>]) -> Graph {
    let mut sketch = Sketch::new(2);
    let columns = rows[0].len() as u32;
    // The root comes first: the node with the matrix is 1, then come its ends, then the other ways.
    let ends = rows.len() as u32 * columns;
    let children: Vec<u32> = std::iter::once(1).chain((1..ways).map(|way| ends + 1 + way)).collect();
    sketch.add_inner(&[1, ways], &children);
    sketch.add_inner(&[rows.len() as u32, columns], &(2..2 + ends).collect::<Vec<_>>());
    for value in rows.iter().flatten() {
        sketch.add_end(&[*value, 100.0 - value]);
    }
    (1..ways).for_each(|way| {
        sketch.add_end(&[f64::from(way), 100.0 - f64::from(way)]);
    });
    sketch.into_graph().expect("there are no cycles")
}

/// The node that is neither the root nor an end.
fn matrix_node(graph: &Graph) -> usize {
    (1..graph.len())
        .find(|&node| !graph.children(node).is_empty())
        .expect("there is one")
}

fn regrets_of_first(graph: &Graph, strategy: &Strategy) -> Vec<f64> {
    let (mut values, mut reach) = (Values::new(graph), Reach::new(graph));
    evaluate(graph, strategy, &mut values);
    spread(graph, strategy, &mut reach);
    regrets(graph, matrix_node(graph), 0, &values, &reach)
}

fn close(one: &[f64], other: &[f64], tolerance: f64) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| (one - other).abs() <= tolerance)
}

#[test]
fn regrets_weigh_as_much_as_the_others_let_them() {
    let graph = behind_a_choice(2, &[vec![60.0, 30.0], vec![70.0, 80.0], vec![10.0, 20.0]]);
    let mut strategy = Strategy::uniform(&graph);
    strategy.probabilities_mut()[graph.entries(0, 1)].copy_from_slice(&[0.4, 0.6]);
    let mut values = Values::new(&graph);
    evaluate(&graph, &strategy, &mut values);
    let node = matrix_node(&graph);
    assert!(close(
        &values.of_moves[graph.entries(node, 0)],
        &[45.0, 75.0, 15.0],
        1e-12
    ));
    assert!((values.at(&graph, node, 0) - 45.0).abs() < 1e-12);
    assert!(close(&regrets_of_first(&graph, &strategy), &[0.0, 12.0, -12.0], 1e-12));
}

#[test]
fn after_rock_met_paper_scissors_are_twice_as_likely_as_paper() {
    let mut sketch = Sketch::new(2);
    sketch.add_inner(&[3, 3], &(1..10).collect::<Vec<_>>());
    for value in [50.0, 0.0, 100.0, 100.0, 50.0, 0.0, 0.0, 100.0, 50.0] {
        sketch.add_end(&[value, 100.0 - value]);
    }
    let graph = sketch.into_graph().expect("there are no cycles");
    let start = Strategy::pure(&graph, |_, role| role);
    let mut values = Values::new(&graph);
    evaluate(&graph, &start, &mut values);
    assert_eq!(values.of_moves[graph.entries(0, 0)], [0.0, 50.0, 100.0]);
    assert_eq!(values.at(&graph, 0, 0), 0.0);
    let settings = Settings {
        start: Start::Given(start),
        ..Settings::default()
    };
    let mut cfr = Cfr::new(&graph, settings).expect("one thread");
    assert_eq!(cfr.iterate(&graph, 1, &Budget::default()), 1);
    assert_eq!(cfr.regrets()[graph.entries(0, 0)], [0.0, 50.0, 100.0]);
    assert!(close(
        cfr.current().at(&graph, 0, 0),
        &[0.0, 1.0 / 3.0, 2.0 / 3.0],
        1e-15
    ));
    // What was started with counts in the average.
    assert_eq!(cfr.average(&graph).at(&graph, 0, 0), [1.0, 0.0, 0.0]);
}

#[test]
fn the_centre_is_best_in_simultaneous_tic_tac_toe() {
    let first = vec![50.0, 55.0, 50.0, 55.0, 35.0, 60.0, 50.0, 60.0, 50.0];
    // What is given: the second cell is worth 45, the centre 65, the mean of all nine 50, and another regret is 0.57.
    let third = 50.0 + 0.57 * 9.0;
    let rest = (450.0 - first.iter().sum::<f64>() / 9.0 - 45.0 - 65.0 - third) / 5.0;
    let mut rows = vec![vec![rest; 9]; 9];
    rows[0] = first;
    rows[1] = vec![45.0; 9];
    rows[2] = vec![third; 9];
    rows[4] = vec![65.0; 9];
    let graph = behind_a_choice(9, &rows);
    let strategy = Strategy::uniform(&graph);
    let found = regrets_of_first(&graph, &strategy);
    assert!(
        close(&[found[0], found[1], found[4]], &[0.19, -0.56, 1.67], 0.005),
        "{found:?}"
    );
    let mut cfr = Cfr::new(&graph, Settings::default()).expect("one thread");
    cfr.iterate(&graph, 1, &Budget::default());
    let next = cfr.current();
    let next = next.at(&graph, matrix_node(&graph), 0);
    assert!(
        close(&[next[0], next[1], next[4]], &[0.08, 0.0, 0.69], 0.005),
        "{next:?}"
    );
}
