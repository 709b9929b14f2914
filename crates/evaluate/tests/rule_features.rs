//! Features that follow from the rules: what is found, what it says, and that it never changes what holds.

use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, Machine, MoveId, Rng, State, playout};
use ludens_evaluate::explain::Explains;
use ludens_evaluate::rules::derived::{GoalFeatures, Kind, Kinds, Options, Reading};
use ludens_evaluate::rules::neural::Settings;
use ludens_evaluate::rules::neural::featured::{FeatureNetwork, FeatureSettings};
use ludens_gdl::Source;
use ludens_testkit::library;
use std::time::Duration;

fn written(text: &str) -> Game {
    Game::read(Source::new("test", text)).expect("the rules can be played")
}

fn find(game: &Game, kinds: Kinds, most_joins: usize) -> GoalFeatures {
    let options = Options {
        kinds,
        most_joins,
        admissible: None,
    };
    GoalFeatures::new(game, &options, &Budget::default()).expect("the game is compiled")
}

fn network(game: &Game, kinds: Kinds, most_neurons: usize) -> FeatureNetwork {
    let settings = Settings {
        most_neurons,
        ..Settings::default()
    };
    let features = FeatureSettings {
        kinds,
        ..FeatureSettings::default()
    };
    FeatureNetwork::new(game, settings, features, &Budget::default()).expect("the game is compiled")
}

fn count(found: &GoalFeatures, kind: Kind) -> usize {
    found.features.iter().filter(|feature| feature.kind == kind).count()
}

/// Returns what the leaf of the feature of a kind with this text is in a state.
fn reading(found: &GoalFeatures, state: &State, kind: Kind, text: &str) -> Reading {
    let feature = found
        .features
        .iter()
        .find(|feature| feature.kind == kind && feature.text == text);
    let feature = feature.unwrap_or_else(|| panic!("no {kind:?} of {text}: {:?}", found.features));
    let mut readings = Vec::new();
    found.reader.clone().read(state, &mut readings);
    readings[feature.leaf]
}

fn step(game: &Game, machine: &mut dyn Machine, texts: &[&str]) {
    let moves = game.roles().zip(texts);
    let joint: Vec<MoveId> = moves
        .map(|(role, text)| game.parse_move(role, text).expect("it is a move"))
        .collect();
    machine.step(&joint);
}

#[test]
fn marks_of_tic_tac_toe_stay_and_empty_cells_are_counted() {
    let game = library("tic-tac-toe");
    let found = find(&game, Kinds::ALL, 512);
    assert_eq!(found.grounded, None);
    assert_eq!(count(&found, Kind::TruePersistence), 18, "{:?}", found.features);
    assert_eq!(count(&found, Kind::Solutions), 1);
    assert_eq!(found.features.len(), 19);
    let open = "(cell ?0 ?1 empty)";
    let start = reading(&found, game.initial(), Kind::Solutions, open);
    // Nine solutions, as at the start: 1 - 2^(-8/9).
    assert!(start.holds && (start.degree - (1.0 - 2f64.powf(-8.0 / 9.0))).abs() < 1e-12);
    let mut machine = game.machine();
    step(&game, &mut *machine, &["(mark 1 1)", "noop"]);
    let taken = reading(&found, machine.state(), Kind::TruePersistence, "(cell 1 1 x)");
    assert!(taken.holds && taken.settled);
    // What holds here stays, so that the other mark can never come.
    let other = reading(&found, machine.state(), Kind::TruePersistence, "(cell 1 1 o)");
    assert!(!other.holds && other.settled);
    let free = reading(&found, machine.state(), Kind::TruePersistence, "(cell 2 2 o)");
    assert!(!free.holds && !free.settled);
}

#[test]
fn empty_cells_never_come_back() {
    let game = library("tic-tac-toe");
    let kinds = Kinds::of(&[Kind::TruePersistence, Kind::FalsePersistence]);
    let found = find(&game, kinds, 512);
    assert_eq!(count(&found, Kind::TruePersistence), 18);
    assert_eq!(count(&found, Kind::FalsePersistence), 9);
}

#[test]
fn a_line_that_can_no_longer_be_completed_is_settled() {
    let game = library("tic-tac-toe");
    let mut network = network(&game, Kinds::of(&[Kind::TruePersistence]), 512);
    let mut machine = game.machine();
    step(&game, &mut *machine, &["(mark 2 2)", "noop"]);
    network.compute(machine.state());
    let before = network.output(1, 100).unwrap();
    // The four lines through the middle are lost for o, whatever else is there; without persistence they are not.
    let mut plain = self::network(&game, Kinds::NONE, 512);
    plain.compute(machine.state());
    assert!(before < plain.output(1, 100).unwrap());
}

