//! Players that misbehave in every way: the match always ends, faults are right, and nothing is left behind.
//!
//! One test in a program of its own, as it counts the threads and file handles of the whole process.

mod support;

use ludens_play::{EndReason, FaultKind, MatchRecord, play};
use ludens_protocol::remote::{self, RemoteOptions};
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;
use support::*;

fn silent(_: &str, stream: TcpStream) {
    wait_for_the_end(stream);
}

fn illegal(_: &str, stream: TcpStream) {
    reply(stream, "(mark 9 9)");
}

fn unparsable(_: &str, stream: TcpStream) {
    reply(stream, "(mark 1");
}

fn infix(_: &str, stream: TcpStream) {
    reply(stream, "mark(1,1)");
}

fn variable(_: &str, stream: TcpStream) {
    reply(stream, "(mark ?x 1)");
}

fn empty(_: &str, stream: TcpStream) {
    reply(stream, "");
}

fn garbage(_: &str, mut stream: TcpStream) {
    let _ = stream.write_all(b"\x00\xff\xfe garbage \x07\n\n\n((((");
}

fn closing(_: &str, stream: TcpStream) {
    drop(stream);
}

fn half(_: &str, mut stream: TcpStream) {
    let _ = stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Le");
}

fn failing(_: &str, mut stream: TcpStream) {
    let _ = stream.write_all(b"HTTP/1.0 500 Internal Server Error\r\n\r\nnoop");
}

fn endless(_: &str, mut stream: TcpStream) {
    let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n");
    while stream.write_all(&[b'('; 64 << 10]).is_ok() {}
}

/// A byte at a time, slower than the clock allows.
fn dripping(_: &str, mut stream: TcpStream) {
    for byte in b"HTTP/1.0 200 OK\r\n\r\nnoop" {
        if stream.write_all(&[*byte]).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1000));
    }
}

/// One that tells everything wrong but its moves.
fn odd_but_fine(message: &str, stream: TcpStream) {
    let text = match message.contains("PLAY") {
        true => "  ( ACT  1 )  ; the best there is",
        false => "what do you want",
    };
    reply(stream, text);
}

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Two roles that move twice, at the same time.
const RULES: &str = "(role a) (role b) (init (step 0)) (after 0 1) (after 1 2)
    (<= (legal ?r (act 1)) (role ?r)) (<= (legal ?r (act 2)) (role ?r))
    (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (<= terminal (true (step 2)))
    (<= (goal ?r 50) (role ?r))";

fn faults(record: &MatchRecord, role: &str) -> Vec<(Option<usize>, FaultKind)> {
    let own = record.errors.iter().filter(|fault| fault.role == role);
    own.map(|fault| (fault.step, fault.kind)).collect()
}

#[test]
fn whatever_players_do_matches_end_and_nothing_is_left() {
    let game = ludens_engine::Game::read(ludens_gdl::Source::new("two-steps", RULES)).unwrap();
    let good = server("legal");
    // The first match makes what is made only once.
    let first = play(&setup(&game, vec![elsewhere(good.address(), 100), agent("random")]));
    assert!(first.is_clean(), "{:?}", first.errors);
    await_that("the end of the first match", || {
        good.metrics().match_threads == 0 && good.metrics().set_ups == 0
    });
    let (handles, threads) = (count("/proc/self/fd"), count("/proc/self/task"));

    use FaultKind::{Illegal, Late, Unreachable};
    let cases: [(Behaviour, Option<FaultKind>, Option<FaultKind>); 13] = [
        (silent, Some(Late), Some(Late)),
        (illegal, None, Some(Illegal)),
        (unparsable, None, Some(Illegal)),
        (infix, None, Some(Illegal)),
        (variable, None, Some(Illegal)),
        (empty, None, Some(Illegal)),
        (garbage, None, Some(Illegal)),
        (closing, Some(Unreachable), Some(Unreachable)),
        (half, None, Some(Illegal)),
        (failing, Some(Unreachable), Some(Unreachable)),
        (endless, None, Some(Illegal)),
        (dripping, Some(Late), Some(Late)),
        (odd_but_fine, None, None),
    ];
    std::thread::scope(|scope| {
        for (seed, (behaviour, at_start, at_play)) in (1..).zip(cases) {
            let (game, good) = (&game, &good);
            scope.spawn(move || {
                let stub = Stub::new(behaviour);
                let players = vec![elsewhere(good.address(), 1000), elsewhere(stub.place, 100)];
                let record = play(&setup(game, players).with_seed(seed));
                assert_eq!(record.end.reason, EndReason::Terminal);
                assert_eq!(record.goals, Some(vec![50, 50]));
                assert_eq!(faults(&record, "a"), [], "{:?}", record.errors);
                let at_start = at_start.map(|kind| (None, kind));
                let at_play = at_play.map(|kind| [(Some(0), kind), (Some(1), kind)]);
                let wanted: Vec<_> = at_start.into_iter().chain(at_play.into_iter().flatten()).collect();
                assert_eq!(faults(&record, "b"), wanted, "{:?}", record.errors);
                assert_eq!(record.faults(), [0, wanted.len()]);
                for fault in record.errors.iter().filter(|fault| fault.step.is_some()) {
                    let step = fault.step.unwrap();
                    assert_eq!(
                        fault.instead.as_ref(),
                        Some(&record.moves[step][1]),
                        "a legal move is made instead"
                    );
                }
            });
        }
        // Nobody at all listens there.
        let (game, good) = (&game, &good);
        scope.spawn(move || {
            let nobody = std::net::TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap();
            let unknown = "ludens.invalid:9147";
            let Ok(ludens_play::PlayerSpec::Remote(unknown)) = ludens_play::PlayerSpec::parse(unknown) else {
                panic!("no address");
            };
            let lost = remote::player(unknown, RemoteOptions::new(1, 1));
            for player in [elsewhere(nobody, 100), lost] {
                let record = play(&setup(game, vec![elsewhere(good.address(), 1000), player]));
                assert_eq!(record.end.reason, EndReason::Terminal);
                assert_eq!(record.faults(), [0, 3], "{:?}", record.errors);
            }
        });
    });
    await_that("the end of all matches", || {
        good.metrics().match_threads == 0 && good.metrics().set_ups == 0
    });
    assert_eq!(good.metrics().matches, 0);
    await_that("the end of all threads", || count("/proc/self/task") <= threads);
    await_that("the end of all file handles", || count("/proc/self/fd") <= handles);
    good.stop();
}
