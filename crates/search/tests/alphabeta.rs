//! Depth-first search against plain recursion: nothing that makes it faster changes what it finds.

use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Evaluator, Knowledge, Known};
use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};
use ludens_search::Searcher;
use ludens_search::alphabeta::{AlphaBeta, History, Likelihood, Model, MultiCut, Quiescence, Settings};
use ludens_testkit::library;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Evaluates states by their hash: as good as random, and always the same. With few steps, many states are equal.
struct Scrambled {
    steps: u64,
}

impl Evaluator for Scrambled {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        for (role, goal) in goals.iter_mut().enumerate() {
            let mixed = (state.hash64() ^ role as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            *goal = (mixed % (self.steps + 1)) as f64 * 100.0 / self.steps as f64;
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Scrambled { steps: self.steps })
    }
}

/// The value of a state to all roles by the definition, without anything clever.
struct Reference<'a> {
    game: &'a Game,
    own: usize,
    model: Model,
    evaluator: Scrambled,
    quiescence: Option<Quiescence>,
    ranges: Vec<(f64, f64)>,
}

impl Reference<'_> {
    fn new<'a>(game: &'a Game, own: usize, settings: &Settings, steps: u64) -> Reference<'a> {
        let goals = &game.engine().circuit().expect("the game is compiled").network.goals;
        let most = goals
            .values()
            .map(|goals| goals.iter().map(|&(value, _)| value).max().unwrap_or(100));
        Reference {
            game,
            own,
            model: settings.model,
            evaluator: Scrambled { steps },
            quiescence: settings.quiescence,
            ranges: most.map(|most| (0.0, f64::from(most))).collect(),
        }
    }

    fn machine(&self, state: &State) -> Box<dyn Machine> {
        let mut machine = self.game.machine();
        machine.load(state);
        machine
    }

    fn evaluate(&mut self, state: &State) -> Vec<f64> {
        let mut goals = vec![0.0; self.ranges.len()];
        self.evaluator.evaluate(state, &mut goals);
        let ranges = self.ranges.iter();
        goals
            .iter()
            .zip(ranges)
            .map(|(goal, &(least, most))| goal.clamp(least, most))
            .collect()
    }

    fn value(&mut self, state: &State, depth: u32) -> Vec<f64> {
        let mut machine = self.machine(state);
        let roles = self.ranges.len();
        if machine.is_terminal() {
            return (0..roles)
                .map(|role| f64::from(machine.score(Role(role as u8))))
                .collect();
        }
        if depth == 0 {
            return match self.quiescence {
                Some(quiescence) => self.calm(state, quiescence, quiescence.steps),
                None => self.evaluate(state),
            };
        }
        let legal: Vec<Vec<MoveId>> = (0..roles)
            .map(|role| machine.legal(Role(role as u8)).to_vec())
            .collect();
        self.choose(state, &legal, &mut Vec::new(), &mut vec![None; roles], depth)
    }

    /// The own role chooses first, chance last.
    fn order(&self) -> Vec<usize> {
        let others = || self.game.roles().filter(|role| role.index() != self.own);
        let players = others().filter(|&role| !self.game.is_random(role));
        let chance = others().filter(|&role| self.game.is_random(role));
        let order = std::iter::once(self.own).chain(players.chain(chance).map(Role::index));
        order.collect()
    }

    fn choose(
        &mut self,
        state: &State,
        legal: &[Vec<MoveId>],
        chosen: &mut Vec<usize>,
        joint: &mut Vec<Option<MoveId>>,
        depth: u32,
    ) -> Vec<f64> {
        let order = self.order();
        let Some(&role) = order.get(chosen.len()) else {
            let joint: Vec<MoveId> = joint.iter().map(|made| made.unwrap()).collect();
            let mut machine = self.machine(state);
            machine.step(&joint);
            let next = machine.state().clone();
            return self.value(&next, depth - 1);
        };
        let mut all = Vec::new();
        for &made in &legal[role] {
            joint[role] = Some(made);
            chosen.push(role);
            all.push(self.choose(state, legal, chosen, joint, depth));
            chosen.pop();
        }
        self.pick(role, all)
    }

    fn pick(&self, role: usize, all: Vec<Vec<f64>>) -> Vec<f64> {
        let is_chance = self.game.is_random(Role(role as u8)) && role != self.own;
        if is_chance {
            let count = all.len() as f64;
            return (0..self.ranges.len())
                .map(|of| all.iter().map(|values| values[of]).sum::<f64>() / count)
                .collect();
        }
        let own = self.own;
        let order = |one: &Vec<f64>, other: &Vec<f64>| match (self.model, role == own) {
            (Model::Paranoid, true) => one[own].total_cmp(&other[own]),
            (Model::Paranoid, false) => other[own].total_cmp(&one[own]),
            (Model::MaxN, _) => {
                let by_mover = one[role].total_cmp(&other[role]);
                let by_own = other[own].total_cmp(&one[own]);
                let mut rest = one.iter().zip(other).map(|(one, other)| other.total_cmp(one));
                by_mover
                    .then(by_own)
                    .then(rest.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal))
            }
        };
        all.into_iter().max_by(order).unwrap()
    }

    fn calm(&mut self, state: &State, quiescence: Quiescence, steps: u32) -> Vec<f64> {
        let here = self.evaluate(state);
        let mut machine = self.machine(state);
        let roles = self.ranges.len();
        let legal: Vec<Vec<MoveId>> = (0..roles)
            .map(|role| machine.legal(Role(role as u8)).to_vec())
            .collect();
        let choosers: Vec<usize> = (0..roles).filter(|&role| legal[role].len() > 1).collect();
        let [role] = choosers[..] else {
            return here;
        };
        if steps == 0 || self.game.is_random(Role(role as u8)) {
            return here;
        }
        let seen = if self.model == Model::Paranoid { self.own } else { role };
        let mut all = vec![here.clone()];
        for &made in &legal[role] {
            let mut joint: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
            joint[role] = made;
            machine.load(state);
            machine.step(&joint);
            let next = machine.state().clone();
            if machine.is_terminal() {
                all.push(
                    (0..roles)
                        .map(|role| f64::from(machine.score(Role(role as u8))))
                        .collect(),
                );
            } else if (self.evaluate(&next)[seen] - here[seen]).abs() > quiescence.threshold {
                all.push(self.calm(&next, quiescence, steps - 1));
            }
        }
        self.pick(role, all)
    }
}

