//! What features and functions of library games are.

use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{EngineChoice, Game, MoveId, Options as GameOptions, Rng, State};
use ludens_evaluate::learned::features::{
    BuildError, Guided, GuidedFunction, Options, Origin, Pool, Shape, Weights, build,
};
use ludens_evaluate::learned::sample::{Sampling, draw};

fn game_on(name: &str, engine: EngineChoice) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    let options = GameOptions {
        engine,
        ..GameOptions::default()
    };
    Game::new(ludens_gdl::Description::read(entry.source()), options).expect("library games can be played")
}

fn game(name: &str) -> Game {
    game_on(name, EngineChoice::Auto)
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

/// States of playouts, none of them terminal.
fn states(game: &Game, count: usize, seed: u64) -> Vec<State> {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(seed);
    let mut states = Vec::new();
    while states.len() < count {
        if machine.is_terminal() {
            machine.load(game.initial());
        }
        states.push(machine.state().clone());
        let joint: Vec<MoveId> = game
            .roles()
            .filter_map(|role| rng.choice(machine.legal(role)).copied())
            .collect();
        machine.step(&joint);
    }
    states
}

/// Counts the fluents of a state that fit an expression, by their texts: `?` fits any word.
fn count_by_text(game: &Game, state: &State, expression: &str) -> usize {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_string).collect() };
    let wanted = words(expression.trim_matches(['(', ')']));
    let fits = |text: &String| {
        let found = words(text.trim_matches(['(', ')']));
        let mut pairs = wanted.iter().zip(&found);
        found.len() == wanted.len() && pairs.all(|(wanted, found)| wanted == "?" || wanted == found)
    };
    game.state_texts(state).iter().filter(|text| fits(text)).count()
}

fn all_fluents(game: &Game) -> Vec<ludens_engine::Fluent> {
    let count = game.vocabulary().fluent_count() as u32;
    (0..count).map(ludens_engine::Fluent).collect()
}

#[test]
fn the_pool_of_tic_tac_toe() {
    let game = game("tic-tac-toe");
    let pool = Pool::new(&game, &all_fluents(&game), 10_000, &Budget::default());
    assert!(pool.is_complete);
    let cells: Vec<_> = pool
        .expressions()
        .iter()
        .filter(|known| known.text(&game).starts_with("(cell"))
        .collect();
    let find = |text: &str| cells.iter().find(|known| known.text(&game) == text);
    // Written in the rules, generalised from there, specialised again.
    assert_eq!(
        find("(cell ? ? empty)").map(|known| known.origin),
        Some(Origin::Written)
    );
    assert_eq!(find("(cell ? ? ?)").map(|known| known.origin), Some(Origin::Written));
    assert_eq!(
        find("(cell 3 ? o)").map(|known| known.origin),
        Some(Origin::Specialised)
    );
    // A row, a column and a mark, each given or not: 4 x 4 x 4, all of them different sets of fluents.
    let without_repetition = cells.iter().filter(|known| !known.text(&game).contains("?a")).count();
    assert_eq!(without_repetition, 64);
    for expression in cells {
        let instances: Vec<String> = pool
            .instances(expression)
            .map(|fluent| game.vocabulary().fluent_name(fluent).text.clone())
            .collect();
        assert!(!instances.is_empty());
        assert!(instances.iter().all(|text| text.starts_with("(cell")));
    }
}

#[test]
fn a_full_pool_has_the_general_expressions() {
    let game = game("connect-four");
    let pool = Pool::new(&game, &all_fluents(&game), 40, &Budget::default());
    assert_eq!(pool.expressions().len(), 40);
    assert!(!pool.is_complete);
    assert!(pool.expressions().iter().any(|known| known.origin == Origin::Written));
}

#[test]
fn values_are_counts() {
    for name in ["connect-four", "breakthrough-small", "tic-tac-toe", "goofspiel-5"] {
        let game = game(name);
        let function = build(&game, &options(300), 3, &Budget::default()).expect("a function comes of it");
        for state in states(&game, 60, 7) {
            for feature in function.features() {
                let value = feature.value(&game, &state);
                let count = |text: &str| count_by_text(&game, &state, text) as f64;
                if feature.text.contains("?a") {
                    continue;
                }
                let wanted = match &feature.shape {
                    Shape::Count(_) => count(&feature.text),
                    Shape::Difference(..) => {
                        let (a, b) = feature.text.split_once(" - ").expect("two expressions");
                        count(a) - count(b)
                    }
                    Shape::Ratio(..) => {
                        let (a, b) = feature.text.split_once(" : ").expect("two expressions");
                        match count(a) + count(b) {
                            0.0 => 0.5,
                            both => count(a) / both,
                        }
                    }
                };
                assert!(
                    (value - wanted).abs() < 1e-6,
                    "{name}: {} {value} {wanted}",
                    feature.text
                );
            }
        }
    }
}

/// What a function says by its definition and what its fast form says, also about fluents that the sample did not have.
fn assert_equal(game: &Game, function: &GuidedFunction, seed: u64) {
    let mut fast = Guided::new(function);
    let mut goals = vec![0.0; game.roles().len()];
    for state in states(game, 200, seed) {
        fast.evaluate(&state, &mut goals);
        for (role, &goal) in goals.iter().enumerate() {
            assert!((goal - function.value(role, &state)).abs() < 1e-6, "{goal}");
            assert!((0.0..=100.0).contains(&goal));
        }
    }
}

