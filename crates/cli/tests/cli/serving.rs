//! `ludens serve`: starts, answers, is killed, starts again.

use super::run;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(data: &Path) -> Server {
        let data = data.to_str().unwrap();
        Server::start_with(&["--log", "warn", "--data", data], Stdio::null())
    }

    fn start_with(arguments: &[&str], errors: Stdio) -> Server {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("ludens"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .trim()
            .strip_prefix("Ludens is at http://")
            .unwrap()
            .trim_end_matches('/');
        Server {
            address: address.to_string(),
            child,
        }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{text}"))
    }

    fn until(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let answer = self.ask("GET", path, &Value::Null);
            if is_wanted(&answer) {
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "{answer}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_kill_at_any_moment_costs_nothing_that_was_seen() {
    let folder = tempfile::tempdir().unwrap();
    let mut finished = String::new();
    for round in 0..3 {
        let server = Server::start(folder.path());
        if round > 0 {
            let kept = server.ask("GET", &finished, &Value::Null);
            assert_eq!(kept["status"], "finished", "matches that were over stay as they were");
        }
        let quick = json!({"game": "tic-tac-toe", "players": ["random", "random"], "pace": {"iterations": 1}});
        let made = server.ask("POST", "/api/matches", &quick);
        finished = format!("/api/matches/{}", made["id"].as_str().unwrap());
        server.until(&finished, |found| found["status"] == "finished");
        let slow = json!({"game": "connect-four", "players": ["uct", "uct"],
                          "pace": {"start_clock": 0.0, "play_clock": 0.05}});
        let made = server.ask("POST", "/api/matches", &slow);
        let path = format!("/api/matches/{}", made["id"].as_str().unwrap());
        let seen = server.until(&path, |found| found["step"].as_u64() >= Some(2 + round));
        // Dropping it kills the process without a word.
        drop(server);
        let server = Server::start(folder.path());
        let kept = server.ask("GET", &path, &Value::Null);
        assert_eq!(kept["status"], "interrupted");
        let (seen, kept) = (seen["moves"].as_array().unwrap(), kept["moves"].as_array().unwrap());
        assert_eq!(seen[..], kept[..seen.len()], "moves that somebody saw are kept");
        let states = server.ask("GET", &format!("{path}/states"), &Value::Null);
        assert_eq!(states["total"], kept.len() + 1);
    }
}

#[test]
fn a_kill_takes_back_no_move_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path());
    // The agent thinks for longer than the rest takes, so the joint move is not made.
    let wish = json!({"game": "rock-paper-scissors", "players": ["human", "uct"],
                      "pace": {"start_clock": 0.0, "play_clock": 300.0}});
    let made = server.ask("POST", "/api/matches", &wish);
    let path = format!("/api/matches/{}", made["id"].as_str().unwrap());
    server.until(&path, |found| found["waiting"] == json!([0]));
    let choice = json!({"key": made["key"], "step": 0, "role": 0, "move": "paper"});
    let acknowledged = server.ask("POST", &format!("{path}/moves"), &choice);
    assert_eq!(acknowledged["waiting"], json!([]), "{acknowledged}");
    // Dropping it kills the process without a word.
    drop(server);
    let kept = Server::start(folder.path()).ask("GET", &path, &Value::Null);
    assert_eq!((&kept["status"], &kept["step"]), (&json!("interrupted"), &json!(0)));
    assert_eq!(kept["unplayed"], json!([{"role": 0, "move": "paper"}]));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_server_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path());
    assert_eq!(server.ask("GET", "/api/health", &Value::Null), json!({"status": "ok"}));
    let status = Command::new("kill")
        .args(["-INT", &server.child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    let start = Instant::now();
    loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0));
            break;
        }
        assert!(start.elapsed() < PATIENCE, "the server does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_server_says_where_data_goes_and_logs_goals_as_numbers() {
    let mut server = Server::start_with(&["--no-data", "--log-json"], Stdio::piped());
    let quick = json!({"game": "tic-tac-toe", "players": ["random", "random"], "pace": {"iterations": 1}});
    let made = server.ask("POST", "/api/matches", &quick);
    let path = format!("/api/matches/{}", made["id"].as_str().unwrap());
    let ended = server.until(&path, |found| found["status"] == "finished");
    let lines = BufReader::new(server.child.stderr.take().unwrap()).lines();
    let mut lines = lines.map(|line| line.unwrap());
    let first = lines.next().unwrap();
    assert!(first.contains("in memory and lost when the server ends"), "{first}");
    let logged = lines
        .map(|line| serde_json::from_str::<Value>(&line).unwrap())
        .find(|line| line["message"] == "match ends")
        .expect("the end of a match is logged");
    let goals: Vec<String> = ended["goals"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    assert_eq!(logged["goals"], json!(goals.join(" ")));
}

#[test]
fn what_cannot_be_served_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let file = file.to_str().unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["serve", "--no-data", "--port", &port], "--port"),
        (&["serve", "--port", "0", "--data", file], "folder"),
        (&["serve", "--no-data", "--port", "0", "--token", " "], "token"),
        (&["serve", "--no-data", "--port", "99999"], "port"),
        (&["serve", "--no-data", "--host", "somewhere"], "host"),
    ];
    for (arguments, word) in cases {
        let run = run(arguments);
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.err.contains(word), "{arguments:?}: {}", run.err);
    }
}
