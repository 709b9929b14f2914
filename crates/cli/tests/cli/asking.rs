//! Commands that look at rules: check, info, games, perft.

use super::*;
use serde_json::json;

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
fn files_that_are_no_rules_get_one_finding() {
    let folder = folder();
    let image: Vec<u8> = (0..4000u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let utf16: Vec<u8> = WALK.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes, code, words) in [
        ("image.kif", image, "E113", "this is not a text file"),
        ("utf16.kif", utf16, "E113", "this is not a text file"),
        ("empty.kif", Vec::new(), "E114", "the file is empty"),
        ("blank.kif", b" \n\t\n".to_vec(), "E114", "the file is empty"),
        ("comments.kif", b"; nothing\n".to_vec(), "E114", "nothing but comments"),
    ] {
        let path = file(&folder, name, bytes);
        let (value, status) = run_json(&["check", &path, "--json"]);
        let report = &value["files"][0];
        let codes: Vec<&Value> = report["errors"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|error| &error["code"])
            .collect();
        assert_eq!(
            (status, codes, &report["warnings"]),
            (1, vec![&json!(code)], &json!([])),
            "{name}"
        );
        let info = run(&["info", &path]);
        assert_eq!(
            (info.status, info.err.matches(words).count()),
            (1, 2),
            "{name}: {}",
            info.err
        );
        assert!(
            info.err.contains(&format!("`ludens check --explain {code}`")),
            "{}",
            info.err
        );
        assert!(!info.err.contains("and 0 more"), "{}", info.err);
    }
    // Comments alone can still be formatted.
    assert_eq!(run(&["fmt", &file(&folder, "comments.kif", "; nothing\n")]).status, 0);
}

