//! Beliefs of small games, by hand and against each other.

use ludens_belief::{Belief, Kind, Settings, Strategies};
use ludens_budget::Budget;
use ludens_engine::playout::choose_joint;
use ludens_engine::{Game, HistoryHash, Observation, Rng, Role, State};
use std::collections::BTreeMap;

fn game(name: &str) -> Game {
    Game::read(ludens_library::find(name).unwrap().source()).unwrap()
}

/// Follows a match by texts: the joint moves of all roles, in their order.
fn believed(game: &Game, role: &str, moves: &[&[&str]], settings: Settings) -> Belief {
    let role = game.find_role(role).unwrap();
    let mut belief = Belief::new(game, role, settings);
    let mut machine = game.machine();
    for joint in moves {
        let moves = game.roles().zip(joint.iter());
        let joint: Vec<_> = moves.map(|(role, text)| game.parse_move(role, text).unwrap()).collect();
        observe(&mut belief, &mut *machine, &joint);
    }
    belief
}

/// Makes a step and lets the belief see it.
fn observe(belief: &mut Belief, machine: &mut dyn ludens_engine::Machine, joint: &[ludens_engine::MoveId]) {
    let role = belief.role();
    let observation = Observation {
        own: Some(joint[role.index()]),
        percepts: machine.percepts(role, joint),
    };
    machine.step(joint);
    belief.observe(&observation, machine.is_terminal(), &Budget::default());
}

fn probability(game: &Game, belief: &Belief, fluent: &str) -> f64 {
    belief.probability(game.parse_fluent(fluent).unwrap())
}

fn sampling(particles: usize, seed: u64) -> Settings {
    Settings {
        candidates: 0,
        particles,
        seed,
        ..Settings::default()
    }
}