/// Two roles collect points; with every point of one of them a hunter and its prey come nearer to each other.
const COLLECTORS: &str = "
(role a) (role b)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (less ?x ?y) (succ ?x ?y))
(<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))
(init (score a 0)) (init (score b 0)) (init (at hunter 1)) (init (at prey 5))
(<= (legal ?r gain) (role ?r)) (<= (legal ?r wait) (role ?r))
(<= (next (score ?r ?y)) (does ?r gain) (true (score ?r ?x)) (succ ?x ?y))
(<= (next (score ?r ?x)) (does ?r wait) (true (score ?r ?x)))
(<= (next (at hunter ?y)) (does a gain) (true (at hunter ?x)) (succ ?x ?y))
(<= (next (at hunter ?x)) (does a wait) (true (at hunter ?x)))
(<= (next (at prey ?y)) (does b gain) (true (at prey ?x)) (succ ?y ?x))
(<= (next (at prey ?x)) (does b wait) (true (at prey ?x)))
(<= (goal a 100) (true (score a ?x)) (true (score b ?y)) (less ?y ?x))
(<= (goal a 50) (true (score a ?x)) (true (score b ?x)))
(<= (goal a 0) (true (score a ?x)) (true (score b ?y)) (less ?x ?y))
(<= (goal b 100) (true (score a ?x)) (true (score b ?y)) (less ?x ?y))
(<= (goal b 50) (true (score a ?x)) (true (score b ?x)))
(<= (goal b 0) (true (score a ?x)) (true (score b ?y)) (less ?y ?x))
(<= terminal (true (at hunter ?x)) (true (at prey ?x)))
(<= terminal (true (score ?r 5)))
";

#[test]
fn values_are_compared_by_margin_and_distance() {
    let game = written(COLLECTORS);
    let found = find(&game, Kinds::ALL, 512);
    assert_eq!(found.grounded, None);
    assert_eq!(count(&found, Kind::Order), 2, "{:?}", found.features);
    assert_eq!(count(&found, Kind::VariableDistance), 2, "{:?}", found.features);
    assert_eq!(count(&found, Kind::FixedDistance), 1, "{:?}", found.features);
    let ahead = "(score a ?0) and (score b ?1) and (less ?1 ?0)";
    let equal = "(score a ?0) and (score b ?0)";
    let caught = "(at hunter ?0) and (at prey ?0)";
    let five = "(score ?0 5)";
    let mut machine = game.machine();
    let at = |machine: &dyn Machine, kind, text| reading(&found, machine.state(), kind, text);
    assert!(!at(&*machine, Kind::Order, ahead).holds);
    assert!(at(&*machine, Kind::VariableDistance, equal).holds);
    assert!((at(&*machine, Kind::VariableDistance, caught).degree - 0.2).abs() < 1e-6);
    // Five is a whole way off, for both.
    let far = at(&*machine, Kind::FixedDistance, five);
    assert!(
        !far.holds && (far.degree - (1.0 - 2f64.powf(-0.25))).abs() < 1e-6,
        "{far:?}"
    );
    step(&game, &mut *machine, &["gain", "wait"]);
    let order = at(&*machine, Kind::Order, ahead);
    assert!(order.holds && (order.degree - 0.2).abs() < 1e-6, "{order:?}");
    let equal = at(&*machine, Kind::VariableDistance, equal);
    assert!(!equal.holds && (equal.degree - 0.8).abs() < 1e-6, "{equal:?}");
    assert!((at(&*machine, Kind::VariableDistance, caught).degree - 0.4).abs() < 1e-6);
    assert!(at(&*machine, Kind::FixedDistance, five).degree > far.degree);
    step(&game, &mut *machine, &["wait", "gain"]);
    step(&game, &mut *machine, &["wait", "gain"]);
    let behind = at(&*machine, Kind::Order, ahead);
    assert!(!behind.holds && (behind.degree + 0.2).abs() < 1e-6, "{behind:?}");
}

/// A runner wins at 0 and loses beyond it; no one forces it there.
const RUNNER: &str = "
(role r)
(succ below2 below1) (succ below1 0) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(init (at 6))
(<= (legal r run) (true (at ?x))) (<= (legal r leap) (true (at ?x))) (<= (legal r wait) (true (at ?x)))
(<= (next (at ?y)) (true (at ?x)) (does r run) (succ ?y ?x))
(<= (next (at ?y)) (true (at ?x)) (does r leap) (succ ?z ?x) (succ ?y ?z))
(<= (next (at ?x)) (true (at ?x)) (does r wait))
(<= (next over) (true (at below1))) (<= (next over) (true (at below2)))
(<= (goal r 100) (true (at 0)) (not (true (at below1))) (not (true (at below2))))
(<= (goal r 0) (not (true (at 0))))
(<= terminal (true (at 0))) (<= terminal (true over))
";

