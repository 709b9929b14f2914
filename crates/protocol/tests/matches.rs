//! Matches of our manager with our players over real sockets.

mod support;

use ludens_budget::Budget;
use ludens_play::{EndReason, Match, MatchEvent, Setup, play};
use ludens_protocol::manager::{Publication, play_match, play_matches};
use ludens_protocol::player::{PlayerOptions, PlayerServer};
use ludens_protocol::remote::{self, Dialect, RemoteOptions};
use ludens_protocol::spectate::{LatestMatches, SpectatorServer};
use ludens_testkit::library;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::*;

fn scrambled(place: std::net::SocketAddr) -> ludens_play::Player {
    let options = RemoteOptions {
        scramble: true,
        ..RemoteOptions::new(1, 1)
    };
    remote::player(address(place), options)
}

#[test]
fn two_players_play_to_the_end() {
    let (first, second) = (server("uct"), server("random"));
    let game = library("tic-tac-toe");
    let players = vec![elsewhere(first.address(), 1000), elsewhere(second.address(), 1000)];
    let record = play(&setup(&game, players));
    assert!(record.is_clean(), "{:?}", record.errors);
    assert_eq!(record.players[0], format!("http://{}", first.address()));
    assert!(record.goals.unwrap()[0] >= 50, "a search does not lose to chance");
    await_that("the end of the matches", || {
        [&first, &second].iter().all(|server| server.metrics().matches == 0)
    });
}

#[test]
fn scrambled_matches_are_the_same_matches() {
    // Players that take the first legal move by its text differ when texts do; so chance plays, with a fixed seed.
    let server = server("legal");
    for name in ["tic-tac-toe", "connect-four-5x4", "goofspiel-4"] {
        let game = library(name);
        let record = play(&setup(&game, vec![scrambled(server.address()), agent("random")]).with_seed(4));
        assert!(record.is_clean(), "{name}: {:?}", record.errors);
        // Moves in the record are those of the game, not the scrambled ones.
        for (joint, role) in record.moves.iter().zip(std::iter::repeat(ludens_engine::Role(0))) {
            assert!(game.parse_move(role, &joint[0]).is_some(), "{joint:?}");
        }
    }
}

#[test]
fn games_with_hidden_information_are_told_in_all_dialects() {
    let rules = "(role a) (role random) (init (left 2)) (succ 0 1) (succ 1 2)
        (legal random heads) (legal random tails) (legal a heads) (legal a tails)
        (<= (sees a (was ?m)) (does random ?m)) (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
        (<= (next (coin ?m)) (does random ?m)) (<= terminal (true (left 0)))
        (<= (goal a 100) (true (coin heads))) (<= (goal a 0) (true (coin tails)))";
    let game = ludens_engine::Game::read(ludens_gdl::Source::new("coin", rules)).unwrap();
    for dialect in [Dialect::Moves, Dialect::Percepts, Dialect::Turns] {
        let (server, notes) = logged("random");
        let options = RemoteOptions {
            dialect,
            ..RemoteOptions::new(1, 1)
        };
        let player = remote::player(address(server.address()), options);
        let record = play(&setup(&game, vec![player]));
        assert!(record.is_clean(), "{:?}", record.errors);
        await_that("the end of the match", || server.metrics().match_threads == 0);
        let goal = record.goals.unwrap()[0];
        let notes = notes.lock().unwrap().join("\n");
        assert!(notes.contains(&format!("our goal is {goal}")), "{dialect:?}: {notes}");
    }
}

#[test]
fn an_interrupted_match_is_aborted_everywhere() {
    let server = server("uct");
    let game = library("connect-four");
    let cancel = Arc::new(AtomicBool::new(false));
    let player = || remote::player(address(server.address()), RemoteOptions::new(1, 5));
    let setup = Setup {
        at_once: true,
        ..Setup::new(game, vec![player(), agent("random")], seconds(1, 5))
    }
    .with_budget(Budget::until_cancelled(cancel.clone()));
    let seated = Match::new(&setup);
    let mut recorder = seated.recorder();
    let mut interrupt = |event: &MatchEvent<'_>| {
        if let MatchEvent::Prepared = event {
            let cancel = cancel.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                cancel.store(true, Ordering::Relaxed);
            });
        }
    };
    seated.run(&mut [&mut recorder, &mut interrupt]);
    let record = recorder.into_record();
    assert_eq!(record.end.reason, EndReason::Interrupted);
    assert!(record.errors.is_empty(), "{:?}", record.errors);
    await_that("the abort", || {
        server.metrics().matches == 0 && server.metrics().match_threads == 0
    });
}

fn get(place: std::net::SocketAddr, path: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(place).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").unwrap();
    BufReader::new(stream)
}

fn whole(mut reader: BufReader<TcpStream>) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut reader, &mut text).unwrap();
    text
}

