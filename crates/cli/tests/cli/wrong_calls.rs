//! What every command does with wrong calls, and with nobody listening.

use super::playing::{lines, trace};
use super::*;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

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
        &["match"],
        &["match", "tic-tac-toe"],
        &["match", "tic-tac-toe", "--players", ""],
        &["match", "tic-tac-toe", "--players", "random"],
        &["match", "tic-tac-toe", "--players", "random,random,random"],
        &["match", "tic-tac-toe", "--players", "random,nobody"],
        &["match", "tic-tac-toe", "--players", "random,ucb(c=x)"],
        &["match", "tic-tac-toe", "--players", "random,ucb(c=1"],
        &[
            "match",
            "tic-tac-toe",
            "--players",
            "random,random",
            "--play-clock",
            "-1",
        ],
        &[
            "match",
            "tic-tac-toe",
            "--players",
            "random,random",
            "--play-clock",
            "1",
            "--iterations",
            "5",
        ],
        &[
            "match",
            "tic-tac-toe",
            "--players",
            "random,random",
            "--iterations",
            "5",
            "--record",
            "/nowhere/at/all",
        ],
        &["agents", "nobody"],
        &["agents", "random", "--all"],
        &["fmt"],
        &["replay", "tic-tac-toe"],
        &["replay", "tic-tac-toe", "x.jsonl", "--engine", "quantum"],
        &["play", "tic-tac-toe", "--seed", "x"],
        &["games", "--families", "stray"],
        &["games", "chess", "--tag"],
        &["games", "chess", "--stray"],
        &["judge", "one"],
        &["judge", "one", "two", "--solution", "three"],
        &["bench"],
        &["bench", "tic-tac-toe", "hex"],
        &["bench", "tic-tac-toe", "--seconds", "-1"],
        &["bench", "tic-tac-toe", "--threads", "0"],
        &["bench", "tic-tac-toe", "--plot", "x.svg"],
        &["bench", "--suite", "--plot", "x.svg"],
        &["bench", "--suite", "--engine", "compiled"],
        &["bench", "--compare"],
        &["bench", "--compare", "one.json"],
        &["bench", "--compare", "one.json", "two.json", "--suite"],
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

#[test]
fn nobody_reading_the_messages_changes_nothing() {
    let folder = folder();
    let broken = file(&folder, "broken.kif", "(role w");
    let odd = file(&folder, "odd.kif", format!("{WALK}(<= (legal you ?m) (true (at a)))\n"));
    let unsolved = file(&folder, "unsolved.bin", "nothing");
    let calls: &[(&[&str], i32)] = &[
        (&["info", &broken], 1),
        (&["info", "no-such-game"], 2),
        (&["perft", &odd, "--depth", "1"], 0),
        (&["check", "no-such-game"], 2),
        (&["fmt", &broken], 1),
        (&["query", &unsolved], 2),
        (&["games", "no-such-word"], 1),
        (&["--unknown-flag"], 2),
        (
            &["match", "kuhn-poker", "--players", "legal,legal", "--iterations", "1"],
            0,
        ),
    ];
    for (arguments, status) in calls {
        // The reader of the messages is gone before the program starts.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = std::process::Command::new(Path::new(env!("CARGO_BIN_EXE_ludens")))
            .args(*arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(writer)
            .status()
            .expect("ludens starts");
        assert_eq!(run.code(), Some(*status), "{arguments:?}");
    }
}

#[test]
fn rules_that_are_too_long_to_be_run_are_refused_before_they_are_read() {
    let folder = folder();
    let rules = "(role w) (legal w go) (init (s 0)) (<= terminal (true (s 0))) (goal w 0)\n";
    let long = rules.to_string() + &"(fact of no use)\n".repeat(300_000);
    let long = file(&folder, "long.kif", &long);
    let refused = run(&["info", &long]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.err.contains("more than the limit of 4194304"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("--rules-size"), "{}", refused.err);
    let small = file(&folder, "small.kif", rules);
    assert_eq!(run(&["info", &small, "--rules-size", "50"]).status, 1);
    assert_eq!(run(&["info", &small, "--rules-size", "1K"]).status, 0);
}
