//! Facts about samples of random play.

use super::*;
use ludens_engine::{EngineChoice, JointMoves, Options, Role};

fn game(name: &str, engine: EngineChoice) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    let options = Options {
        engine,
        ..Options::default()
    };
    Game::new(ludens_gdl::Description::read(entry.source()), options).expect("library games can be played")
}

#[test]
fn sequences_are_consecutive_states_of_play() {
    for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
        let game = game("tic-tac-toe", engine);
        let sampling = Sampling {
            sequences: 100,
            ..Sampling::default()
        };
        let sample = draw(&game, &sampling, 5, &Budget::default());
        assert!(sample.is_complete);
        assert_eq!(sample.sequences.len(), 100);
        assert_eq!(sample.goals, [(0, 100), (0, 100)]);
        let mut machine = game.machine();
        for sequence in &sample.sequences {
            assert!((1..=4).contains(&sequence.states.len()));
            assert_eq!(sequence.playouts, 8);
            assert!((sequence.goals.iter().sum::<f64>() - 100.0).abs() < 1e-9);
            for pair in sequence.states.windows(2) {
                machine.load(&pair[0]);
                let mut moves = JointMoves::of(&mut *machine);
                let (mut joint, mut follows) = (Vec::new(), false);
                while moves.next_into(&mut joint) {
                    machine.load(&pair[0]);
                    machine.step(&joint);
                    follows |= *machine.state() == pair[1];
                }
                assert!(follows);
            }
            machine.load(sequence.last());
            assert!(!machine.is_terminal());
            assert!(!machine.legal(Role(0)).is_empty());
        }
    }
}

#[test]
fn games_of_a_single_step_are_known_by_their_ends() {
    let game = game("prisoners-dilemma", EngineChoice::Auto);
    let sample = draw(&game, &Sampling::default(), 5, &Budget::default());
    let mut machine = game.machine();
    for sequence in &sample.sequences {
        machine.load(sequence.last());
        assert!(machine.is_terminal());
        let goals: Vec<f64> = game.roles().map(|role| f64::from(machine.score(role))).collect();
        assert_eq!(sequence.goals, goals);
    }
    assert!(sample.is_complete && sample.can_teach());
}

/// All but one of eight moves at the beginning lose for ever, so that later states are all alike.
#[test]
fn beginnings_count_where_everything_is_lost_later() {
    let text = "(role alone) (init (at 0)) (init (open 0)) \
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) \
        (dial 1) (dial 2) (dial 3) (dial 4) (dial 5) (dial 6) (dial 7) (dial 8) (<= (legal alone ?d) (dial ?d)) \
        (<= (next (at ?n)) (true (at ?m)) (succ ?m ?n)) \
        (<= (next lost) (does alone ?d) (distinct ?d 8)) (<= (next lost) (true lost)) (next (open 0)) \
        (<= (next (open ?n)) (does alone 8) (not (true lost)) (true (open ?m)) (succ ?m ?n)) \
        (<= terminal (true (at 8))) \
        (<= (goal alone 100) (true (open 8))) (<= (goal alone 0) (not (true (open 8))))";
    let game = Game::read(ludens_gdl::Source::new("safe", text)).expect("the rules can be played");
    let sampling = Sampling {
        sequences: 200,
        ..Sampling::default()
    };
    let sample = draw(&game, &sampling, 5, &Budget::default());
    let lost = game.parse_fluent("lost").expect("it is a fluent");
    let mean = |is_lost: bool| {
        let goals = sample
            .sequences
            .iter()
            .filter(|sequence| sequence.last().holds(lost) == is_lost)
            .map(|sequence| sequence.goals[0]);
        let goals: Vec<f64> = goals.collect();
        goals.iter().sum::<f64>() / goals.len() as f64
    };
    assert!(sample.is_progress);
    assert!(mean(false) > mean(true), "{} {}", mean(false), mean(true));
}

#[test]
fn counted_samples_depend_on_the_seed_alone() {
    let game = game("connect-four", EngineChoice::Auto);
    let sampling = Sampling {
        sequences: 600,
        apart: 2,
        ..Sampling::default()
    };
    let sample = |seed| draw(&game, &sampling, seed, &Budget::default());
    assert_eq!(sample(1), sample(1));
    assert_ne!(sample(1), sample(2));
}
