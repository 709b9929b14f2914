//! `solve`, `query`, `annotate` and `endgame`.

use super::{WALK, file, folder, has_fields, run, run_json};
use serde_json::{Value, json};

#[test]
fn solving_has_all_fields() {
    let (result, status) = run_json(&["solve", "tic-tac-toe", "--method", "explicit", "--json"]);
    assert_eq!(status, 0);
    has_fields(
        &result,
        &[
            "method",
            "values",
            "reachable",
            "terminal",
            "layers",
            "classified",
            "unclassified",
            "buckets",
            "nodes",
            "peak_nodes",
            "seconds",
            "complete",
        ],
    );
    assert_eq!(result["values"], json!({"x": 50, "o": 50}));
    let counts = ["reachable", "terminal", "classified", "unclassified"].map(|field| result[field].clone());
    assert_eq!(counts, ["5478", "958", "5478", "0"].map(Value::from));
    assert_eq!((&result["layers"], &result["complete"]), (&json!(10), &json!(true)));
    assert_eq!(result["buckets"][0], json!({"goals": [0, 100], "states": "1474"}));
    let (result, status) = run_json(&["solve", "tic-tac-toe", "--reachable-only", "--json"]);
    assert_eq!(
        (status, &result["values"], &result["reachable"]),
        (0, &Value::Null, &json!("5478"))
    );
}

#[test]
fn people_see_what_was_found() {
    let run = run(&["solve", "predator-prey-4", "--method", "explicit", "--distances"]);
    assert_eq!(run.status, 0);
    assert!(
        run.out.contains("value                predators 100, prey 0"),
        "{}",
        run.out
    );
    assert!(run.out.contains("8                 19,584"), "{}", run.out);
}

#[test]
fn limits_are_a_partial_answer() {
    let little = ["solve", "connect-four-4x4", "--method", "explicit", "--memory", "2M"];
    let (result, status) = run_json(&[&little[..], &["--json"]].concat());
    assert_eq!(
        (status, &result["complete"], &result["values"]),
        (1, &json!(false), &Value::Null)
    );
    assert_ne!(result["reachable"], "0");
    assert!(result["stopped"].as_str().unwrap().contains("memory"));
    assert!(run(&little).err.contains("--memory"));
    let symbolic = ["solve", "connect-four", "--method", "symbolic", "--memory", "100M"];
    let (result, status) = run_json(&[&symbolic[..], &["--json"]].concat());
    assert_eq!((status, &result["complete"]), (1, &json!(false)));
    assert_eq!(result["layer_states"][2], "49");
    assert!(result["nodes"].as_u64().unwrap() > 0 && result["peak_nodes"].as_u64().unwrap() > 100_000);
    assert!(result["stopped"].as_str().unwrap().contains("100 MiB of memory"));
    let short = [
        "solve",
        "connect-four",
        "--method",
        "explicit",
        "--seconds",
        "0.2",
        "--json",
    ];
    let (result, status) = run_json(&short);
    assert_eq!((status, &result["stopped"]), (1, &json!("the time was over")));
}