#[test]
fn spectators_see_a_match_grow() {
    let hub = LatestMatches::default();
    let spectators = SpectatorServer::start("127.0.0.1:0", hub.clone()).unwrap();
    let place = spectators.address();
    let server = server("random");
    let game = library("tic-tac-toe");
    let publication = Publication {
        hub: Some(hub.clone()),
        game_url: "http://ludens.invalid/games/tic-tac-toe/v0/".to_string(),
        is_scrambled: false,
    };
    let setup = setup(&game, vec![elsewhere(server.address(), 1000), agent("random")]);
    let (mut path, mut follower) = (String::new(), None);
    let played = play_match(&setup, &publication, &mut |event: &MatchEvent<'_>| match event {
        MatchEvent::Started { id, .. } => path = format!("/matches/{id}/events"),
        MatchEvent::Prepared => {
            let path = path.clone();
            follower = Some(std::thread::spawn(move || {
                let lines = get(place, &path).lines().map_while(Result::ok);
                let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_string));
                data.collect::<Vec<String>>()
            }));
            await_that("a spectator", || hub.spectators() == 1);
        }
        _ => {}
    });
    assert!(played.record.is_clean(), "{:?}", played.record.errors);
    let events: Vec<serde_json::Value> = follower
        .unwrap()
        .join()
        .unwrap()
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    let lengths: Vec<usize> = events
        .iter()
        .map(|event| event["moves"].as_array().unwrap().len())
        .collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
    assert_eq!(lengths[0], 0);
    let last = events.last().unwrap();
    assert_eq!(*last, serde_json::to_value(&played.exchange).unwrap());
    assert_eq!(last["isCompleted"], true);
    assert_eq!(events[0]["isAborted"], false);
    assert_eq!(last["states"].as_array().unwrap().len(), lengths.last().unwrap() + 1);

    let snapshot = whole(get(place, &format!("/matches/{}", played.exchange.match_id)));
    let (_, json) = snapshot.split_once("\r\n\r\n").unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap(), *last);
    assert!(whole(get(place, "/matches")).contains(&played.exchange.match_id));
    assert!(whole(get(place, "/matches/unknown")).starts_with("HTTP/1.0 404"));
    assert!(whole(get(place, "/matches/unknown/events")).starts_with("HTTP/1.0 404"));
    await_that("the end of the spectators", || hub.spectators() == 0);
}

/// Matches at once, and spectators of the first of them. Returns how many events the spectators got.
fn load(matches: usize, watchers: usize, game: &str, play_clock: u64) -> usize {
    let options = |seed| PlayerOptions {
        most_matches: 2 * matches,
        seed,
        ..PlayerOptions::new(agent("random"))
    };
    let servers = [1, 2].map(|seed| PlayerServer::start("127.0.0.1:0", options(seed)).unwrap());
    let game = library(game);
    let hub = LatestMatches::default();
    let spectators = SpectatorServer::start("127.0.0.1:0", hub.clone()).unwrap();
    let place = spectators.address();
    let publication = Publication {
        hub: Some(hub.clone()),
        game_url: "http://ludens.invalid/games/x/v0/".to_string(),
        is_scrambled: true,
    };
    let setups: Vec<Setup> = (0..matches as u64)
        .map(|seed| {
            let player = |server: &PlayerServer| {
                let options = RemoteOptions {
                    scramble: true,
                    ..RemoteOptions::new(10, play_clock)
                };
                remote::player(address(server.address()), options)
            };
            Setup {
                at_once: true,
                ..Setup::new(
                    game.clone(),
                    servers.iter().map(player).collect(),
                    seconds(10, play_clock),
                )
            }
            .with_seed(seed)
        })
        .collect();
    let first_path = std::sync::Mutex::new(String::new());
    let followers = std::sync::Mutex::new(Vec::new());
    let watch = |number: usize, event: &MatchEvent<'_>| match event {
        MatchEvent::Started { id, .. } if number == 0 => {
            *first_path.lock().unwrap() = format!("/matches/{id}/events");
        }
        MatchEvent::Prepared if number == 0 => {
            let mut followers = followers.lock().unwrap();
            for _ in 0..watchers {
                let path = first_path.lock().unwrap().clone();
                followers.push(std::thread::spawn(move || {
                    let lines = get(place, &path).lines().map_while(Result::ok);
                    let data: Vec<String> = lines.filter(|line| line.starts_with("data: ")).collect();
                    assert!(data.last().unwrap().contains("\"isCompleted\":true"));
                    data.len()
                }));
            }
            await_that("all spectators", || hub.spectators() == watchers);
        }
        _ => {}
    };
    let mut slowest: f64 = 0.0;
    let mut done = 0;
    play_matches(&setups, matches, &publication, &watch, &mut |played| {
        assert!(played.record.is_clean(), "{:?}", played.record.errors);
        let answers = played.record.evaluations.iter().flatten().flatten();
        slowest = answers.map(|answer| answer.seconds).fold(slowest, f64::max);
        done += 1;
    });
    assert_eq!(done, matches);
    let events = followers
        .into_inner()
        .unwrap()
        .into_iter()
        .map(|follower| follower.join().unwrap());
    let events = events.sum();
    for server in &servers {
        await_that("the end of all matches", || server.metrics().match_threads == 0);
        assert_eq!(server.metrics().rescues, 0);
    }
    eprintln!("{matches} matches, slowest answer {slowest:.3} s, {events} events to {watchers} spectators");
    events
}

#[test]
fn many_matches_at_once_miss_no_deadline() {
    let events = load(50, 40, "tic-tac-toe", 10);
    // Everybody saw the beginning or what came later, and the end.
    assert!(events >= 80, "{events}");
}

/// The full load: `cargo test --release -p ludens-protocol --test matches -- --ignored --nocapture full_load`.
#[test]
#[ignore = "a measurement, not a test"]
fn full_load() {
    load(50, 200, "connect-four", 5);
}
