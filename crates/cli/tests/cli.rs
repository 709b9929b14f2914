//! The command line from outside: exit status, JSON and what a person at the terminal sees.

use assert_cmd::Command;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

/// A walk from a to c (50) or over b to d (100).
const WALK: &str = "(role you)
(init (at a))
(<= (legal you (go b))
    (true (at a)))
(<= (legal you (go c))
    (true (at a)))
(<= (legal you (go d))
    (true (at b)))
(<= (legal you stay)
    (true (at b)))
(<= (next (at ?x))
    (does you (go ?x)))
(<= (next (at ?x))
    (does you stay)
    (true (at ?x)))
(<= terminal
    (true (at c)))
(<= terminal
    (true (at d)))
(<= (goal you 50)
    (true (at c)))
(<= (goal you 100)
    (true (at d)))
(<= (goal you 0)
    (not terminal))
";

fn ludens(arguments: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("ludens");
    command.args(arguments).env("NO_COLOR", "1");
    command
}

/// Exit status, standard output and standard error.
struct Run {
    status: i32,
    out: String,
    err: String,
}

fn run_with(arguments: &[&str], input: &str) -> Run {
    let output = ludens(arguments).write_stdin(input).output().expect("ludens runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    let run = Run {
        status: output.status.code().expect("ludens ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!run.err.contains("panicked"), "{arguments:?}: {}", run.err);
    run
}

fn run(arguments: &[&str]) -> Run {
    run_with(arguments, "")
}

/// The one JSON value that a command prints, and its exit status.
fn run_json(arguments: &[&str]) -> (Value, i32) {
    let run = run(arguments);
    let value = serde_json::from_str(&run.out).unwrap_or_else(|error| {
        panic!(
            "{arguments:?} does not print one JSON value: {error}\n{}{}",
            run.out, run.err
        )
    });
    (value, run.status)
}

fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_str().expect("a plain path").to_string()
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

fn has_fields(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "{field} is missing in {value}");
    }
}

// check

#[test]
fn check_says_that_a_valid_game_is_valid() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let (value, status) = run_json(&["check", &walk, "--json"]);
    assert_eq!(status, 0);
    assert_eq!(
        value["files"],
        json!([{ "file": walk, "valid": true, "errors": [], "warnings": [] }])
    );
    let text = run(&["check", &walk]);
    assert_eq!(text.status, 0);
    assert!(text.out.contains("valid (0 errors, 0 warnings)"), "{}", text.out);
}

#[test]
fn check_finds_errors_with_code_and_place() {
    let folder = folder();
    let broken = file(
        &folder,
        "broken.kif",
        format!("{WALK}(<= (legal you ?m)\n  (true (at a)))\n"),
    );
    let (value, status) = run_json(&["check", &broken, "--json"]);
    assert_eq!(status, 1);
    let report = &value["files"][0];
    assert_eq!(report["valid"], json!(false));
    let error = &report["errors"][0];
    has_fields(error, &["code", "message", "line", "column"]);
    assert_eq!(error["code"], json!("E301"));
    assert_eq!(error["line"], json!(WALK.lines().count() + 1));
    assert_eq!(error["column"], json!(16));
    let text = run(&["check", &broken]);
    assert_eq!(text.status, 1);
    assert!(
        text.out.contains("E301") && text.out.contains("not valid (1 error, 0 warnings)"),
        "{}",
        text.out
    );
}

