//! Agents and matches from the command line.

use super::*;
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A quick match with random players, as JSON.
const RANDOM_MATCH: [&str; 7] = [
    "match",
    "tic-tac-toe",
    "--players",
    "random,random",
    "--iterations",
    "1",
    "--json",
];

#[test]
fn agents_are_listed() {
    let text = run(&["agents", "--all"]);
    assert_eq!(text.status, 0);
    let (value, status) = run_json(&["agents", "--json"]);
    assert_eq!(status, 0);
    let agents = value["agents"].as_array().unwrap();
    for agent in agents {
        has_fields(agent, &["name", "summary", "settings"]);
        assert!(text.out.contains(agent["summary"].as_str().unwrap()));
        for setting in agent["settings"].as_array().unwrap() {
            has_fields(setting, &["name", "help", "kind", "default"]);
            if setting["default"].is_null() {
                continue;
            }
            let default = format!("{}={}", setting["name"].as_str().unwrap(), setting["default"]).replace('"', "");
            assert!(text.out.contains(default.trim_end_matches(".0")), "{default}");
        }
    }
    for name in ["random", "legal", "flat"] {
        assert!(agents.iter().any(|agent| agent["name"] == name), "{name}");
    }
}

#[test]
fn a_match_has_all_fields() {
    let players = "ucb( steps=50, c=40 ),random";
    let call = [
        "match",
        "tic-tac-toe",
        "--players",
        players,
        "--iterations",
        "50",
        "--seed",
        "4",
        "--json",
    ];
    let (value, status) = run_json(&call);
    assert_eq!(status, 0);
    assert_eq!(value["game"], "tic-tac-toe");
    assert_eq!(value["roles"], serde_json::json!(["x", "o"]));
    assert_eq!(value["players"], serde_json::json!(["ucb(steps=50)", "random"]));
    assert_eq!(value["errors"], serde_json::json!([]));
    assert_eq!(value["goals"].as_array().unwrap().len(), 2);
    assert_eq!(value["moves"][0].as_array().unwrap().len(), 2);
    has_fields(
        &value,
        &[
            "seconds",
            "seed",
            "version",
            "evaluations",
            "times",
            "end",
            "iterations",
        ],
    );
    let (again, _) = run_json(&call);
    assert_eq!((&again["moves"], &again["goals"]), (&value["moves"], &value["goals"]));
}

#[test]
fn games_of_all_kinds_are_played() {
    for (game, players, roles) in [
        ("eight-puzzle", "random", 1),
        ("goofspiel-4", "flat,legal", 2),
        ("smallest-3", "random,greedy,mobility", 3),
        ("kuhn-poker", "halving,random", 3),
        ("kuhn-poker", "halving,random,random", 3),
    ] {
        let (value, status) = run_json(&["match", game, "--players", players, "--iterations", "20", "--json"]);
        assert_eq!(status, 0, "{game}");
        assert_eq!(value["players"].as_array().unwrap().len(), roles);
        assert_eq!(value["goals"].as_array().unwrap().len(), roles);
    }
}

#[test]
fn clocks_are_kept() {
    let clocks = ["--start-clock", "0.1", "--play-clock", "0.05", "--margin", "20"];
    for more in [&[][..], &["--at-once"]] {
        let call = [
            &["match", "tic-tac-toe", "--players", "flat,halving", "--json"],
            &clocks[..],
            more,
        ]
        .concat();
        let (value, status) = run_json(&call);
        assert_eq!(status, 0);
        assert_eq!(
            (value["start_clock"].as_f64(), value["play_clock"].as_f64()),
            (Some(0.1), Some(0.05))
        );
        assert_eq!(value["evaluations"][0][0]["stop"], "deadline");
    }
}

#[test]
fn people_see_moves_and_goals() {
    let text = run(&[
        "match",
        "tic-tac-toe",
        "--players",
        "flat,legal",
        "--iterations",
        "900",
        "--seed",
        "1",
    ]);
    assert_eq!(text.status, 0);
    assert!(
        text.out.contains("tic-tac-toe, seed 1\nx: flat\no: legal\n"),
        "{}",
        text.out
    );
    assert!(text.out.contains("   1  x (mark 2 2) ["), "{}", text.out);
    assert!(text.out.contains(" in 900]   o noop\n"), "{}", text.out);
    assert!(text.out.contains("x (flat): 100\no (legal): 0\n"), "{}", text.out);
}

