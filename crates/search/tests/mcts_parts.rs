//! The parts of the tree search that can be switched on, each by what it is for.

use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Advisor, Evaluator, Knowledge, Known, Standing};
use ludens_engine::{Game, MoveId, Role, State};
use ludens_gdl::Source;
use ludens_search::Searcher;
use ludens_search::mcts::{Draw, Mcts, PlayoutPolicy, Rave, Settings, Simultaneous};
use ludens_testkit::library;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn written(rules: &str) -> Game {
    Game::read(Source::new("written", rules)).unwrap()
}

/// Plain search and every part alone, by name.
fn variants() -> Vec<(&'static str, Settings)> {
    let plain = Settings::default;
    let mast = Settings::with(|s| s.playout.policy = PlayoutPolicy::Mast);
    let rave = |reference| {
        Some(Rave {
            reference,
            equivalence: 500.0,
        })
    };
    let greedy = Draw::Greedy { epsilon: 0.2 };
    vec![
        ("plain", plain()),
        ("mast", mast.clone()),
        (
            "greedy",
            Settings::with(|s| {
                s.playout.policy = PlayoutPolicy::Mast;
                s.playout.draw = greedy;
            }),
        ),
        (
            "to-mast",
            Settings::with(|s| s.playout.policy = PlayoutPolicy::TreeMast),
        ),
        ("past", Settings::with(|s| s.playout.policy = PlayoutPolicy::Past)),
        ("nst", Settings::with(|s| s.playout.policy = PlayoutPolicy::Nst)),
        ("reply", Settings::with(|s| s.playout.policy = PlayoutPolicy::Reply)),
        ("fast", Settings::with(|s| s.playout.policy = PlayoutPolicy::Fast)),
        ("rave", Settings::with(|s| s.selection.rave = rave(0))),
        ("grave", Settings::with(|s| s.selection.rave = rave(50))),
        ("bias", Settings::with(|s| s.selection.progressive_bias = 5.0)),
        ("implicit", Settings::with(|s| s.backup.implicit_minimax = 0.4)),
        ("halving", Settings::with(|s| s.selection.halving = true)),
        (
            "sequenced",
            Settings::with(|s| s.simultaneous.rule = Simultaneous::Sequenced),
        ),
        (
            "regret",
            Settings::with(|s| s.simultaneous.rule = Simultaneous::Regret { exploration: 0.1 }),
        ),
        ("first", Settings::with(|s| s.selection.first_play_urgency = Some(60.0))),
        ("leaf", Settings::with(|s| s.playout.per_leaf = 7)),
        ("cut", Settings::with(|s| s.playout.cut = Some(5))),
        ("trust", Settings::with(|s| s.expansion.evaluator_share = 0.5)),
        ("stop", Settings::with(|s| s.playout.stop = 0.2)),
        ("blend", Settings::with(|s| s.selection.prior.move_equivalence = 20.0)),
        ("head start", Settings::with(|s| s.selection.prior.virtual_visits = 3.0)),
        ("advised", Settings::with(|s| s.playout.policy = PlayoutPolicy::Advised)),
        (
            "discount",
            Settings::with(|s| {
                s.single_player.discount = 0.99;
                s.single_player.best_share = 1.0;
            }),
        ),
    ]
}

/// Likes the moves of one list, by role, and no others.
struct Fan {
    liked: Vec<Vec<MoveId>>,
}

impl Advisor for Fan {
    fn advise(&mut self, _state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]) {
        for (goal, known) in goals.iter_mut().zip(legal) {
            *goal = if self.liked[role.index()].contains(known) {
                100.0
            } else {
                0.0
            };
        }
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(Fan {
            liked: self.liked.clone(),
        })
    }
}

/// The fan of the moves of all roles with these texts.
fn fan(game: &Game, texts: &[&str]) -> Fan {
    let liked = game
        .roles()
        .map(|role| texts.iter().filter_map(|text| game.parse_move(role, text)).collect());
    Fan { liked: liked.collect() }
}

fn search(game: &Game, settings: &Settings, seed: u64) -> Mcts {
    let knowledge = Knowledge {
        known: None,
        evaluator: Some(Box::new(Standing::new(game))),
        advisor: Some(Box::new(fan(game, &["noop"]))),
    };
    Mcts::new(game, Role(0), settings.clone(), seed).with_knowledge(knowledge)
}