#[test]
fn check_takes_warnings_for_errors_if_strict() {
    let folder = folder();
    let odd = file(&folder, "odd.kif", format!("{WALK}(role you)\n"));
    let (value, status) = run_json(&["check", &odd, "--json"]);
    assert_eq!(status, 0);
    let report = &value["files"][0];
    assert_eq!(
        (&report["valid"], report["errors"].as_array().map(Vec::len)),
        (&json!(true), Some(0))
    );
    let codes: Vec<&str> = report["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|warning| warning["code"].as_str())
        .collect();
    assert!(codes.contains(&"W319"), "{codes:?}");
    has_fields(&report["warnings"][0], &["code", "message", "line", "column"]);
    let (value, status) = run_json(&["check", "--strict", &odd, "--json"]);
    assert_eq!(status, 1);
    let report = &value["files"][0];
    assert_eq!((&report["valid"], &report["warnings"]), (&json!(false), &json!([])));
    assert!(!report["errors"].as_array().expect("a list").is_empty());
}

#[test]
fn check_reports_on_several_files() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let broken = file(&folder, "broken.kif", "(role w");
    let (value, status) = run_json(&["check", &walk, &broken, "tic-tac-toe", "--json"]);
    assert_eq!(status, 1);
    let files = value["files"].as_array().expect("a list");
    let valid: Vec<_> = files.iter().map(|file| file["valid"].as_bool()).collect();
    assert_eq!(valid, [Some(true), Some(false), Some(true)]);
    assert_eq!(files[1]["file"], json!(broken));
    let (_, status) = run_json(&["check", &walk, "tic-tac-toe", "--json"]);
    assert_eq!(status, 0);
}

#[test]
fn check_of_a_missing_file_is_a_wrong_call() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let missing = folder.path().join("missing.kif");
    let missing = missing.to_str().expect("a plain path");
    let text = run(&["check", missing]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
    assert!(text.err.contains("missing.kif"), "{}", text.err);
    // The other files are still checked.
    let (value, status) = run_json(&["check", missing, &walk, "--json"]);
    assert_eq!(status, 2);
    assert_eq!(value["files"].as_array().map(Vec::len), Some(1));
    assert_eq!(run(&["check", folder.path().to_str().expect("a plain path")]).status, 2);
}

#[test]
fn check_reads_files_as_they_come_in_the_wild() {
    let folder = folder();
    let mut bytes = b"\xef\xbb\xbf; caf\xe9 \xff\r\n".to_vec();
    bytes.extend(WALK.to_uppercase().replace('\n', "\r\n").bytes());
    let (value, status) = run_json(&["check", &file(&folder, "wild.gdl", bytes), "--json"]);
    assert_eq!((status, &value["files"][0]["errors"]), (0, &json!([])));
    let outer = file(&folder, "wrapped.kif", format!("(\n{WALK})\n"));
    assert_eq!(run(&["check", &outer]).status, 0);
}

#[test]
fn check_survives_hostile_texts() {
    let folder = folder();
    let texts: [(&str, Vec<u8>); 6] = [
        ("empty.kif", Vec::new()),
        ("deep.kif", vec![b'('; 1_000_000]),
        ("closing.kif", vec![b')'; 100_000]),
        ("nul.kif", vec![0; 1000]),
        (
            "noise.kif",
            (0..20_000u32)
                .map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect(),
        ),
        ("infix.kif", b"p(".repeat(100_000)),
    ];
    for (name, bytes) in texts {
        let path = file(&folder, name, bytes);
        let (value, status) = run_json(&["check", &path, "--json"]);
        assert_eq!((status, &value["files"][0]["valid"]), (1, &json!(false)), "{name}");
        assert_eq!(run(&["check", &path]).status, 1, "{name}");
        for command in ["info", "perft", "play"] {
            let refused = run(&[command, &path]);
            assert_eq!(
                (refused.status, refused.out.as_str()),
                (1, ""),
                "{command} {name}: {}",
                refused.err
            );
        }
    }
}

#[test]
fn check_explains_its_codes() {
    let text = run(&["check", "--explain", "e304"]);
    assert_eq!(text.status, 0);
    assert!(text.out.starts_with("# E304"), "{}", text.out);
    assert_eq!(run(&["check", "--explain", "E999"]).status, 2);
}

// info, games

#[test]
fn info_has_the_fields_of_the_contract() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let (value, status) = run_json(&["info", &walk, "--json"]);
    assert_eq!(status, 0);
    has_fields(&value, &["name", "gates", "setup_seconds", "engine"]);
    assert_eq!(value["roles"], json!(["you"]));
    assert_eq!(value["fluents"], json!(4));
    assert_eq!(value["moves"], json!({ "you": 4 }));
    assert_eq!(value["turn_taking"], json!(true));
    assert_eq!(value["simultaneous"], json!(false));
    assert_eq!(value["constant_sum"], json!(false));
    assert!(["compiled", "interpreted"].contains(&value["engine"].as_str().expect("a name")));
}