#[test]
fn missing_players_are_counted() {
    let text = run(&["match", "smallest-3", "--players", "random", "--iterations", "1"]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
    assert_eq!(
        text.err,
        "error: smallest-3 needs 3 players (alice, bob, carol); 1 given\n"
    );
    let text = run(&["match", "tic-tac-toe", "--players", "random,rando"]);
    assert!(text.err.contains("did you mean `random`?"), "{}", text.err);
}

#[test]
fn matches_without_a_result_say_so() {
    let folder = folder();
    let stuck = "(role you) (init (at a)) (<= (legal you go) (true (at a))) (<= (next (at b)) (does you go))
        (<= terminal (true (at c))) (<= (goal you 100) (true (at c)))";
    let stuck = file(&folder, "stuck.kif", stuck);
    let text = run(&["match", &stuck, "--players", "random", "--iterations", "1"]);
    assert_eq!(text.status, 1);
    assert!(
        text.out.contains("without a result: you has no legal move"),
        "{}",
        text.out
    );
    let (value, status) = run_json(&[&RANDOM_MATCH[..], &["--most-steps", "3"]].concat());
    assert_eq!((status, value["end"]["reason"].as_str()), (1, Some("too-long")));
    assert_eq!(value["goals"], Value::Null);
}

#[test]
fn records_are_written() {
    let folder = folder();
    let (own, exchanged) = (file(&folder, "own.json", ""), file(&folder, "ggp.json", ""));
    let (printed, _) = run_json(&[&RANDOM_MATCH[..], &["--record", &own, "--ggp-record", &exchanged]].concat());
    let read = |path: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap() };
    assert_eq!(read(&own), printed);
    let exchanged = read(&exchanged);
    assert_eq!(exchanged["goalValues"], printed["goals"]);
    assert!(exchanged["gameMetaURL"].as_str().unwrap().ends_with("/v0/"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_match_is_recorded() {
    let folder = folder();
    let path = file(&folder, "record.json", "");
    let call = [
        "match",
        "breakthrough-small",
        "--players",
        "random,flat",
        "--play-clock",
        "60",
        "--record",
        &path,
    ];
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ludens"))
        .args(call)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludens runs");
    // The first step is over at once, as only the first role has a choice; in the second, `flat` thinks for a minute.
    let mut seen = String::new();
    let out = child.stdout.take().expect("the output is piped");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(out));
    while !seen.contains("   1  ") {
        seen = lines
            .next()
            .expect("there is a first step")
            .expect("the output is text");
    }
    let start = Instant::now();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    let status = child.wait().expect("ludens ends");
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(status.code(), Some(1));
    assert!(rest.contains(&"The match was interrupted.".to_string()), "{rest:?}");
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(record["end"]["reason"], "interrupted");
    assert_eq!(record["moves"].as_array().unwrap().len(), 1);
    assert_eq!(record["errors"], serde_json::json!([]));
}

#[test]
fn open_matches_say_that_nothing_is_hidden() {
    let call = [
        "match",
        "kuhn-poker",
        "--players",
        "legal,legal",
        "--iterations",
        "1",
        "--seed",
        "1",
    ];
    assert_eq!(run(&call).err, "");
    let (value, status) = run_json(&[&call[..], &["--json"]].concat());
    assert_eq!((status, &value["notes"]), (0, &serde_json::json!([])), "{value}");
    assert_eq!((&value["gdl"], &value["information"]), (&2.into(), &"percepts".into()));
    let seen = value["percepts"][0].as_array().expect("one for each role");
    assert!(
        seen[0][0].as_str().is_some_and(|text| text.starts_with("(own_card")),
        "{value}"
    );
    assert_eq!(
        (seen[1].as_array().map(Vec::len), &seen[2]),
        (Some(1), &serde_json::Value::Null)
    );
    let open = [&call[..], &["--open"]].concat();
    let text = run(&open);
    assert!(text.err.contains("note: kuhn-poker hides information"), "{}", text.err);
    let (value, status) = run_json(&[&open[..], &["--json"]].concat());
    let notes = value["notes"].as_array().expect("a list");
    assert_eq!((status, notes.len()), (0, 1), "{value}");
    assert_eq!(value["information"], "open");
    let (value, _) = run_json(&[
        "match",
        "tic-tac-toe",
        "--players",
        "legal,legal",
        "--iterations",
        "1",
        "--json",
    ]);
    assert_eq!(value["notes"], json!([]));
}

#[test]
fn a_match_of_one_step_has_one_step() {
    let text = run(&[
        "match",
        "rock-paper-scissors",
        "--players",
        "legal,legal",
        "--iterations",
        "1",
    ]);
    assert!(text.out.contains("\n1 step in "), "{}", text.out);
}
