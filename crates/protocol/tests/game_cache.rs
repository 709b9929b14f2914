//! Matches of the same rules share one set-up game, and with it what agents keep about the game.

mod support;

use ludens_engine::Game;
use ludens_play::Player;
use ludens_protocol::player::{PlayerOptions, PlayerServer};
use std::sync::{Arc, Barrier, Mutex};
use support::*;

const RULES: &str = "((role w) (role v) (init (at 1)) (<= (legal ?r go) (role ?r)) (<= (next (at 2)) (does w go))
    (<= terminal (true (at 2))) (<= (goal ?r 100) (role ?r)))";

/// The games that agents were made for, as they were given.
type Given = Arc<Mutex<Vec<Game>>>;

/// What an agent keeps with its game.
struct Learnt;

/// A player whose agents note their games, and keep something with the first they are given.
fn noting() -> (PlayerServer, Given) {
    let given = Given::default();
    let notes = given.clone();
    let legal = ludens_play::AgentSpec::parse("legal").unwrap();
    let player = Player::new("noting", move |place| {
        let mut notes = notes.lock().unwrap();
        if notes.is_empty() {
            place.game.keep(Learnt);
        }
        notes.push(place.game.clone());
        legal.create(place)
    });
    (
        PlayerServer::start("127.0.0.1:0", PlayerOptions::new(player)).unwrap(),
        given,
    )
}

fn has_learnt(given: &Given) -> Vec<bool> {
    let given = given.lock().unwrap();
    given.iter().map(|game| game.kept::<Learnt>().is_some()).collect()
}

#[test]
fn a_second_match_of_the_same_rules_gets_the_same_game() {
    let (server, given) = noting();
    let place = server.address();
    let spaced = RULES.to_uppercase().replace(' ', "\n  ");
    let other = RULES.replace("at", "on");
    for (id, role, rules) in [("a", "w", RULES), ("b", "v", &spaced), ("c", "W", &other)] {
        assert_eq!(say(place, &format!("(START {id} {role} {rules} 5 5)")), "ready");
        assert!(say(place, &format!("(PLAY {id} NIL)")).eq_ignore_ascii_case("go"));
        assert_eq!(say(place, &format!("(STOP {id} (go go))")), "done");
        await_that("the end of the match", || server.metrics().match_threads == 0);
    }
    assert_eq!(has_learnt(&given), [true, true, false]);
    assert_eq!(server.metrics().games, 2);
}

#[test]
fn matches_that_begin_together_share_their_set_up() {
    let (server, given) = noting();
    let place = server.address();
    let begin = Barrier::new(4);
    std::thread::scope(|scope| {
        for number in 0..4 {
            let begin = &begin;
            scope.spawn(move || {
                begin.wait();
                assert_eq!(say(place, &format!("(START m{number} w {RULES} 5 5)")), "ready");
                assert_eq!(say(place, &format!("(PLAY m{number} NIL)")), "go");
            });
        }
    });
    assert_eq!(has_learnt(&given), [true; 4]);
    assert_eq!(server.metrics().games, 1);
}

#[test]
fn a_wrong_role_spoils_nothing_for_others() {
    let (server, given) = noting();
    let place = server.address();
    assert_eq!(say(place, &format!("(START m1 w {RULES} 5 5)")), "ready");
    assert_eq!(say(place, &format!("(START m2 nobody {RULES} 5 5)")), "busy");
    assert_eq!(say(place, &format!("(START m3 v {RULES} 5 5)")), "ready");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "go");
    assert_eq!(say(place, "(PLAY m3 NIL)"), "go");
    assert_eq!(has_learnt(&given), [true; 2]);
}