/// Settings that must all find the same value, by name.
fn keeping(model: Model, quiescence: Option<Quiescence>) -> Vec<(&'static str, Settings)> {
    let plain = || Settings {
        model,
        quiescence,
        ..Settings::plain()
    };
    let cutting = || Settings { cut: true, ..plain() };
    let all = Settings {
        model,
        quiescence,
        deeper: false,
        table: 1 << 20,
        cache: 1 << 18,
        ..Settings::default()
    };
    vec![
        ("plain", plain()),
        ("cut", cutting()),
        (
            "principal",
            Settings {
                principal: true,
                ..cutting()
            },
        ),
        (
            "table",
            Settings {
                table: 1 << 16,
                ..cutting()
            },
        ),
        (
            "table without cuts",
            Settings {
                table: 1 << 16,
                ..plain()
            },
        ),
        (
            "enhanced",
            Settings {
                table: 1 << 16,
                enhanced: true,
                ..cutting()
            },
        ),
        (
            "killers",
            Settings {
                killers: true,
                ..cutting()
            },
        ),
        (
            "history",
            Settings {
                history: History::Absolute,
                ..cutting()
            },
        ),
        (
            "relative history",
            Settings {
                history: History::Relative,
                ..cutting()
            },
        ),
        (
            "cache",
            Settings {
                cache: 1 << 12,
                ..cutting()
            },
        ),
        (
            "all, tiny table",
            Settings {
                table: 256,
                ..all.clone()
            },
        ),
        ("all", all),
    ]
}

/// States of a random match, the first one included.
fn walk(game: &Game, rng: &mut Rng) -> Vec<State> {
    let mut machine = game.machine();
    let mut states = Vec::new();
    while !machine.is_terminal() && states.len() < 60 {
        states.push(machine.state().clone());
        let roles = game.roles();
        let joint: Vec<MoveId> = roles.map(|role| *rng.choice(machine.legal(role)).unwrap()).collect();
        machine.step(&joint);
    }
    states
}