#[test]
fn info_leaves_open_what_was_not_decided() {
    let (value, status) = run_json(&["info", "tic-tac-toe", "--seconds", "0", "--json"]);
    assert_eq!(status, 0);
    assert_eq!(value["roles"], json!(["x", "o"]));
    for field in ["turn_taking", "simultaneous", "constant_sum"] {
        assert_eq!(value[field], json!("unknown"), "{field}");
    }
}

#[test]
fn info_knows_simultaneous_games() {
    let (value, status) = run_json(&["info", "rock-paper-scissors", "--json"]);
    assert_eq!(status, 0);
    assert_eq!(
        (&value["turn_taking"], &value["simultaneous"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(value["constant_sum"], json!(true));
}

#[test]
fn games_lists_the_library() {
    let (value, status) = run_json(&["games", "--json"]);
    assert_eq!(status, 0);
    let games = value["games"].as_array().expect("a list");
    for game in games {
        has_fields(game, &["name", "title", "roles", "tags"]);
        assert!(!game["roles"].as_array().expect("a list").is_empty(), "{game}");
    }
    let text = run(&["games"]);
    assert_eq!(text.status, 0);
    for game in games {
        let name = game["name"].as_str().expect("a name");
        assert!(text.out.contains(name), "{name}");
    }
}

#[test]
fn the_games_of_the_contract_are_in_the_library() {
    let (value, _) = run_json(&["games", "--json"]);
    let games = value["games"].as_array().expect("a list");
    let names: Vec<&str> = games.iter().filter_map(|game| game["name"].as_str()).collect();
    let wanted = "tic-tac-toe connect-four connect-four-5x4 connect-four-5x5 connect-four-6x5 connect-four-8x6
        clobber-3x4 clobber-4x4 clobber-4x5 breakthrough breakthrough-small simultaneous-tic-tac-toe
        simultaneous-breakthrough-3x5 biased-rock-paper-scissors repeated-rock-paper-scissors-9 goofspiel-4 goofspiel-5
        goofspiel-6 goofspiel-7 smallest-3 pancakes-6 eight-puzzle predator-prey-4 predator-prey-5 predator-prey-6
        predator-prey-7 predator-prey-8 predator-prey-9 number-scrabble";
    let missing: Vec<&str> = wanted.split_whitespace().filter(|name| !names.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn games_shows_and_filters() {
    let text = run(&["games", "--show", "tic-tac-toe"]);
    assert_eq!(text.status, 0);
    assert!(text.out.contains("(role x)"), "{}", text.out);
    let (value, _) = run_json(&["games", "--show", "tic-tac-toe", "--json"]);
    assert_eq!(
        (&value["name"], &value["roles"]),
        (&json!("tic-tac-toe"), &json!(["x", "o"]))
    );
    let (value, _) = run_json(&["games", "--tag", "puzzle", "--json"]);
    let games = value["games"].as_array().expect("a list");
    assert!(!games.is_empty());
    assert!(games.iter().all(|game| {
        game["tags"]
            .as_array()
            .is_some_and(|tags| tags.contains(&json!("puzzle")))
    }));
    assert_eq!(run(&["games", "--show", "tic-tac-to"]).status, 2);
}

#[test]
fn games_generates_any_size_of_a_family() {
    let text = run(&["games", "--generate", "clobber", "--rows", "2", "--cols=3"]);
    assert_eq!((text.status, text.err.as_str()), (0, ""));
    let checked = run_with(&["check", "--json", "-"], &text.out);
    assert_eq!(checked.status, 0, "{}", checked.out);
    let (value, status) = run_json(&["games", "--generate", "clobber", "--rows", "2", "--cols", "3", "--json"]);
    assert_eq!((status, value["text"].as_str()), (0, Some(text.out.as_str())));
    let other = run(&["games", "--generate", "clobber", "--rows", "3", "--cols", "3"]);
    assert_ne!(other.out, text.out);
    let (value, _) = run_json(&["games", "--families", "--json"]);
    let families = value["families"].as_array().expect("a list");
    assert!(families.iter().any(|family| family["name"] == json!("clobber")));
}

#[test]
fn games_refuses_sizes_that_a_family_does_not_have() {
    let calls: [(&[&str], &str); 8] = [
        (&["clobber", "--rows", "99"], "from 1 to"),
        (&["clobber", "--rows", "-1"], "from 1 to"),
        (&["clobber", "--rows", "two"], "whole number"),
        (&["clobber", "--rows"], "needs a number"),
        (&["clobber", "--depth", "3"], "no parameter"),
        (&["clobber", "3"], "unexpected argument"),
        (&["clober"], "did you mean `clobber`?"),
        (&["tic-tac-toe-of-any-size"], "no family"),
    ];
    for (sizes, message) in calls {
        let arguments = [&["games", "--generate"], sizes].concat();
        let text = run(&arguments);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{arguments:?}");
        assert!(text.err.contains(message), "{arguments:?}: {}", text.err);
    }
    assert_eq!(run(&["games", "--rows", "3"]).status, 2);
}

// perft

#[test]
fn perft_counts_tic_tac_toe() {
    let (value, status) = run_json(&["perft", "tic-tac-toe", "--depth", "3", "--json"]);
    assert_eq!(status, 0);
    assert_eq!(value["nodes"], json!([1, 9, 72, 504]));
    assert_eq!(value["terminals"], json!([0, 0, 0, 0]));
    let (value, _) = run_json(&["perft", "tic-tac-toe", "--depth", "6", "--json"]);
    assert_eq!(value["nodes"], json!([1, 9, 72, 504, 3024, 15120, 54720]));
    assert_eq!(value["terminals"], json!([0, 0, 0, 0, 0, 1440, 5328]));
}

#[test]
fn perft_ends_lines_at_terminal_states() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let (value, status) = run_json(&["perft", &walk, "--depth", "3", "--json"]);
    assert_eq!(status, 0);
    // a; b or c; from b: d or b again; from b: d or b again.
    assert_eq!(value["nodes"], json!([1, 2, 2, 2]));
    assert_eq!(value["terminals"], json!([0, 1, 1, 1]));
    let (value, _) = run_json(&["perft", &walk, "--depth", "0", "--json"]);
    assert_eq!((&value["nodes"], &value["terminals"]), (&json!([1]), &json!([0])));
}

// replay

fn hash(terms: &[&str]) -> String {
    let mut sorted = terms.to_vec();
    sorted.sort_unstable();
    let digest = Sha256::digest(sorted.join("\n").as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// One match of the walk: a, b, d.
fn trace() -> Vec<Value> {
    let state = |step: usize, fact: &str, goal: Option<u8>| {
        json!({
            "playout": 0, "step": step, "facts": 1, "facts_sha": hash(&[fact]), "terminal": false, "goals": [goal],
        })
    };
    let mut start = state(0, "(at a)", Some(0));
    start["legal"] = json!([2]);
    start["legal_sha"] = json!([hash(&["(go c)", "(go b)"])]);
    start["move"] = json!(["(go b)"]);
    let mut middle = state(1, "(at b)", None);
    middle["legal"] = json!([2]);
    middle["legal_sha"] = json!([hash(&["(go d)", "stay"])]);
    middle["move"] = json!(["( GO  d )"]);
    let mut end = state(2, "(at d)", Some(100));
    end["terminal"] = json!(true);
    vec![json!({ "game": "walk", "roles": ["you"] }), start, middle, end]
}

fn lines(trace: &[Value]) -> String {
    trace.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn replay_agrees_with_a_faithful_trace() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let path = file(&folder, "walk.jsonl", lines(&trace()));
    for engine in ["auto", "interpreted"] {
        let (value, status) = run_json(&["replay", &walk, &path, "--engine", engine, "--json"]);
        assert_eq!(status, 0);
        assert_eq!((&value["steps"], &value["mismatches"]), (&json!(3), &json!(0)));
        assert_eq!(value.get("first_mismatch"), Some(&Value::Null));
    }
    assert_eq!(run(&["replay", &walk, &path]).status, 0);
}

#[test]
fn replay_finds_every_kind_of_mismatch() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    // What to change in which line of the trace, and where the first mismatch must be.
    let changes: [(usize, &str, Value, u64); 8] = [
        (1, "facts", json!(2), 0),
        (2, "facts_sha", json!(hash(&["(at c)"])), 1),
        (1, "legal", json!([3]), 0),
        (2, "legal_sha", json!([hash(&["stay"])]), 1),
        (2, "terminal", json!(true), 1),
        (3, "terminal", json!(false), 2),
        (3, "goals", json!([50]), 2),
        (3, "goals", json!([null]), 2),
    ];
    for (line, field, value, step) in changes {
        let mut trace = trace();
        trace[line][field] = value;
        let path = file(&folder, "changed.jsonl", lines(&trace));
        let (value, status) = run_json(&["replay", &walk, &path, "--json"]);
        assert_eq!(status, 1, "{field} in line {line}");
        assert!(value["mismatches"].as_u64() > Some(0));
        let first = &value["first_mismatch"];
        has_fields(first, &["playout", "step", "what", "expected", "got"]);
        assert_eq!(
            (&first["playout"], &first["step"]),
            (&json!(0), &json!(step)),
            "{field} in line {line}"
        );
        assert_ne!(first["expected"], first["got"]);
    }
    let mut trace = trace();
    trace[0]["roles"] = json!(["somebody"]);
    let path = file(&folder, "roles.jsonl", lines(&trace));
    let (_, status) = run_json(&["replay", &walk, &path, "--json"]);
    assert_eq!(status, 1);
}

#[test]
fn replay_compares_goals_before_the_end_only_where_both_have_one() {
    let folder = folder();
    let walk = file(
        &folder,
        "walk.kif",
        WALK.replace("(<= (goal you 0)\n    (not terminal))\n", ""),
    );
    let path = file(&folder, "walk.jsonl", lines(&trace()));
    let (value, status) = run_json(&["replay", &walk, &path, "--json"]);
    assert_eq!((status, &value["mismatches"]), (0, &json!(0)), "{value}");
}

#[test]
fn replay_of_something_that_is_no_trace_is_a_wrong_call() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    for (name, text) in [
        ("empty", ""),
        ("prose", "not a trace\n"),
        ("cut", "{\"game\":\"walk\",\"roles\":[\"you\"]}\n{\"play"),
    ] {
        let path = file(&folder, name, text);
        let text = run(&["replay", &walk, &path, "--json"]);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{name}: {}", text.err);
    }
    assert_eq!(run(&["replay", &walk, "no-such-trace.jsonl"]).status, 2);
    assert_eq!(run(&["replay", &walk]).status, 2);
}

// fmt

#[test]
fn fmt_prints_the_formatted_text() {
    let folder = folder();
    let path = file(&folder, "ugly.kif", "(role   w)(<= terminal(true f) ; end\n)");
    let text = run(&["fmt", &path]);
    assert_eq!(
        (text.status, text.out.as_str()),
        (0, "(role w)\n(<= terminal\n    (true f) ; end\n    )\n")
    );
    let piped = run_with(&["fmt", "-"], &text.out);
    assert_eq!((piped.status, piped.out), (0, text.out));
    let (value, status) = run_json(&["fmt", &path, "--json"]);
    assert_eq!((status, &value["files"][0]["changed"]), (0, &json!(true)));
}

#[test]
fn fmt_check_and_write_agree() {
    let folder = folder();
    let good = file(&folder, "good.kif", WALK);
    let ugly = file(&folder, "ugly.kif", WALK.replace("\n    ", " "));
    assert_eq!(run(&["fmt", "--check", &good]).status, 0);
    let text = run(&["fmt", "--check", &good, &ugly]);
    assert_eq!((text.status, text.out.as_str()), (1, ""));
    assert!(
        text.err.contains("ugly.kif") && !text.err.contains("good.kif"),
        "{}",
        text.err
    );
    let text = run(&["fmt", "--write", &good, &ugly]);
    assert_eq!((text.status, text.out.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(&ugly).expect("the file is there"), WALK);
    assert_eq!(run(&["fmt", "--check", &good, &ugly]).status, 0);
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder is there").collect();
    assert_eq!(names.len(), 2, "nothing else is left behind");
}

#[test]
fn fmt_converts_between_notations() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let infix = run(&["fmt", "--to", "infix", &walk]);
    assert_eq!(infix.status, 0);
    assert!(
        infix.out.starts_with("role(you)\ninit(at(a))\nlegal(you, go(b)) :-"),
        "{}",
        infix.out
    );
    let back = run_with(&["fmt", "--from", "infix", "--to", "kif", "-"], &infix.out);
    assert_eq!((back.status, back.out.as_str()), (0, WALK));
    let infix = file(&folder, "walk.gdl", infix.out);
    let (value, status) = run_json(&["perft", &infix, "--depth", "2", "--json"]);
    assert_eq!((status, &value["nodes"]), (0, &json!([1, 2, 2])));
}

#[test]
fn fmt_leaves_broken_texts_alone() {
    let folder = folder();
    let broken = "(role w)\n(legal w";
    let path = file(&folder, "broken.kif", broken);
    for flag in ["--write", "--check"] {
        let text = run(&["fmt", flag, &path]);
        assert_eq!((text.status, text.out.as_str()), (1, ""), "{flag}");
        assert!(text.err.contains("E101"), "{}", text.err);
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the file is there"), broken);
    assert_eq!(run(&["fmt", "--write", "--check", &path]).status, 2);
    assert_eq!(run(&["fmt", "--to", "prose", &path]).status, 2);
    // Standard input cannot be replaced.
    assert_eq!(run_with(&["fmt", "--write", "-"], "(role   w)").status, 2);
    assert_eq!(run(&["fmt", "missing.kif"]).status, 2);
}

// play

fn play(input: &str) -> Run {
    let folder = folder();
    run_with(&["play", &file(&folder, "walk.kif", WALK)], input)
}

#[test]
fn play_takes_moves_by_number() {
    // 1 is (go b); then 1 is (go d), 2 is stay.
    let text = play("1\n2\n1\n");
    assert_eq!(text.status, 0);
    for expected in [
        "you plays (go b)",
        "you plays stay",
        "you plays (go d)",
        "The match is over.",
        "you (you): 100",
    ] {
        assert!(text.out.contains(expected), "{expected} is not in\n{}", text.out);
    }
}

#[test]
fn play_takes_moves_by_text() {
    for spelling in ["(go c)", "go c", " ( GO   C ) ", "go(c)"] {
        let text = play(&format!("{spelling}\n"));
        assert_eq!(text.status, 0);
        assert!(
            text.out.contains("you plays (go c)") && text.out.contains("you (you): 50"),
            "{spelling}: {}",
            text.out
        );
    }
}

#[test]
fn play_asks_again_after_bad_input() {
    let text = play("0\n3\n(go d)\nnonsense (\n?x\n\n-1\n99999999999999999999\nlist\nstate\n2\n");
    assert_eq!(text.status, 0);
    assert_eq!(text.out.matches("is not a legal move").count(), 7, "{}", text.out);
    assert!(text.out.contains("you (you): 50"), "{}", text.out);
}

#[test]
fn play_ends_at_quit_and_at_the_end_of_the_input() {
    for input in ["quit\n", "q\n", "", "1\n", "1\nquit\n1\n"] {
        let text = play(input);
        assert_eq!(text.status, 0, "{input:?}");
        assert!(text.out.contains("You left the match."), "{input:?}: {}", text.out);
        assert!(!text.out.contains("The match is over."), "{input:?}: {}", text.out);
    }
}

#[test]
fn play_is_repeatable_with_a_seed() {
    let moves = "random\n".repeat(9);
    let runs: Vec<String> = (0..2)
        .map(|_| run_with(&["play", "tic-tac-toe", "--role", "O", "--seed", "7"], &moves).out)
        .collect();
    assert!(
        runs[0].contains("you are o") && runs[0].contains("The match is over."),
        "{}",
        runs[0]
    );
    assert_eq!(runs[0], runs[1]);
    let text = run(&["play", "tic-tac-toe", "--role", "nobody"]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
    assert!(text.err.contains("x, o"), "{}", text.err);
}

// Wrong calls

#[test]
fn an_unknown_game_gets_a_suggestion() {
    for command in ["info", "perft", "play", "check", "fmt"] {
        let text = run(&[command, "tic-tac-to"]);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{command}");
        assert!(
            text.err.contains("did you mean `tic-tac-toe`?"),
            "{command}: {}",
            text.err
        );
    }
    let text = run(&["info", "nothing-like-any-game-here"]);
    assert_eq!(text.status, 2);
    assert!(!text.err.contains("did you mean"), "{}", text.err);
}

#[test]
fn wrong_calls_end_with_status_2() {
    let calls: &[&[&str]] = &[
        &[],
        &["unknown-command"],
        &["--unknown-flag"],
        &["info"],
        &["info", "tic-tac-toe", "--unknown-flag"],
        &["info", "tic-tac-toe", "extra"],
        &["info", "tic-tac-toe", "--seconds", "-1"],
        &["info", "tic-tac-toe", "--seconds", "nan"],
        &["perft", "tic-tac-toe", "--depth", "many"],
        &["perft", "tic-tac-toe", "--depth", "-1"],
        &["check"],
        &["fmt"],
        &["replay", "tic-tac-toe"],
        &["replay", "tic-tac-toe", "x.jsonl", "--engine", "quantum"],
        &["play", "tic-tac-toe", "--seed", "x"],
        &["games", "stray"],
    ];
    for call in calls {
        let text = run(call);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{call:?}");
        assert!(!text.err.is_empty(), "{call:?} says nothing");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for call in [
        &["--help"][..],
        &["help"],
        &["--version"],
        &["perft", "--help"],
        &["games", "--help"],
    ] {
        let text = run(call);
        assert_eq!((text.status, text.err.as_str()), (0, ""), "{call:?}");
        assert!(!text.out.is_empty(), "{call:?}");
    }
}

#[test]
fn games_that_cannot_be_run_are_refused_with_status_1() {
    let folder = folder();
    let games = [
        (
            "unstratified.kif",
            "(role w) (legal w a) (<= p (not q)) (<= q (not p)) (<= terminal p) (goal w 100)",
        ),
        ("unclosed.kif", "(role w"),
        ("nobody.kif", "(legal w a) terminal (goal w 100)"),
        (
            "endless.kif",
            "(role w) (num 0) (<= (num (s ?x)) (num ?x)) (<= (legal w ?x) (num ?x))",
        ),
        (
            "later.kif",
            "(role w) (init (n 0)) (<= (num ?x) (true (n ?x))) (<= (num (s ?x)) (num ?x)) (<= (legal w ?x) (num ?x))",
        ),
    ];
    for (name, rules) in games {
        let path = file(&folder, name, rules);
        for command in ["info", "perft", "play"] {
            let text = run(&[command, &path]);
            assert_eq!(
                (text.status, text.out.as_str()),
                (1, ""),
                "{command} {name}: {}",
                text.err
            );
            assert!(text.err.contains("error: "), "{command} {name}: {}", text.err);
        }
    }
}

#[test]
fn json_is_one_value_whatever_the_command() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let path = file(&folder, "walk.jsonl", lines(&trace()));
    let calls: &[&[&str]] = &[
        &["check", &walk, "tic-tac-toe", "--json"],
        &["check", &walk, "--explore", "1", "--json"],
        &["check", "--explain", "E101", "--json"],
        &["info", &walk, "--json"],
        &["games", "--json"],
        &["games", "--families", "--json"],
        &["games", "--show", "tic-tac-toe", "--json"],
        &["games", "--generate", "clobber", "--json"],
        &["perft", &walk, "--depth", "2", "--json"],
        &["replay", &walk, &path, "--json"],
        &["fmt", &walk, "--json"],
    ];
    for call in calls {
        let (value, status) = run_json(call);
        assert!(value.is_object() && status == 0, "{call:?}");
    }
}

#[test]
fn nobody_reading_the_output_is_no_error() {
    // Commands that read standard input first: by then the reader of the output is gone.
    for arguments in [
        &["fmt", "-"][..],
        &["check", "-"],
        &["check", "--json", "-"],
        &["info", "--seconds", "0", "-"],
    ] {
        let mut child = std::process::Command::new(Path::new(env!("CARGO_BIN_EXE_ludens")))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ludens starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("piped");
        input.write_all(WALK.as_bytes()).expect("ludens reads its input");
        drop(input);
        let mut message = String::new();
        let mut errors = child.stderr.take().expect("piped");
        errors.read_to_string(&mut message).expect("the messages are UTF-8");
        let status = child.wait().expect("ludens ends");
        assert_eq!((status.code(), message.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
