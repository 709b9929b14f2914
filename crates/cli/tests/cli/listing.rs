//! Lists for people: agents, games and explanations, in terminals of any width.

use super::*;
use serde_json::json;

fn run_in(columns: usize, arguments: &[&str]) -> Run {
    let output = ludens(arguments).env("COLUMNS", columns.to_string()).output();
    let output = output.expect("ludens runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Run {
        status: output.status.code().expect("ludens ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

// agents

#[test]
fn agents_have_one_line_each_within_the_width() {
    let (value, _) = run_json(&["agents", "--json"]);
    let agents = value["agents"].as_array().expect("a list");
    for columns in [60, 80, 200] {
        let text = run_in(columns, &["agents"]);
        assert_eq!(text.status, 0);
        assert!(widest(&text.out) <= columns, "{}", text.out);
        let lines: Vec<&str> = text.out.lines().take_while(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), agents.len(), "{}", text.out);
        for (line, agent) in lines.iter().zip(agents) {
            assert_eq!(line.split(' ').next(), agent["name"].as_str(), "{line}");
        }
    }
    assert!(run(&["agents"]).out.contains("mcts is uct, minimax is alphabeta"));
}

#[test]
fn one_agent_is_shown_in_full_and_all_of_them_on_demand() {
    let one = run(&["agents", "uct"]);
    assert_eq!(one.status, 0);
    assert!(
        one.out.starts_with("uct ") && one.out.contains("\n    c=40 "),
        "{}",
        one.out
    );
    assert!(!one.out.contains("alphabeta  "), "{}", one.out);
    assert_eq!(run(&["agents", "mcts"]).out, one.out);
    let all = run(&["agents", "--all"]);
    assert!(
        all.out.contains(&one.out) && all.out.contains("\nalphabeta "),
        "{}",
        all.out
    );
    assert!(widest(&run_in(80, &["agents", "--all"]).out) <= 80);
    let (value, _) = run_json(&["agents", "UCT", "--json"]);
    let (whole, _) = run_json(&["agents", "--json"]);
    let list = whole["agents"].as_array().expect("a list");
    let known = list.iter().find(|agent| agent["name"] == json!("uct"));
    assert_eq!(
        value["agents"].as_array().map(Vec::as_slice),
        known.map(std::slice::from_ref)
    );
    let unknown = run(&["agents", "mtcs"]);
    assert_eq!((unknown.status, unknown.out.as_str()), (2, ""));
    assert!(unknown.err.contains("did you mean `mcts`?"), "{}", unknown.err);
}

#[test]
fn aliases_play_and_wrong_settings_get_help() {
    let call = |players: &str| {
        run(&[
            "match",
            "tic-tac-toe",
            "--players",
            players,
            "--iterations",
            "5",
            "--seed",
            "1",
        ])
    };
    let played = call("mcts(c=20),minimax");
    assert_eq!(played.status, 0, "{}", played.err);
    assert!(played.out.contains("x: uct(c=20)\no: alphabeta\n"), "{}", played.out);
    let colon = call("uct:c=20,random");
    assert_eq!((colon.status, colon.out.as_str()), (2, ""));
    assert!(
        colon.err.contains("settings go into parentheses: uct(c=20)"),
        "{}",
        colon.err
    );
    assert!(!colon.err.contains("port"), "{}", colon.err);
}

// games

#[test]
fn games_are_found_by_text() {
    let (value, status) = run_json(&["games", "chess", "--json"]);
    assert_eq!(status, 0);
    assert_eq!(value["games"][0]["name"], json!("chess"));
    let text = run(&["games", "reversi"]);
    assert_eq!(text.status, 0);
    assert!(
        text.out.contains("othello-6x6") && text.out.ends_with("\n2 games\n"),
        "{}",
        text.out
    );
    let (value, _) = run_json(&["games", "--tag", "puzzle", "hanoi", "--json"]);
    let (other, _) = run_json(&["games", "hanoi", "--tag=puzzle", "--json"]);
    assert_eq!(value, other);
    assert!(!value["games"].as_array().expect("a list").is_empty());
    let (value, status) = run_json(&["games", "no-such-word", "--json"]);
    assert_eq!((status, value), (1, json!({ "games": [] })));
    let none = run(&["games", "no-such-word"]);
    assert_eq!((none.status, none.out.as_str()), (1, ""));
    assert!(none.err.contains("no game of the library matches"), "{}", none.err);
}

#[test]
fn an_unknown_tag_is_a_wrong_call_with_a_suggestion() {
    let text = run(&["games", "--tag", "boardd"]);
    assert_eq!((text.status, text.out.as_str()), (2, ""));
    assert!(text.err.contains("did you mean `board`?"), "{}", text.err);
}

#[test]
fn names_that_people_use_get_suggestions() {
    for (name, meant) in [
        ("TicTacToe", "tic-tac-toe"),
        ("draughts", "checkers"),
        ("reversi", "othello"),
    ] {
        for call in [&["info", name][..], &["games", "--show", name]] {
            let text = run(call);
            assert_eq!((text.status, text.out.as_str()), (2, ""), "{call:?}");
            assert!(
                text.err.contains(&format!("did you mean `{meant}`?")),
                "{call:?}: {}",
                text.err
            );
        }
    }
}

#[test]
fn games_take_one_line_each_in_terminals_of_any_width() {
    let (value, _) = run_json(&["games", "--json"]);
    let count = value["games"].as_array().expect("a list").len();
    for columns in [60, 80, 100] {
        let text = run_in(columns, &["games"]);
        assert!(widest(&text.out) <= columns, "{}", text.out);
        assert_eq!(text.out.lines().count(), count + 2, "{}", text.out);
        assert!(text.out.contains(" repeated-rock-paper-scissors-9 "), "{}", text.out);
    }
    assert!(
        run_in(300, &["games"])
            .out
            .contains("two-player, turn-taking, constant-sum, board")
    );
    assert!(widest(&run_in(60, &["games", "--families"]).out) <= 60);
}

// explain

#[test]
fn explanations_fit_the_terminal() {
    let call = ["explain", "breakthrough-5x5", "--sequences", "300", "--top", "5"];
    let narrow = run_in(60, &call);
    assert_eq!(narrow.status, 0);
    assert!(widest(&narrow.out) <= 60, "{}", narrow.out);
    assert!(
        !narrow.out.contains("stability") && narrow.out.contains("points"),
        "{}",
        narrow.out
    );
    let wide = run_in(200, &call);
    assert!(wide.out.contains("stability"), "{}", wide.out);
    // Rows of tables take one line, narrow or wide; only the heading is wrapped.
    assert_eq!(narrow.out.lines().count(), wide.out.lines().count() + 1);
}
