//! `ludens reason` and `ludens director`.

use super::{folder, run, run_json};
use serde_json::json;

const LEVELS: &str = include_str!("../../../../policies/levels.delp");

#[test]
fn the_queries_of_the_paper_have_their_answers_arguments_and_trees() {
    let folder = folder();
    let path = folder.path().join("levels.delp");
    std::fs::write(&path, LEVELS).unwrap();
    let file = path.to_str().unwrap();
    let facts = ["--fact", "lowHealth(player)", "--fact", "revivalAbility(player)"];
    let call: Vec<&str> = ["reason", file, "--query", "dying(player)", "--json"]
        .into_iter()
        .chain(facts)
        .collect();
    let (six, status) = run_json(&call);
    assert_eq!((status, &six["answer"]), (0, &json!("no")));
    assert_eq!(six["tree"]["conclusion"], "~dying(player)");
    assert_eq!(six["tree"]["mark"], "undefeated");
    assert_eq!(six["trees"][0]["mark"], "defeated");
    assert_eq!(six["trees"][0]["children"][0]["defeater"], "proper");
    assert_eq!(six["arguments"].as_array().unwrap().len(), 2);
    let call: Vec<&str> = call.into_iter().chain(["--fact", "experienced(player)"]).collect();
    let (twelve, _) = run_json(&call);
    assert_eq!(twelve["answer"], "yes");
    assert_eq!(
        twelve["tree"]["children"][0]["children"][0]["conclusion"],
        "~willRevive(player)"
    );
    let (unknown, _) = run_json(&["reason", file, "--query", "flying(player)", "--json"]);
    assert_eq!(
        (&unknown["answer"], &unknown["tree"]),
        (&json!("unknown"), &json!(null))
    );
}

#[test]
fn programs_that_cannot_be_asked_end_with_their_status() {
    let folder = folder();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let contradictory = run(&["reason", &file("a.delp", "a. ~a."), "--query", "a"]);
    assert_eq!(contradictory.status, 1);
    assert!(contradictory.err.contains("E604"), "{}", contradictory.err);
    let broken = run(&["reason", &file("b.delp", "a <- ."), "--query", "a"]);
    assert_eq!((broken.status, broken.err.contains("E601")), (1, true));
    let fine = file("c.delp", "a. b -< a.");
    for (call, status) in [
        (vec!["reason", &fine, "--query", "b"], 0),
        (vec!["reason", &fine, "--query", "~b"], 0),
        (vec!["reason", &fine], 2),
        (vec!["reason", &fine, "--query", "b("], 2),
        (vec!["reason", "no-such-file", "--query", "b"], 2),
        (vec!["reason", &fine, "--query", "b", "--criterion", "taste"], 2),
        (vec!["director", "tic-tac-toe", "--policy", "none"], 2),
        (vec!["director", "no-such-game"], 2),
    ] {
        assert_eq!(run(&call).status, status, "{call:?}");
    }
    let svg = folder.path().join("tree.svg");
    let drawn = run(&["reason", &fine, "--query", "b", "--svg", svg.to_str().unwrap()]);
    assert_eq!(drawn.status, 0, "{}", drawn.err);
    assert!(std::fs::read_to_string(svg).unwrap().contains("b -&lt; a"));
}

#[test]
fn a_limit_is_told_with_the_answer() {
    let folder = folder();
    let path = folder.path().join("hostile.delp");
    let mut text = String::from("p0.\n");
    for n in 1..=60 {
        text += &format!("p{n} -< a{n}. p{n} -< b{n}. a{n} -< p{0}. b{n} -< p{0}.\n", n - 1);
    }
    std::fs::write(&path, text).unwrap();
    let (value, status) = run_json(&[
        "reason",
        path.to_str().unwrap(),
        "--query",
        "p60",
        "--steps",
        "1000000",
        "--json",
    ]);
    assert_eq!(status, 0);
    assert_eq!(
        (&value["answer"], &value["complete"]),
        (&json!("undecided"), &json!(false))
    );
    assert_eq!(value["limit"], "1000000 steps were not enough while finding arguments");
}

#[test]
fn the_director_decides_about_levels_and_opponents() {
    let (seven, _) = run_json(&["director", "--level", "6", "--health", "30", "--revival", "1", "--json"]);
    assert_eq!(
        (&seven["level"], &seven["food"], &seven["enemies"]),
        (&json!(7), &json!(4), &json!(8))
    );
    let (thirteen, _) = run_json(&[
        "director",
        "--level",
        "12",
        "--health",
        "30",
        "--revival",
        "1",
        "--json",
    ]);
    assert_eq!((&thirteen["food"], &thirteen["enemies"]), (&json!(12), &json!(12)));
    let call = [
        "director",
        "nim-small",
        "--strengths",
        "3",
        "--matches",
        "6",
        "--settle",
        "2",
        "--runs",
        "2",
        "--json",
    ];
    let (value, _) = run_json(&call);
    assert_eq!(value["players"][0]["runs"][1]["levels"].as_array().unwrap().len(), 6);
    assert_eq!(value["players"][0]["runs"][0]["levels"][0], 8);
    let (again, _) = run_json(&call);
    assert_eq!(value, again);
}
