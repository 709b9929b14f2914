//! States that no match can reach are answered as the interpreter answers them, whatever asks about them.

use ludens_engine::playout::Playout;
use ludens_engine::{EngineChoice, Fluent, Game, Machine, MoveId, Options, PlayoutSource, Rng, Role, State, Stepping};
use ludens_gdl::{Description, Source};

fn game(source: Source, engine: EngineChoice, stepping: Stepping) -> Game {
    let options = Options {
        engine,
        stepping,
        ..Options::default()
    };
    Game::new(Description::read(source), options).unwrap_or_else(|error| panic!("{error}"))
}

/// The lamp always burns, so that conditions on it are folded away; the door is never open.
const RULES: &str = "(role w) (init lamp) (init (door shut)) (init (step 1)) (next lamp) (next (door shut))
    (<= (next (step 2)) (true (step 1))) (<= (next (step 1)) (true (step 2)))
    (<= (legal w walk) (true lamp)) (<= (legal w wait) (not (true lamp)))
    (<= (legal w leave) (true (door open))) (<= terminal (true (step 2)))
    (<= terminal (not (true lamp)) (true (step 1)) (true (door open)))
    (<= (goal w 100) (true lamp)) (<= (goal w 0) (not (true lamp)))";

fn compiled() -> Game {
    game(Source::new("lamp", RULES), EngineChoice::Compiled, Stepping::Plain)
}

/// A state made of these fluents.
fn state(game: &Game, fluents: &[&str]) -> State {
    let fluents = fluents.iter().map(|text| game.parse_fluent(text).expect("a fluent"));
    State::new(fluents)
}

fn legal(game: &Game, machine: &mut dyn Machine) -> Vec<String> {
    let moves = machine.legal(Role(0)).iter();
    moves.map(|&id| game.move_text(Role(0), id)).collect()
}

#[test]
fn a_state_without_a_constant_fluent_is_answered_by_the_rules() {
    let game = compiled();
    let mut machine = game.machine();
    machine.load(&state(&game, &["(step 1)", "(door shut)"]));
    assert_eq!(legal(&game, &mut *machine), ["wait"]);
    assert_eq!(machine.goal_values(Role(0)), [0]);
    assert!(!machine.is_terminal());
    assert_eq!(machine.fault(), None);
    // One step on, the lamp burns again: back to where the network answers.
    let wait = machine.legal(Role(0))[0];
    machine.step(&[wait]);
    assert_eq!(game.state_texts(machine.state()), ["(door shut)", "(step 2)", "lamp"]);
    assert!(machine.is_terminal());
    assert_eq!(machine.goal_values(Role(0)), [100]);
    machine.load(game.initial());
    assert_eq!(legal(&game, &mut *machine), ["walk"]);
}

#[test]
fn a_fluent_that_can_never_hold_counts_where_it_does() {
    let game = compiled();
    let mut machine = game.machine();
    machine.load(&state(&game, &["(step 1)", "lamp", "(door open)"]));
    assert_eq!(legal(&game, &mut *machine), ["leave", "walk"]);
    machine.load(&state(&game, &["(step 1)", "(door open)"]));
    assert!(machine.is_terminal());
}

