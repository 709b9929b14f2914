//! What payoff, control and termination of library games are.

use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{EngineChoice, Game, Options as GameOptions, Rng, Role, State, playout};
use ludens_evaluate::explain::Explains;
use ludens_evaluate::learned::clune::{Basic, Clune, CluneFunction, Options, Shape, build};
use ludens_evaluate::learned::features::BuildError;
use ludens_evaluate::learned::sample::Sampling;

fn game_on(name: &str, engine: EngineChoice) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    let options = GameOptions {
        engine,
        ..GameOptions::default()
    };
    Game::new(ludens_gdl::Description::read(entry.source()), options).expect("library games can be played")
}

fn options(sequences: usize) -> Options {
    Options {
        sampling: Sampling {
            sequences,
            ..Sampling::default()
        },
        ..Options::default()
    }
}

fn function(name: &str, sequences: usize) -> CluneFunction {
    let game = game_on(name, EngineChoice::Auto);
    build(&game, &options(sequences), 3, &Budget::default()).expect("there is a function")
}

/// States of playouts before their ends, with the part of the match that is over.
fn states(game: &Game, matches: usize) -> Vec<(State, f64)> {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(11);
    let mut joint = Vec::new();
    let mut all = Vec::new();
    for _ in 0..matches {
        machine.load(game.initial());
        let mut states = Vec::new();
        while !machine.is_terminal() && playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_ok() {
            states.push(machine.state().clone());
            machine.step(&joint);
        }
        let count = states.len() as f64;
        all.extend((0..).zip(states).map(|(step, state)| (state, f64::from(step) / count)));
    }
    all
}

#[test]
fn values_are_made_of_payoff_control_and_termination() {
    for name in ["tic-tac-toe", "breakthrough-small", "connect-four"] {
        let mut function = function(name, 400);
        let game = game_on(name, EngineChoice::Auto);
        let mut clune = Clune::new(&function);
        let mut other = clune.another();
        for (state, _) in states(&game, 5) {
            let (mut goals, mut again) = ([0.0; 2], [0.0; 2]);
            clune.evaluate(&state, &mut goals);
            other.evaluate(&state, &mut again);
            assert_eq!(goals, again);
            let evaluated = function.evaluate(&state);
            assert!((0.0..=1.0).contains(&evaluated.termination));
            for (role, goal) in goals.iter().enumerate() {
                let (payoff, control) = (evaluated.payoff[role], evaluated.control[role]);
                assert!((0.0..=100.0).contains(&payoff) && (-1.0..=1.0).contains(&control));
                let share = function.roles()[role].control;
                let early = share * 50.0 * (1.0 + control) + (1.0 - share) * payoff;
                let expected = evaluated.termination * payoff + (1.0 - evaluated.termination) * early;
                assert!((goal - expected).abs() < 1e-9, "{name}");
            }
        }
    }
}

#[test]
fn what_the_models_are_fitted_to_comes_out() {
    // In tic-tac-toe the role to move has as many moves as there are blank cells, which is a count of one expression.
    let mut function = function("tic-tac-toe", 600);
    assert!(function.roles().iter().all(|role| role.freedom.fit > 0.99));
    assert!(function.termination().fit > 0.8);
    let game = game_on("tic-tac-toe", EngineChoice::Auto);
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for (state, over) in states(&game, 50) {
        let list = if over < 0.5 { &mut early } else { &mut late };
        list.push(function.evaluate(&state).termination);
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    assert!(mean(&late) > mean(&early) + 0.2);
}

#[test]
fn ways_to_the_goals_are_candidates() {
    let function = function("breakthrough-small", 600);
    let is_way = |basic: &Basic| matches!(basic, Basic::Near(_) | Basic::Least(_));
    assert!(function.basics().iter().any(is_way));
    let of_role = |role: usize| function.roles()[role].payoff.parts.iter();
    let uses_way = |feature: usize| match function.features()[feature].shape {
        Shape::One(basic) => is_way(&function.basics()[basic]),
        Shape::Difference(a, b) => is_way(&function.basics()[a]) && is_way(&function.basics()[b]),
    };
    for role in 0..2 {
        assert!(of_role(role).any(|part| uses_way(part.feature)), "role {role}");
    }
    // Nearer is better for who comes nearer, and worse for the other.
    for part in of_role(0) {
        let texts = function.feature_text(part.feature);
        let is_better = match texts.as_str() {
            "nearness to (cell ? 6 white)" | "distance to (cell ? 1 black)" => true,
            "distance to (cell ? 6 white)" | "nearness to (cell ? 1 black)" => false,
            _ => continue,
        };
        assert_eq!(part.points > 0.0, is_better, "{texts}");
    }
}

#[test]
fn models_depend_on_the_seed_alone() {
    let game = game_on("connect-four", EngineChoice::Auto);
    let build = |seed: u64| build(&game, &options(200), seed, &Budget::default()).expect("there is a function");
    let (first, second, other) = (build(1), build(1), build(2));
    assert_eq!(first.features(), second.features());
    assert_eq!(first.roles(), second.roles());
    assert_eq!(first.termination(), second.termination());
    assert_ne!(first.roles(), other.roles());
}

#[test]
fn without_control_the_payoff_is_all() {
    let game = game_on("breakthrough-small", EngineChoice::Auto);
    let options = Options {
        control: false,
        ..options(200)
    };
    let mut function = build(&game, &options, 1, &Budget::default()).expect("there is a function");
    let payoff = function.evaluate(game.initial()).payoff;
    let mut goals = [0.0; 2];
    Clune::new(&function).evaluate(game.initial(), &mut goals);
    assert_eq!(goals[..], payoff[..]);
}

#[test]
fn games_that_are_not_compiled_have_a_model_too() {
    let game = game_on("tic-tac-toe", EngineChoice::Interpreted);
    let function = build(&game, &options(200), 1, &Budget::default()).expect("there is a function");
    let mut goals = [0.0; 2];
    Clune::new(&function).evaluate(game.initial(), &mut goals);
    assert!(goals.iter().all(|goal| (0.0..=100.0).contains(goal)));
}

#[test]
fn reasons_add_up() {
    let function = function("connect-four", 300);
    let game = game_on("connect-four", EngineChoice::Auto);
    let explanation = function.explain(game.initial());
    assert_eq!(explanation.roles[0].reasons[0].text, "control");
    let outlook = &explanation.roles[Role(0).index()];
    let sum: f64 = outlook.reasons.iter().map(|reason| reason.points).sum();
    // Payoffs near the middle of the scale are not pressed together.
    assert!((outlook.middle + sum - outlook.goal).abs() < 1e-6);
    assert_eq!(explanation.moves.len(), 7);
}

#[test]
fn too_few_sequences_give_no_function() {
    let game = game_on("tic-tac-toe", EngineChoice::Auto);
    let result = build(&game, &options(3), 1, &Budget::default());
    assert_eq!(result.err(), Some(BuildError::TooFewSequences(3)));
}
