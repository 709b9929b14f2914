//! The ways of going from state to state: they agree where cycles gain and lose support, and the one that fits is
//! chosen.

use ludens_engine::playout::choose_joint;
use ludens_engine::{EngineChoice, Game, Options, Rng, State, Stepping};
use ludens_gdl::{Description, Source};

/// One role opens and closes doors between rooms; what can be reached from the first room depends on itself in cycles.
fn maze(rooms: usize) -> String {
    let mut rules = String::from(
        "(role w) (init (open 0 1)) (init (open 1 2)) (init (open 2 1))
        (<= (legal w (toggle ?a ?b)) (door ?a ?b)) (legal w wait)
        (<= (next (open ?a ?b)) (true (open ?a ?b)) (not (does w (toggle ?a ?b))))
        (<= (next (open ?a ?b)) (does w (toggle ?a ?b)) (not (true (open ?a ?b))))
        (reached 0)
        (<= (reached ?b) (reached ?a) (true (open ?a ?b)))
        (<= (cut ?b) (door ?a ?b) (not (reached ?b)))
        (<= (next (was ?a)) (reached ?a))
        (<= (goal w 100) (not some_cut)) (<= (goal w 0) some_cut)
        (<= some_cut (cut ?a))
        (<= (sees w (lost ?a)) (cut ?a) (true (was ?a)) (does w wait))
        (<= terminal (true (never)))\n",
    );
    for room in 0..rooms {
        for step in [1, 2, rooms - 1] {
            rules += &format!("(door {room} {})\n", (room + step) % rooms);
        }
    }
    rules
}

fn game(rules: &str, engine: EngineChoice, stepping: Stepping) -> Game {
    let options = Options {
        engine,
        stepping,
        ..Options::default()
    };
    Game::new(Description::read(Source::new("rules", rules)), options).unwrap()
}

#[test]
fn cycles_gain_and_lose_support() {
    let rules = maze(7);
    let interpreted = game(&rules, EngineChoice::Interpreted, Stepping::Auto);
    for stepping in [Stepping::Plain, Stepping::Differential] {
        let compiled = game(&rules, EngineChoice::Compiled, stepping);
        let mut machines = [(&compiled, compiled.machine()), (&interpreted, interpreted.machine())];
        let mut rng = Rng::with_seed(1);
        let mut seen: Vec<[State; 2]> = Vec::new();
        let mut goals = Vec::new();
        for step in 0..400 {
            let [fast, slow] = &mut machines;
            let mut joint = Vec::new();
            choose_joint(&mut *fast.1, &mut rng, &mut joint).unwrap();
            let texts: Vec<String> = fast
                .0
                .roles()
                .zip(&joint)
                .map(|(role, &id)| fast.0.move_text(role, id))
                .collect();
            let answers = [fast, slow].map(|(game, machine)| {
                let joint: Vec<_> = game
                    .roles()
                    .zip(&texts)
                    .map(|(role, text)| game.parse_move(role, text).unwrap())
                    .collect();
                let role = game.find_role("w").unwrap();
                let percepts = game.percept_texts(role, &machine.percepts(role, &joint));
                machine.step(&joint);
                (
                    percepts,
                    game.state_texts(machine.state()),
                    machine.goal_values(role).to_vec(),
                )
            });
            assert_eq!(answers[0], answers[1], "step {step}, {stepping:?}");
            goals.extend(answers[0].2.clone());
            seen.push([0, 1].map(|index| machines[index].1.state().clone()));
            if rng.u32(..5) == 0 {
                let states = &seen[rng.usize(..seen.len())];
                for ((_, machine), state) in machines.iter_mut().zip(states) {
                    machine.load(state);
                }
            }
        }
        assert!(goals.contains(&0) && goals.contains(&100));
    }
}

#[test]
fn the_trial_finds_out_how_much_changes() {
    let choice = |rules: &str| game(rules, EngineChoice::Compiled, Stepping::Auto).engine().stepping();
    // Many lamps, of which a move changes one.
    let lamps: String = (0..2000).map(|number| format!("(lamp {number})\n")).collect();
    let quiet = format!(
        "(role w) (init (on 0)) {lamps}
        (<= (legal w (toggle ?n)) (lamp ?n))
        (<= (next (on ?n)) (true (on ?n)) (not (does w (toggle ?n))))
        (<= (next (on ?n)) (does w (toggle ?n)) (not (true (on ?n))))
        (<= terminal (true (never))) (goal w 0)"
    );
    assert_eq!(choice(&quiet), Some("differential"));
    // All lamps change all the time.
    let busy = format!(
        "(role w) (init (on 0)) {lamps} (legal w a) (legal w b)
        (<= (next (on ?n)) (lamp ?n) (does w a) (not (true (on ?n))))
        (<= terminal (true (never))) (goal w 0)"
    );
    assert_eq!(choice(&busy), Some("plain"));
    assert_eq!(choice("(role w) (legal w a) (goal w 0)"), Some("plain"));
    let interpreted = game(&quiet, EngineChoice::Interpreted, Stepping::Differential);
    assert_eq!(interpreted.engine().stepping(), None);
}
