//! Hostile rule sets end with an error message, within their limits.
//!
//! A test that would not end without a limit fails after a minute.

use ludens_budget::Budget;
use ludens_engine::perft::perft;
use ludens_engine::{EngineChoice, Game, GameError, Limits, MoveId, Options};
use ludens_gdl::{Description, Source};
use ludens_reach::{ExploreOptions, explore};
use ludens_testkit::hostile;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Generates the text of a rule set.
type Text = fn() -> String;

/// Rules may nest deeper than the default stack allows.
const STACK: usize = 32 << 20;

/// Runs work on another thread and fails after a minute.
fn watched<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().stack_size(STACK);
    let started = thread.spawn(move || sender.send(work()));
    assert!(started.is_ok());
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(error) => panic!("{what}: {error}"),
    }
}

fn set_up(text: &str, engine: EngineChoice, limits: Limits) -> Result<Game, GameError> {
    let options = Options {
        engine,
        limits,
        ..Options::default()
    };
    Game::new(Description::read(Source::new("hostile", text)), options)
}

#[track_caller]
fn refusal(text: String, limits: Limits) -> String {
    let result = watched("setting up", move || {
        set_up(&text, EngineChoice::Auto, limits).map(|game| game.name().to_string())
    });
    result.expect_err("the game is refused").to_string()
}

fn short() -> Limits {
    Limits {
        setup: Duration::from_millis(400),
        memory: 256 << 20,
        ..Limits::default()
    }
}

/// First legal moves of all roles.
fn first_moves(game: &Game) -> Vec<MoveId> {
    let mut machine = game.machine();
    game.roles().map(|role| machine.legal(role)[0]).collect()
}

#[test]
fn a_small_rule_set_with_a_huge_term_is_refused_with_a_sentence() {
    for text in [hostile::shared_terms(40), hostile::shared_terms_in_a_move(40)] {
        let refusal = refusal(text, Limits::default());
        assert!(
            refusal.contains("a term has more than 10000 symbols when it is written out"),
            "{refusal}"
        );
        assert!(refusal.contains("while deriving `(t13 ... (f ...))`"), "{refusal}");
    }
}

#[test]
fn terms_that_are_not_too_large_are_played_with() {
    let text = hostile::shared_terms(10);
    for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
        let game = set_up(&text, engine, Limits::default()).expect("the game can be played");
        let texts = game.state_texts(game.initial());
        let big = texts.iter().find(|text| text.starts_with("(big")).expect("it holds");
        assert_eq!(big.matches('z').count(), 1 << 10);
    }
}

#[test]
fn a_term_that_doubles_in_every_step_ends_the_game_and_not_the_process() {
    assert!(hostile::terms_that_double_in_play().len() <= 274);
    let refusal = refusal(hostile::terms_that_double_in_play(), Limits::default());
    assert!(refusal.contains("symbols when it is written out"), "{refusal}");
    assert!(refusal.contains("`(next ... (t ...))`"), "{refusal}");
}

#[test]
fn a_term_that_grows_in_every_step_is_a_fault_when_it_is_too_deep() {
    let game = set_up(
        &hostile::terms_that_grow_in_play(),
        EngineChoice::Auto,
        Limits::default(),
    )
    .expect("the first states can be derived");
    let joint = first_moves(&game);
    let mut machine = game.machine();
    let steps = (0..2_000).find(|_| {
        machine.step(&joint);
        machine.fault().is_some()
    });
    // `(t (s ... z))` is nested two deeper than there are steps.
    assert_eq!(steps, Some(998));
    let fault = machine.fault().unwrap_or_default();
    assert!(fault.contains("nested more than 1000 deep"), "{fault}");
    assert!(fault.contains("`(next ... (t ...))`"), "{fault}");
}

#[test]
fn names_that_are_given_on_first_sight_take_a_bounded_memory() {
    let limits = Limits {
        memory: 1 << 20,
        ..Limits::default()
    };
    let game = set_up(&hostile::terms_that_grow_in_play(), EngineChoice::Interpreted, limits)
        .expect("the first states can be derived");
    let joint = first_moves(&game);
    let mut machine = game.machine();
    let steps = (0..900).find(|_| {
        machine.step(&joint);
        machine.fault().is_some()
    });
    assert!(steps.is_some(), "names of a mebibyte have less than 900 steps");
    let fault = machine.fault().unwrap_or_default();
    assert!(fault.contains("more than 1 MiB, by the names of fluents"), "{fault}");
}

#[test]
fn facts_that_multiply_in_play_end_with_a_sentence() {
    let refusal = refusal(hostile::facts_that_multiply_in_play(), short());
    let limits = ["MiB", "facts follow", "symbols", "takes too long"];
    assert!(limits.iter().any(|limit| refusal.contains(limit)), "{refusal}");
}

#[test]
fn a_term_that_unification_makes_too_large_is_not_written_down() {
    let normal = watched("unification", || {
        Description::read(Source::new("hostile", hostile::terms_by_unification(40))).normal()
    });
    assert_eq!(normal.left_out.len(), 1);
}