#[test]
fn playouts_and_successors_start_from_anywhere() {
    struct Three {
        start: State,
        left: u32,
        results: Vec<(usize, Vec<u8>)>,
    }
    impl PlayoutSource for Three {
        fn start(&mut self) -> Option<(&State, u32)> {
            self.left = self.left.checked_sub(1)?;
            Some((&self.start, 7))
        }
        fn finish(&mut self, tag: u32, playout: &Playout) {
            assert_eq!(tag, 7);
            self.results.push((playout.steps, playout.scores.as_slice().to_vec()));
        }
    }
    let game = compiled();
    let foreign = state(&game, &["(step 1)", "(door shut)"]);
    let mut matches = Three {
        start: foreign.clone(),
        left: 3,
        results: Vec::new(),
    };
    game.engine().playouts().run(&mut Rng::with_seed(1), 10, &mut matches);
    // One step without the lamp, then it burns at the end.
    assert_eq!(matches.results, vec![(1, vec![100]); 3]);
    let mut successors = game.engine().successors();
    let mut seen = 0;
    successors.look(&[game.initial(), &foreign], &mut |number, successor| {
        seen += 1;
        let legal: Vec<String> = successor.legal[Role(0)]
            .iter()
            .map(|&id| game.move_text(Role(0), id))
            .collect();
        assert_eq!(legal, [["walk"], ["wait"]][number]);
        assert_eq!(successor.scores.as_slice(), [[100], [0]][number]);
    });
    let wait = game.parse_move(Role(0), "wait").expect("a move");
    successors.expand(&[(&foreign, &[wait])], &mut |_, successor| {
        seen += 1;
        assert!(successor.is_terminal && successor.scores.as_slice() == [100]);
    });
    assert_eq!(seen, 3);
}

/// Fluents are added to and taken from reachable states at random; both engines must agree about what comes out.
#[test]
fn random_states_of_library_games_are_answered_alike_by_both_engines() {
    let mut outside = 0;
    for name in [
        "tic-tac-toe",
        "nim",
        "hanoi-3",
        "goofspiel-4",
        "maze",
        "clobber-3x4",
        "kuhn-poker",
    ] {
        let source = || ludens_library::find(name).expect("a library game").source();
        for stepping in [Stepping::Plain, Stepping::Differential] {
            let fast = game(source(), EngineChoice::Compiled, stepping);
            let slow = game(source(), EngineChoice::Interpreted, Stepping::Auto);
            let mut rng = Rng::with_seed(5);
            let (mut quick, mut reference) = (fast.machine(), slow.machine());
            let known = fast.vocabulary().fluent_count() as u32;
            for round in 0..60 {
                let mut fluents: Vec<Fluent> = fast.initial().fluents().collect();
                for _ in 0..rng.usize(1..4) {
                    let fluent = Fluent(rng.u32(..known));
                    match fluents.iter().position(|&other| other == fluent) {
                        Some(place) => drop(fluents.swap_remove(place)),
                        None => fluents.push(fluent),
                    }
                }
                let state = State::new(fluents);
                quick.load(&state);
                let texts = fast.state_texts(&state);
                reference.load(&State::new(texts.iter().filter_map(|text| slow.parse_fluent(text))));
                for _ in 0..3 {
                    let place = format!("{name}, round {round}: {texts:?}");
                    assert_eq!(
                        fast.state_texts(quick.state()),
                        slow.state_texts(reference.state()),
                        "{place}"
                    );
                    assert_eq!(quick.is_terminal(), reference.is_terminal(), "{place}");
                    let mut joints: [Vec<MoveId>; 2] = [Vec::new(), Vec::new()];
                    for role in fast.roles() {
                        assert_eq!(quick.goal_values(role), reference.goal_values(role), "{place}");
                        let moves = quick.legal(role).to_vec();
                        let legal: Vec<String> = moves.iter().map(|&id| fast.move_text(role, id)).collect();
                        let others = reference.legal(role).to_vec();
                        let expected: Vec<String> = others.iter().map(|&id| slow.move_text(role, id)).collect();
                        assert_eq!(legal, expected, "{place}");
                        if let Some(number) = (!moves.is_empty()).then(|| rng.usize(..moves.len())) {
                            joints[0].push(moves[number]);
                            joints[1].push(others[number]);
                        }
                    }
                    if quick.is_terminal() || joints[0].len() < fast.roles().len() {
                        break;
                    }
                    outside += usize::from(quick.state() != fast.initial());
                    quick.step(&joints[0]);
                    reference.step(&joints[1]);
                }
            }
        }
    }
    assert!(outside > 100, "{outside}");
}
