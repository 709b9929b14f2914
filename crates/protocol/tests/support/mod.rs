//! What tests of sockets share: players that misbehave, raw requests, and waiting without guessing times.
#![allow(dead_code)]

use ludens_engine::Game;
use ludens_play::{AgentSpec, Pace, Player, PlayerSpec, RemoteAddress, Setup};
use ludens_protocol::player::{PlayerOptions, PlayerServer};
use ludens_protocol::remote::{self, RemoteOptions};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub fn agent(spec: &str) -> Player {
    AgentSpec::parse(spec).unwrap().into()
}

pub fn server(spec: &str) -> PlayerServer {
    PlayerServer::start("127.0.0.1:0", PlayerOptions::new(agent(spec))).unwrap()
}

/// A player, and what it writes about its matches.
pub fn logged(spec: &str) -> (PlayerServer, Arc<Mutex<Vec<String>>>) {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let log = notes.clone();
    let options = PlayerOptions {
        log: Arc::new(move |text: &str| log.lock().unwrap().push(text.to_string())),
        ..PlayerOptions::new(agent(spec))
    };
    (PlayerServer::start("127.0.0.1:0", options).unwrap(), notes)
}

pub fn address(place: SocketAddr) -> RemoteAddress {
    match PlayerSpec::parse(&place.to_string()).unwrap() {
        PlayerSpec::Remote(address) => address,
        PlayerSpec::Agent(_) => unreachable!("addresses have a colon"),
    }
}

/// A player at an address, with clocks of a second and the given slack in milliseconds.
pub fn elsewhere(place: SocketAddr, slack: u64) -> Player {
    let options = RemoteOptions {
        slack: Duration::from_millis(slack),
        ..RemoteOptions::new(1, 1)
    };
    remote::player(address(place), options)
}

pub fn seconds(start: u64, play: u64) -> Pace {
    Pace::Clocks {
        start: Duration::from_secs(start),
        play: Duration::from_secs(play),
    }
}

pub fn setup(game: &Game, players: Vec<Player>) -> Setup {
    Setup {
        at_once: true,
        ..Setup::new(game.clone(), players, seconds(1, 1))
    }
}

/// Waits until something holds, for a minute at most.
pub fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < until, "{what} does not come to hold");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends bytes and reads until the other side closes.
pub fn raw(place: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(place).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server may answer before it has read everything.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).to_string()
}

/// Sends a message as the managers of the field do, and gives the text of the answer.
pub fn say(place: SocketAddr, message: &str) -> String {
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: x\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n{message}",
        message.len()
    );
    body(&raw(place, request.as_bytes()))
}

pub fn body(answer: &str) -> String {
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\n"), "{answer:?}");
    answer.split_once("\r\n\r\n").unwrap().1.to_string()
}

/// What a stub player does with a connection after it has read the request.
pub type Behaviour = fn(&str, TcpStream);

/// A player that does something odd with every connection, until it is dropped.
pub struct Stub {
    pub place: SocketAddr,
    is_over: Arc<AtomicBool>,
    open: Arc<AtomicUsize>,
}

impl Stub {
    pub fn new(behaviour: Behaviour) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let open = Arc::new(AtomicUsize::new(0));
        let (over, count) = (is_over.clone(), open.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(stream), count) = (stream, count.clone()) else {
                    continue;
                };
                count.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || {
                    attend(stream, behaviour);
                    count.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        Stub { place, is_over, open }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.place);
        await_that("the end of a stub's connections", || {
            self.open.load(Ordering::Relaxed) == 0
        });
    }
}

fn attend(mut stream: TcpStream, behaviour: Behaviour) {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    // Requests end with a closing parenthesis and announce their length.
    loop {
        let text = String::from_utf8_lossy(&bytes).to_string();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            if length.and_then(|length| length.parse().ok()) == Some(body.len()) {
                return behaviour(body, stream);
            }
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return,
        }
    }
}

pub fn reply(mut stream: TcpStream, text: &str) {
    let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\n{text}").as_bytes());
}

/// Waits until the other side has had enough.
pub fn wait_for_the_end(mut stream: TcpStream) {
    let mut rest = [0; 64];
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}