#[test]
fn choices_are_multiplied_out_only_so_far() {
    let rules = watched("normal form", || {
        Description::read(Source::new("hostile", hostile::choices(2_000, 12))).normal()
    });
    let conditions: usize = rules.rules.iter().map(|rule| rule.body.len()).sum();
    assert!(conditions < 3_000_000, "{conditions} conditions");
    assert!(
        rules.left_out.len() > 1_000,
        "{} rules are left out",
        rules.left_out.len()
    );
}

#[test]
fn rows_of_wide_relations_are_charged_to_the_memory() {
    let limits = Limits {
        memory: 8 << 20,
        ..Limits::default()
    };
    let refusal = refusal(hostile::product(10, 100), limits);
    assert!(refusal.contains("takes more than 8 MiB"), "{refusal}");
}

#[test]
fn steps_bound_the_search_for_matches_of_a_rule() {
    let limits = Limits {
        steps: 1_000_000,
        ..Limits::default()
    };
    let refusal = refusal(hostile::pigeons(21, 20, "next hit"), limits);
    assert!(
        refusal.contains("preparing the rules takes too many steps"),
        "{refusal}"
    );
}

#[test]
fn a_state_that_takes_too_many_steps_is_a_fault() {
    let limits = Limits {
        state_steps: 1_000_000,
        ..Limits::default()
    };
    let text = hostile::late_pigeons(21, 20);
    let game = set_up(&text, EngineChoice::Interpreted, limits).expect("the first states can be derived");
    let joint = first_moves(&game);
    let fault = watched("playing", move || {
        let mut machine = game.machine();
        for _ in 0..60 {
            machine.step(&joint);
        }
        machine.fault().map(str::to_string)
    });
    let fault = fault.expect("step 51 takes too long");
    assert!(
        fault.contains("deriving one state takes more than 1000000 steps"),
        "{fault}"
    );
}

#[test]
fn every_sheet_is_set_up_or_refused_in_time() {
    let sheets: [(&str, Text); 14] = [
        ("pigeons", || hostile::pigeons(21, 20, "next hit")),
        ("fewer pigeons", || hostile::pigeons(13, 10, "next hit")),
        ("pigeons for a goal", || hostile::pigeons(12, 11, "goal w 50")),
        ("many variables", || hostile::many_variables(5_000)),
        ("negated pairs", || hostile::negated_pairs(5_000)),
        ("long body", || hostile::long_body(10_000)),
        ("recursive body", || hostile::recursive_body(2_000)),
        ("choices", || hostile::choices(300, 12)),
        ("chain", || hostile::chain(50_000)),
        ("negations", || hostile::negations(50_000)),
        ("roles", || hostile::roles(100_000)),
        ("rules", || hostile::rules(50_000)),
        ("moves", || hostile::moves("w", 300)),
        ("fluents", || hostile::fluents(300)),
    ];
    for (what, text) in sheets {
        let refusal = watched(what, move || {
            let result = set_up(&text(), EngineChoice::Auto, short());
            result.err().map(|error| error.to_string())
        });
        if let Some(refusal) = refusal {
            assert!(refusal.starts_with("hostile cannot be played: "), "{what}: {refusal}");
        }
    }
}

#[test]
fn more_joint_moves_than_there_is_room_for_are_not_all_made() {
    let game = set_up(
        &hostile::roles_with_moves(20, 100),
        EngineChoice::Compiled,
        Limits::default(),
    )
    .expect("the game can be played");
    let budget = Budget::default().within(Duration::from_millis(200));
    let exploration = watched("exploring", move || explore(&game, &ExploreOptions::default(), &budget));
    // A state with that many joint moves is not expanded; playouts still go through it.
    assert!(!exploration.complete && exploration.violations.is_empty());
    assert_eq!((exploration.states, exploration.transitions), (1, 0));
    assert!(exploration.playouts > 0);
}

#[test]
fn joint_moves_are_counted_only_while_there_is_time() {
    let game = set_up(
        &hostile::roles_with_moves(20, 100),
        EngineChoice::Compiled,
        Limits::default(),
    )
    .expect("the game can be played");
    let result = watched("counting", move || {
        let budget = Budget::default().within(Duration::from_millis(50));
        perft(&game, 1, 1_000_000, &budget, |_, _| {})
    });
    assert!(!result.complete);
    assert_eq!(result.fault, None);
}

#[test]
fn a_state_that_takes_too_long_to_look_at_is_no_fault_of_the_rules() {
    let limits = Limits {
        state_steps: u64::MAX,
        ..Limits::default()
    };
    let text = hostile::late_pigeons(21, 20);
    let game = set_up(&text, EngineChoice::Interpreted, limits).expect("the first states can be derived");
    let budget = Budget::default().within(Duration::from_millis(300));
    let exploration = watched("exploring", move || explore(&game, &ExploreOptions::default(), &budget));
    assert!(!exploration.complete);
    assert!(exploration.violations.is_empty(), "{:?}", exploration.violations);
}

#[test]
fn roles_are_counted_before_anything_else_is_done() {
    let refusal = refusal(
        hostile::roles(300),
        Limits {
            steps: 1,
            ..Limits::default()
        },
    );
    assert!(refusal.contains("300 roles, more than 255"), "{refusal}");
}
