//! Managers that send what managers send: our player always answers, in time and with something that makes sense.

mod support;

use ludens_budget::Budget;
use ludens_play::{Agent, Player, Position};
use ludens_protocol::http;
use ludens_protocol::player::{PlayerOptions, PlayerServer};
use ludens_search::Decision;
use ludens_testkit::library;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use support::*;

const RULES: &str = "((role Xplayer) (role o) (init (cell 1 B)) (init (control Xplayer))
    (<= (legal ?r (Mark ?n)) (true (cell ?n B)) (true (control ?r)))
    (<= (legal ?r Noop) (role ?r) (not (true (control ?r))))
    (<= (next (cell ?n ?r)) (does ?r (Mark ?n))) (<= (next (control o)) (true (control Xplayer)))
    (<= (next (cell 2 B)) (true (control Xplayer))) (<= (next (cell 2 B)) (true (control o)) (not (does o (Mark 2))))
    (<= (next (control Xplayer)) (true (control o)))
    (<= terminal (true (cell 2 ?r)) (distinct ?r B)) (<= (goal ?r 50) (role ?r)))";

fn start(place: SocketAddr, id: &str, role: &str) -> String {
    say(place, &format!("(START {id} {role} {RULES} 2 2)"))
}

#[test]
fn a_match_is_played_with_names_as_they_were_sent() {
    let server = server("legal");
    let place = server.address();
    assert_eq!(say(place, "(INFO)"), "((name ludens) (status available))");
    assert_eq!(start(place, "M1", "Xplayer"), "ready");
    assert_eq!(say(place, "(PLAY M1 NIL)"), "(Mark 1)");
    assert_eq!(say(place, " ( play M1\n( (MARK  1)\tNOOP ) ) "), "Noop");
    assert_eq!(server.metrics().matches, 1);
    assert_eq!(say(place, "(STOP M1 (Noop (Mark 2)))"), "done");
    assert_eq!(say(place, "(STOP M1 (Noop (Mark 2)))"), "busy");
    await_that("the end of the match", || server.metrics().match_threads == 0);
}

#[test]
fn upper_case_and_scrambled_rules_are_played() {
    let server = server("legal");
    let place = server.address();
    let upper = RULES.to_uppercase();
    assert_eq!(say(place, &format!("(START Match.7 XPLAYER {upper} 2 2)")), "ready");
    assert_eq!(say(place, "(PLAY Match.7 NIL)"), "(MARK 1)");
    assert_eq!(
        say(place, "(PLAY match.7 NIL)"),
        "busy",
        "names of matches are compared exactly"
    );
    assert_eq!(say(place, "(ABORT Match.7)"), "aborted");
    assert_eq!(say(place, "(ABORT Match.7)"), "busy");
}

#[test]
fn what_makes_no_sense_changes_nothing() {
    let server = server("legal");
    let place = server.address();
    for message in [
        "(HELLO)",
        "garbage",
        "((((",
        "))))",
        "(PLAY nowhere NIL)",
        "(PLAY)",
        "(STOP)",
        "(START m1 nobody ((role w)) 10 5)",
        "(START m1 w ((role w)) ten 5)",
        "(START m1 w () 10 5)",
        "(START m1 w ((role w) (legal w 10 5)",
        "(START m1)",
        "\u{0}\u{1}\u{fffd}",
    ] {
        assert_eq!(say(place, message), "busy", "{message:?}");
    }
    assert_eq!(server.metrics().matches, 0);
    assert_eq!(start(place, "m1", "XPLAYER"), "ready");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "(Mark 1)");
    assert_eq!(start(place, "m1", "o"), "busy");
    assert_eq!(say(place, "(PLAY m1)"), "busy");
    assert_eq!(say(place, "(PLAY m1 (Noop))"), "(Mark 1)", "the state is kept");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "(Mark 1)", "the state is kept");
    assert_eq!(say(place, "(PLAY m2 ((Mark 1) Noop))"), "busy");
    assert_eq!(
        say(place, "(PLAY m1 (frobnicate noop))"),
        "Noop",
        "the manager is the authority"
    );
    assert_eq!(
        say(place, "(PLAY m1 (Noop (Mark 7)))"),
        "(Mark 2)",
        "also with illegal moves"
    );
    assert_eq!(server.metrics().matches, 1);
}

