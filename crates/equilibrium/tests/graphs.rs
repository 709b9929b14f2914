//! Graphs of library games have the sizes that are known of them.

use ludens_budget::{Budget, StopReason, Stopped};
use ludens_engine::Game;
use ludens_equilibrium::{EquilibriumError, Graph, GraphOptions, Growth, NodeKind, Work, grow};
use ludens_testkit::library;

fn grown(game: &Game, options: &GraphOptions) -> Result<Growth, EquilibriumError> {
    grow(game, game.initial(), options, None, &Budget::default())
}

fn sizes(graph: &Graph) -> (usize, usize, usize) {
    (graph.len(), graph.count(NodeKind::Terminal), graph.transitions())
}

#[test]
fn graphs_have_the_known_sizes() {
    for (name, expected) in [
        ("biased-rock-paper-scissors", (10, 9, 9)),
        ("repeated-rock-paper-scissors-9", (220, 55, 1_485)),
        ("goofspiel-4", (403, 46, 854)),
        ("goofspiel-5", (2_936, 138, 9_547)),
        ("goofspiel-6", (20_622, 328, 98_896)),
        ("goofspiel-7", (138_703, 655, 943_852)),
        ("simultaneous-tic-tac-toe", (3_139, 938, 34_857)),
        ("simultaneous-tic-tac-toe-9-steps", (22_246, 7_027, 236_451)),
        ("simultaneous-breakthrough-3x5", (64_276, 42_276, 456_725)),
        ("tic-tac-toe", (5_478, 958, 16_167)),
    ] {
        let growth = grown(&library(name), &GraphOptions::default()).expect("it has a graph");
        assert_eq!(sizes(&growth.graph), expected, "{name}");
        assert!(growth.stop.is_none() && !growth.graph.has_leaves(), "{name}");
        assert_eq!(growth.graph.sum(), Some(100.0), "{name}");
        check_order(&growth.graph);
    }
}

#[test]
fn three_roles_with_a_thousand_joint_moves_each() {
    let growth = grown(&library("smallest-3"), &GraphOptions::default()).expect("it has a graph");
    assert_eq!(sizes(&growth.graph), (14_613, 3_108, 11_505_000));
    assert_eq!(growth.graph.sum(), None);
    check_order(&growth.graph);
}

#[test]
fn equal_states_are_one_node() {
    // Of the 81 joint moves of simultaneous tic-tac-toe, nine change nothing.
    let growth = grown(
        &library("simultaneous-tic-tac-toe-9-steps"),
        &GraphOptions {
            depth: Some(1),
            ..GraphOptions::default()
        },
    );
    let graph = growth.expect("it has a graph").graph;
    let mut children = graph.children(0).to_vec();
    children.sort_unstable();
    children.dedup();
    assert_eq!((graph.transitions(), children.len(), graph.len()), (81, 73, 74));
    assert_eq!((graph.count(NodeKind::Leaf), graph.levels().len()), (73, 2));
}

/// What loops over graphs rely on.
fn check_order(graph: &Graph) {
    let mut at = 0;
    for (level, runs) in graph.levels().iter().enumerate() {
        for run in &graph.runs()[runs.clone()] {
            assert_eq!(run.nodes.start, at);
            at = run.nodes.end;
            for (place, node) in run.nodes.clone().enumerate() {
                let shape: Vec<usize> = (0..graph.roles()).map(|role| graph.moves(node, role).len()).collect();
                assert!(shape.iter().zip(&run.shape).all(|(&one, &other)| one == other as usize));
                assert_eq!(graph.entries(node, 0).start, run.first_entry + place * run.entries());
                assert_eq!(graph.children(node).len(), run.degree());
                let children = &graph.all_children()[run.first_child + place * run.degree()..][..run.degree()];
                assert_eq!(children, graph.children(node));
                let next = graph
                    .levels()
                    .get(level + 1)
                    .map(|runs| graph.runs()[runs.start].nodes.start);
                let is_behind =
                    |&child: &u32| child as usize == node || next.is_some_and(|next| child as usize >= next);
                assert!(children.iter().all(is_behind));
                let loops = children.contains(&(node as u32));
                assert!(run.has_loops || !loops);
                let has_moves = run.degree() > 0;
                assert_eq!(has_moves, graph.kind(node) == NodeKind::Inner);
                assert!(has_moves || run.work == Work::Settled);
            }
        }
    }
    assert_eq!(at, graph.len());
}

