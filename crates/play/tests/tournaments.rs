//! Tournaments: results depend on the plan only.

use ludens_budget::Budget;
use ludens_engine::Game;
use ludens_play::tournament::{MatchResult, Plan, PlanError, Standings, run};
use ludens_play::{AgentSpec, Pace, Player};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn games(names: &[&str]) -> Vec<Game> {
    let game = |name: &&str| Game::read(ludens_library::find(name).unwrap().source()).unwrap();
    names.iter().map(game).collect()
}

fn players(specs: &[&str]) -> Vec<Player> {
    let player = |text: &&str| Player::from(AgentSpec::parse(text).unwrap());
    specs.iter().map(player).collect()
}

fn plan(names: &[&str], specs: &[&str], rounds: u64) -> Plan {
    let plan = Plan::new(games(names), players(specs), rounds, Pace::Iterations(20)).unwrap();
    plan.with_seed(7)
}

/// The results of these matches in the order of their numbers, played on so many threads.
fn results(plan: &Plan, numbers: &[u64], threads: usize) -> Vec<MatchResult> {
    let mut results = Vec::new();
    run(plan, numbers, threads, &Budget::default(), &mut |fixture, record| {
        assert_eq!(plan.fixture(fixture.number), fixture);
        results.push(MatchResult::new(plan, &fixture, &record));
        ControlFlow::Continue(())
    });
    results.sort_by_key(|result| result.number);
    results
}

#[test]
fn results_do_not_depend_on_threads_or_order() {
    let plan = plan(
        &["tic-tac-toe", "smallest-3", "kuhn-poker"],
        &["flat", "random", "legal"],
        3,
    );
    let numbers = plan.numbers();
    assert_eq!(numbers.len(), 3 * (6 + 6 + 6));
    let expected = results(&plan, &numbers, 1);
    assert_eq!(expected.len(), numbers.len());
    assert!(
        expected
            .iter()
            .all(|result| result.goals.is_some() && result.faults == 0)
    );
    assert_eq!(results(&plan, &numbers, 2), expected);
    let backwards: Vec<u64> = numbers.iter().rev().copied().collect();
    assert_eq!(results(&plan, &backwards, 3), expected);
    let (first, second) = numbers.split_at(17);
    let parts = [results(&plan, first, 2), results(&plan, second, 2)].concat();
    assert_eq!(parts, expected);
}

#[test]
fn longer_tournaments_begin_alike() {
    let (short, long) = (
        plan(&["tic-tac-toe", "eight-puzzle"], &["random", "legal"], 2),
        plan(&["tic-tac-toe", "eight-puzzle"], &["random", "legal"], 5),
    );
    assert_eq!(short.round_sizes(), [2, 2]);
    for number in short.numbers() {
        assert_eq!(short.fixture(number), long.fixture(number));
    }
    let seeds: std::collections::BTreeSet<u64> = long.numbers().into_iter().map(|n| long.fixture(n).seed).collect();
    assert_eq!(seeds.len() as u64, long.match_count());
}

#[test]
fn standings_count_what_was_played() {
    let plan = plan(&["tic-tac-toe", "smallest-3"], &["flat", "legal"], 4);
    let results = results(&plan, &plan.numbers(), 2);
    let standings = Standings::new(&plan.round_sizes(), 2, &results);
    assert_eq!((standings.played, standings.without_result), (4 * (2 + 6), 0));
    for (section, matches) in standings.games.iter().chain([&standings.overall]).zip([8, 24, 32]) {
        for entry in &section.entries {
            assert_eq!(entry.matches, matches);
            assert_eq!(entry.tally.matches(), matches);
            assert!(entry.interval.unwrap().contains(entry.mean_goal.unwrap()));
        }
        assert_eq!(section.entries[0].tally.reversed(), section.entries[1].tally);
        let [duel] = section.duels[..] else {
            panic!("there is one pair")
        };
        assert_eq!((duel.one, duel.other), (0, 1));
    }
    let [tic_tac_toe, _] = &standings.games[..] else {
        panic!("there are two games")
    };
    let means = [0, 1].map(|player| tic_tac_toe.entries[player].mean_goal.unwrap());
    assert!((tic_tac_toe.duels[0].comparison.difference - (means[0] - means[1])).abs() < 1e-9);
    let mut mixed = results.clone();
    mixed.reverse();
    assert_eq!(
        format!("{standings:?}"),
        format!("{:?}", Standings::new(&plan.round_sizes(), 2, &mixed))
    );
}

#[test]
fn unfinished_rounds_are_not_compared() {
    let plan = plan(&["tic-tac-toe"], &["random", "legal"], 2);
    let results = results(&plan, &[0, 1, 2], 1);
    let standings = Standings::new(&plan.round_sizes(), 2, &results);
    assert_eq!(standings.overall.entries[0].matches, 3);
    assert_eq!(standings.overall.duels[0].comparison.interval, None);
    let standings = Standings::new(&plan.round_sizes(), 2, &results[..1]);
    assert!(standings.overall.duels.is_empty());
    let standings = Standings::new(&plan.round_sizes(), 2, &[]);
    assert_eq!(standings.overall.entries[0].mean_goal, None);
}

#[test]
fn tournaments_can_be_broken_off() {
    let plan = plan(&["tic-tac-toe"], &["random", "legal"], 1000);
    let mut count = 0;
    run(&plan, &plan.numbers(), 2, &Budget::default(), &mut |_, _| {
        count += 1;
        if count < 10 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(count, 10);
    let cancel = Arc::new(AtomicBool::new(false));
    let budget = Budget::until_cancelled(cancel.clone());
    count = 0;
    run(&plan, &plan.numbers(), 2, &budget, &mut |_, record| {
        assert!(record.goals.is_some());
        cancel.store(true, Ordering::Relaxed);
        count += 1;
        ControlFlow::Continue(())
    });
    assert!(count < 1000, "{count}");
}

#[test]
fn impossible_plans_are_refused() {
    let plan = |names, specs, rounds| Plan::new(games(names), players(specs), rounds, Pace::Iterations(1)).err();
    assert_eq!(plan(&["tic-tac-toe"], &[], 1), Some(PlanError::NoPlayers));
    assert_eq!(plan(&[], &["random"], 1), Some(PlanError::NoGames));
    assert_eq!(
        plan(&["tic-tac-toe"], &["random"; 2], u64::MAX),
        Some(PlanError::TooManyMatches)
    );
    let many = ["random"; 400];
    assert!(matches!(
        plan(&["tic-tac-toe"], &many, 1),
        Some(PlanError::TooManySeatings(_))
    ));
}
