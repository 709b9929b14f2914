//! The director: facts, rulings of every policy, the levels of the paper, mistakes, and simulated players.

use ludens_budget::Budget;
use ludens_delp::Verdict;
use ludens_engine::Game;
use ludens_gdl::Source;
use ludens_play::director::facts::{FACTS, History, Observation, facts};
use ludens_play::director::levels::{Inventory, NextLevel, Situation, next_level};
use ludens_play::director::policy::{POLICIES, PolicyError};
use ludens_play::director::simulate::{Simulation, simulate};
use ludens_play::director::{Difficulty, Director, FIRST_LEVEL, LEVELS, Size, iterations, level_of, limited, mistakes};
use ludens_play::{AgentSpec, Pace, Setup, play};

fn game(name: &str) -> Game {
    Game::read(ludens_library::find(name).expect("a game").source()).expect("a playable game")
}

fn history(points: &[f64]) -> History {
    let matches = points.iter().map(|&points| Observation::result(FIRST_LEVEL, points));
    History {
        matches: matches.collect(),
    }
}

fn level_after(policy: &str, points: &[f64]) -> usize {
    let director = Director::named(policy).expect("a policy");
    let ruling = director.rule(&history(points), Difficulty::default(), &Budget::default());
    ruling.expect("a ruling").difficulty.level
}

#[test]
fn every_policy_changes_nothing_before_the_first_match() {
    for policy in POLICIES {
        let director = Director::named(policy.name).expect("a policy");
        let ruling = director.rule(&History::default(), Difficulty::default(), &Budget::default());
        let ruling = ruling.expect("a ruling");
        assert_eq!(ruling.difficulty, Difficulty::default(), "{}", policy.name);
        assert_eq!(ruling.facts, ["new(player)"]);
        assert_eq!(ruling.explanation(), "Everything stays as it is: level 8.");
    }
}

#[test]
fn policies_differ_in_what_they_make_of_the_same_results() {
    // A first win: long steps, but for the gentle policy, which waits.
    assert_eq!(level_after("balanced", &[1.0]), FIRST_LEVEL + 3);
    assert_eq!(level_after("gentle", &[1.0]), FIRST_LEVEL + 1);
    // A win after a loss.
    assert_eq!(level_after("balanced", &[0.0, 1.0]), FIRST_LEVEL + 1);
    assert_eq!(level_after("gentle", &[0.0, 1.0]), FIRST_LEVEL);
    // A loss after a win.
    assert_eq!(level_after("balanced", &[1.0, 0.0]), FIRST_LEVEL - 1);
    assert_eq!(level_after("demanding", &[1.0, 0.0]), FIRST_LEVEL);
    assert_eq!(level_after("gentle", &[1.0, 0.0]), FIRST_LEVEL - 1);
    assert_eq!(level_after("gentle", &[1.0, 0.0, 0.0]), FIRST_LEVEL - 3);
    // A draw changes nothing; a rating that is far above does.
    assert_eq!(level_after("balanced", &[0.5]), FIRST_LEVEL);
    assert_eq!(level_after("rated", &[1.0; 8]), FIRST_LEVEL + 3);
    assert_eq!(level_after("rated", &[0.0; 8]), FIRST_LEVEL - 3);
    // As long as the rating says little, the last match decides; later it does not.
    assert_eq!(level_after("rated", &[1.0, 0.0]), FIRST_LEVEL - 1);
    assert_eq!(level_after("rated", &[1.0, 0.0].repeat(20)), FIRST_LEVEL);
}

#[test]
fn every_change_is_explained_with_the_tree_behind_it() {
    let director = Director::named("balanced").expect("a policy");
    let ruling = director.rule(&history(&[0.0, 1.0]), Difficulty::default(), &Budget::default());
    let ruling = ruling.expect("a ruling");
    assert_eq!(
        ruling.explanation(),
        "The opponent goes from level 8 to 9 (100 to 178 iterations). harder(player): YES. harder(player): because of \
         wonLast(player). Nothing speaks against that."
    );
    assert_eq!(ruling.changes[0].answer.trees.len(), 1);
}

