//! Commands that run or rewrite rules: replay, fmt, play.

use super::*;
use serde_json::json;
use sha2::{Digest, Sha256};

// replay

fn hash(terms: &[&str]) -> String {
    let mut sorted = terms.to_vec();
    sorted.sort_unstable();
    let digest = Sha256::digest(sorted.join("\n").as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// One match of the walk: a, b, d.
pub(crate) fn trace() -> Vec<Value> {
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

pub(crate) fn lines(trace: &[Value]) -> String {
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
fn play_does_not_go_on_for_ever_without_a_choice() {
    let folder = folder();
    let endless = file(
        &folder,
        "endless.kif",
        "(role w) (init (light on)) (legal w wait) (<= (next (light on)) (true (light off)))
        (<= (next (light off)) (true (light on))) (<= terminal (true (light red))) (goal w 100)",
    );
    let count = |text: &str| text.matches("--- step ").count();
    // Each line of input is worth a hundred further steps.
    for (input, steps) in [("", 101), ("\n", 201), ("quit\n\n", 101)] {
        let text = run_with(&["play", &endless], input);
        assert_eq!((text.status, count(&text.out)), (0, steps), "{input:?}");
        assert!(text.out.contains("You had no choice for 100 steps"), "{}", text.out);
        assert_eq!(
            text.out.contains("The input has ended"),
            !input.contains("quit"),
            "{input:?}"
        );
        let left = format!("You left the match after {} steps.", steps - 1);
        assert!(text.out.ends_with(&format!("{left}\n")), "{input:?}");
    }
}

#[test]
fn people_see_what_their_role_sees() {
    let call = [
        "play",
        "kuhn-poker",
        "--seed",
        "4",
        "--against",
        "random",
        "--iterations",
        "10",
    ];
    let text = run(&call);
    assert!(text.out.contains("you see (own_card "), "{}", text.out);
    assert!(text.out.contains("note: you see what your role sees"), "{}", text.out);
    assert!(!text.out.contains("holds second"), "{}", text.out);
    let text = run(&[&call[..], &["--open"]].concat());
    assert!(text.out.contains("note: kuhn-poker hides information"), "{}", text.out);
    assert!(text.out.contains("holds second"), "{}", text.out);
    assert!(
        !run(&["play", "tic-tac-toe", "--against", "random"])
            .out
            .contains("note:")
    );
}

#[test]
fn play_is_repeatable_with_a_seed() {
    let moves = "random\n".repeat(9);
    let call = [
        "play",
        "tic-tac-toe",
        "--role",
        "O",
        "--seed",
        "7",
        "--against",
        "random",
    ];
    let runs: Vec<String> = (0..2).map(|_| run_with(&call, &moves).out).collect();
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

#[test]
fn play_against_a_search_follows_the_script_and_the_search_wins() {
    let call = [
        "play",
        "tic-tac-toe",
        "--against",
        "uct",
        "--iterations",
        "2000",
        "--seed",
        "3",
    ];
    // Two of x are in a row after these moves, and o must have prevented the third; then x plays anything.
    let moves = "mark 1 1\nmark 1 2\n".to_string() + &"1\n".repeat(7);
    let text = run_with(&call, &moves);
    assert_eq!(text.status, 0, "{}", text.err);
    assert!(text.out.contains("o is played by uct"), "{}", text.out);
    assert!(text.out.contains("x plays (mark 1 1)"), "{}", text.out);
    assert!(text.out.contains("The match is over."), "{}", text.out);
    assert!(!text.out.contains("x (you): 100"), "{}", text.out);
    assert_eq!(run_with(&call, &moves).out, text.out);
}

#[test]
fn play_is_against_best_unless_told_otherwise() {
    let text = run_with(
        &["play", "tic-tac-toe", "--start-clock", "0.3", "--play-clock", "0.05"],
        "random\nquit\n",
    );
    assert_eq!(text.status, 0, "{}", text.err);
    assert!(text.out.contains("o is played by best"), "{}", text.out);
    assert!(text.out.contains("You left the match."), "{}", text.out);
    assert!(!text.out.contains("failed"), "{}", text.out);
}

#[test]
fn play_refuses_opponents_that_do_not_fit() {
    let refused = |call: &[&str], expected: &str| {
        let text = run(call);
        assert_eq!((text.status, text.out.as_str()), (2, ""), "{call:?}");
        assert!(text.err.contains(expected), "{call:?}: {}", text.err);
    };
    refused(
        &["play", "tic-tac-toe", "--against", "uct,uct"],
        "--against names 2 agents; tic-tac-toe has 1 other role (o)",
    );
    refused(&["play", "pancakes-6", "--against", "uct"], "has no other role");
    refused(&["play", "tic-tac-toe", "--against", "nobody"], "nobody");
    refused(
        &["play", "tic-tac-toe", "--against", "localhost:1", "--iterations", "5"],
        "clocks",
    );
}