#[test]
fn check_names_the_command_that_explains() {
    let folder = folder();
    let broken = file(
        &folder,
        "broken.kif",
        format!("{WALK}(<= (legal you ?m)\n  (true (at a)))\n(role you)\n"),
    );
    let text = run(&["check", &broken]);
    let hint = "\n`ludens check --explain E301` explains this diagnostic (also W319)\n\n";
    assert!(text.out.contains(hint), "{}", text.out);
    assert!(!run(&["check", "tic-tac-toe"]).out.contains("--explain"));
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
fn info_gives_the_evidence_of_each_fact() {
    let (value, _) = run_json(&["info", "tic-tac-toe", "--json"]);
    let by = |value: &Value, fact: &str| value["evidence"][fact]["by"].clone();
    assert_eq!(by(&value, "turn_taking"), json!("exploration"));
    assert_eq!(by(&value, "longest_match"), json!("exploration"));
    assert_eq!(by(&value, "chance"), json!("rules"));
    assert_eq!(by(&value, "step_cost"), json!("network"));
    let (value, _) = run_json(&["info", "connect-four", "--json"]);
    assert_eq!(by(&value, "constant_sum"), json!("proof"));
    assert_eq!(by(&value, "longest_match"), json!("none"));
    let (value, _) = run_json(&["info", "simultaneous-tic-tac-toe", "--json"]);
    let fact = &value["evidence"]["turn_taking"];
    assert_eq!((&fact["verdict"], &fact["by"]), (&json!(false), &json!("play")));
    // In the initial state both roles choose already.
    assert_eq!(fact["lines"], json!([[]]));
    for fact in [
        "turn_taking",
        "simultaneous",
        "constant_sum",
        "hidden_information",
        "chance",
        "longest_match",
    ] {
        assert_eq!(value["evidence"][fact]["verdict"], value[fact], "{fact}");
    }
    let (value, _) = run_json(&["info", "tic-tac-toe", "--seconds", "0", "--json"]);
    assert_eq!(value["evidence"]["constant_sum"]["verdict"], json!("unknown"));
    let text = run(&["info", "kuhn-poker"]);
    assert!(
        text.out
            .contains("turn taking          yes (exploration of all 55 states)\n")
    );
    assert!(text.out.contains("chance               yes (form of the rules)\n"));
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
    assert!(!value.to_string().contains("{{"), "{value}");
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

// explain

#[test]
fn explain_says_why_a_position_looks_good() {
    let arguments = [
        "explain",
        "breakthrough-5x5",
        "--sequences",
        "300",
        "--moves",
        "(move 1 2 1 3)",
    ];
    let (value, status) = run_json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(status, 0);
    has_fields(
        &value,
        &["kind", "made_of", "game", "step", "seconds", "roles", "moves"],
    );
    assert_eq!((&value["kind"], &value["step"]), (&json!("features"), &json!(1)));
    let reason = &value["roles"][0]["reasons"][0];
    has_fields(
        reason,
        &["text", "points", "value", "weight", "correlation", "stability"],
    );
    // The points add up to what the role can expect.
    for role in value["roles"].as_array().unwrap() {
        let points = role["reasons"]
            .as_array()
            .unwrap()
            .iter()
            .map(|reason| reason["points"].as_f64().unwrap());
        let sum = role["middle"].as_f64().unwrap() + points.sum::<f64>();
        assert!((sum - role["goal"].as_f64().unwrap()).abs() < 1e-3, "{sum}");
    }
    let (again, _) = run_json(&[&arguments[..], &["--json"]].concat());
    assert_eq!((&again["roles"], &again["moves"]), (&value["roles"], &value["moves"]));
    let text = run(&arguments);
    assert_eq!(text.status, 0);
    assert!(
        text.out.contains("can expect") && text.out.contains("moves of"),
        "{}",
        text.out
    );
}

#[test]
fn explain_says_why_there_is_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let idle = folder.path().join("idle.kif");
    let rules = "(role alone) (init start) (legal alone wait) (legal alone go) (<= (next left) (does alone go))
        (<= (next right) (does alone wait)) (<= terminal (not (true start))) (goal alone 50)";
    std::fs::write(&idle, rules).unwrap();
    let idle = idle.to_str().unwrap();
    let text = run(&["explain", idle, "--sequences", "50"]);
    assert_eq!(text.status, 1);
    assert!(text.out.contains("no explanation for"), "{}", text.out);
    let (value, status) = run_json(&["explain", idle, "--sequences", "50", "--json"]);
    assert_eq!(status, 1);
    has_fields(&value, &["game", "step", "reason"]);
    assert_eq!(run(&["explain", "tic-tac-toe", "--moves", "(mark 9 9)"]).status, 2);
}

#[test]
fn explain_takes_moves_as_play_does() {
    let call = |step: &str| run_json(&["explain", "tic-tac-toe", "--sequences", "50", "--json", "--moves", step]);
    let (known, status) = call("(mark 1 1)");
    let (bare, _) = call("mark 1 1");
    assert_eq!((status, &bare["roles"]), (0, &known["roles"]));
    let wrong = run(&["explain", "tic-tac-toe", "--moves", "mark 9 9"]);
    assert!(wrong.status == 2 && wrong.err.contains("step 1"), "{}", wrong.err);
}

#[test]
fn explain_lists_features_of_the_rules() {
    let (value, status) = run_json(&["explain", "breakthrough-5x5", "--by", "network", "--json"]);
    assert_eq!((status, &value["kind"]), (0, &json!("network")));
    let reasons = value["roles"][0]["reasons"].as_array().unwrap();
    assert_eq!(value["made_of"]["features"], json!(reasons.len()));
    has_fields(&reasons[0], &["text", "points", "value", "holds", "settled", "degree"]);
    let mut texts = reasons.iter().filter_map(|reason| reason["text"].as_str());
    assert!(texts.any(|text| text == "fixed distance: (cell ?0 5 white)"), "{value}");
}

// analyse

#[test]
fn analyse_finds_the_winning_move_and_takes_joint_moves_as_lists() {
    let moves = [
        "((mark 1 1) noop)",
        "(noop (mark 2 1))",
        "((mark 1 2) noop)",
        "(mark 2 2)",
    ];
    let mut call = vec![
        "analyse",
        "tic-tac-toe",
        "--agent",
        "uct",
        "--iterations",
        "2000",
        "--json",
        "--moves",
    ];
    call.extend(moves);
    let (value, status) = run_json(&call);
    assert_eq!(status, 0);
    has_fields(
        &value,
        &["role", "legal", "move", "value", "line", "iterations", "seconds"],
    );
    assert_eq!(value["role"], json!("x"));
    assert_eq!(value["move"], json!("(mark 1 3)"));
    assert_eq!(value["line"][0], json!(["(mark 1 3)", "noop"]));
    assert_eq!(value["legal"].as_array().map(Vec::len), Some(5));
    assert_eq!(
        value["course"].as_array().and_then(|course| course.last()).unwrap()["move"],
        value["move"]
    );
}

#[test]
fn analyse_says_why_it_cannot_be_asked() {
    let over = ["mark 1 1", "mark 2 1", "mark 1 2", "mark 2 2", "mark 1 3"];
    let mut call = vec!["analyse", "tic-tac-toe", "--iterations", "10", "--moves"];
    call.extend(over);
    let answer = run(&call);
    assert_eq!(answer.status, 2);
    assert!(
        answer.err.contains("the match is over here, with the goals 100 0"),
        "{}",
        answer.err
    );
    let answer = run(&["analyse", "tic-tac-toe", "--role", "nobody", "--iterations", "10"]);
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("has no role nobody"), "{}", answer.err);
}