#[test]
fn states_are_found_again() {
    let game = library("goofspiel-4");
    let graph = grown(&game, &GraphOptions::default()).expect("it has a graph").graph;
    assert_eq!(graph.find(game.initial()), Some(0));
    assert!((0..graph.len()).all(|node| graph.find(&graph.state(node)) == Some(node)));
    // A graph from a child on, with and without what is known already.
    let child = graph.children(0)[5] as usize;
    let limits = GraphOptions::default();
    let [with, without] = [Some(&graph), None].map(|known| {
        grow(&game, &graph.state(child), &limits, known, &Budget::default())
            .expect("it has a graph")
            .graph
    });
    assert_eq!(with.all_children(), without.all_children());
    assert_eq!(with.all_goals(), without.all_goals());
    assert!(with.len() < graph.len() && with.state(0) == graph.state(child));
}

#[test]
fn limits_leave_what_was_found() {
    let game = library("goofspiel-6");
    let grown =
        |budget: Budget| grow(&game, game.initial(), &GraphOptions::default(), None, &budget).expect("it has a root");
    let growth = grown(Budget::default().with_nodes(1_000));
    assert_eq!(growth.stop, Some(Stopped::nodes(1_000)));
    assert!(growth.graph.has_leaves() && growth.depth < 6);
    let growth = grown(Budget::default().with_bytes(200_000));
    assert_eq!(growth.stop, Some(Stopped::memory(200_000)));
    let growth = grown(Budget::default().within(std::time::Duration::ZERO));
    assert_eq!(
        (growth.stop, growth.graph.len()),
        (Some(StopReason::Deadline.into()), 1)
    );
}

#[test]
fn cycles_are_refused_or_unrolled() {
    let rules = "(role one) (role two) (init (at a)) (opposite a b) (opposite b a)
        (<= (legal one stay)) (<= (legal one go)) (<= (legal two stay)) (<= (legal two stop))
        (<= (next (at ?y)) (does one go) (true (at ?x)) (opposite ?x ?y))
        (<= (next (at ?x)) (does one stay) (true (at ?x)))
        (<= (next over) (does two stop))
        (<= terminal (true over))
        (<= (goal one 100) (true (at a))) (<= (goal one 0) (true (at b)))
        (<= (goal two 0) (true (at a))) (<= (goal two 100) (true (at b)))";
    let game = Game::read(ludens_gdl::Source::new("to and fro", rules)).expect("it can be played");
    let error = grown(&game, &GraphOptions::default()).expect_err("it has cycles");
    assert!(
        matches!(
            error,
            EquilibriumError::Cycles {
                states: 4,
                unordered: 4
            }
        ),
        "{error}"
    );
    let growth = grown(
        &game,
        &GraphOptions {
            depth: Some(3),
            ..GraphOptions::default()
        },
    )
    .expect("it is unrolled");
    assert!(growth.graph.is_unrolled());
    // At each depth both places, still open or over.
    assert_eq!(sizes(&growth.graph), (1 + 4 + 4 + 4, 6, 4 + 8 + 8));
    assert_eq!(growth.graph.count(NodeKind::Leaf), 2);
}

#[test]
fn games_of_other_kinds_are_refused() {
    for name in ["kuhn-poker", "hidden-matching"] {
        let error = grown(&library(name), &GraphOptions::default()).expect_err("it is unsuitable");
        assert!(matches!(error, EquilibriumError::Unsuitable(_)), "{name}: {error}");
    }
}
