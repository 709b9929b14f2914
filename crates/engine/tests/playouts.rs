//! Many playouts at once have the same results, on average, as playouts one after the other.

use ludens_engine::playout::{End, Playout};
use ludens_engine::{Budget, EngineChoice, Game, Options, Rng};
use ludens_gdl::{Description, Source};

/// A small race with branching, different lengths and three kinds of ends.
const RULES: &str = "
    (role white) (role black) (init (at white 0)) (init (at black 0)) (init (control white))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal ?r (go 1)) (true (control ?r)))
    (<= (legal ?r (go 2)) (true (control ?r)))
    (<= (legal ?r (go 3)) (true (control ?r)) (true (at ?r 0)))
    (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
    (other white black) (other black white)
    (<= (plus ?n 1 ?m) (succ ?n ?m))
    (<= (plus ?n 2 ?m) (succ ?n ?k) (succ ?k ?m))
    (<= (plus ?n 3 ?m) (plus ?n 2 ?k) (succ ?k ?m))
    (<= (arrives ?r 6) (does ?r (go ?d)) (true (at ?r ?n)) (not (within ?n ?d)))
    (<= (within ?n ?d) (plus ?n ?d ?m))
    (<= (arrives ?r ?m) (does ?r (go ?d)) (true (at ?r ?n)) (plus ?n ?d ?m))
    (<= (next (at ?r ?m)) (arrives ?r ?m))
    (<= (next (at ?r ?n)) (true (at ?r ?n)) (does ?r noop))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= (won ?r) (true (at ?r 6)))
    (<= terminal (won ?r))
    (<= (goal ?r 100) (won ?r))
    (<= (goal ?r 0) (role ?r) (not (won ?r)))";

fn game(engine: EngineChoice) -> Game {
    let options = Options {
        engine,
        ..Options::default()
    };
    Game::new(Description::read(Source::new("race", RULES)), options).unwrap()
}

fn results(engine: EngineChoice, count: usize) -> Vec<Playout> {
    let game = game(engine);
    let mut left = count;
    let mut results = Vec::new();
    let mut next = || {
        left = left.checked_sub(1)?;
        Some(game.initial().clone())
    };
    let mut playouts = game.engine().playouts();
    playouts.run(&mut Rng::with_seed(5), 100, &mut next, &mut |playout| {
        results.push(playout.clone())
    });
    results
}

fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

#[test]
fn as_many_playouts_end_as_are_started() {
    for count in [1, 63, 512, 1000] {
        let results = results(EngineChoice::Compiled, count);
        assert_eq!(results.len(), count);
        assert!(results.iter().all(|playout| playout.end == End::Terminal));
        assert!(results.iter().all(|playout| (3..=12).contains(&playout.steps)));
        assert!(
            results
                .iter()
                .all(|playout| playout.scores.iter().map(|&score| u32::from(score)).sum::<u32>() == 100)
        );
    }
}

#[test]
fn scores_and_lengths_agree_with_playouts_one_by_one() {
    let fast = results(EngineChoice::Compiled, 40_000);
    let slow = results(EngineChoice::Interpreted, 4_000);
    let measures: [fn(&Playout) -> f64; 2] = [|playout| f64::from(playout.scores[0]), |playout| playout.steps as f64];
    for measure in measures {
        let (fast_mean, fast_error) = mean(fast.iter().map(measure));
        let (slow_mean, slow_error) = mean(slow.iter().map(measure));
        let error = fast_error.hypot(slow_error);
        assert!(
            (fast_mean - slow_mean).abs() < 4.0 * error,
            "{fast_mean} and {slow_mean}, error {error}"
        );
    }
}

#[test]
fn first_moves_are_uniform() {
    // After a first move of three, five in a row of ones and so on: the state after one step shows the move.
    let game = game(EngineChoice::Compiled);
    let mut counts = [0f64; 3];
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(9);
    let mut joint = Vec::new();
    for _ in 0..30_000 {
        machine.load(game.initial());
        ludens_engine::playout::choose_joint(&mut *machine, &mut rng, &mut joint).unwrap();
        let text = game.move_text(ludens_engine::Role(0), joint[0]);
        counts[text
            .trim_end_matches(')')
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<usize>()
            .unwrap()
            - 1] += 1.0;
    }
    let chi_square: f64 = counts.iter().map(|count| (count - 10_000.0).powi(2) / 10_000.0).sum();
    // The 99.9 % point for two degrees of freedom.
    assert!(chi_square < 13.82, "{counts:?}");
}

#[test]
fn runs_with_the_same_seed_are_the_same() {
    assert_eq!(
        results(EngineChoice::Compiled, 700),
        results(EngineChoice::Compiled, 700)
    );
}

#[test]
fn playouts_end_after_the_greatest_number_of_steps() {
    let game = game(EngineChoice::Compiled);
    let mut left = 2000;
    let mut next = || {
        left -= 1;
        (left >= 0).then(|| game.initial().clone())
    };
    let mut ends = Vec::new();
    let mut playouts = game.engine().playouts();
    playouts.run(&mut Rng::with_seed(5), 4, &mut next, &mut |playout| {
        ends.push((playout.end, playout.steps))
    });
    assert_eq!(ends.len(), 2000);
    assert!(
        ends.iter()
            .all(|&(end, steps)| steps <= 4 && (end == End::Terminal || (end, steps) == (End::TooLong, 4)))
    );
    assert!(ends.iter().any(|&(end, _)| end == End::TooLong));
}

#[test]
fn results_say_where_they_began() {
    for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
        let game = game(engine);
        // Every third start is one white move from the end: (go 3) twice is six.
        let mut machine = game.machine();
        let mut near = game.initial().clone();
        for texts in [
            ["(go 3)", "noop"],
            ["noop", "(go 1)"],
            ["(go 2)", "noop"],
            ["noop", "(go 1)"],
        ] {
            let joint: Vec<_> = game
                .roles()
                .zip(texts)
                .map(|(role, text)| game.parse_move(role, text).unwrap())
                .collect();
            machine.load(&near);
            machine.step(&joint);
            near = machine.state().clone();
        }
        let mut given = 0;
        let mut next = || {
            given += 1;
            let state = if given % 3 == 1 { &near } else { game.initial() };
            (given <= 2000).then(|| state.clone())
        };
        let mut seen = vec![false; 2000];
        game.engine()
            .playouts()
            .run(&mut Rng::with_seed(2), 100, &mut next, &mut |playout| {
                assert!(!std::mem::replace(&mut seen[playout.start as usize], true));
                assert_eq!(playout.start % 3 == 0, playout.steps == 1, "{playout:?}");
            });
        assert!(seen.iter().all(|&seen| seen));
    }
}

#[test]
fn a_spent_budget_ends_playouts() {
    for engine in [EngineChoice::Compiled, EngineChoice::Interpreted] {
        let game = game(engine);
        let mut playouts = game.engine().playouts();
        playouts.stop_at(&Budget::default().within(std::time::Duration::ZERO));
        let mut given = 0;
        let mut next = || {
            given += 1;
            Some(game.initial().clone())
        };
        playouts.run(&mut Rng::with_seed(2), 100, &mut next, &mut |_| {
            panic!("no match can end")
        });
        assert!(given > 0);
    }
}