#[test]
fn a_lost_message_is_made_up_for() {
    let (server, notes) = logged("legal");
    let place = server.address();
    assert_eq!(start(place, "m1", "Xplayer"), "ready");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "(Mark 1)");
    // The message with ((Mark 1) Noop) is lost. After what follows, the match is over.
    let answer = say(place, "(STOP m1 (Noop (Mark 2)))");
    assert_eq!(answer, "done");
    await_that("the end of the match", || server.metrics().match_threads == 0);
    let notes = notes.lock().unwrap().join("\n");
    assert!(
        notes.contains("a step was missed and is taken to be ((mark 1) noop)"),
        "{notes}"
    );
    assert!(notes.contains("our goal is 50"), "{notes}");
}

#[test]
fn equal_messages_are_new_steps() {
    let (server, notes) = logged("legal");
    let place = server.address();
    let rules = ludens_library::find("repeated-rock-paper-scissors-9").unwrap();
    let rules = ludens_protocol::scramble::Scrambler::none().rules(&ludens_gdl::Description::read(rules.source()));
    let game = library("repeated-rock-paper-scissors-9");
    let role = game.role_name(ludens_engine::Role(0));
    assert_eq!(say(place, &format!("(START r {role} {rules} 2 2)")), "ready");
    let first = say(place, "(PLAY r NIL)");
    for _ in 0..8 {
        assert_eq!(say(place, &format!("(PLAY r ({first} {first}))")), first);
    }
    // Nine steps were made, after which the match is over.
    let answer = say(place, &format!("(STOP r ({first} {first}))"));
    assert_eq!(answer, "done");
    await_that("the end of the match", || server.metrics().match_threads == 0);
    let notes = notes.lock().unwrap().join("\n");
    assert!(notes.contains("our goal is "), "{notes}");
}

#[test]
fn matches_beyond_the_limit_are_refused() {
    let options = PlayerOptions {
        most_matches: 2,
        ..PlayerOptions::new(agent("random"))
    };
    let server = PlayerServer::start("127.0.0.1:0", options).unwrap();
    let place = server.address();
    assert_eq!(start(place, "a", "o"), "ready");
    assert_eq!(say(place, "(PING)"), "ready");
    assert_eq!(start(place, "b", "o"), "ready");
    assert_eq!(start(place, "c", "o"), "busy");
    assert_eq!(say(place, "(info)"), "((name ludens) (status busy))");
    assert_eq!(say(place, "(ping)"), "busy");
    for id in ["a", "b"] {
        assert_eq!(say(place, &format!("(PLAY {id} NIL)")), "Noop");
    }
    assert_eq!(say(place, "(ABORT a)"), "aborted");
    assert_eq!(start(place, "c", "o"), "ready");
}

#[test]
fn odd_http_is_understood() {
    let server = server("legal");
    let place = server.address();
    let info = "((name ludens) (status available))";
    for request in [
        "POST / HTTP/1.0\nContent-length: 6\n\n(INFO)",
        "POST / HTTP/1.1\r\ncontent-LENGTH:6\r\n\r\n(INFO)",
        "post / HTTP/1.0\r\n\r\n(INFO)",
        "POST /\r\n\r\n(info)",
        "POST / HTTP/1.0\r\nContent-Length: 600\r\n\r\n(INFO)",
        "POST / HTTP/1.0\r\nContent-Length: nonsense\r\n\r\n(INFO)",
        "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(INFO)",
        "POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n",
        "GET /(INFO) HTTP/1.0\r\n\r\n",
        "GET /%28info%29 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /( INFO ) HTTP/1.0\r\n\r\n",
        "\r\n\r\nPOST / HTTP/1.0\r\nContent-length: 6\r\n\r\n(INFO)\r\n\r\n and more",
    ] {
        assert_eq!(body(&raw(place, request.as_bytes())), info, "{request:?}");
    }
    let options = raw(place, b"OPTIONS / HTTP/1.0\r\n\r\n");
    assert!(body(&options).is_empty());
    for header in [
        "Content-type: text/acl",
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Methods: POST, GET, OPTIONS",
    ] {
        assert!(options.contains(header), "{header} in {options}");
    }
    let leave = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n(INFO)";
    assert!(raw(place, leave.as_bytes()).ends_with(info));
}

