//! Players and managers over sockets.

use super::{run, run_json};
use serde_json::Value;
use std::io::{BufRead, BufReader};
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
    assert_eq!(strings(&result["players"]), [&first.address, &second.address]);
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
    assert_eq!(strings(&one["players"]), ["random", &server.address]);
    let all = json(
        &[
            &["tournament", "tic-tac-toe", "--rounds", "1", "--players", &players][..],
            &clocks,
        ]
        .concat(),
    );
    assert_eq!(all["overall"][1]["player"], server.address);
    assert_eq!(all["overall"][1]["matches"], 2);
}

#[test]
fn players_that_are_not_there_are_faults() {
    let nobody = "127.0.0.1:1";
    let players = format!("{nobody},legal");
    let result = run(&[
        "manager",
        "tic-tac-toe",
        "--players",
        &players,
        "--start-clock",
        "1",
        "--play-clock",
        "1",
        "--json",
        "--matches",
        "2",
    ]);
    assert_eq!(result.status, 1);
    let result: Value = serde_json::from_str(&result.out).unwrap();
    let matches = result["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 2);
    for one in matches {
        let steps = one["moves"].as_array().unwrap().len();
        assert_eq!(one["faults"], serde_json::json!([steps + 1, 0]));
        assert_eq!(one["errors"][0]["kind"], "unreachable");
    }
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