#[test]
fn hints_and_sizes_follow_the_answers() {
    let director = Director::named("balanced").expect("a policy");
    let size = Size {
        value: 5,
        min: 4,
        max: 6,
    };
    let now = Difficulty {
        level: 0,
        hints: false,
        size: Some(size),
    };
    let losing = history(&[1.0, 0.0, 0.0, 0.0, 0.0]);
    let ruling = director.rule(&losing, now, &Budget::default()).expect("a ruling");
    assert!(ruling.difficulty.hints);
    assert_eq!(ruling.difficulty.size.map(|size| size.value), Some(4));
    assert!(
        ruling.explanation().contains("The size goes from 5 to 4."),
        "{}",
        ruling.explanation()
    );
    // Players who do not take their time get no hints.
    let mut fast = losing.clone();
    fast.matches
        .iter_mut()
        .for_each(|played| played.seconds_per_move = Some(1.0));
    let ruling = director.rule(&fast, now, &Budget::default()).expect("a ruling");
    assert!(!ruling.difficulty.hints);
}

#[test]
fn every_fact_holds_for_some_player() {
    let careful = Observation {
        level: FIRST_LEVEL,
        points: 1.0,
        seconds_per_move: Some(40.0),
        mistakes: Some(0.0),
    };
    let careless = Observation {
        points: 0.0,
        seconds_per_move: Some(1.0),
        mistakes: Some(0.5),
        ..careful.clone()
    };
    let long = |one: &Observation, count| History {
        matches: vec![one.clone(); count],
    };
    let at = |level| Difficulty {
        level,
        ..Difficulty::default()
    };
    let mut seen: Vec<String> = Vec::new();
    seen.extend(facts(&History::default(), at(8)));
    seen.extend(facts(&long(&careful, 8), at(LEVELS - 1)));
    seen.extend(facts(&long(&careful, 8), at(8)));
    seen.extend(facts(&long(&careless, 8), at(0)));
    seen.extend(facts(&long(&careless, 8), at(8)));
    seen.extend(facts(&history(&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.5, 0.5]), at(8)));
    seen.extend(facts(&history(&[1.0]), at(8)));
    for (fact, _) in FACTS {
        assert!(seen.contains(&format!("{fact}(player)")), "{fact}");
    }
}

#[test]
fn policies_of_ones_own_are_checked() {
    let wrong = Director::new(Source::new("own.delp", "harder(P) -< wonLast(P)\n"));
    assert!(matches!(wrong, Err(PolicyError::Invalid { line: 1, .. })), "{wrong:?}");
    let own = "harder(P) -< wonLast(P). stay: ~harder(P) -< wonLast(P). go: harder(P) -< new(P). go > stay.";
    let director = Director::new(Source::new("own.delp", own)).expect("a policy");
    let ruling = director.rule(&history(&[1.0]), Difficulty::default(), &Budget::default());
    assert_eq!(ruling.expect("a ruling").difficulty.level, FIRST_LEVEL + 1);
    assert!(matches!(Director::named("none"), Err(PolicyError::Unknown { .. })));
    // A strict part that contradicts the facts of a match is an error, not a ruling.
    let strict = Director::new(Source::new("own.delp", "~new(P) <- new(P). harder(P) -< new(P)."));
    let ruling =
        strict.and_then(|director| director.rule(&History::default(), Difficulty::default(), &Budget::default()));
    assert!(matches!(ruling, Err(PolicyError::Invalid { .. })), "{ruling:?}");
}

fn after(level: i64, health: i64, inventory: Option<Inventory>, defeated: i64) -> NextLevel {
    let situation = Situation {
        level,
        health,
        most_health: 100,
        inventory,
        defeated,
        enemies: level,
    };
    next_level(&situation, &Budget::default()).expect("a level")
}

