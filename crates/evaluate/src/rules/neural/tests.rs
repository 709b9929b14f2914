//! Networks against what the thesis publishes, and against the rules.

use super::*;
use ludens_engine::{MoveId, Rng, Role, playout};
use ludens_testkit::library;

fn network(game: &Game, weights: Weights) -> GoalNetwork {
    let settings = Settings {
        weights,
        ..Settings::default()
    };
    GoalNetwork::new(game, settings, &Budget::default()).unwrap()
}

const LOCAL: Weights = Weights::Local { gap: 0.1 };

#[test]
fn a_conjunction_of_four_is_the_published_one() {
    let neuron = Neuron {
        weight: 4.0,
        bias: -weights::global_bias(4, 0.9),
    };
    let published = [
        (-27.4, -1.000000),
        (-19.4, -1.000000),
        (-11.4, -0.999978),
        (-3.4, -0.935409),
        (4.6, 0.980096),
    ];
    for (held, (activation, output)) in published.into_iter().enumerate() {
        let sum = 2.0 * held as f64 - 4.0;
        assert!(
            (neuron.weight * (sum + neuron.bias) - activation).abs() < 1e-9,
            "{held}"
        );
        assert!(
            (neuron.output(sum) - output).abs() < 5e-7,
            "{held}: {}",
            neuron.output(sum)
        );
    }
}

/// Returns the outputs for the goal 100 of the first role after each of its first moves.
fn first_moves(game: &Game, network: &mut GoalNetwork) -> Vec<f64> {
    let mut machine = game.machine();
    let legal: Vec<Vec<MoveId>> = game.roles().map(|role| machine.legal(role).to_vec()).collect();
    let moves = legal[0].iter();
    moves
        .map(|&made| {
            machine.load(game.initial());
            let mut joint: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
            joint[0] = made;
            machine.step(&joint);
            network.compute(machine.state());
            network.output(0, 100).unwrap()
        })
        .collect()
}

#[test]
fn only_local_weights_tell_the_columns_of_connect_four_apart() {
    let game = library("connect-four-8x6");
    let global = first_moves(&game, &mut network(&game, Weights::Global));
    assert_eq!(global.len(), 8);
    assert!(
        global.iter().all(|output| output.to_bits() == global[0].to_bits()),
        "{global:?}"
    );
    let local = first_moves(&game, &mut network(&game, LOCAL));
    for column in 0..4 {
        assert!((local[column] - local[7 - column]).abs() < 1e-14, "{local:?}");
        if column > 0 {
            assert!(local[column] - local[column - 1] > 1e-12, "{local:?}");
        }
    }
    // One column is as good as the number of lines through its lowest cell, which are 3, 4, 5 and 7.
    let published = [-0.74597751192, -0.74597751184, -0.74597751176, -0.74597751160];
    for (output, published) in local.iter().zip(published) {
        assert!((output - published).abs() < 1e-11, "{local:?}");
    }
}

/// Returns a random board of connect four, as no match need lead to it.
fn random_board(game: &Game, rng: &mut Rng) -> State {
    let cells = (1..=8).flat_map(|column| (1..=6).map(move |row| (column, row)));
    let mut fluents = Vec::new();
    for (column, row) in cells {
        let content = ["empty", "red", "yellow"][rng.usize(..3)];
        fluents.extend(game.parse_fluent(&format!("(cell {column} {row} {content})")));
    }
    assert_eq!(fluents.len(), 48);
    State::new(fluents)
}

#[test]
fn the_sign_says_whether_the_goal_holds() {
    // Boards of playouts, in which most have no line, and random boards, of which most have one.
    let game = library("connect-four-8x6");
    let mut rng = Rng::with_seed(8);
    let mut states = Vec::new();
    let mut machine = game.machine();
    let mut joint = Vec::new();
    while states.len() < 2_500 {
        machine.load(game.initial());
        while !machine.is_terminal() && playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_ok() {
            machine.step(&joint);
            states.push(machine.state().clone());
        }
    }
    while states.len() < 5_000 {
        states.push(random_board(&game, &mut rng));
    }
    let holding = agree(&game, &states);
    assert!(holding > 500 && holding < 9_500, "{holding}");
    for name in [
        "tic-tac-toe",
        "breakthrough-small",
        "tic-tac-toe-3-player",
        "goofspiel-4",
    ] {
        let game = library(name);
        let mut machine = game.machine();
        let mut states = Vec::new();
        for _ in 0..30 {
            machine.load(game.initial());
            while !machine.is_terminal() && playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_ok() {
                machine.step(&joint);
                states.push(machine.state().clone());
            }
        }
        agree(&game, &states);
    }
}