#[test]
fn what_is_no_http_is_turned_away() {
    let limits = http::Limits {
        head: 1000,
        body: 2000,
        read: Duration::from_millis(500),
        ..http::Limits::default()
    };
    let options = PlayerOptions {
        limits,
        ..PlayerOptions::new(agent("random"))
    };
    let server = PlayerServer::start("127.0.0.1:0", options).unwrap();
    let place = server.address();
    let long_head = format!("POST / HTTP/1.0\r\nX: {}", "x".repeat(5000));
    let long_body = format!("POST / HTTP/1.0\r\nContent-Length: 5000\r\n\r\n({})", "x".repeat(4998));
    let unannounced = format!("POST / HTTP/1.0\r\n\r\n({}", "x".repeat(5000));
    for (request, status) in [
        (long_head.as_str(), "413"),
        (&long_body, "413"),
        (&unannounced, "413"),
        ("DELETE / HTTP/1.0\r\n\r\n", "400"),
        ("\u{0}\u{1}\u{2}\n\n", "400"),
        ("POST / HT", "408"),
        ("GET", "408"),
    ] {
        let answer = raw(place, request.as_bytes());
        assert!(
            answer.starts_with(&format!("HTTP/1.0 {status}")),
            "{answer:?} to {request:?}"
        );
    }
    // Half a message, and then nothing: what came is answered.
    let half = "POST / HTTP/1.0\r\nContent-Length: 600\r\n\r\n(PLAY nowhere";
    assert_eq!(body(&raw(place, half.as_bytes())), "busy");
    await_that("the end of all connections", || server.metrics().connections == 0);
}