#[test]
fn a_runner_comes_nearer_to_its_goal_and_ignores_what_lies_beyond() {
    let game = written(RUNNER);
    for kinds in [Kinds::ALL, Kinds::of(&[Kind::FixedDistance])] {
        let mut network = network(&game, kinds, 512);
        assert_eq!(
            count(network.found(), Kind::FixedDistance),
            3,
            "{:?}",
            network.found().features
        );
        let mut machine = game.machine();
        let mut values = Vec::new();
        for _ in 0..6 {
            let mut goals = [0.0];
            network.evaluate(machine.state(), &mut goals);
            values.push(goals[0]);
            step(&game, &mut *machine, &["run"]);
        }
        assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    }
}

#[test]
fn conjunctions_that_are_not_opened_are_nearer_the_more_of_them_holds() {
    let game = library("tic-tac-toe");
    let found = find(&game, Kinds::of(&[Kind::Solutions, Kind::PartialSolutions]), 3);
    assert!(count(&found, Kind::PartialSolutions) > 0, "{:?}", found.features);
    let row = found
        .features
        .iter()
        .find(|feature| feature.kind == Kind::PartialSolutions && feature.text.contains("(cell 1 ?0 x)"));
    let row = row.expect("there is a row of x").text.clone();
    let mut machine = game.machine();
    let mut degrees = Vec::new();
    for texts in [
        ["(mark 1 2)", "noop"],
        ["noop", "(mark 1 1)"],
        ["(mark 2 2)", "noop"],
        ["noop", "(mark 3 1)"],
        ["(mark 3 2)", "noop"],
    ] {
        degrees.push(reading(&found, machine.state(), Kind::PartialSolutions, &row).degree);
        step(&game, &mut *machine, &texts);
    }
    assert!(
        degrees[0] < degrees[1] && degrees[1] == degrees[2] && degrees[2] < degrees[3],
        "{degrees:?}"
    );
    assert!(reading(&found, machine.state(), Kind::PartialSolutions, &row).holds);
}

#[test]
fn each_kind_of_feature_can_be_used_alone() {
    // The first has few joins, so that conjunctions stay together.
    for (game, most_joins) in [
        (library("tic-tac-toe"), 3),
        (written(COLLECTORS), 512),
        (library("skirmish"), 512),
    ] {
        let all = find(&game, Kinds::ALL, most_joins);
        for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::AdmissibleDistance) {
            let alone = find(&game, Kinds::of(&[kind]), most_joins);
            assert!(
                alone.features.iter().all(|feature| feature.kind == kind),
                "{kind:?}: {:?}",
                alone.features
            );
            // Without the others more may be opened, and then there are fluents that had been within expressions.
            assert!(count(&alone, kind) > 0 || count(&all, kind) == 0, "{kind:?}");
        }
    }
}

/// Returns the states of some playouts, the last ones of which are terminal.
fn states(game: &Game, matches: usize) -> Vec<State> {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(7);
    let mut joint = Vec::new();
    let mut states = Vec::new();
    for _ in 0..matches {
        machine.load(game.initial());
        for _ in 0..80 {
            states.push(machine.state().clone());
            if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                break;
            }
            machine.step(&joint);
        }
    }
    states
}

/// Checks that a network of these features says what the rules say.
fn agrees(game: &Game, kinds: Kinds, most_neurons: usize) -> usize {
    says_what_rules_say(game, network(game, kinds, most_neurons))
}

/// Checks what a network says about goals and the end, and in terminal states its signs too; how often it says
/// anything.
fn says_what_rules_say(game: &Game, mut network: FeatureNetwork) -> usize {
    let mut machine = game.machine();
    let mut known = 0;
    for state in states(game, 4) {
        network.compute(&state);
        machine.load(&state);
        if let Some(is_over) = network.is_over() {
            assert_eq!(is_over, machine.is_terminal(), "{}", game.name());
            known += 1;
        }
        for role in game.roles() {
            let held = machine.goal_values(role).to_vec();
            for value in 0..=100 {
                let Some(holds) = network.holds(role.index(), value) else {
                    continue;
                };
                known += 1;
                assert_eq!(holds, held.contains(&value), "{}: {value} of {role:?}", game.name());
                if machine.is_terminal() && network.is_over() == Some(true) {
                    let output = network.output(role.index(), value).unwrap();
                    assert_eq!(output > 0.0, holds, "{}: {value} of {role:?}: {output}", game.name());
                }
            }
        }
    }
    known
}