#[test]
fn every_part_spends_its_iterations_exactly_and_alike() {
    for name in [
        "connect-four",
        "breakthrough-small",
        "goofspiel-5",
        "smallest-3",
        "tic-tac-toe-3-player",
    ] {
        let game = library(name);
        for (part, settings) in variants() {
            let decide = || search(&game, &settings, 5).decide(game.initial(), &Budget::iterations(789));
            let decision = decide();
            assert_eq!(decision.playouts, 789, "{name}, {part}");
            assert_eq!(decision.stop, StopReason::Iterations, "{name}, {part}");
            assert_eq!(decision, decide(), "{name}, {part}");
            let visits: u64 = decision.moves.iter().map(|known| known.visits).sum();
            assert_eq!(visits, 789, "{name}, {part}");
            assert!(decision.memory > 0, "{name}, {part}");
            let legal = game.machine().legal(Role(0)).to_vec();
            assert!(legal.contains(&decision.choice), "{name}, {part}");
        }
    }
}

#[test]
fn every_part_takes_a_win_and_stops_a_loss() {
    let game = library("connect-four");
    // Both have three in a column; the first role wins at once, or must not let the second do so.
    let play = |drops: &[u32]| {
        let mut machine = game.machine();
        for (number, column) in drops.iter().enumerate() {
            let texts = [format!("(drop {column})"), "noop".to_string()];
            let joint: Vec<MoveId> = game
                .roles()
                .map(|role| {
                    let own = usize::from(role.index() != number % 2);
                    game.parse_move(role, &texts[own]).unwrap()
                })
                .collect();
            machine.step(&joint);
        }
        machine.state().clone()
    };
    let to_win = play(&[1, 2, 1, 2, 1, 2]);
    let to_stop = play(&[1, 2, 3, 2, 7, 2]);
    for (part, settings) in variants() {
        if part == "trust" {
            // The goals as they stand say nothing about positions.
            continue;
        }
        for (state, expected) in [(&to_win, "(drop 1)"), (&to_stop, "(drop 2)")] {
            let decision = search(&game, &settings, 5).decide(state, &Budget::iterations(3_000));
            assert_eq!(game.move_text(Role(0), decision.choice), expected, "{part}");
        }
    }
}

#[test]
fn threads_share_a_tree() {
    let game = library("connect-four");
    let settings = Settings::with(|s| s.parallel.threads = 3);
    let mut search = Mcts::new(&game, Role(0), settings, 1);
    let decision = search.decide(game.initial(), &Budget::iterations(20_000));
    assert_eq!(decision.playouts, 20_000);
    let visits: u64 = decision.moves.iter().map(|known| known.visits).sum();
    assert_eq!(visits, 20_000);
    // With this many visits the middle column stands out, whatever the threads did.
    assert_eq!(game.move_text(Role(0), decision.choice), "(drop 4)");
}

#[test]
fn halving_tries_few_moves_often() {
    let game = library("breakthrough-small");
    let settings = Settings::with(|s| s.selection.halving = true);
    let decision = Mcts::new(&game, Role(0), settings, 1).decide(game.initial(), &Budget::iterations(4_000));
    let mut visits: Vec<u64> = decision.moves.iter().map(|known| known.visits).collect();
    visits.sort_unstable();
    let rounds = visits.len().next_power_of_two().ilog2();
    // Half of the moves are dropped after the first round and have equal shares of it.
    let share = 4_000 / u64::from(rounds) / visits.len() as u64;
    let dropped = &visits[..visits.len() / 2];
    assert!(dropped.iter().all(|visits| visits.abs_diff(share) <= 1), "{visits:?}");
    let chosen = decision
        .moves
        .iter()
        .find(|known| known.move_id == decision.choice)
        .unwrap();
    assert_eq!(Some(&chosen.visits), visits.last());
}

/// Knows nothing of the initial state and everything of all others: the first role wins wherever a bit is set, say.
struct Oracle {
    initial: State,
    asked: AtomicUsize,
}

impl Known for Oracle {
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let is_known = *state != self.initial;
        if is_known {
            goals.copy_from_slice(if state.hash64().is_multiple_of(3) {
                &[100, 0]
            } else {
                &[0, 100]
            });
        }
        is_known
    }
}

