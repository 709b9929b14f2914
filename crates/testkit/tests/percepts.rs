//! Percepts are the same on both engines and in lanes, step by step, in all games of the library with `sees`.

use ludens_engine::{
    EngineChoice, Game, JointMoves, Limits, MoveId, Options, PerceptId, Rng, RoleMap, State, Successor,
};
use ludens_gdl::Description;

/// A step: a state, a joint move, what each role perceives, and the successor.
type Step = (State, Vec<MoveId>, RoleMap<Vec<PerceptId>>, State);

fn games() -> Vec<Game> {
    let options = Options {
        engine: EngineChoice::Compiled,
        ..Options::default()
    };
    ludens_library::entries()
        .map(|entry| Description::read(entry.source()))
        .filter(|description| description.rules.hide_information())
        .map(|description| Game::new(description, options).unwrap())
        .collect()
}

/// The steps of random matches, and sometimes all other joint moves there too.
fn steps(game: &Game, seed: u64) -> Vec<Step> {
    let mut rng = Rng::with_seed(seed);
    let mut machine = game.machine();
    let mut steps = Vec::new();
    for _ in 0..20 {
        machine.load(game.initial());
        while !machine.is_terminal() && steps.len() < 1500 {
            let mut all = JointMoves::of(&mut *machine);
            let (mut joint, mut joints) = (Vec::new(), Vec::new());
            while all.next_into(&mut joint) && joints.len() < 40 {
                joints.push(joint.clone());
            }
            let Some(chosen) = (!joints.is_empty()).then(|| joints[rng.usize(..joints.len())].clone()) else {
                break;
            };
            let here = machine.state().clone();
            let asked = if rng.u32(..8) == 0 {
                joints
            } else {
                vec![chosen.clone()]
            };
            for joint in asked {
                machine.load(&here);
                let percepts = game.roles().map(|role| machine.percepts(role, &joint)).collect();
                machine.step(&joint);
                steps.push((here.clone(), joint, percepts, machine.state().clone()));
            }
            machine.load(&here);
            machine.step(&chosen);
        }
    }
    steps
}

#[test]
fn the_interpreter_perceives_the_same() {
    let games = games();
    assert!(games.len() >= 4, "the library has games with percepts");
    for game in games {
        let slow = game.interpreted(Limits::default()).unwrap();
        let mut machine = slow.machine();
        for (state, joint, percepts, _) in steps(&game, 1).iter().take(200) {
            machine.load(state);
            for role in game.roles() {
                assert_eq!(machine.percepts(role, joint), percepts[role], "{}", game.name());
            }
        }
        assert_eq!(machine.fault(), None, "{}", game.name());
    }
}

#[test]
fn lanes_perceive_the_same_as_machines() {
    for game in games() {
        let steps = steps(&game, 2);
        let questions: Vec<(&State, &[MoveId])> = steps.iter().map(|step| (&step.0, &step.1[..])).collect();
        let mut successors = game.engine().successors();
        let mut answered = 0;
        successors.perceive(&questions, None, &mut |number, successor, percepts| {
            assert_eq!(number, answered, "{}", game.name());
            answered += 1;
            assert_eq!(*percepts, steps[number].2, "{}", game.name());
            assert_eq!(successor.state, steps[number].3, "{}", game.name());
        });
        assert_eq!(answered, steps.len(), "{}", game.name());
    }
}

#[test]
fn lanes_answer_exactly_the_steps_with_the_wanted_percepts() {
    let mut rng = Rng::with_seed(3);
    for game in games() {
        let steps = steps(&game, 4);
        let questions: Vec<(&State, &[MoveId])> = steps.iter().map(|step| (&step.0, &step.1[..])).collect();
        let mut successors = game.engine().successors();
        for role in game.roles() {
            for _ in 0..10 {
                let wanted = steps[rng.usize(..steps.len())].2[role].clone();
                let expected: Vec<usize> = (0..steps.len())
                    .filter(|&number| steps[number].2[role] == wanted)
                    .collect();
                let mut numbers = Vec::new();
                let mut note = |number: usize, successor: &Successor, percepts: &RoleMap<Vec<PerceptId>>| {
                    numbers.push(number);
                    assert_eq!((percepts, &successor.state), (&steps[number].2, &steps[number].3));
                };
                successors.perceive(&questions, Some((role, &wanted)), &mut note);
                assert_eq!(numbers, expected, "{}", game.name());
            }
            let never = [PerceptId(game.vocabulary().percept_count(role) as u32)];
            let mut note = |_: usize, _: &Successor, _: &RoleMap<Vec<PerceptId>>| panic!("nobody perceives this");
            successors.perceive(&questions, Some((role, &never)), &mut note);
        }
    }
}