#[test]
fn features_never_change_what_holds() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "breakthrough-small",
        "checkers-small",
        "chinese-checkers-small",
        "criss-cross",
        "ghost-maze",
        "pursuit",
        "racetrack-small",
        "skirmish",
        "number-scrabble",
        "switches",
        "tic-tac-toe-3-player",
    ] {
        let game = library(name);
        for most_neurons in [0, 20, 512] {
            assert!(agrees(&game, Kinds::ALL, most_neurons) > 0, "{name}");
        }
        agrees(&game, Kinds::NONE, 512);
        agrees(&game, Kinds::of(&[Kind::FixedDistance, Kind::VariableDistance]), 512);
        for kind in Kind::ALL {
            agrees(&game, Kinds::of(&[kind]), 20);
        }
    }
    assert!(agrees(&written(COLLECTORS), Kinds::ALL, 512) > 0);
}

#[test]
fn without_time_conditions_are_taken_without_their_variables() {
    for name in ["connect-four", "breakthrough-small", "criss-cross"] {
        let game = library(name);
        let spent = Budget::default().within(Duration::ZERO);
        let features = FeatureSettings::default();
        let network = FeatureNetwork::new(&game, Settings::default(), features, &spent).expect("the game is compiled");
        let found = network.found();
        assert_eq!(found.grounded, Some("the time was over"), "{name}");
        for kind in [Kind::Solutions, Kind::FixedDistance, Kind::AdmissibleDistance] {
            assert_eq!(count(found, kind), 0, "{name}");
        }
        assert!(says_what_rules_say(&game, network) > 0, "{name}");
    }
}

/// Returns a player puts 40 stones anywhere, and six of them that lie one lower each make a stair.
fn stairs() -> Game {
    let mut text = "(role r) (height 0 0) ".to_string();
    for stone in 1..40 {
        text += &format!("(height {stone} {stone}) (lower {stone} {}) ", stone - 1);
    }
    text += "
        (<= (legal r (put ?x)) (height ?x ?h))
        (<= (next (on ?x)) (does r (put ?x)))
        (<= (next (on ?x)) (true (on ?x)))
        (<= stair
            (true (on ?a)) (height ?a ?ha) (lower ?ha ?hb)
            (true (on ?b)) (height ?b ?hb) (lower ?hb ?hc)
            (true (on ?c)) (height ?c ?hc) (lower ?hc ?hd)
            (true (on ?d)) (height ?d ?hd) (lower ?hd ?he)
            (true (on ?e)) (height ?e ?he) (lower ?he ?hf)
            (true (on ?f)) (height ?f ?hf))
        (<= (goal r 100) stair) (<= (goal r 0) (not stair))
        (<= terminal stair) (<= terminal (true (on 0)))";
    written(&text)
}

#[test]
fn rules_over_many_variables_are_looked_at_in_parts() {
    // Six stones out of 40 are four thousand million, more than may be looked at without a clock.
    let game = stairs();
    let found = find(&game, Kinds::ALL, 512);
    assert_eq!(found.grounded, None);
    assert_eq!(count(&found, Kind::TruePersistence), 40, "{:?}", found.features);
    assert!(agrees(&game, Kinds::ALL, 512) > 0);
}

#[test]
fn explanations_list_the_features() {
    let game = library("breakthrough-small");
    let network = network(&game, Kinds::ALL, 512);
    let explanation = network.explain(game.initial());
    assert_eq!(explanation.kind, "network");
    assert_eq!(explanation.roles.len(), 2);
    for outlook in &explanation.roles {
        assert_eq!(outlook.reasons.len(), network.found().features.len());
        assert!(
            outlook
                .reasons
                .iter()
                .any(|reason| reason.text.starts_with("fixed distance: "))
        );
        assert!(outlook.reasons.iter().any(|reason| reason.points != 0.0));
    }
    // White has moves that bring it nearer, and says by which feature.
    let mut moves = explanation.moves.iter();
    assert!(moves.any(|known| known.changes.iter().any(|change| change.points > 0.0)));
    let mut other = network.another();
    let (mut goals, mut again) = ([0.0; 2], [0.0; 2]);
    other.evaluate(game.initial(), &mut goals);
    other.evaluate(game.initial(), &mut again);
    assert_eq!(goals, again);
    assert!((goals[0] - explanation.roles[0].goal).abs() < 1e-9);
}

#[test]
fn ties_are_broken_by_little() {
    let game = library("breakthrough-small");
    let plain = FeatureSettings::default();
    let ties = FeatureSettings {
        mobility: true,
        pieces: true,
        ..plain
    };
    let [plain, ties] = [plain, ties].map(|features| {
        let network = FeatureNetwork::new(&game, Settings::default(), features, &Budget::default());
        let mut goals = [0.0; 2];
        network.unwrap().evaluate(game.initial(), &mut goals);
        goals
    });
    for (plain, ties) in plain.into_iter().zip(ties) {
        assert!(ties > plain && ties - plain < 1e-8, "{plain} {ties}");
    }
}