#[test]
fn known_values_end_lines_in_the_tree() {
    let game = library("connect-four");
    let oracle = Arc::new(Oracle {
        initial: game.initial().clone(),
        asked: AtomicUsize::new(0),
    });
    let knowledge = Knowledge {
        known: Some(oracle.clone()),
        evaluator: None,
        ..Knowledge::default()
    };
    let mut search = Mcts::new(&game, Role(0), Settings::default(), 1).with_knowledge(knowledge);
    let decision = search.decide(game.initial(), &Budget::iterations(10_000));
    assert_eq!(decision.stop, StopReason::Solved);
    assert!(decision.playouts < 100, "{decision:?}");
    let mut machine = game.machine();
    let noop = game.parse_move(Role(1), "noop").unwrap();
    let wins = |choice: MoveId, machine: &mut dyn ludens_engine::Machine| {
        machine.load(game.initial());
        machine.step(&[choice, noop]);
        machine.state().hash64().is_multiple_of(3)
    };
    let legal = machine.legal(Role(0)).to_vec();
    let can_win = legal.iter().any(|&choice| wins(choice, &mut *machine));
    assert_eq!(wins(decision.choice, &mut *machine), can_win);
    assert!(oracle.asked.load(Ordering::Relaxed) >= 1);
}

/// Knows the states in which the board has a certain number of pieces.
struct Late {
    game: Game,
    pieces: usize,
}

impl Known for Late {
    fn goals(&self, state: &State, goals: &mut [u8]) -> bool {
        let texts = self.game.state_texts(state);
        let pieces = texts
            .iter()
            .filter(|text| text.ends_with(" x)") || text.ends_with(" o)"))
            .count();
        let is_known = pieces >= self.pieces;
        if is_known {
            goals.copy_from_slice(&[73, 27]);
        }
        is_known
    }
}

#[test]
fn playouts_stop_at_known_states() {
    let game = library("tic-tac-toe");
    let late = Late {
        game: game.clone(),
        pieces: 4,
    };
    let knowledge = Knowledge {
        known: Some(Arc::new(late)),
        evaluator: None,
        ..Knowledge::default()
    };
    let settings = Settings::with(|s| s.backup.solver = false);
    let mut search = Mcts::new(&game, Role(0), settings, 1).with_knowledge(knowledge);
    let decision = search.decide(game.initial(), &Budget::iterations(500));
    // Nobody wins with fewer than five pieces, so every result is the known one.
    assert!(
        decision.moves.iter().all(|known| known.value == Some(73.0)),
        "{decision:?}"
    );
}

/// Thinks highly of one thing.
struct Fixed(f64);

impl Evaluator for Fixed {
    fn evaluate(&mut self, _state: &State, goals: &mut [f64]) {
        goals.copy_from_slice(&[self.0, 100.0 - self.0]);
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Fixed(self.0))
    }
}

#[test]
fn judgements_replace_playouts_where_they_are_trusted() {
    let game = library("connect-four");
    let value = |settings: Settings| {
        let knowledge = Knowledge {
            known: None,
            evaluator: Some(Box::new(Fixed(64.0))),
            ..Knowledge::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, 1).with_knowledge(knowledge);
        let decision = search.decide(game.initial(), &Budget::iterations(300));
        decision.value.unwrap()
    };
    let trusting = Settings::with(|s| s.expansion.evaluator_share = 1.0);
    let cutting = Settings::with(|s| s.playout.cut = Some(1));
    // 300 iterations of a tree with seven moves a state do not get to the end of the match.
    assert_eq!(value(trusting), 64.0);
    assert_eq!(value(cutting), 64.0);
    assert_ne!(value(Settings::default()), 64.0);
}

/// The row player's two moves of Table 3.1 of the digest on simultaneous moves: the second is better against anyone who
/// may err.
const TABLE: &str = "
    (role row) (role column)
    (init open)
    (legal row a1) (legal row a2) (legal column b1) (legal column b2)
    (<= (next won) (does row a2) (does column b1))
    (<= terminal (not (true open)))
    (<= (goal row 100) (true won)) (<= (goal column 0) (true won))
    (<= (goal row 0) (not (true won))) (<= (goal column 100) (not (true won)))
";

#[test]
fn decoupled_moves_profit_from_others_that_may_err() {
    let game = written(TABLE);
    let settings = Settings::with(|s| s.backup.solver = false);
    let decision = Mcts::new(&game, Role(0), settings, 1).decide(game.initial(), &Budget::iterations(2_000));
    assert_eq!(game.move_text(Role(0), decision.choice), "a2");
}

