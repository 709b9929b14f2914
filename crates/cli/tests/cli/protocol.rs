//! Players and managers over sockets.

use super::{run, run_json};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Stdio};

/// A running player, ended with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(agent: &str) -> Server {
        let program = assert_cmd::cargo::cargo_bin!("ludens");
        let mut process = std::process::Command::new(program)
            .args(["player", "--port", "0", "--agent", agent, "--quiet"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("ludens runs");
        let mut line = String::new();
        let messages = process.stderr.take().expect("messages are read here");
        BufReader::new(messages)
            .read_line(&mut line)
            .expect("it says where it is");
        let address = line.trim().rsplit(' ').next().unwrap_or_default().to_string();
        Server { process, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The JSON of a command that says yes.
fn json(arguments: &[&str]) -> Value {
    let (value, status) = run_json(arguments);
    assert_eq!(status, 0, "{value}");
    value
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}

#[test]
fn a_manager_and_two_players() {
    let (first, second) = (Server::start("legal"), Server::start("random"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let players = format!("{},{}", first.address, second.address.trim_start_matches("http://"));
    let arguments = [
        "manager",
        "tic-tac-toe",
        "--players",
        &players,
        "--start-clock",
        "2",
        "--play-clock",
        "2",
    ];
    let result = json(
        &[
            &arguments[..],
            &["--json", "--scramble", "--save", path, "--ggp", "--spectate", "0"],
        ]
        .concat(),
    );
    assert_eq!(strings(&result["roles"]), ["x", "o"]);
    let named = |server: &Server| format!("ludens at {}", server.address);
    assert_eq!(strings(&result["players"]), [named(&first), named(&second)]);
    assert_eq!(result["faults"], serde_json::json!([0, 0]));
    assert_eq!(result["errors"], serde_json::json!([]));
    assert_eq!(result["goals"].as_array().unwrap().len(), 2);
    assert_eq!(result["end"]["reason"], "terminal");
    assert!(result["seconds"].as_f64().is_some() && result["game"] == "tic-tac-toe");
    let id = result["id"].as_str().unwrap();
    let saved = std::fs::read_to_string(folder.path().join(format!("{id}.json"))).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&saved).unwrap(), result);
    let ggp = std::fs::read_to_string(folder.path().join(format!("{id}.ggp.json"))).unwrap();
    let ggp: Value = serde_json::from_str(&ggp).unwrap();
    assert_eq!(
        (ggp["matchId"].as_str(), &ggp["scrambled"]),
        (Some(id), &Value::Bool(true))
    );
    assert_eq!(ggp["goalValues"], result["goals"]);
}

#[test]
fn addresses_stand_where_agents_may() {
    let server = Server::start("legal");
    let players = format!("random,{}", server.address);
    let clocks = ["--start-clock", "1", "--play-clock", "1", "--json"];
    let one = json(&[&["match", "tic-tac-toe", "--players", &players][..], &clocks].concat());
    let name = format!("ludens at {}", server.address);
    assert_eq!(strings(&one["players"]), ["random", &name]);
    let all = json(
        &[
            &["tournament", "tic-tac-toe", "--rounds", "1", "--players", &players][..],
            &clocks,
        ]
        .concat(),
    );
    assert_eq!(all["overall"][1]["player"], name);
    assert_eq!(all["overall"][1]["matches"], 2);
    assert_eq!(all["overall"][1]["failed"], 0);
}

/// Starts a player that says who it is, but answers nothing else. It ends with the tests.
fn mute() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut text = String::new();
            let mut piece = [0; 4096];
            while !text.ends_with(')') {
                match stream.read(&mut piece) {
                    Ok(count) if count > 0 => text += &String::from_utf8_lossy(&piece[..count]),
                    _ => break,
                }
            }
            if text.ends_with("(INFO)") {
                let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n((name Mute) (status available))");
            }
        }
    });
    address
}

const CLOCKS: [&str; 4] = ["--start-clock", "1", "--play-clock", "1"];

