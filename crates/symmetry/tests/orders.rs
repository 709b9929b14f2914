//! Orders of symmetry groups that are known, and what symmetries do in play.

use ludens_budget::Budget;
use ludens_engine::sample::{Extent, RandomPlay};
use ludens_engine::{Game, JointMoves, Role, State};
use ludens_gdl::Source;
use ludens_symmetry::{Completeness, Detail, Keys, Kind, Symmetries, candidates, symmetries};
use std::collections::BTreeSet;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).unwrap_or_else(|| panic!("the library has {name}"));
    Game::read(entry.source()).unwrap()
}

fn order(name: &str, kind: Kind, detail: Detail) -> String {
    let found = candidates(&game(name), kind, detail, &Budget::default()).unwrap();
    found.group.order().to_string()
}

fn factorial(number: u64) -> String {
    (1..=number).product::<u64>().to_string()
}

/// Games with the order of the and/or graph and that of all symmetries.
const ORDERS: &[(&str, &str, &str)] = &[
    ("tic-tac-toe", "8", "8"),
    ("number-scrabble", "8", "8"),
    ("simultaneous-tic-tac-toe", "16", "16"),
    ("tic-tac-toe-3d", "48", "48"),
    ("blocker-4x4", "2", "4"),
    ("connect-four-4x4", "2", "2"),
    ("connect-four", "2", "2"),
    ("connect-four-8x6", "2", "2"),
    ("breakthrough-small", "2", "2"),
    ("breakthrough", "2", "2"),
    ("peg-solitaire", "8", "8"),
    ("hex-3", "1", "2"),
    ("clobber-3x4", "1", "2"),
    ("quarto-small", "384", "384"),
    ("qubic", "192", "192"),
    ("lights-out", "8", "8"),
    ("sudoku-4x4", "8", "8"),
    ("queens-4", "8", "8"),
    ("knights-tour-5x5", "8", "8"),
    ("tron-5x5", "4", "4"),
    ("domineering-4x4", "4", "4"),
    // Four boxes in a ring, each with two outer lines that can be exchanged: eight symmetries of the ring, 2⁴ exchanges.
    ("dots-and-boxes-2x2", "16", "128"),
    ("rock-paper-scissors", "6", "6"),
    ("biased-rock-paper-scissors", "2", "2"),
    ("matching-pennies", "4", "4"),
    ("monty-hall", "6", "6"),
    ("eight-puzzle", "1", "1"),
    ("chomp", "1", "1"),
    ("pancakes-4", "1", "1"),
    ("hanoi-3", "1", "1"),
];

#[test]
fn groups_have_the_orders_that_are_known() {
    for &(name, alike, all) in ORDERS {
        assert_eq!(order(name, Kind::Game, Detail::AndOr), alike, "{name}, and/or graph");
        let found = symmetries(&game(name), Kind::Game, &Budget::default());
        assert_eq!(found.order().to_string(), all, "{name}");
        assert_eq!(found.completeness(), Completeness::All, "{name}: {:?}", found.cause());
    }
}

#[test]
fn groups_that_need_not_keep_the_initial_state_are_larger() {
    let expected = [
        ("tic-tac-toe", "16"),
        ("blocker-4x4", "2"),
        ("connect-four", "4"),
        ("breakthrough-small", "4"),
        ("peg-solitaire", "8"),
        ("clobber-3x4", "2"),
        ("hanoi-3", "2"),
        ("nim", "2"),
    ];
    for (name, alike) in expected {
        assert_eq!(order(name, Kind::Rules, Detail::AndOr), alike, "{name}");
    }
}

#[test]
fn the_graph_of_inputs_has_the_published_sizes_and_groups() {
    for name in ["tic-tac-toe", "number-scrabble"] {
        let found = candidates(&game(name), Kind::Game, Detail::Opaque, &Budget::default()).unwrap();
        assert_eq!((found.rules, found.vertices), (68, 59), "{name}");
    }
    let expected = [
        ("tic-tac-toe", factorial(9)),
        ("number-scrabble", factorial(9)),
        // By their inputs alone, the roles can be exchanged too.
        ("blocker-4x4", (2 * (1..=16u64).product::<u64>()).to_string()),
        ("breakthrough", factorial(2)),
        ("peg-solitaire", "8".to_string()),
        ("connect-four-8x6", factorial(8)),
    ];
    for (name, opaque) in expected {
        assert_eq!(order(name, Kind::Game, Detail::Opaque), opaque, "{name}");
    }
}