#[test]
fn the_fast_form_says_the_same() {
    for name in [
        "connect-four",
        "breakthrough-small",
        "tic-tac-toe-3-player",
        "eight-puzzle",
        "goofspiel-4",
    ] {
        let game = game(name);
        let function = build(&game, &options(300), 3, &Budget::default()).expect("a function comes of it");
        assert_equal(&game, &function, 9);
    }
    let interpreted = game_on("connect-four-5x4", EngineChoice::Interpreted);
    let function = build(&interpreted, &options(40), 3, &Budget::default()).expect("a function comes of it");
    assert_equal(&interpreted, &function, 9);
}

#[test]
fn functions_depend_on_the_seed_alone() {
    let game = game("connect-four-5x4");
    let parts = |seed| {
        let function = build(&game, &options(400), seed, &Budget::default()).expect("a function comes of it");
        (function.features().to_vec(), function.roles().to_vec())
    };
    assert_eq!(parts(1), parts(1));
    assert_ne!(parts(1), parts(2));
}

#[test]
fn what_is_chosen_is_ordered_and_weighted_as_described() {
    let game = game("breakthrough-small");
    let function = build(&game, &options(1_000), 5, &Budget::default()).expect("a function comes of it");
    for (role, parts) in function.roles().iter().enumerate() {
        assert!(!parts.parts.is_empty() && parts.parts.len() <= 30);
        let measures: Vec<_> = parts
            .parts
            .iter()
            .map(|part| &function.features()[part.feature].measure)
            .collect();
        assert!(measures.is_sorted_by(|a, b| a.rank(role) >= b.rank(role)));
        for (part, measure) in parts.parts.iter().zip(&measures) {
            assert!((part.weight - measure.stability * measure.correlations[role]).abs() < 1e-12);
        }
        // Evaluations correlate with the goals they were fitted to.
        assert!(parts.fit > 0.3, "{}", parts.fit);
    }
}

/// Functions see who has more in breakthrough, where having more pieces is having more chances.
#[test]
fn having_more_pieces_gets_a_higher_evaluation() {
    let game = game("breakthrough-small");
    for weights in [Weights::Product, Weights::Fitted] {
        let options = Options {
            weights,
            ..options(2_000)
        };
        let function = build(&game, &options, 5, &Budget::default()).expect("a function comes of it");
        let mut fast = Guided::new(&function);
        let mut goals = [0.0; 2];
        let (mut more, mut less) = ((0.0, 0), (0.0, 0));
        for state in states(&game, 3_000, 11) {
            let white = count_by_text(&game, &state, "(cell ? ? white)") as i32;
            let black = count_by_text(&game, &state, "(cell ? ? black)") as i32;
            fast.evaluate(&state, &mut goals);
            match white - black {
                2.. => more = (more.0 + goals[0], more.1 + 1),
                ..=-2 => less = (less.0 + goals[0], less.1 + 1),
                _ => {}
            }
        }
        assert!(more.1 > 20 && less.1 > 20, "{} {}", more.1, less.1);
        let (more, less) = (more.0 / f64::from(more.1), less.0 / f64::from(less.1));
        assert!(more > less + 5.0, "{weights:?}: {more} {less}");
    }
}

#[test]
fn equal_scores_give_no_function() {
    let text = "(role alone) (init (at 1)) (<= (legal alone go)) (<= (next (at 2)) (true (at 1))) \
        (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal alone 50)";
    let game = Game::read(ludens_gdl::Source::new("march", text)).expect("the rules can be played");
    let result = build(&game, &options(100), 1, &Budget::default());
    assert!(matches!(result, Err(BuildError::AllAlike(_))));
}

#[test]
fn a_spent_budget_gives_no_function() {
    let game = game("connect-four");
    let result = build(
        &game,
        &options(100),
        1,
        &Budget::default().within(std::time::Duration::ZERO),
    );
    assert!(matches!(result, Err(BuildError::TooFewSequences(_))));
}

#[test]
fn puzzles_are_learned_by_progress_towards_better_goals() {
    let game = game("eight-puzzle");
    let sample = draw(&game, &options(400).sampling, 1, &Budget::default());
    assert!(sample.is_progress);
    assert_eq!(sample.goals, [(0, 100)]);
    // Spread evenly over the scale.
    let below = sample
        .sequences
        .iter()
        .filter(|sequence| sequence.goals[0] < 25.0)
        .count();
    assert!((60..130).contains(&below), "{below}");
    assert!(
        !draw(
            &game_on("connect-four", EngineChoice::Auto),
            &options(50).sampling,
            1,
            &Budget::default()
        )
        .is_progress
    );
}

#[test]
fn a_game_of_one_step_is_learned_from_its_terminal_states() {
    let function = build(&game("rock-paper-scissors"), &options(100), 1, &Budget::default());
    let function = function.expect("there is something to learn");
    assert!(function.features().len() >= 3, "{}", function.features().len());
}

#[test]
fn playouts_that_end_alike_give_no_function() {
    let rules = "(role alone) (init start) (legal alone wait) (legal alone go) (<= (next left) (does alone go))
        (<= (next right) (does alone wait)) (<= terminal (not (true start))) (goal alone 50)";
    let game = Game::read(ludens_gdl::Source::new("idle", rules)).expect("the rules can be played");
    let result = build(&game, &options(100), 1, &Budget::default());
    assert!(matches!(result, Err(BuildError::AllAlike(_))), "{:?}", result.err());
}