/// Compares signs with the engine; says how often a goal held.
fn agree(game: &Game, states: &[State]) -> usize {
    let mut machine = game.machine();
    let mut holding = 0;
    for weights in [
        Weights::Global,
        LOCAL,
        Weights::Local { gap: 1.0 },
        Weights::Local { gap: 0.001 },
    ] {
        let mut network = network(game, weights);
        for state in states {
            network.compute(state);
            machine.load(state);
            for role in game.roles() {
                let held = machine.goal_values(role).to_vec();
                for value in 0..=100 {
                    let Some(output) = network.output(role.index(), value) else {
                        continue;
                    };
                    let holds = held.contains(&value);
                    holding += usize::from(holds && weights == LOCAL);
                    assert_eq!(
                        output > 0.0,
                        holds,
                        "{} {weights:?} {role:?} {value}: {output}",
                        game.name()
                    );
                }
            }
        }
    }
    holding
}

#[test]
fn networks_are_bounded() {
    let game = library("connect-four-8x6");
    let settings = Settings {
        most_neurons: 100,
        ..Settings::default()
    };
    assert!(GoalNetwork::new(&game, settings, &Budget::default()).unwrap().neurons() <= 100);
    let whole = GoalNetwork::new(&game, Settings::default(), &Budget::default())
        .unwrap()
        .neurons();
    assert!(whole > 168 && whole <= 512, "{whole}");
}

#[test]
fn values_stay_in_the_range_of_goals() {
    let game = library("connect-four");
    let mut network = network(&game, LOCAL);
    let mut goals = [0.0; 2];
    network.evaluate(game.initial(), &mut goals);
    assert!(
        (goals[0] - goals[1]).abs() < 1e-9 && goals.iter().all(|goal| (0.0..=100.0).contains(goal)),
        "{goals:?}"
    );
    assert_eq!(game.find_role("red"), Some(Role(0)));
}

#[test]
fn pictures_have_every_condition_once_and_every_neuron_after_its_inputs() {
    let game = library("tic-tac-toe");
    let mut network = GoalNetwork::new(&game, Settings::default(), &Budget::default()).unwrap();
    let picture = network.picture(&game, game.initial());
    let mut leaves: Vec<&str> = Vec::new();
    for node in &picture.nodes {
        match &node.kind {
            PictureKind::Leaf(text) => {
                leaves.push(text);
                // At the start all cells are blank.
                assert_eq!(node.value, if text.ends_with(" b)") { 1.0 } else { -1.0 }, "{text}");
            }
            _ => assert!(
                node.inputs
                    .iter()
                    .all(|&(input, _)| picture.nodes[input].layer < node.layer)
            ),
        }
    }
    let all = leaves.len();
    leaves.sort_unstable();
    leaves.dedup();
    assert_eq!(leaves.len(), all);
    let joins = picture.nodes.iter().filter(|node| !node.inputs.is_empty());
    assert_eq!(joins.count(), network.neurons());
    for &(role, value, node) in &picture.goals {
        assert_eq!(network.output(role.index(), value), Some(picture.nodes[node].value));
    }
    let weights = |picture: &Picture| -> Vec<f64> {
        let inputs = picture.nodes.iter().flat_map(|node| &node.inputs);
        inputs.map(|&(_, weight)| weight).collect()
    };
    assert!(weights(&picture).iter().all(|&weight| weight > 0.0));
    // In breakthrough a role also wins where the other has no piece left.
    let game = library("breakthrough-5x5");
    let mut network = GoalNetwork::new(&game, Settings::default(), &Budget::default()).unwrap();
    let picture = network.picture(&game, game.initial());
    assert!(weights(&picture).iter().any(|&weight| weight < 0.0));
}