#[test]
fn an_open_door_makes_switching_twice_as_good() {
    let game = game("monty-hall");
    let moves: &[&[&str]] = &[&["noop", "(hide 2)"], &["(choose 1)", "noop"], &["noop", "(open 3)"]];
    for settings in [Settings::default(), sampling(4096, 7)] {
        let mut belief = believed(&game, "candidate", moves, settings);
        assert!((probability(&game, &belief, "(car 1)") - 1.0 / 3.0).abs() < 0.02);
        assert!((probability(&game, &belief, "(car 2)") - 2.0 / 3.0).abs() < 0.02);
        let summary = belief.summary(5);
        assert_eq!((summary.states, summary.likeliest.len()), (2, 2));
        let texts: Vec<String> = game.state_texts(&State::new(summary.certain));
        assert_eq!(texts, ["(chosen 1)", "(opened 3)", "(phase decide)"]);
        let legal: Vec<String> = summary
            .legal
            .iter()
            .map(|(id, _)| game.move_text(belief.role(), *id))
            .collect();
        assert_eq!(legal, ["keep", "switch"]);
        assert!(summary.legal.iter().all(|(_, probability)| *probability == 1.0));
    }
    let belief = believed(&game, "candidate", moves, Settings::default());
    assert_eq!(belief.kind(), Kind::Exact);
    assert!((probability(&game, &belief, "(car 2)") - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn a_card_in_the_hand_leaves_two_worlds() {
    let game = game("kuhn-poker");
    let deal: &[&str] = &["noop", "noop", "(deal queen king)"];
    let belief = believed(&game, "first", &[deal], Settings::default());
    assert_eq!(belief.worlds().len(), 2);
    assert!(belief.worlds().iter().all(|world| (world.weight - 0.5).abs() < 1e-12));
    assert_eq!(probability(&game, &belief, "(holds first queen)"), 1.0);
    assert_eq!(probability(&game, &belief, "(holds second queen)"), 0.0);
}

#[test]
fn a_model_of_the_other_moves_probabilities_but_excludes_nothing() {
    let game = game("kuhn-poker");
    let (first, second) = (game.find_role("first").unwrap(), game.find_role("second").unwrap());
    let id = |role, text: &str| game.parse_move(role, text).unwrap();
    // The first player bets with the king only.
    let mut strategies = Strategies::default();
    for card in ["jack", "queen", "king"] {
        let percept = game.parse_percept(first, &format!("(own_card {card})")).unwrap();
        let history = HistoryHash::START.after(id(first, "noop"), &[percept]);
        let bets = f64::from(u8::from(card == "king"));
        strategies.set(
            first,
            history,
            vec![(id(first, "bet"), bets), (id(first, "pass"), 1.0 - bets)],
        );
    }
    let mut belief = Belief::new(&game, second, Settings::default()).with_model(Box::new(strategies));
    let mut machine = game.machine();
    for joint in [["noop", "noop", "(deal jack queen)"], ["bet", "noop", "noop"]] {
        let joint: Vec<_> = game.roles().zip(joint).map(|(role, text)| id(role, text)).collect();
        observe(&mut belief, &mut *machine, &joint);
    }
    let jack = probability(&game, &belief, "(holds first jack)");
    // Floor 0.05 over two moves: 0.025 to 0.975.
    assert!((jack - 0.025).abs() < 1e-12, "{jack}");
}

#[test]
fn growls_and_pennies_have_their_probabilities() {
    let game = game("tiger");
    let percepts = |text: &str| vec![text.to_string()];
    let role = game.roles().find(|&role| !game.is_random(role)).unwrap();
    let vocabulary: Vec<String> = (0..game.vocabulary().percept_count(role))
        .map(|number| game.percept_text(role, ludens_engine::PerceptId(number as u32)))
        .collect();
    let left = vocabulary.iter().find(|text| *text == "(growl left)").unwrap();
    let listen = game.parse_move(role, "listen").unwrap();
    let mut belief = Belief::new(&game, role, Settings::default());
    let mut machine = game.machine();
    let own = machine.legal(role)[0];
    let start = Observation {
        own: Some(own),
        percepts: Vec::new(),
    };
    belief.observe(&start, false, &Budget::default());
    for _ in 0..2 {
        let percepts = game.parse_percepts(role, &percepts(left)).unwrap();
        let heard = Observation {
            own: Some(listen),
            percepts,
        };
        belief.observe(&heard, false, &Budget::default());
    }
    assert_eq!(belief.kind(), Kind::Exact);
    let fluents = belief.summary(4).uncertain;
    let tiger = fluents.iter().find(|(fluent, _)| {
        let text = &game.vocabulary().fluent_name(*fluent).text;
        text.contains("tiger") && text.contains("left")
    });
    assert!((tiger.unwrap().1 - 0.9).abs() < 1e-9, "{fluents:?}");
}

/// Distribution over states.
fn by_state(belief: &Belief) -> BTreeMap<State, f64> {
    let mut states = BTreeMap::new();
    for world in belief.worlds() {
        *states.entry(world.state.clone()).or_insert(0.0) += world.weight;
    }
    states
}

/// Half the sum of the differences.
fn total_variation(exact: &BTreeMap<State, f64>, other: &BTreeMap<State, f64>) -> f64 {
    let differences = exact
        .iter()
        .map(|(state, weight)| (weight - other.get(state).unwrap_or(&0.0)).abs());
    differences.sum::<f64>() / 2.0
}

#[test]
fn particles_come_close_to_exact_beliefs_and_never_leave_them() {
    for entry in ludens_library::entries() {
        let description = ludens_gdl::Description::read(entry.source());
        if !description.rules.hide_information() {
            continue;
        }
        let game = Game::new(description, ludens_engine::Options::default()).unwrap();
        for seed in 0..4 {
            let mut rng = Rng::with_seed(seed);
            let mut machine = game.machine();
            let roles: Vec<Role> = game.roles().filter(|&role| !game.is_random(role)).collect();
            let role = roles[seed as usize % roles.len()];
            let small = Settings {
                candidates: 20_000,
                ..Settings::default()
            };
            let mut exact = Belief::new(&game, role, small);
            let mut sampled = Belief::new(&game, role, sampling(4096, seed));
            let mut joint = Vec::new();
            for step in 0..12 {
                if machine.is_terminal() || choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
                    break;
                }
                let here = machine.state().clone();
                observe(&mut exact, &mut *machine, &joint);
                machine.load(&here);
                observe(&mut sampled, &mut *machine, &joint);
                if exact.kind() != Kind::Exact {
                    break;
                }
                let name = game.name();
                assert_eq!(sampled.kind(), Kind::Particles, "{name} step {step}");
                let (exact, sampled) = (by_state(&exact), by_state(&sampled));
                assert!(exact.contains_key(machine.state()), "{name} step {step}");
                assert!(
                    sampled.keys().all(|state| exact.contains_key(state)),
                    "{name} step {step}"
                );
                if exact.len() <= 1000 {
                    let distance = total_variation(&exact, &sampled);
                    assert!(
                        distance <= 0.05,
                        "{name} step {step}: {distance} with {} states",
                        exact.len()
                    );
                }
            }
        }
    }
}

#[test]
fn percepts_that_no_world_explains_make_a_guess() {
    let game = game("kuhn-poker");
    let first = game.find_role("first").unwrap();
    let mut belief = Belief::new(&game, first, Settings::default());
    let both = ["(own_card jack)".to_string(), "(own_card king)".to_string()];
    let percepts = game.parse_percepts(first, &both).unwrap();
    let own = game.parse_move(first, "noop");
    belief.observe(&Observation { own, percepts }, false, &Budget::default());
    assert_eq!(belief.kind(), Kind::Guess);
    assert_eq!(belief.worlds().len(), 6);
    // An own move that is legal nowhere is given up too.
    let own = game.parse_move(first, "noop");
    belief.observe(
        &Observation {
            own,
            percepts: Vec::new(),
        },
        false,
        &Budget::default(),
    );
    assert_eq!(belief.kind(), Kind::Guess);
    assert!(!belief.worlds().is_empty());
    assert_eq!(game.parse_percepts(first, &["(no such thing)".to_string()]), None);
}

#[test]
fn few_particles_are_found_anew_when_they_die_out() {
    // One of 64 numbers is drawn and never seen; then its six bits are shown one by one. Four particles die out at once.
    let mut rules = String::from(
        "(role w) (role random) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
         (<= (legal random (pick ?n)) (true (step 0)) (number ?n))
         (<= (legal random wait) (not (true (step 0))))
         (legal w look)
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
         (<= (next (number_is ?n)) (does random (pick ?n)))
         (<= (next (number_is ?n)) (true (number_is ?n)))
         (<= (sees w one) (true (step ?s)) (true (number_is ?n)) (bit ?n ?s))
         (<= terminal (true (step 7))) (<= (goal w 100) (true (number_is ?n)))
         (goal random 0)",
    );
    for number in 0..64 {
        rules.push_str(&format!("(number n{number})"));
        for bit in (1..7).filter(|bit| number >> (bit - 1) & 1 == 1) {
            rules.push_str(&format!("(bit n{number} {bit})"));
        }
    }
    let game = Game::read(ludens_gdl::Source::new("bits", rules)).unwrap();
    let w = game.find_role("w").unwrap();
    let mut belief = Belief::new(&game, w, sampling(4, 3));
    let mut machine = game.machine();
    let pick = game.parse_move(Role(1), "(pick n45)").unwrap();
    let look = machine.legal(w)[0];
    let mut joint = vec![look, pick];
    while !machine.is_terminal() {
        observe(&mut belief, &mut *machine, &joint);
        joint[1] = game.parse_move(Role(1), "wait").unwrap();
        assert_ne!(belief.kind(), Kind::Guess);
    }
    assert!(belief.regenerated() > 0);
    assert_eq!(by_state(&belief).len(), 1);
    assert!(by_state(&belief).contains_key(machine.state()));
}

#[test]
fn what_all_players_know_leaves_all_cards_open() {
    let game = game("kuhn-poker");
    let first = game.find_role("first").unwrap();
    let mut public = Belief::public(&game, first, Settings::default());
    let mut machine = game.machine();
    for (joint, worlds) in [(["noop", "noop", "(deal queen king)"], 6), (["bet", "noop", "noop"], 6)] {
        let joint: Vec<_> = game
            .roles()
            .zip(joint)
            .map(|(role, text)| game.parse_move(role, text).unwrap())
            .collect();
        observe(&mut public, &mut *machine, &joint);
        assert_eq!((public.worlds().len(), public.kind()), (worlds, Kind::Exact));
    }
    // The bet was seen by both, the cards were not.
    assert!((probability(&game, &public, "(history bet)") - 1.0).abs() < 1e-12);
    assert!((probability(&game, &public, "(holds first queen)") - 1.0 / 3.0).abs() < 1e-12);
}