#[test]
fn nothing_is_played_with_a_player_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let store = folder.path().join("store");
    let players = ["--players", "127.0.0.1:1,legal"];
    let (saved_text, store_text) = (saved.to_str().unwrap(), store.to_str().unwrap());
    for call in [
        &["match", "tic-tac-toe"][..],
        &["manager", "tic-tac-toe", "--save", saved_text, "--matches", "2"],
        &["tournament", "tic-tac-toe", "--rounds", "1", "--store", store_text],
    ] {
        let result = run(&[call, &players, &CLOCKS, &["--json"]].concat());
        assert_eq!(result.status, 2, "{call:?}: {}{}", result.out, result.err);
        assert_eq!(result.out, "", "{call:?}");
        for part in ["http://127.0.0.1:1", "ludens player --port", "--players"] {
            assert!(result.err.contains(part), "{call:?}: {}", result.err);
        }
    }
    assert!(!saved.exists() && !store.exists(), "nothing was begun");
}

#[test]
fn players_that_fail_have_it_in_their_row_and_in_the_exit_status() {
    let address = mute();
    let name = format!("mute at http://{address}");
    let players = format!("{address},legal");
    let call = |first: &[&str], last: &[&str]| run(&[first, &["--players", &players], &CLOCKS, last].concat());
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();

    let tournament = ["tournament", "tic-tac-toe", "--rounds", "1"];
    let result = call(&tournament, &["--json"]);
    assert_eq!(result.status, 1, "{}", result.err);
    let json = parse(&result.out);
    assert_eq!(json["overall"][0]["player"], name);
    let failed = json["overall"][0]["failed"].as_u64().unwrap();
    assert_eq!((Some(failed), true), (json["faults"].as_u64(), failed > 0));
    assert_eq!(json["overall"][1]["failed"], 0);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let store = store.to_str().unwrap();
    let result = call(&tournament, &["--store", store]);
    assert_eq!(result.status, 1);
    let read_again = run(&["tournament", "--store", store]);
    assert_eq!((read_again.status, &read_again.out), (1, &result.out));
    let row = |name: &str| {
        let line = result.out.lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{name} in {}", result.out)).trim_end()
    };
    assert!(row("player").ends_with("failed"), "{}", result.out);
    assert!(!row(&name).ends_with(" 0"), "{}", result.out);
    assert!(row("legal").ends_with(" 0"), "{}", result.out);

    let result = call(&["manager", "tic-tac-toe"], &["--json", "--matches", "2"]);
    assert_eq!(result.status, 1);
    let json = parse(&result.out);
    for one in json["matches"].as_array().unwrap() {
        let steps = one["moves"].as_array().unwrap().len();
        assert_eq!(strings(&one["players"]), [&name, "legal"]);
        assert_eq!(one["faults"], serde_json::json!([steps + 1, 0]));
        assert_eq!(one["errors"][0]["kind"], "unreachable");
    }
    let result = call(&["match", "tic-tac-toe"], &[]);
    assert_eq!(result.status, 1);
    let row = result
        .out
        .lines()
        .find(|line| line.starts_with(&format!("x ({name}): ")));
    assert!(row.is_some_and(|row| row.ends_with(" failures")), "{}", result.out);
}

#[test]
fn wrong_calls_of_players_and_managers() {
    for (arguments, message) in [
        (&["player", "--agent", "nobody"][..], "there is no agent `nobody`"),
        (&["player", "--port", "0", "--name", "two words"], "letters, digits"),
        (&["player", "--port", "0", "--most-matches", "0"], "--most-matches"),
        (
            &["manager", "tic-tac-toe", "--players", "https://a:1,random"],
            "only `http` is spoken",
        ),
        (&["manager", "tic-tac-toe", "--players", "a:1"], "needs 2 players"),
        (
            &["manager", "tic-tac-toe", "--players", "a:1,b:2", "--play-clock", "0"],
            "--play-clock",
        ),
        (
            &["manager", "tic-tac-toe", "--players", "a:1,b:2", "--matches", "0"],
            "--matches",
        ),
        (
            &["match", "tic-tac-toe", "--players", "a:1,random", "--iterations", "5"],
            "whole seconds",
        ),
        (
            &["match", "tic-tac-toe", "--players", "a:1,random", "--play-clock", "0.5"],
            "whole seconds",
        ),
    ] {
        let result = run(arguments);
        assert_eq!(result.status, 2, "{arguments:?}");
        assert!(result.err.contains(message), "{arguments:?}: {}", result.err);
    }
}