#[test]
fn slow_connections_hold_nobody_up() {
    let limits = http::Limits {
        connections: 20,
        ..http::Limits::default()
    };
    let options = PlayerOptions {
        limits,
        ..PlayerOptions::new(agent("random"))
    };
    let server = PlayerServer::start("127.0.0.1:0", options).unwrap();
    let place = server.address();
    // More than there is room for: those that came first have to go.
    let slow: Vec<TcpStream> = (0..50)
        .map(|number| {
            let mut stream = TcpStream::connect(place).unwrap();
            if number % 2 == 0 {
                stream
                    .write_all(b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(IN")
                    .unwrap();
            }
            stream
        })
        .collect();
    for _ in 0..5 {
        assert_eq!(say(place, "(INFO)"), "((name ludens) (status available))");
    }
    assert!(server.metrics().connections <= 20);
    // One that came late enough may still finish.
    let mut last = slow.into_iter().nth(48).unwrap();
    last.write_all(b"FO)").unwrap();
    let mut answer = String::new();
    last.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    last.read_to_string(&mut answer).unwrap();
    assert_eq!(body(&answer), "((name ludens) (status available))");
}

/// An agent that never answers unless it is cancelled.
struct Stubborn;

impl Agent for Stubborn {
    fn choose(&mut self, _: &Position, budget: &Budget) -> Decision {
        while !budget.is_cancelled() {
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it never comes to this");
    }
}

#[test]
fn a_legal_move_is_answered_even_if_the_agent_hangs() {
    let options = PlayerOptions::new(Player::new("stubborn", |_| Box::new(Stubborn)));
    let server = PlayerServer::start("127.0.0.1:0", options).unwrap();
    let place = server.address();
    assert_eq!(say(place, &format!("(START m1 Xplayer {RULES} 1 1)")), "ready");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "(Mark 1)");
    assert_eq!(say(place, "(PLAY m1 ((Mark 1) Noop))"), "Noop");
    assert_eq!(say(place, "(PLAY m1 (Noop (Mark 1)))"), "(Mark 2)");
    assert_eq!(say(place, "(ABORT m1)"), "aborted");
    await_that("the end of the match", || server.metrics().match_threads == 0);
}

#[test]
fn clocks_of_no_time_get_a_legal_move() {
    let server = server("legal");
    let place = server.address();
    assert_eq!(say(place, &format!("(START m1 Xplayer {RULES} 5 0)")), "ready");
    assert_eq!(say(place, "(PLAY m1 NIL)"), "(Mark 1)");
    assert_eq!(say(place, "(ABORT m1)"), "aborted");
}

/// A walk through a cube of points: quick to interpret, slow to compile, as every point is possible.
fn cube(size: usize) -> String {
    let steps: String = (1..size).map(|to| format!("(after {} {to}) ", to - 1)).collect();
    let last = size - 1;
    format!(
        "((role w) {steps} (init (at 0 0 0)) (legal w x) (legal w y) (legal w z)
        (<= (next (at ?n ?y ?z)) (does w x) (true (at ?x ?y ?z)) (after ?x ?n))
        (<= (next (at ?x ?n ?z)) (does w y) (true (at ?x ?y ?z)) (after ?y ?n))
        (<= (next (at ?x ?y ?n)) (does w z) (true (at ?x ?y ?z)) (after ?z ?n))
        (<= terminal (true (at {last} {last} {last}))) (<= (goal w 100) (true (at 2 0 0))))"
    )
}

#[test]
fn a_match_begins_on_the_interpreter_and_goes_on_with_the_compiled_game() {
    let (server, notes) = logged("legal");
    let place = server.address();
    assert_eq!(say(place, &format!("(START cube w {} 1 2)", cube(30))), "ready");
    assert_eq!(say(place, "(PLAY cube NIL)"), "x");
    assert_eq!(say(place, "(PLAY cube (x))"), "x");
    let is_compiled = |notes: &[String]| {
        let notes = notes.join("\n");
        notes.contains("goes on with the compiled game") || notes.contains("(compiled)")
    };
    await_that("the compiled game", || is_compiled(&notes.lock().unwrap()));
    assert_eq!(say(place, "(PLAY cube (x))"), "x");
    assert_eq!(say(place, "(STOP cube NIL)"), "done");
    await_that("the end of the match", || server.metrics().match_threads == 0);
}

#[test]
fn rules_that_are_never_ready_do_not_keep_a_match_from_starting() {
    let (server, notes) = logged("random");
    let place = server.address();
    // A product of eight helper relations that has to be derived before anything else is known.
    let numbers: String = (0..40).map(|number| format!("(n {number}) ")).collect();
    let rules = format!(
        "((role w) {numbers} (init (f 1)) (legal w a)
        (<= (big ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (distinct ?a ?b))
        (<= (huge ?a ?e) (big ?a ?b ?c ?d ?e) (big ?e ?d ?c ?b ?a))
        (<= (next (f 2)) (does w a) (huge 1 2)) (<= terminal (true (f 2)) (huge 2 1)) (goal w 100))"
    );
    let asked = Instant::now();
    assert_eq!(say(place, &format!("(START slow w {rules} 1 1)")), "ready");
    let answer = say(place, "(PLAY slow NIL)");
    assert!(["a", "nil"].contains(&answer.as_str()), "{answer}");
    // Two clocks of a second, with all the time that a busy machine may need on top.
    assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", notes.lock().unwrap());
    assert_eq!(say(place, "(ABORT slow)"), "aborted");
    await_that("the end of the match", || server.metrics().match_threads == 0);
}