/// A game, the greatest depth, and how many states are looked at.
const GAMES: &[(&str, u32, usize)] = &[
    ("tic-tac-toe", 4, 8),
    ("connect-four-4x4", 5, 8),
    ("breakthrough-5x5", 3, 4),
    ("tic-tac-toe-3-player", 2, 6),
    ("goofspiel-4", 2, 6),
    ("simultaneous-tic-tac-toe", 1, 3),
    ("smallest-3", 1, 2),
    ("pursuit", 2, 2),
    ("kuhn-poker", 4, 4),
    ("monty-hall", 4, 4),
    ("centipede", 5, 4),
    ("eight-puzzle", 6, 4),
    ("biased-rock-paper-scissors", 2, 1),
];

#[test]
fn options_change_the_speed_but_never_the_value() {
    let mut compared = 0;
    for &(name, depth, states) in GAMES {
        let game = library(name);
        let mut rng = Rng::with_seed(depth.into());
        let all: Vec<State> = (0..4).flat_map(|_| walk(&game, &mut rng)).collect();
        for number in 0..states {
            let state = &all[number * all.len() / states];
            for role in game.roles().filter(|&role| !game.is_random(role)) {
                for (model, quiescence, steps) in cases(number) {
                    compared += compare(&game, role, state, depth, (model, quiescence, steps));
                }
            }
        }
    }
    assert!(compared > 1_000, "only {compared} searches were compared");
}

/// Models, quiescence and evaluators: fine ones and coarse ones in turn.
fn cases(number: usize) -> Vec<(Model, Option<Quiescence>, u64)> {
    let quiescence = Some(Quiescence {
        threshold: 40.0,
        steps: 2,
    });
    let steps = if number.is_multiple_of(2) { 10_000 } else { 4 };
    vec![
        (Model::Paranoid, None, steps),
        (Model::MaxN, None, steps),
        (Model::Paranoid, quiescence, steps),
        (Model::MaxN, quiescence, steps),
    ]
}

fn compare(
    game: &Game,
    role: Role,
    state: &State,
    depth: u32,
    (model, quiescence, steps): (Model, Option<Quiescence>, u64),
) -> usize {
    let mut machine = game.machine();
    machine.load(state);
    if machine.legal(role).len() < 2 {
        return 0;
    }
    let depth = if quiescence.is_some() {
        (depth - 1).max(1)
    } else {
        depth
    };
    let mut reference = Reference::new(game, role.index(), &keeping(model, quiescence)[0].1, steps);
    let expected = reference.value(state, depth)[role.index()];
    let variants = keeping(model, quiescence);
    for (name, settings) in &variants {
        let settings = Settings {
            most_depth: depth,
            ..settings.clone()
        };
        let evaluator = Box::new(Scrambled { steps });
        let mut search = AlphaBeta::with_evaluator(evaluator, game, role, settings, 5);
        let decision = search.decide(state, &Budget::default());
        let found = decision.value.unwrap();
        assert!(
            (found - expected).abs() < 1e-9,
            "{}, {name}, {model:?}, {quiescence:?}, depth {depth}: {found} instead of {expected}",
            game.name()
        );
        assert_eq!(decision.stop, StopReason::Solved);
    }
    variants.len()
}

#[test]
fn cuts_save_most_of_the_work() {
    let game = library("connect-four");
    let nodes = |settings: Settings| {
        let evaluator = Box::new(Scrambled { steps: 1_000 });
        let settings = Settings {
            most_depth: 5,
            ..settings
        };
        let decision = AlphaBeta::with_evaluator(evaluator, &game, Role(0), settings, 1)
            .decide(game.initial(), &Budget::default());
        (decision.nodes, decision.value)
    };
    let (plain, value) = nodes(Settings::plain());
    let (fast, same) = nodes(Settings {
        deeper: false,
        ..Settings::default()
    });
    assert_eq!(value, same);
    assert!(fast * 4 < plain, "{fast} of {plain}");
}