#[test]
fn the_levels_of_the_paper_have_their_food_and_enemies() {
    let one = Some(Inventory {
        recovery: 0,
        revival: 1,
    });
    let seventh = after(6, 30, one, 0);
    assert_eq!((seventh.level, seventh.food, seventh.enemies), (7, 4, 8));
    assert_eq!(seventh.answers[0].verdict, Verdict::No);
    let thirteenth = after(12, 30, one, 0);
    assert_eq!((thirteenth.level, thirteenth.food, thirteenth.enemies), (13, 12, 12));
    assert_eq!(thirteenth.answers[0].verdict, Verdict::Yes);
    // The inventory is absent: nothing to revive with.
    let absent = after(6, 30, None, 0);
    assert_eq!((absent.food, absent.enemies), (6, 6));
    // The conditional query is asked only if the player was not dying.
    assert_eq!(thirteenth.answers.len(), 1);
    let strong = after(6, 80, one, 6);
    assert_eq!((strong.food, strong.enemies), (2, 10));
    assert_eq!(strong.answers[1].query, "tooStrong(player)");
    assert_eq!(strong.answers[1].verdict, Verdict::Yes);
    let saved = after(6, 30, one, 6);
    assert_eq!(saved.answers[1].verdict, Verdict::No);
    assert_eq!((saved.food, saved.enemies), (4, 8));
    // Lower ends of the ranges belong to them.
    let facts = |health| after(6, health, None, 0).facts[0].clone();
    assert_eq!(
        [100, 99, 75, 74, 50, 49, 25, 24].map(facts),
        [
            "fullHealth(player)",
            "highHealth(player)",
            "highHealth(player)",
            "mediumHealth(player)",
            "mediumHealth(player)",
            "lowHealth(player)",
            "lowHealth(player)",
            "veryLowHealth(player)"
        ]
    );
    let recovery = |items| {
        let inventory = Inventory {
            recovery: items,
            revival: 0,
        };
        after(8, 100, Some(inventory), 0).facts.get(1).cloned()
    };
    assert_eq!(recovery(8).as_deref(), Some("highRecovery(player)"));
    assert_eq!(recovery(4).as_deref(), Some("mediumRecovery(player)"));
    assert_eq!(recovery(2).as_deref(), Some("lowRecovery(player)"));
    assert_eq!(recovery(1), None);
}

#[test]
fn levels_are_powers_of_ten_in_quarters() {
    assert_eq!(
        [0, 4, 8, 12, 16, 20].map(iterations),
        [1, 10, 100, 1000, 10_000, 100_000]
    );
    assert!((4..LEVELS).all(|level| level_of(iterations(level)) == level));
}

#[test]
fn a_random_player_makes_mistakes_and_a_perfect_one_none() {
    let game = game("tic-tac-toe");
    let spec = |text: &str| AgentSpec::parse(text).expect("an agent");
    let players = vec![limited(&spec("random"), 1), limited(&spec("uct"), 2000)];
    let record = play(&Setup::new(game.clone(), players, Pace::Iterations(1)).with_seed(5));
    assert_eq!(record.players, ["random@1", "uct@2000"]);
    let roles: Vec<_> = game.roles().collect();
    let judge = |role| mistakes::by_search(&game, &record, role, &spec("uct"), &Budget::iterations(20_000));
    let (weak, strong) = (judge(roles[0]).expect("judged"), judge(roles[1]).expect("judged"));
    assert!(
        weak.mistakes > 0 && strong.mistakes == 0,
        "{weak:?} {strong:?} {:?}",
        record.moves
    );
    assert!(weak.share() > strong.share());
}

#[test]
fn simulated_players_settle_near_half_of_the_points() {
    let game = game("tic-tac-toe");
    let director = Director::named("balanced").expect("a policy");
    for strength in [10, 300] {
        let mut points = 0.0;
        let mut count = 0;
        for seed in 0..6 {
            let with = Simulation {
                agent: AgentSpec::parse("uct").expect("an agent"),
                strength,
                matches: 30,
                seed,
            };
            let series = simulate(&game, &director, &with, &Budget::default()).expect("a series");
            assert_eq!(series.history.matches.len(), 30);
            assert_eq!(series.rulings.len(), 30);
            let late = &series.history.matches[15..];
            points += late.iter().map(|played| played.points).sum::<f64>();
            count += late.len();
        }
        let share = points / count as f64;
        assert!((0.45..=0.55).contains(&share), "{strength}: {share}");
    }
}