#[test]
fn exact_counts_leave_few_candidates() {
    let expected = [
        ("tic-tac-toe", "8"),
        ("blocker-4x4", "4"),
        ("othello-6x6", "4"),
        ("clobber-3x4", "2"),
    ];
    for (name, weighted) in expected {
        assert_eq!(order(name, Kind::Game, Detail::Weighted), weighted, "{name}");
    }
}

/// Compares play before and after a mapping, by the engine alone.
fn maps_play(game: &Game, found: &Symmetries) {
    let budget = Budget::default();
    let extent = Extent {
        seed: 5,
        playouts: 3,
        states: 12,
    };
    let mut machine = game.machine();
    for mapping in found.generators() {
        let mut play = RandomPlay::new(game, extent, &budget);
        while let Some(visit) = play.next_state() {
            let (state, joint) = (visit.state.clone(), visit.joint.to_vec());
            let image = mapping.state(&state);
            assert_eq!(mapping.inverse().state(&image), state);
            machine.load(&state);
            let is_terminal = machine.is_terminal();
            let scores: Vec<u8> = game.roles().map(|role| machine.score(role)).collect();
            let legal: Vec<BTreeSet<u32>> = (game.roles())
                .map(|role| {
                    let moves = machine.legal(role).iter();
                    moves.map(|&number| mapping.move_id(role, number).unwrap().0).collect()
                })
                .collect();
            machine.load(&image);
            assert_eq!(machine.is_terminal(), is_terminal);
            let images: Vec<u8> = game.roles().map(|role| machine.score(role)).collect();
            assert_eq!(images, mapping.values(&scores));
            for role in game.roles() {
                let expected: BTreeSet<u32> = machine
                    .legal(mapping.role(role))
                    .iter()
                    .map(|number| number.0)
                    .collect();
                assert_eq!(legal[role.index()], expected);
            }
            if !joint.is_empty() {
                machine.step(&mapping.joint(&joint).unwrap());
                let after = machine.state().clone();
                machine.load(&state);
                machine.step(&joint);
                assert_eq!(mapping.state(machine.state()), after);
            }
        }
    }
}

#[test]
fn symmetries_map_play_to_play() {
    for &(name, ..) in ORDERS {
        let game = game(name);
        for kind in [Kind::Game, Kind::Rules] {
            let found = symmetries(&game, kind, &Budget::default());
            maps_play(&game, &found);
            let keeps = found
                .generators()
                .iter()
                .all(|mapping| mapping.state(game.initial()) == *game.initial());
            assert!(kind == Kind::Rules || keeps, "{name}");
        }
    }
}

/// Numbers of states and of orbits by depth.
fn layers(game: &Game, keys: &Keys, depth: usize) -> Vec<(usize, usize)> {
    let mut machine = game.machine();
    let mut layer: BTreeSet<State> = BTreeSet::from([keys.canonical(game.initial()).0]);
    let mut seen = layer.clone();
    let mut counts = Vec::new();
    for _ in 0..=depth {
        let states = layer.iter().map(|state| keys.orbit_length(state)).sum();
        counts.push((states, layer.len()));
        let mut next = BTreeSet::new();
        for state in &layer {
            machine.load(state);
            if machine.is_terminal() {
                continue;
            }
            let mut moves = JointMoves::of(&mut *machine);
            let mut joint = Vec::new();
            while moves.next_into(&mut joint) {
                machine.load(state);
                machine.step(&joint);
                let canonical = keys.canonical(machine.state()).0;
                if seen.insert(canonical.clone()) {
                    next.insert(canonical);
                }
            }
        }
        layer = next;
    }
    counts
}

fn keys(game: &Game) -> Keys {
    let found = symmetries(game, Kind::Game, &Budget::default());
    Keys::new(&found, game.vocabulary().fluent_count(), true)
}

#[test]
fn tic_tac_toe_has_765_positions_up_to_symmetry() {
    let game = game("tic-tac-toe");
    let counts = layers(&game, &keys(&game), 9);
    assert_eq!(counts.iter().map(|&(_, orbits)| orbits).sum::<usize>(), 765);
    assert_eq!(counts.iter().map(|&(states, _)| states).sum::<usize>(), 5_478);
}