#[test]
fn forward_pruning_saves_more_and_keeps_certain_wins() {
    let game = library("connect-four");
    let pruned = [
        Settings {
            multi_cut: Some(MultiCut::default()),
            ..Settings::default()
        },
        Settings {
            likelihood: Some(Likelihood::default()),
            ..Settings::default()
        },
    ];
    let nodes = |settings: &Settings| {
        let evaluator = Box::new(Scrambled { steps: 1_000 });
        let settings = Settings {
            most_depth: 7,
            ..settings.clone()
        };
        AlphaBeta::with_evaluator(evaluator, &game, Role(0), settings, 1)
            .decide(game.initial(), &Budget::default())
            .nodes
    };
    assert!(nodes(&pruned[0]) < nodes(&Settings::default()));
    // Three in the middle of the bottom row win at the next move but one, whatever the other does.
    let mut machine = game.machine();
    for texts in [
        ["(drop 4)", "noop"],
        ["noop", "(drop 4)"],
        ["(drop 3)", "noop"],
        ["noop", "(drop 3)"],
    ] {
        let joint: Vec<MoveId> = game
            .roles()
            .zip(texts)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        machine.step(&joint);
    }
    for settings in pruned {
        let mut search = AlphaBeta::new(&game, Role(0), settings, 1);
        let decision = search.decide(machine.state(), &Budget::iterations(1_000_000));
        assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(100.0)));
    }
}

#[test]
fn solved_states_end_the_search() {
    let game = library("tic-tac-toe");
    let mut search = AlphaBeta::new(&game, Role(0), Settings::default(), 1);
    let decision = search.decide(game.initial(), &Budget::default());
    assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(50.0)));
    assert!(decision.nodes < 10_000, "{}", decision.nodes);
    assert_eq!(decision.line.first().map(|joint| joint[0]), Some(decision.choice));
    assert_eq!(decision.moves.len(), 9);
    // The same in a game whose roles do not share a constant sum, with every role for itself.
    let settings = Settings {
        model: Model::MaxN,
        ..Settings::default()
    };
    let mut search = AlphaBeta::new(&game, Role(0), settings, 1);
    let decision = search.decide(game.initial(), &Budget::default());
    assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(50.0)));
}

#[test]
fn centipede_is_stopped_at_once() {
    let game = library("centipede");
    let settings = Settings {
        model: Model::MaxN,
        ..Settings::default()
    };
    let mut search = AlphaBeta::new(&game, Role(0), settings, 1);
    let decision = search.decide(game.initial(), &Budget::default());
    assert_eq!(decision.stop, StopReason::Solved);
    assert!(
        game.move_text(Role(0), decision.choice).contains("take"),
        "{}",
        game.move_text(Role(0), decision.choice)
    );
}

#[test]
fn counts_are_kept_and_repeatable() {
    for name in ["connect-four", "goofspiel-5", "tic-tac-toe-3-player", "eight-puzzle"] {
        let game = library(name);
        for model in [Model::Paranoid, Model::MaxN] {
            let decide = || {
                let settings = Settings {
                    model,
                    ..Settings::default()
                };
                AlphaBeta::new(&game, Role(0), settings, 3).decide(game.initial(), &Budget::iterations(777))
            };
            let decision = decide();
            assert_eq!((decision.nodes, decision.stop), (777, StopReason::Iterations), "{name}");
            assert_eq!(decision, decide(), "{name}");
        }
    }
}

#[test]
fn a_move_is_made_without_any_time() {
    let game = library("connect-four");
    let mut search = AlphaBeta::new(&game, Role(0), Settings::default(), 3);
    let spent = Budget::default().until(Instant::now());
    let decision = search.decide(game.initial(), &spent);
    assert_eq!((decision.stop, decision.nodes), (StopReason::Deadline, 0));
    assert!(game.machine().legal(Role(0)).contains(&decision.choice));
    search.prepare(game.initial(), &Budget::default().within(Duration::from_millis(5)));
}

#[test]
fn known_values_end_lines() {
    struct Everything;
    impl Known for Everything {
        fn goals(&self, _state: &State, goals: &mut [u8]) -> bool {
            goals.fill(40);
            true
        }
    }
    let game = library("connect-four");
    let knowledge = Knowledge {
        known: Some(Arc::new(Everything)),
        ..Knowledge::default()
    };
    let mut search = AlphaBeta::new(&game, Role(0), Settings::default(), 1).with_knowledge(knowledge);
    let decision = search.decide(game.initial(), &Budget::default());
    assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(40.0)));
    assert_eq!(decision.nodes, 7);
}

#[test]
fn memory_is_what_was_allowed() {
    let game = library("connect-four");
    let settings = Settings {
        table: 1 << 20,
        cache: 1 << 18,
        ..Settings::default()
    };
    let mut search = AlphaBeta::new(&game, Role(0), settings, 1);
    let decision = search.decide(game.initial(), &Budget::iterations(3_000));
    assert!(decision.memory <= (1 << 20) + (1 << 18) && decision.memory > 1 << 19);
}
