//! The command that measures: bench. What is asserted are facts about the output, never how fast something was.

use super::*;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;

/// Rules that can be read but have no meaning.
const UNSTRATIFIED: &str = "(role w) (legal w a) (<= p (not q)) (<= q (not p)) (<= terminal p) (goal w 100)";

fn read_json(path: &str) -> Value {
    let text = std::fs::read_to_string(path).expect("the file was written");
    serde_json::from_str(&text).expect("the file is JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

// One game

#[test]
fn bench_has_the_fields_of_the_contract() {
    for (engine, threads) in [("compiled", "1"), ("interpreted", "2")] {
        let call = ["bench", "tic-tac-toe", "--json", "--seconds", "0.1"];
        let (value, status) = run_json(&[&call[..], &["--engine", engine, "--threads", threads]].concat());
        assert_eq!(status, 0);
        has_fields(&value, &["setup_seconds", "seconds"]);
        assert_eq!(
            (&value["game"], &value["engine"]),
            (&json!("tic-tac-toe"), &json!(engine))
        );
        assert_eq!(value["threads"].to_string(), threads);
        assert_eq!(value["unfinished"], json!(0));
        let [playouts, states, seconds] = ["playouts", "states", "seconds"].map(|field| number(&value[field]));
        // A match takes from five to nine moves.
        assert!(
            playouts > 0.0 && (5.0 * playouts..=9.0 * playouts).contains(&states),
            "{value}"
        );
        assert!(
            is_close(number(&value["playouts_per_second"]), playouts / seconds),
            "{value}"
        );
        assert!(
            is_close(number(&value["states_per_second"]), states / seconds),
            "{value}"
        );
    }
}

#[test]
fn bench_plays_at_least_one_match() {
    for engine in ["compiled", "interpreted"] {
        let (value, status) = run_json(&["bench", "tic-tac-toe", "--engine", engine, "--seconds", "0", "--json"]);
        assert!(status == 0 && number(&value["playouts"]) >= 1.0, "{value}");
    }
}

#[test]
fn bench_counts_what_is_cut_off_apart() {
    let call = ["bench", "tic-tac-toe", "--seconds", "0", "--most-steps", "2", "--json"];
    let (value, status) = run_json(&call);
    assert_eq!((status, &value["playouts"]), (0, &json!(0)));
    assert_eq!(number(&value["states"]), 2.0 * number(&value["unfinished"]));
}

#[test]
fn bench_saves_one_game() {
    let folder = folder();
    let path = folder.path().join("saved.json");
    let path = path.to_str().expect("a plain path");
    let (value, status) = run_json(&["bench", "tic-tac-toe", "--seconds", "0", "--save", path, "--json"]);
    assert_eq!(status, 0);
    let saved = read_json(path);
    assert_eq!(saved["ludens"], json!(env!("CARGO_PKG_VERSION")));
    assert_eq!((&saved["threads"], &saved["seconds"]), (&json!(1), &json!(0.0)));
    assert_eq!(saved["results"], json!([value]));
    // A folder that is not there is found out before anything is measured.
    let missing = folder.path().join("missing/saved.json");
    let missing = missing.to_str().expect("a plain path");
    let text = run(&["bench", "tic-tac-toe", "--seconds", "1000", "--save", missing]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
    assert!(text.err.contains("cannot write"), "{}", text.err);
}

// Many games

#[test]
fn bench_suite_measures_both_engines() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    let call = ["bench", "--suite", "tic-tac-toe", &walk, "--seconds", "0.05", "--json"];
    let (value, status) = run_json(&call);
    assert_eq!(status, 0);
    let rows = value["suite"].as_array().expect("a list");
    let games: Vec<&Value> = rows.iter().map(|row| &row["game"]).collect();
    assert_eq!(games, [&json!("tic-tac-toe"), &json!(walk)]);
    let mut product = 1.0;
    for row in rows {
        assert_eq!(row["engine"], json!("compiled"));
        assert_eq!(row["interpreted"]["engine"], json!("interpreted"));
        assert!(number(&row["gates"]) > 0.0, "{row}");
        has_fields(
            row,
            &["setup_seconds", "playouts", "states", "states_per_second", "threads"],
        );
        let ratio = number(&row["playouts_per_second"]) / number(&row["interpreted"]["playouts_per_second"]);
        assert!(is_close(number(&row["ratio"]), ratio), "{row}");
        product *= ratio;
    }
    assert!(is_close(number(&value["geometric_mean_ratio"]), f64::sqrt(product)));
    let text = run(&["bench", "--suite", "tic-tac-toe", &walk, "--seconds", "0"]);
    assert_eq!((text.status, text.err.as_str()), (0, ""));
    for word in [
        "playouts/s",
        "tic-tac-toe",
        " walk ",
        "compiled",
        "geometric mean of the ratios",
    ] {
        assert!(text.out.contains(word), "{word}: {}", text.out);
    }
}

#[test]
fn bench_suite_has_a_set_of_its_own() {
    let (value, status) = run_json(&["bench", "--suite", "--seconds", "0", "--json"]);
    assert_eq!(status, 0);
    let rows = value["suite"].as_array().expect("a list");
    assert!(rows.len() >= 10);
    assert!(rows.iter().all(|row| row["engine"] == json!("compiled")), "{value}");
}

#[test]
fn bench_suite_goes_on_after_games_that_fail() {
    let folder = folder();
    let broken = file(&folder, "broken.kif", UNSTRATIFIED);
    let path = folder.path().join("saved.json");
    let path = path.to_str().expect("a plain path");
    let call = [
        "bench",
        "--suite",
        "no-such-game",
        &broken,
        "tic-tac-toe",
        "--seconds",
        "0",
    ];
    let (value, status) = run_json(&[&call[..], &["--json", "--save", path]].concat());
    assert_eq!(status, 1);
    let rows = value["suite"].as_array().expect("a list");
    assert_eq!(rows.len(), 3);
    for (row, game) in rows.iter().zip(["no-such-game", &broken]) {
        assert_eq!(row["game"], json!(game));
        assert!(row["error"].is_string() && row.get("playouts").is_none(), "{row}");
    }
    assert!(rows[2].get("error").is_none() && rows[2]["ratio"].is_number());
    assert_eq!(read_json(path)["results"], value["suite"]);
    let text = run(&call);
    assert_eq!(text.status, 1);
    assert!(text.out.contains("no-such-game is neither a file nor"), "{}", text.out);
    // With nothing measured there is no mean.
    let (value, status) = run_json(&["bench", "--suite", &broken, "--json"]);
    assert_eq!((status, value.get("geometric_mean_ratio")), (1, Some(&Value::Null)));
}

#[cfg(target_os = "linux")]
#[test]
fn bench_suite_shows_what_is_done_when_interrupted() {
    let folder = folder();
    let path = folder.path().join("saved.json");
    let child = std::process::Command::new(Path::new(env!("CARGO_BIN_EXE_ludens")))
        .args([
            "bench",
            "--suite",
            "no-such-game",
            "tic-tac-toe",
            "--seconds",
            "1000",
            "--json",
            "--save",
        ])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ludens starts");
    // The main thread, those of the handler and of the progress bar, and the one that measures the second game.
    interrupt_at_threads(&child, 4);
    let output = child.wait_with_output().expect("ludens ends");
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    assert_eq!(value["suite"].as_array().map(Vec::len), Some(1), "{value}");
    assert_eq!(value["suite"][0]["game"], json!("no-such-game"));
}

// Comparing

/// A file with these speeds, as `--save` writes it.
fn saved(folder: &TempDir, name: &str, speeds: &[(&str, f64)]) -> String {
    let results: Vec<Value> = speeds
        .iter()
        .map(|(game, speed)| json!({ "game": game, "playouts_per_second": speed }))
        .collect();
    file(
        folder,
        name,
        json!({ "ludens": "0.1.0", "results": results }).to_string(),
    )
}

#[test]
fn bench_compares_saved_results() {
    let folder = folder();
    let before = saved(
        &folder,
        "before.json",
        &[("a", 100.0), ("games/b.kif", 10.0), ("c", 5.0)],
    );
    let after = saved(
        &folder,
        "after.json",
        &[("other/b.kif", 80.0), ("a", 200.0), ("d", 0.0)],
    );
    let (value, status) = run_json(&["bench", "--compare", &before, &after, "--json"]);
    assert_eq!(status, 0);
    assert_eq!(value["files"], json!(["before", "after"]));
    assert_eq!(
        value["games"],
        json!([
            { "game": "a", "playouts_per_second": [100.0, 200.0], "ratios": [1.0, 2.0], "spreads": [null, null] },
            { "game": "b", "playouts_per_second": [10.0, 80.0], "ratios": [1.0, 8.0], "spreads": [null, null] },
            { "game": "c", "playouts_per_second": [5.0, null], "ratios": [1.0, null], "spreads": [null, null] },
            { "game": "d", "playouts_per_second": [null, 0.0], "ratios": [null, null], "spreads": [null, null] },
        ])
    );
    assert!(is_close(number(&value["geometric_mean_ratios"][1]), 4.0));
    let text = run(&["bench", "--compare", &before, &after]);
    assert_eq!((text.status, text.err.as_str()), (0, ""));
    for word in ["before", "after", "ratio", "8.00", "geometric mean", "4.00"] {
        assert!(text.out.contains(word), "{word}: {}", text.out);
    }
}

#[test]
fn bench_compares_programs_in_turns() {
    let folder = folder();
    // Stand-ins for two builds: the second has half the speed in every round.
    let speeds = [("before", 1000), ("after", 500)];
    let programs = speeds.map(|(name, speed)| {
        let script = format!("#!/bin/sh\necho '{{\"game\": \"'$2'\", \"playouts_per_second\": {speed}}}'\n");
        let path = file(&folder, name, script);
        let mut permissions = std::fs::metadata(&path).expect("the file is there").permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&path, permissions).expect("the file is ours");
        path
    });
    let [before, after] = &programs;
    let call = [
        "bench",
        "hex",
        "tron",
        "--rounds",
        "3",
        "--json",
        "--compare",
        before,
        after,
    ];
    let (value, status) = run_json(&call);
    assert_eq!(status, 1, "the loss is the answer");
    assert_eq!(value["games"][1]["game"], "tron");
    assert_eq!(value["games"][1]["ratios"], json!([1.0, 0.5]));
    assert_eq!(value["games"][1]["spreads"], json!([[1.0, 1.0], [0.5, 0.5]]));
    let text = run(&["bench", "hex", "--rounds", "2", "--compare", before, after]);
    assert!(text.out.contains("more than 3 % slower"), "{}", text.out);
    let (_, status) = run_json(&["bench", "hex", "--json", "--compare", after, before]);
    assert_eq!(status, 0, "a gain is no loss");
    let saved = saved(&folder, "saved.json", &[("hex", 100.0)]);
    assert_eq!(run(&["bench", "--compare", before, &saved]).status, 2);
}

#[test]
fn bench_draws_saved_results() {
    let folder = folder();
    let before = saved(
        &folder,
        "before.json",
        &[("first-game", 100.0), ("second-game", 2_000_000.0)],
    );
    let after = saved(&folder, "after.json", &[("first-game", 250.0)]);
    let plot = folder.path().join("plot.svg");
    let plot = plot.to_str().expect("a plain path");
    let text = run(&["bench", "--compare", &before, &after, "--plot", plot]);
    assert_eq!((text.status, text.err.as_str()), (0, ""));
    let svg = std::fs::read_to_string(plot).expect("the plot was written");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for word in [
        "first-game",
        "second-game",
        "before",
        "after",
        "250",
        "2M",
        "playouts a second",
    ] {
        assert!(svg.contains(word), "{word}: {svg}");
    }
}

#[test]
fn bench_compares_what_it_saved() {
    let folder = folder();
    let paths = ["interpreted", "compiled"].map(|engine| {
        let path = folder.path().join(engine);
        let path = path.to_str().expect("a plain path").to_string();
        let call = [
            "bench",
            "tic-tac-toe",
            "--seconds",
            "0.05",
            "--engine",
            engine,
            "--save",
            &path,
        ];
        assert_eq!(run(&call).status, 0);
        path
    });
    let (value, status) = run_json(&["bench", "--compare", &paths[0], &paths[1], "--json"]);
    assert_eq!((status, &value["games"][0]["game"]), (0, &json!("tic-tac-toe")));
    assert!(number(&value["geometric_mean_ratios"][1]) > 0.0);
}

#[test]
fn bench_compares_only_what_was_saved() {
    let folder = folder();
    let good = saved(&folder, "good.json", &[("a", 100.0)]);
    let texts = ["", "{}", "[1, 2]", "not JSON", "{\"results\": 5}"];
    for (number, text) in texts.iter().enumerate() {
        let bad = file(&folder, &format!("bad{number}.json"), text);
        let text = run(&["bench", "--compare", &good, &bad]);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{bad}");
        assert!(text.err.contains(&bad), "{}", text.err);
    }
    let missing = folder.path().join("missing.json");
    let text = run(&["bench", "--compare", &good, missing.to_str().expect("a plain path")]);
    assert_eq!(text.status, 2);
    let text = run(&[
        "bench",
        "--compare",
        &good,
        &good,
        "--plot",
        folder.path().to_str().expect("a plain path"),
    ]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
}