#[test]
fn incremental_evaluation_equals_fresh_evaluation() {
    let mut rng = Rng::with_seed(3);
    for name in ["connect-four", "breakthrough-small", "goofspiel-4"] {
        let game = library(name);
        let settings = Settings::default();
        let mut network = GoalNetwork::new(&game, settings, &Budget::default()).unwrap();
        let fresh = GoalNetwork::new(&game, settings, &Budget::default()).unwrap();
        let mut machine = game.machine();
        let mut joint = Vec::new();
        let (mut goals, mut expected) = (vec![0.0; 2], vec![0.0; 2]);
        for _ in 0..4 {
            machine.load(game.initial());
            while !machine.is_terminal() && playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_ok() {
                machine.step(&joint);
                network.evaluate(machine.state(), &mut goals);
                fresh.another().evaluate(machine.state(), &mut expected);
                assert_eq!(goals, expected, "{name}");
            }
        }
    }
}

#[test]
fn few_nodes_of_connect_four_change_with_a_move() {
    let game = library("connect-four");
    let mut network = network(&game, LOCAL);
    let mut machine = game.machine();
    network.compute(machine.state());
    let mut joint = Vec::new();
    playout::choose_joint(&mut *machine, &mut Rng::with_seed(1), &mut joint).unwrap();
    machine.step(&joint);
    let shared = network.shared.clone();
    let marked = std::cell::Cell::new(0);
    let outputs = &mut network.outputs;
    outputs.go_to(machine.state(), &shared.dependents, |place, values| {
        marked.set(marked.get() + 1);
        values[place]
    });
    let marked = marked.get();
    assert!(
        marked > 0 && marked < shared.steps.len() / 4,
        "{marked} of {}",
        shared.steps.len()
    );
}

#[test]
fn the_degree_of_a_chain_grows_as_fewer_conditions_are_missing() {
    let game = crate::rules::leaves::tests::counting();
    let with = |chains| {
        let settings = Settings {
            chains,
            // Most of what a chain is made of is not opened.
            most_neurons: 20,
            ..Settings::default()
        };
        GoalNetwork::new(&game, settings, &Budget::default()).unwrap()
    };
    let (mut chained, mut plain) = (with(true), with(false));
    assert!(chained.chains() > 0 && plain.chains() == 0);
    let mut machine = game.machine();
    let mut values = [Vec::new(), Vec::new()];
    for cell in [5, 3, 1, 7, 8, 2] {
        for (network, values) in [&mut chained, &mut plain].into_iter().zip(&mut values) {
            let mut goal = [0.0];
            network.evaluate(machine.state(), &mut goal);
            values.push(goal[0]);
        }
        machine.step(&[game.parse_move(Role(0), &format!("(take {cell})")).unwrap()]);
    }
    let grows = |values: &[f64]| values.windows(2).all(|pair| pair[1] > pair[0]);
    assert!(grows(&values[0]), "{values:?}");
    assert!(!grows(&values[1]), "{values:?}");
}

/// A race in which a match that goes on has the goal 70, which no match ends with.
const RACE: &str = "(role robot)
    (init (place 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal robot (to ?q)) (true (place ?p)) (succ ?p ?q))
    (<= (legal robot stay) (true (place ?p)))
    (<= (next (place ?q)) (does robot (to ?q)))
    (<= (next (place ?p)) (does robot stay) (true (place ?p)))
    (<= terminal (true (place 3)))
    (<= (goal robot 100) (true (place 3)))
    (<= (goal robot 70) (not (true (place 3))))";

#[test]
fn goals_that_no_terminal_state_has_are_left_out() {
    let game = Game::read(ludens_gdl::Source::new("race", RACE)).unwrap();
    let network = network(&game, LOCAL);
    assert_eq!(network.output(0, 70), None);
    assert!(network.output(0, 100).is_some());
}
