//! Explicit solving against known figures and against a solver so simple that it is right.

use ludens_budget::{Budget, Progress, StopReason, Stopped};
use ludens_engine::{EngineChoice, Game, JointMoves, Rng, Role, State};
use ludens_gdl::{Description, Source};
use ludens_solve::{Method, Options, Order, Phase, Report, Solution, Status, solve};
use ludens_testkit::library;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

fn options() -> Options {
    Options {
        method: Method::Explicit,
        threads: 2,
        ..Options::default()
    }
}

fn solved(game: &Game, options: &Options) -> (Report, Solution) {
    let (report, solution) = solve(game, options, &Budget::default()).unwrap();
    assert_eq!((report.complete, &report.stop), (true, &None));
    (report, solution.unwrap())
}

fn numbers(counts: &[BigUint]) -> Vec<u64> {
    counts.iter().map(|count| count.try_into().unwrap()).collect()
}

fn buckets(report: &Report) -> Vec<(Vec<u8>, u64)> {
    let pair = |bucket: &ludens_solve::Bucket| (bucket.goals.clone(), (&bucket.states).try_into().unwrap());
    report.buckets.iter().map(pair).collect()
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let (report, solution) = solved(&library("tic-tac-toe"), &options());
    assert_eq!(report.values, Some(vec![50.0, 50.0]));
    assert_eq!((report.reachable, report.terminal), (5478u32.into(), 958u32.into()));
    assert_eq!(numbers(&report.layers), [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(report.line.len(), 9);
    assert!(matches!(solution, Solution::Explicit(_)));
}

#[test]
fn engines_and_threads_make_no_difference() {
    let rules = || Description::read(ludens_library::find("tic-tac-toe").unwrap().source());
    let interpreted = ludens_engine::Options {
        engine: EngineChoice::Interpreted,
        ..Default::default()
    };
    let (one, _) = solved(&Game::new(rules(), interpreted).unwrap(), &options());
    let single = Options {
        threads: 1,
        ..options()
    };
    let (other, _) = solved(&Game::new(rules(), Default::default()).unwrap(), &single);
    assert_eq!(
        (buckets(&one), numbers(&one.distances)),
        (buckets(&other), numbers(&other.distances))
    );
    assert_eq!((one.values, one.layers), (other.values, other.layers));
}

/// Predators to move, by the rounds it takes them (Cazenave, 2015). Steps are half rounds here.
#[test]
fn predators_need_as_many_rounds_as_published() {
    let tables: [(&str, &[u64]); 2] = [
        ("predator-prey-4", &[10_440, 2_712, 3_960, 10_200, 19_584, 6_864]),
        (
            "predator-prey-5",
            &[42_000, 4_920, 5_976, 16_056, 42_840, 79_752, 83_928, 68_760, 768],
        ),
    ];
    for (name, expected) in tables {
        let (report, _) = solved(&library(name), &options());
        let rounds: Vec<u64> = numbers(&report.distances).into_iter().step_by(2).collect();
        assert_eq!(rounds, expected, "{name}");
        assert_eq!(report.unclassified, BigUint::ZERO);
        assert_eq!(report.values, Some(vec![100.0, 0.0]));
    }
}

#[test]
fn clobber_ends_with_two_pieces_each() {
    let game = library("clobber-3x4");
    let (report, _) = solved(&game, &options());
    let mut machine = game.machine();
    report.line.iter().for_each(|joint| machine.step(joint));
    assert!(machine.is_terminal());
    let values: Vec<f64> = game.roles().map(|role| f64::from(machine.score(role))).collect();
    assert_eq!(Some(&values), report.values.as_ref());
    assert!(values[1] > values[0]);
    let texts = game.state_texts(machine.state());
    let pieces = |colour: &str| {
        texts
            .iter()
            .filter(|text| text.starts_with("(cell") && text.contains(colour))
            .count()
    };
    let colours: Vec<usize> = game.roles().map(|role| pieces(game.role_name(role))).collect();
    assert_eq!(colours, [2, 2], "{texts:?}");
}

#[test]
fn puzzles_have_shortest_solutions() {
    for (name, steps) in [("pancakes-6", 7), ("eight-puzzle", 30), ("peg-solitaire-small", 13)] {
        let game = library(name);
        let (report, solution) = solved(&game, &options());
        assert_eq!(report.values, Some(vec![100.0]), "{name}");
        assert_eq!(solution.distance(game.initial()), Some(steps), "{name}");
        assert_eq!(report.line.len(), steps as usize, "{name}");
        let mut machine = game.machine();
        report.line.iter().for_each(|joint| machine.step(joint));
        assert!(machine.is_terminal() && machine.score(Role(0)) == 100, "{name}");
    }
}

#[test]
fn connect_four_of_five_by_four_is_a_draw() {
    let (report, _) = solved(&library("connect-four-5x4"), &options());
    assert_eq!(report.values, Some(vec![50.0, 50.0]));
    let counts = (report.reachable, report.terminal);
    assert_eq!(counts, (3_945_711u32.into(), 845_332u32.into()));
}

#[test]
#[ignore = "needs the corpus: scripts/test runs it where there is one"]
fn crisscross_of_the_corpus_is_won_by_the_second_player() {
    let bytes = std::fs::read(ludens_testkit::corpus().join("games/crisscross.kif")).unwrap();
    let game = Game::read(Source::from_bytes("crisscross", bytes)).unwrap();
    for method in [Method::Explicit, Method::Symbolic] {
        let (report, _) = solved(&game, &Options { method, ..options() });
        assert_eq!(report.values, Some(vec![25.0, 100.0]), "{method:?}");
        assert_eq!(report.reachable, 143_632u32.into(), "{method:?}");
    }
}

#[test]
fn simultaneous_games_have_the_value_of_their_matrices() {
    let (report, _) = solved(&library("goofspiel-5"), &options());
    assert_eq!((report.reachable, report.terminal), (2936u32.into(), 138u32.into()));
    let value = report.values.unwrap()[0];
    assert!((value - 50.0).abs() < 1e-9, "{value}");
    let game = library("biased-rock-paper-scissors");
    let (_, solution) = solved(&game, &options());
    let position = solution.look(&game, game.initial());
    let mut row: Vec<(String, f64)> = position.strategies[0]
        .iter()
        .map(|&(move_id, chance)| (game.move_text(Role(0), move_id), chance * 16.0))
        .collect();
    row.sort_by(|one, other| one.0.cmp(&other.0));
    for ((name, chance), expected) in row.iter().zip([("paper", 10.0), ("rock", 1.0), ("scissors", 5.0)]) {
        assert!(name == expected.0 && (chance - expected.1).abs() < 1e-9, "{row:?}");
    }
}

#[test]
fn games_without_a_value_say_so() {
    let game = library("prisoners-dilemma");
    let (report, solution) = solve(&game, &options(), &Budget::default()).unwrap();
    assert!(solution.is_none() && report.values.is_none() && !report.complete);
    assert!(report.stop.is_none() && report.unsolvable.is_some());
    assert_eq!(report.reachable, 5u32.into());
    for name in ["kuhn-poker", "monty-hall", "tiger"] {
        assert!(solve(&library(name), &options(), &Budget::default()).is_err(), "{name}");
    }
}

#[test]
fn huge_numbers_of_joint_moves_are_not_made() {
    let mut rules = String::from("(init (at 1)) (<= (next (at 2)) (true (at 1))) (<= terminal (true (at 2)))\n");
    for role in 0..8 {
        rules += &format!("(role r{role}) (<= (legal r{role} (pick ?n)) (num ?n)) (goal r{role} 50)\n");
    }
    (0..20).for_each(|number| rules += &format!("(num {number})"));
    let game = Game::read(Source::new("many", rules)).unwrap();
    let everything = Options {
        reachable_only: true,
        ..options()
    };
    let (report, _) = solve(&game, &everything, &Budget::default()).unwrap();
    assert!(report.obstacle().unwrap().contains("65536 joint moves"));
    assert_eq!((report.reachable, report.complete), (1u32.into(), false));
}

#[test]
fn limits_leave_what_was_found() {
    let game = library("connect-four-4x4");
    let (whole, _) = solved(&game, &options());
    let mut partial = 0;
    for megabytes in [1, 2, 3, 4, 6, 8, 12, 16, 24] {
        let budget = Budget::default().with_bytes(megabytes << 20);
        let (report, _) = solve(&game, &options(), &budget).unwrap();
        match report.stop {
            // Less memory may mean another way, but never another answer.
            None => assert_eq!((&report.buckets, &report.distances), (&whole.buckets, &whole.distances)),
            Some(stop) => {
                assert_eq!(stop, Stopped::memory(megabytes << 20));
                assert!(report.reachable > 0u32.into() && report.reachable <= whole.reachable);
                assert_eq!((report.values, report.complete), (None, false));
                partial += 1;
            }
        }
    }
    assert!((1..9).contains(&partial), "{partial}");
    let (report, _) = solve(&game, &options(), &Budget::default().with_nodes(1000)).unwrap();
    assert_eq!(report.stop, Some(Stopped::nodes(1000)));
    let over = Budget::until_cancelled(Arc::new(AtomicBool::new(true)));
    let (report, solution) = solve(&game, &options(), &over).unwrap();
    assert!(report.stop == Some(StopReason::Interrupted.into()) && solution.is_none());
}

#[test]
fn the_choice_of_the_method_is_explained() {
    let auto = Options {
        method: Method::Auto,
        ..options()
    };
    let (report, _) = solved(&library("tic-tac-toe"), &auto);
    let reason = report.reason.unwrap();
    assert!(report.method == Method::Explicit && reason.contains("5478"), "{reason}");
}

/// An interrupt while the diagrams of the rules are made: no set of states was found yet, but the trial found many.
#[test]
fn what_the_trial_found_is_reported_whatever_stops_the_method_after_it() {
    let auto = Options {
        method: Method::Auto,
        ..options()
    };
    let stop = Arc::new(AtomicBool::new(false));
    // The trial prepares first, then the sets of states do.
    let preparations = AtomicUsize::new(0);
    let flag = stop.clone();
    let watch = Progress::every(Duration::ZERO, move |status: &Status| {
        if status.phase == Phase::Preparation && preparations.fetch_add(1, Ordering::Relaxed) == 1 {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let budget = Budget::until_cancelled(stop).observed_by(watch);
    let (report, solution) = solve(&library("connect-four"), &auto, &budget).unwrap();
    assert_eq!(
        (report.method, report.stop),
        (Method::Symbolic, Some(StopReason::Interrupted.into()))
    );
    assert!(!report.complete && solution.is_none());
    assert!(report.reachable >= BigUint::from(200_000u32), "{}", report.reachable);
    // As many states as are known to be in the first layers of connect four.
    let first: Vec<u32> = report
        .layers
        .iter()
        .take(5)
        .map(|layer| layer.try_into().unwrap())
        .collect();
    assert_eq!(first, [1, 7, 49, 238, 1120]);
}

/// States in the order in which they were met, with their successors; ends have goals, others a role that chooses.
struct Naive {
    states: Vec<State>,
    nodes: Vec<Node>,
}

enum Node {
    End(Vec<u8>),
    Choice(usize, Vec<usize>),
}

impl Naive {
    fn new(game: &Game) -> Naive {
        let mut machine = game.machine();
        let mut numbers: BTreeMap<State, usize> = BTreeMap::from([(game.initial().clone(), 0)]);
        let mut naive = Naive {
            states: vec![game.initial().clone()],
            nodes: Vec::new(),
        };
        while naive.nodes.len() < naive.states.len() {
            let state = naive.states[naive.nodes.len()].clone();
            machine.load(&state);
            if machine.is_terminal() {
                naive
                    .nodes
                    .push(Node::End(game.roles().map(|role| machine.score(role)).collect()));
                continue;
            }
            let chooser = game
                .roles()
                .find(|&role| machine.legal(role).len() > 1)
                .unwrap_or(Role(0));
            let mut joints = JointMoves::of(&mut *machine);
            let (mut joint, mut next) = (Vec::new(), Vec::new());
            while joints.next_into(&mut joint) {
                machine.load(&state);
                machine.step(&joint);
                let new = naive.states.len();
                let number = *numbers.entry(machine.state().clone()).or_insert(new);
                if number == new {
                    naive.states.push(machine.state().clone());
                }
                next.push(number);
            }
            naive.nodes.push(Node::Choice(chooser.index(), next));
        }
        naive
    }

    /// Values and distances by the rules that the crate states, applied until nothing changes.
    fn solve(&self, order: Order) -> Vec<Option<(Vec<u8>, u32)>> {
        let is_single = matches!(&self.nodes[0], Node::Choice(..)) && self.roles() == 1;
        let ends = self.nodes.iter().filter_map(|node| match node {
            Node::End(goals) => Some(goals),
            Node::Choice(..) => None,
        });
        let ends: Vec<&Vec<u8>> = ends.collect();
        let best = |role: usize| {
            ends.iter()
                .max_by(|one, other| order.compare(role, one, other))
                .unwrap()
        };
        let mut values: Vec<Option<Vec<u8>>> = vec![None; self.nodes.len()];
        loop {
            let mut changed = false;
            for (number, node) in self.nodes.iter().enumerate() {
                let value = match node {
                    Node::End(goals) => Some(goals.clone()),
                    Node::Choice(role, next) => {
                        let known: Vec<&Vec<u8>> = next.iter().filter_map(|&next| values[next].as_ref()).collect();
                        let liked = known.iter().max_by(|one, other| order.compare(*role, one, other));
                        let certain = liked.filter(|liked| {
                            let is_top = liked[*role] == 100 && ***liked == **best(*role);
                            is_single || known.len() == next.len() || is_top
                        });
                        certain.map(|liked| (*liked).clone())
                    }
                };
                if value != values[number] && value.is_some() {
                    values[number] = value;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut distances: Vec<Option<u32>> = vec![None; self.nodes.len()];
        // Round by round: in round n only states at distance n get theirs.
        for round in 0.. {
            let mut found = Vec::new();
            for (number, node) in self.nodes.iter().enumerate() {
                let (None, Some(value)) = (distances[number], &values[number]) else {
                    continue;
                };
                let is_there = match node {
                    Node::End(_) => round == 0,
                    Node::Choice(role, next) => {
                        let mut keeping = next.iter().filter(|&&next| values[next].as_ref() == Some(value));
                        let is_hurried = value.iter().all(|goal| *goal <= value[*role]);
                        match is_hurried {
                            true => keeping.any(|&next| distances[next].is_some()),
                            false => keeping.all(|&next| distances[next].is_some()),
                        }
                    }
                };
                if is_there {
                    found.push(number);
                }
            }
            if found.is_empty() && round > 0 {
                break;
            }
            found.into_iter().for_each(|number| distances[number] = Some(round));
        }
        values
            .into_iter()
            .zip(distances)
            .map(|(value, distance)| Some((value?, distance?)))
            .collect()
    }

    fn roles(&self) -> usize {
        let goals = self.nodes.iter().find_map(|node| match node {
            Node::End(goals) => Some(goals.len()),
            Node::Choice(..) => None,
        });
        goals.unwrap_or(0)
    }
}

fn agree(game: &Game, order: Order) {
    let naive = Naive::new(game);
    let expected = naive.solve(order);
    let (report, solution) = solved(game, &Options { order, ..options() });
    assert_eq!(report.reachable, BigUint::from(naive.states.len()));
    for (state, expected) in naive.states.iter().zip(&expected) {
        let values = expected
            .as_ref()
            .map(|(goals, _)| goals.iter().map(|&goal| f64::from(goal)).collect());
        let found = (solution.values(state), solution.distance(state));
        assert_eq!(
            found,
            (values, expected.as_ref().map(|&(_, distance)| distance)),
            "{}",
            game.name()
        );
    }
    let known = expected.iter().flatten().count();
    assert_eq!(report.classified, BigUint::from(known));
}

#[test]
fn small_games_agree_with_a_simple_solver() {
    for name in [
        "tic-tac-toe",
        "clobber-3x4",
        "centipede",
        "ultimatum",
        "pancakes-4",
        "nim-1-3-5",
        "chomp-3x4",
        "maze",
        "switches",
        "hanoi-3",
    ] {
        if let Some(entry) = ludens_library::find(name) {
            let game = Game::read(entry.source()).unwrap();
            for order in [Order::Own, Order::Difference] {
                agree(&game, order);
            }
        }
    }
}

/// Random graphs with cycles as games: nodes with an owner, edges, and ends with goals of all kinds.
fn random_graph(rng: &mut Rng, roles: usize) -> String {
    let nodes = rng.usize(3..16);
    let mut rules = String::new();
    for role in 0..roles {
        rules += &format!("(role r{role}) ");
    }
    rules += "(init (at n0)) (<= (next (at ?n)) (does ?r (go ?n)))
        (<= (legal ?r (go ?n)) (true (at ?m)) (owner ?m ?r) (edge ?m ?n))
        (<= (legal ?r noop) (role ?r) (true (at ?m)) (not (owner ?m ?r)))
        (<= terminal (true (at ?n)) (end ?n))
        (<= (goal ?r ?g) (true (at ?n)) (worth ?n ?r ?g))\n";
    let is_zero_sum = roles == 2 && rng.bool();
    for node in 0..nodes {
        if node > 0 && (node + 1 == nodes || rng.u8(..4) == 0) {
            rules += &format!("(end n{node}) ");
            let first = [0, 30, 50, 100][rng.usize(..4)];
            for role in 0..roles {
                let goal = match (role, is_zero_sum) {
                    (0, _) => first,
                    (_, true) => 100 - first,
                    _ => [0, 50, 100][rng.usize(..3)],
                };
                rules += &format!("(worth n{node} r{role} {goal}) ");
            }
        } else {
            rules += &format!("(owner n{node} r{}) ", rng.usize(..roles));
            for _ in 0..rng.usize(1..4) {
                rules += &format!("(edge n{node} n{}) ", rng.usize(..nodes));
            }
        }
    }
    rules
}

#[test]
fn random_graphs_agree_with_a_simple_solver() {
    let mut rng = Rng::with_seed(17);
    let mut unclassified = 0;
    for round in 0..400 {
        let roles = 1 + round % 3;
        let rules = random_graph(&mut rng, roles);
        let game = Game::read(Source::new(format!("graph {round}"), rules)).unwrap();
        let naive = Naive::new(&game);
        if naive.roles() == 0 {
            // No end can be reached: nothing is worth anything.
            continue;
        }
        for order in [Order::Own, Order::Difference] {
            agree(&game, order);
        }
        unclassified += naive.solve(Order::Own).iter().filter(|value| value.is_none()).count();
    }
    assert!(unclassified > 50, "{unclassified}");
}