#[test]
fn sequenced_moves_are_known_to_the_others() {
    let game = library("matching-pennies");
    let value = |simultaneous: Simultaneous| {
        let settings = Settings::with(|s| s.simultaneous.rule = simultaneous);
        let mut search = Mcts::new(&game, Role(0), settings, 1);
        let decision = search.decide(game.initial(), &Budget::iterations(2_000));
        let parts = decision
            .moves
            .iter()
            .map(|known| known.probability * known.value.unwrap());
        parts.sum::<f64>()
    };
    // A role that knows the other's penny wins.
    let decoupled = value(Simultaneous::Decoupled);
    assert!(decoupled > 30.0, "{decoupled}");
    let sequenced = value(Simultaneous::Sequenced);
    assert!(sequenced < 5.0, "{sequenced}");
}

#[test]
fn plans_are_found_and_followed_where_nobody_interferes() {
    for name in ["pancakes-5", "hanoi-3", "queens-6", "sliding-puzzle-2x3"] {
        let game = library(name);
        let mut search = Mcts::new(&game, Role(0), Settings::default(), 2);
        let mut machine = game.machine();
        let mut promised = 0.0f64;
        while !machine.is_terminal() {
            let state = machine.state().clone();
            let decision = search.decide(&state, &Budget::iterations(3_000));
            // A result found once is never lost again.
            let value = decision.value.unwrap_or(promised);
            assert!(value >= promised, "{name}: {value} after {promised}");
            promised = value;
            machine.step(&[decision.choice]);
        }
        assert_eq!(f64::from(machine.score(Role(0))), promised, "{name}");
    }
}

/// A short and a long way to the same goal.
const WAYS: &str = "
    (role walker)
    (init (at 0))
    (<= (legal walker short) (true (at 0)))
    (<= (legal walker long) (true (at 0)))
    (<= (legal walker on) (true (at ?x)) (distinct ?x 0))
    (<= (legal walker wait) (true (at ?x)) (distinct ?x 0))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (<= (next (at 4)) (does walker short))
    (<= (next (at 1)) (does walker long))
    (<= (next (at ?y)) (true (at ?x)) (does walker on) (succ ?x ?y))
    (<= (next (at ?x)) (does walker wait) (true (at ?x)))
    (<= terminal (true (at 5)))
    (<= (goal walker 90) (true (at 5)))
    (<= (goal walker 0) (not (true (at 5))))
";

#[test]
fn discounted_results_prefer_short_ways() {
    let game = written(WAYS);
    let settings = Settings::with(|s| {
        s.single_player.discount = 0.9;
        s.single_player.best_share = 0.0;
        s.backup.solver = false;
    });
    let decision = Mcts::new(&game, Role(0), settings, 1).decide(game.initial(), &Budget::iterations(2_000));
    assert_eq!(game.move_text(Role(0), decision.choice), "short");
    let visits = |text: &str| {
        let wanted = game.parse_move(Role(0), text).unwrap();
        decision
            .moves
            .iter()
            .find(|known| known.move_id == wanted)
            .unwrap()
            .visits
    };
    assert!(visits("short") > 2 * visits("long"));
}

/// Thinks the same of every state.
struct Settled([f64; 2]);

impl Evaluator for Settled {
    fn evaluate(&mut self, _state: &State, goals: &mut [f64]) {
        goals.copy_from_slice(&self.0);
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Settled(self.0))
    }
}

#[test]
fn playouts_that_are_stopped_count_as_judged() {
    let game = library("connect-four");
    let value = |stop: f64, seed: u64| {
        let settings = Settings::with(|s| s.playout.stop = stop);
        let knowledge = Knowledge {
            evaluator: Some(Box::new(Settled([70.0, 30.0]))),
            ..Knowledge::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, seed).with_knowledge(knowledge);
        let decision = search.decide(game.initial(), &Budget::iterations(2_000));
        let totals = decision
            .moves
            .iter()
            .map(|known| known.value.unwrap() * known.visits as f64);
        totals.sum::<f64>() / 2_000.0
    };
    // One search may go a way of its own.
    let value = |stop: f64| (1..=8).map(|seed| value(stop, seed)).sum::<f64>() / 8.0;
    // Only the few ways down the tree that come to an end of the game count otherwise.
    let all = value(1.0);
    assert!((all - 70.0).abs() < 0.2, "{all}");
    // Playouts take some twenty steps: half of the results are evaluated if one in thirty states ends them.
    let half = value(0.03);
    assert!(half > value(0.0) + 1.0 && half < 69.0, "{half}");
}

