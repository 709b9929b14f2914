//! Facts of games: what each way of finding out adds, and what the library games are.

use ludens_analysis::{Evidence, Fact, GameFacts, Verdict, analyse};
use ludens_budget::Budget;
use ludens_engine::{Game, StepCost};
use std::sync::Arc;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    Game::read(entry.source()).expect("library games can be played")
}

fn verdicts(facts: &GameFacts) -> [Verdict; 5] {
    let all = [
        &facts.turn_taking,
        &facts.simultaneous,
        &facts.constant_sum,
        &facts.chance,
        &facts.hidden_information,
    ];
    all.map(|fact: &Fact| fact.verdict)
}

#[test]
fn rules_tell_chance_and_hidden_information_at_once() {
    use Verdict::{No, Unknown, Yes};
    let facts = GameFacts::known(&game("kuhn-poker"));
    assert_eq!(verdicts(&facts), [Unknown, Unknown, Unknown, Yes, Yes]);
    assert_eq!(facts.chance.evidence, Evidence::Rules);
    let facts = GameFacts::known(&game("tic-tac-toe"));
    assert_eq!(verdicts(&facts), [Unknown, Unknown, Unknown, No, No]);
    assert_eq!(facts.step_cost, StepCost::Trivial);
    assert_eq!(facts.goals.values().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    // A single role always takes turns.
    let facts = GameFacts::known(&game("eight-puzzle"));
    assert_eq!(verdicts(&facts), [Yes, No, Unknown, No, No]);
}

#[test]
fn proofs_are_kept_on_the_game() {
    let game = game("tic-tac-toe");
    let nothing_is_enough = |_: &GameFacts| false;
    let facts = GameFacts::prove(&game, &Budget::default(), &nothing_is_enough);
    assert_eq!(
        facts.turn_taking,
        Fact {
            verdict: Verdict::Yes,
            evidence: Evidence::Proof
        }
    );
    assert!(facts.simultaneous.is_no() && facts.constant_sum.is_yes());
    assert_eq!(facts.sum, Some(100));
    assert_eq!(GameFacts::known(&game), facts);
    // All was proved, so that it is not tried again, even without a budget.
    let spent = Budget::default().within(std::time::Duration::ZERO);
    assert!(Arc::ptr_eq(
        &GameFacts::prove(&game, &spent, &nothing_is_enough),
        &facts
    ));
    let analysis = analyse(&game, &Budget::default()).expect("compiled");
    let again = analyse(&game, &spent).expect("compiled");
    assert!(Arc::ptr_eq(&analysis, &again));
}

#[test]
fn lines_of_play_refute() {
    let game = game("simultaneous-tic-tac-toe");
    let facts = GameFacts::glance(&game);
    let Evidence::Play(lines) = &facts.simultaneous.evidence else {
        panic!("{:?}", facts.simultaneous);
    };
    let mut machine = game.machine();
    lines[0].iter().for_each(|joint| machine.step(joint));
    assert!(game.roles().all(|role| machine.legal(role).len() > 1));
    assert!(facts.turn_taking.is_no());

    let facts = GameFacts::prove(&game, &Budget::default(), &|facts| facts.constant_sum.is_no());
    if let Evidence::Play(lines) = &facts.constant_sum.evidence {
        let sums = lines.iter().map(|line| {
            machine.load(game.initial());
            line.iter().for_each(|joint| machine.step(joint));
            assert!(machine.is_terminal());
            game.roles().map(|role| u32::from(machine.score(role))).sum::<u32>()
        });
        let sums: Vec<u32> = sums.collect();
        assert_ne!(sums[0], sums[1]);
    }
}

/// The library games in which players choose at the same time. The agent `best` chooses its search by this.
const SIMULTANEOUS: &[&str] = &[
    "battle-of-the-sexes",
    "battleship-3x3",
    "battleship-4x4",
    "biased-rock-paper-scissors",
    "bidding-tic-tac-toe",
    "blind-tic-tac-toe",
    "blind-tic-tac-toe-0-1",
    "blind-tic-tac-toe-1-2",
    "blocker-3x3",
    "blocker-4x4",
    "blocker-6x6",
    "chicken",
    "colonel-blotto-small",
    "coordination",
    "dark-pursuit",
    "dark-pursuit-two-ghosts",
    "goofspiel-4",
    "goofspiel-5",
    "goofspiel-6",
    "goofspiel-7",
    "hidden-matching",
    "iterated-prisoners-dilemma-10",
    "iterated-prisoners-dilemma-20",
    "iterated-prisoners-dilemma-5",
    "matching-pennies",
    "prisoners-dilemma",
    "pursuit",
    "racing-maze",
    "repeated-rock-paper-scissors-3",
    "repeated-rock-paper-scissors-9",
    "rock-paper-scissors",
    "runners",
    "runners-5",
    "simultaneous-breakthrough-3x5",
    "simultaneous-tic-tac-toe",
    "simultaneous-tic-tac-toe-9-steps",
    "smallest-3",
    "stag-hunt",
    "stratego-small",
    "trading-post",
    "tron",
    "tron-5x5",
    "two-thirds",
    "two-thirds-12",
];

#[test]
fn a_glance_finds_the_simultaneous_games_of_the_library() {
    let mut found = Vec::new();
    for entry in ludens_library::entries() {
        let game = Game::read(entry.source()).expect("library games can be played");
        if GameFacts::glance(&game).simultaneous.is_yes() {
            found.push(entry.name.clone());
        }
    }
    assert_eq!(found, SIMULTANEOUS);
}