#[test]
fn wrong_questions_are_refused() {
    for (arguments, part) in [
        (&["solve", "goofspiel-4", "--method", "symbolic"][..], "symbolic"),
        (&["solve", "kuhn-poker"], "chance"),
        (&["solve", "tic-tac-toe", "--memory", "many"], "unknown unit"),
        (&["solve", "tic-tac-toe", "--save", "/nowhere/at/all"], "cannot write"),
        (&["query", "/nowhere/at/all"], "cannot read"),
    ] {
        let run = run(arguments);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{arguments:?}");
        assert!(run.err.contains(part), "{}", run.err);
    }
    let (result, status) = run_json(&["solve", "stag-hunt", "--json"]);
    assert_eq!((status, &result["complete"]), (1, &json!(false)));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_shows_what_was_found() {
    use std::process::Stdio;
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ludens"))
        .args([
            "solve",
            "connect-four",
            "--method",
            "explicit",
            "--threads",
            "4",
            "--json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The four workers, the main thread and that of the handler.
    super::interrupt_at_threads(&child, 6);
    let output = child.wait_with_output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &result["stopped"]),
        (Some(1), &json!("it was interrupted"))
    );
}

#[test]
fn solutions_are_queried_and_mistakes_annotated() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let solution = path("Solution.bin");
    assert_eq!(run(&["solve", "tic-tac-toe", "--save", &solution]).status, 0);
    let (result, status) = run_json(&["query", &solution, "(mark 2 2) noop", "(MARK 1 2)", "--json"]);
    assert_eq!(
        (status, &result["values"], &result["to_move"]),
        (0, &json!({"x": 100, "o": 0}), &json!("x"))
    );
    assert_eq!(
        (&result["distance"], result["moves"].as_array().unwrap().len()),
        (&json!(5), 7)
    );
    assert_eq!(result["line"].as_array().unwrap().len(), 5);
    assert!(run(&["query", &solution]).out.contains("best play"));
    let (bare, status) = run_json(&["query", &solution, "mark 2 2", "MARK 1 2", "--json"]);
    assert_eq!((status, &bare), (0, &result));
    let wrong = run(&["query", &solution, "(mark 2 2)", "(mark 2 2)"]);
    assert!(wrong.status == 2 && wrong.err.contains("step 2"), "{}", wrong.err);

    let (record, exchange) = (path("record.json"), path("exchange.json"));
    let players = format!("random,perfect(solution={solution})");
    let played = [
        "match",
        "tic-tac-toe",
        "--players",
        &players,
        "--iterations",
        "1",
        "--seed",
        "5",
        "--record",
        &record,
        "--ggp-record",
        &exchange,
    ];
    assert_eq!(run(&played).status, 0);
    let annotated = |record: &str| {
        let (result, status) = run_json(&["annotate", record, "--solution", &solution, "--json"]);
        assert_eq!(status, 0);
        result
    };
    let result = annotated(&record);
    let (other, status) = run_json(&["judge", &solution, &record, "--json"]);
    assert_eq!((status, &other), (0, &result));
    assert_eq!(result["roles"][1]["mistakes"], 0);
    let lost: i64 = result["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|made| made["lost"].as_i64().unwrap())
        .sum();
    assert_eq!(result["roles"][0]["lost"].as_i64(), Some(lost));
    assert_eq!(annotated(&exchange)["moves"], result["moves"]);

    // The second mark lets the first player win, and the third lets that go again.
    let moves = r#"{"moves": [["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"], ["(mark 3 3)", "noop"]]}"#;
    let result = annotated(&file(&folder, "short.json", moves));
    let mistakes: Vec<&Value> = result["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|made| &made["mistake"])
        .collect();
    assert_eq!(mistakes, [&json!(false), &json!(true), &json!(true)]);
    for (name, text, status) in [
        ("other.json", r#"{"moves": [["(drop 1)", "noop"]]}"#, 1),
        (
            "twice.json",
            r#"{"moves": [["(mark 1 1)", "noop"], ["noop", "(mark 1 1)"]]}"#,
            1,
        ),
        ("few.json", r#"{"moves": [["(mark 1 1)"]]}"#, 1),
        ("none.json", "no record at all", 2),
    ] {
        let refused = run(&["judge", &file(&folder, name, text), "--solution", &solution]);
        assert_eq!(
            (refused.status, refused.out.as_str()),
            (status, ""),
            "{name}: {}",
            refused.err
        );
    }

    let mut bytes = std::fs::read(&solution).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = file(&folder, "damaged", &bytes);
    let cut = file(&folder, "cut", &bytes[..1000]);
    for (path, part) in [(&damaged, "damaged"), (&cut, "damaged"), (&record, "not a solution")] {
        let refused = run(&["query", path]);
        assert!(refused.status == 2 && refused.err.contains(part), "{}", refused.err);
    }
    let players = format!("random,perfect(solution={solution})");
    let other = run(&["match", "connect-four-4x4", "--players", &players, "--iterations", "1"]);
    assert!(other.status == 2 && other.err.contains("other rules"), "{}", other.err);
}

#[test]
fn bounds_of_distances_are_not_taken_for_distances() {
    let folder = folder();
    let mut answers = Vec::new();
    for method in ["explicit", "symbolic"] {
        let path = folder.path().join(method);
        let path = path.to_str().unwrap();
        let solved = run(&[
            "solve",
            "predator-prey-4",
            "--method",
            method,
            "--save",
            path,
            "--distances",
        ]);
        assert_eq!(solved.status, 0);
        assert_eq!(solved.err.contains("distances are unknown"), method == "symbolic");
        let (answer, _) = run_json(&["query", path, "--json"]);
        assert_eq!(run(&["query", path]).out.contains("at most"), method == "symbolic");
        answers.push(answer);
    }
    let [explicit, symbolic] = &answers[..] else {
        unreachable!()
    };
    assert_eq!(explicit["distance"], explicit["distance_at_most"]);
    assert_eq!(symbolic["distance"], Value::Null);
    assert!(symbolic["distance_at_most"].as_u64() >= explicit["distance"].as_u64());
}

#[test]
fn deeper_databases_know_more() {
    let short = ["endgame", "clobber-3x4", "--depths", "0,2", "--seconds", "0.2"];
    let (result, status) = run_json(&[&short[..], &["--json"]].concat());
    assert_eq!(status, 0);
    let states: Vec<u64> = (0..2)
        .map(|depth| {
            result["experiments"][depth]["states"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert_eq!(states, [44_874, 281_656]);
    assert!(!result["experiments"][1]["estimates"].as_array().unwrap().is_empty());
    let stopped = run(&[&short[..], &["--build-seconds", "0"]].concat());
    assert_eq!(stopped.status, 1);
    assert!(stopped.err.contains("the time was over"), "{}", stopped.err);
    let played = [
        "match",
        "clobber-3x4",
        "--players",
        "uct(endgame=2),random",
        "--start-clock",
        "2",
        "--play-clock",
        "0.2",
        "--json",
    ];
    let (result, status) = run_json(&played);
    assert_eq!((status, &result["errors"]), (0, &json!([])));
}

#[test]
fn a_game_where_a_solution_is_wanted_is_told_apart() {
    let folder = folder();
    let walk = file(&folder, "walk.kif", WALK);
    for (solution, words) in [
        (
            "tic-tac-toe",
            "is a game of the library: a solution file is wanted here; `ludens solve tic-tac-toe --save FILE`",
        ),
        (
            &walk,
            "a solution file is wanted here; `ludens solve GAME --save FILE` writes one",
        ),
        ("missing.bin", "cannot read missing.bin: a solution file is wanted here"),
    ] {
        let text = run(&["query", solution]);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{solution}");
        assert!(text.err.contains(words), "{solution}: {}", text.err);
    }
}

#[test]
fn best_play_has_one_form() {
    let folder = folder();
    // Both choose in the first step, black alone in the second, nobody in the third.
    let rules = "(role white) (role black) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 4)))
        (<= (legal white wait) (not (true (step 1)))) (<= (legal white a) (true (step 1)))
        (<= (legal white b) (true (step 1))) (<= (legal black c) (true (step 2))) (<= (legal black d) (true (step 2)))
        (<= (legal black wait) (not (true (step 2)))) (goal white 50) (goal black 50)";
    let text = run(&["solve", &file(&folder, "forms.kif", rules)]);
    assert_eq!(text.status, 0, "{}", text.err);
    let line = text
        .out
        .lines()
        .find_map(|line| line.strip_prefix("best play"))
        .expect("best play")
        .trim();
    let steps: Vec<&str> = line.strip_prefix("3 steps: ").expect(line).split(", ").collect();
    let moves: Vec<usize> = steps.iter().map(|step| step.split(' ').count()).collect();
    assert_eq!(moves, [2, 2, 2], "{line}");
}