#[test]
fn moves_that_are_advised_are_tried_first_and_most() {
    let game = library("connect-four");
    let liked = "(drop 2)";
    let visits = |settings: Settings, iterations: u64| {
        let knowledge = Knowledge {
            advisor: Some(Box::new(fan(&game, &[liked]))),
            ..Knowledge::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, 3).with_knowledge(knowledge);
        let decision = search.decide(game.initial(), &Budget::iterations(iterations));
        let place = |known: &&ludens_search::MoveStatistics| game.move_text(Role(0), known.move_id) == liked;
        decision.moves.iter().find(place).expect("the move is legal").visits
    };
    let blend = |blend| {
        Settings::with(|s| {
            s.selection.prior.move_equivalence = blend;
            s.playout.in_flight = 1;
        })
    };
    let head_start = |head_start| {
        Settings::with(|s| {
            s.selection.prior.virtual_visits = head_start;
            s.playout.in_flight = 1;
        })
    };
    assert_eq!((visits(blend(50.0), 1), visits(head_start(10.0), 1)), (1, 1));
    // Every move is visited once if evaluations are mixed in, only good ones if they count as visits.
    assert_eq!(visits(blend(50.0), 7), 1);
    assert_eq!(visits(head_start(10.0), 7), 7);
    let plain = visits(Settings::default(), 1_000);
    assert!(visits(blend(500.0), 1_000) > plain + 100);
    assert!(visits(head_start(100.0), 1_000) > plain + 100);
}

#[test]
fn advised_playouts_make_the_moves_that_are_liked() {
    // A role that always goes left gets everything.
    let game = written(
        "(role alone) (init (at 0)) (init (all))
         (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
         (legal alone left) (legal alone right)
         (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n))
         (<= (next (all)) (true (all)) (does alone left))
         (<= terminal (true (at 8)))
         (<= (goal alone 100) (true (all)))
         (<= (goal alone 0) (not (true (all))))",
    );
    let first = |playout: PlayoutPolicy, texts: &[&str]| {
        let settings = Settings::with(|s| {
            s.playout.policy = playout;
            s.playout.draw = Draw::Greedy { epsilon: 0.0 };
        });
        let knowledge = Knowledge {
            advisor: Some(Box::new(fan(&game, texts))),
            ..Knowledge::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, 5).with_knowledge(knowledge);
        search.decide(game.initial(), &Budget::iterations(4)).value
    };
    assert_eq!(first(PlayoutPolicy::Advised, &["left"]), Some(100.0));
    assert_ne!(first(PlayoutPolicy::Advised, &["right"]), Some(100.0));
}

/// Thinks well of one move and badly of all others.
struct Likes(MoveId);

impl Advisor for Likes {
    fn advise(&mut self, _state: &State, _role: Role, legal: &[MoveId], goals: &mut [f32]) {
        for (&known, goal) in legal.iter().zip(goals) {
            *goal = if known == self.0 { 80.0 } else { 70.0 };
        }
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(Likes(self.0))
    }
}

#[test]
fn advice_leads_for_so_many_visits_of_a_state() {
    let game = library("connect-four");
    let edge = game.parse_move(Role(0), "(drop 1)").unwrap();
    let share = |lean: f64, stretched: bool| {
        let settings = Settings::with(|s| {
            s.selection.prior.node_equivalence = lean;
            s.selection.prior.rescaled = stretched;
        });
        let knowledge = Knowledge {
            advisor: Some(Box::new(Likes(edge))),
            ..Knowledge::default()
        };
        let mut search = Mcts::new(&game, Role(0), settings, 1).with_knowledge(knowledge);
        let decision = search.decide(game.initial(), &Budget::iterations(2_000));
        let known = decision.moves.iter().find(|known| known.move_id == edge).unwrap();
        known.visits as f64 / 2_000.0
    };
    // The edge is the worst column; who listens to advice alone tries it most, the more so the more it stands out.
    let (never, soon, always, stretched) = (
        share(0.0, false),
        share(20.0, true),
        share(1e9, false),
        share(1e9, true),
    );
    assert!(never < 1.0 / 7.0 && soon < 1.0 / 7.0, "{never} {soon}");
    assert!(always > 1.0 / 7.0 && stretched > always, "{always} {stretched}");
}