#[test]
fn peg_solitaire_has_the_known_numbers_of_positions_up_to_symmetry() {
    let game = game("peg-solitaire");
    let orbits: Vec<usize> = layers(&game, &keys(&game), 8)
        .iter()
        .map(|&(_, orbits)| orbits)
        .collect();
    assert_eq!(orbits, [1, 1, 2, 8, 39, 171, 719, 2757, 9751]);
}

#[test]
fn keys_are_kept_up_to_date_while_play_goes_on() {
    for name in [
        "tic-tac-toe",
        "peg-solitaire",
        "simultaneous-tic-tac-toe",
        "quarto-small",
    ] {
        let game = game(name);
        let keys = keys(&game);
        assert!(keys.elements().len() > 1, "{name}");
        let budget = Budget::default();
        let extent = Extent {
            seed: 1,
            playouts: 4,
            states: 20,
        };
        let mut play = RandomPlay::new(&game, extent, &budget);
        let mut before = game.initial().clone();
        let mut hashes = keys.hashes(&before);
        while let Some(visit) = play.next_state() {
            keys.follow(&mut hashes, &before, visit.state);
            before = visit.state.clone();
            assert_eq!(hashes, keys.hashes(&before), "{name}");
            let (key, number) = keys.key(&hashes);
            let image = keys.elements()[number].state(&before);
            assert_eq!(keys.key(&keys.hashes(&image)).0, key, "{name}");
            for element in keys.elements() {
                let image = element.state(&before);
                assert_eq!(keys.key(&keys.hashes(&image)).0, key, "{name}");
                assert_eq!(keys.canonical(&image).0, keys.canonical(&before).0, "{name}");
            }
        }
    }
}

#[test]
fn one_of_three_first_moves_of_tic_tac_toe_stands_for_each_orbit() {
    let game = game("tic-tac-toe");
    let found = symmetries(&game, Kind::Game, &Budget::default());
    let legal = game.machine().legal(Role(0)).to_vec();
    let first = found.representatives(game.initial(), Role(0), &legal, 64);
    let texts: Vec<String> = legal.iter().map(|&number| game.move_text(Role(0), number)).collect();
    assert_eq!(texts[0], "(mark 1 1)");
    assert_eq!(first, [0, 1, 0, 1, 4, 1, 0, 1, 0]);
}

#[test]
fn games_that_are_not_compiled_are_unknown() {
    let options = ludens_engine::Options {
        engine: ludens_engine::EngineChoice::Interpreted,
        ..Default::default()
    };
    let source = ludens_library::find("tic-tac-toe").unwrap().source();
    let game = Game::new(ludens_gdl::Description::read(source), options).unwrap();
    let found = symmetries(&game, Kind::Game, &Budget::default());
    assert_eq!(found.completeness(), Completeness::Unknown);
    assert_eq!(found.cause(), Some("the game is not compiled"));
    assert!(found.is_trivial() && found.elements(8).len() == 1);
    assert_eq!(found.elements(8)[0].state(&State::default()), State::default());
}

#[test]
fn a_spent_budget_leaves_what_is_there_so_far() {
    let spent = Budget::default().within(std::time::Duration::ZERO);
    let found = symmetries(&game("tic-tac-toe"), Kind::Game, &spent);
    assert_eq!(found.completeness(), Completeness::AtLeast);
    assert_eq!(found.cause(), Some("the time was over"));
    // That nothing was found in no time is not remembered.
    let game = game("tic-tac-toe");
    assert!(symmetries(&game, Kind::Game, &spent).is_trivial());
    assert_eq!(symmetries(&game, Kind::Game, &Budget::default()).order(), 8u32.into());
}

/// Chance may not be exchanged with a player, and what is perceived belongs to the game.
#[test]
fn chance_and_percepts_are_kept() {
    let rules = "(role random) (role a) (init p) (legal random x) (legal random y) (legal a x) (legal a y)
        (<= (next (got ?r ?m)) (does ?r ?m)) (<= terminal (true (got a x))) (<= terminal (true (got a y)))
        (goal random 0) (goal a 0)";
    let sees = "(<= (sees a one) (does random x))";
    let order = |rules: String| {
        let game = Game::read(Source::new("test", rules)).unwrap();
        let found = symmetries(&game, Kind::Game, &Budget::default());
        assert_eq!(found.completeness(), Completeness::All);
        assert!(found.generators().iter().all(|mapping| mapping.keeps_roles()));
        found.order().to_string()
    };
    assert_eq!(order(rules.to_string()), "4");
    assert_eq!(order(format!("{rules} {sees}")), "2");
}
