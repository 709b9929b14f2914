//! `check --explore`: every rule file in `tests/files/explore` has what is said about it beside it.

use super::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn explored() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/explore");
    let entries = std::fs::read_dir(folder).expect("the folder of test files");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "kif"));
    paths.sort();
    paths
}

/// What `check --explore` says about a file, with its exit status.
fn text_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
    let mut command = ludens(&["check", "--explore", "100000", name]);
    let output = command.current_dir(path.parent().expect("a folder")).output();
    let output = output.expect("ludens runs");
    let text = String::from_utf8(output.stdout).expect("the output is UTF-8");
    format!(
        "{text}exit status {}\n",
        output.status.code().expect("it ends by itself")
    )
}

#[test]
fn explorations_read_as_recorded() {
    let bless = std::env::var_os("LUDENS_BLESS").is_some();
    let mut failures = Vec::new();
    for path in explored() {
        let (text, beside) = (text_of(&path), path.with_extension("expected"));
        if bless {
            std::fs::write(&beside, &text).expect("a file can be written");
        }
        let expected = std::fs::read_to_string(&beside).unwrap_or_default();
        if text != expected {
            failures.push(format!("{}\nexpected\n{expected}got\n{text}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_code_of_an_exploration_has_a_file_that_shows_it() {
    let texts: Vec<String> = explored().iter().map(|path| text_of(path)).collect();
    let missing: BTreeSet<&str> = ludens_gdl::diagnostic::codes::ALL
        .iter()
        .map(|code| code.id)
        .filter(|id| id[1..].starts_with('4') && !texts.iter().any(|text| text.contains(&format!("[{id}]"))))
        .collect();
    assert!(missing.is_empty(), "no file shows {missing:?}");
}

#[test]
fn a_game_that_cannot_end_or_be_won_is_not_valid() {
    for (name, code) in [
        ("no-end.kif", "E407"),
        ("goal-out-of-reach.kif", "E408"),
        ("goal-of-one-role-out-of-reach.kif", "E408"),
        ("always-nothing.kif", "E408"),
    ] {
        let path = explored().into_iter().find(|path| path.ends_with(name)).expect(name);
        let path = path.to_str().expect("a plain path");
        let (value, status) = run_json(&["check", "--explore", "100000", path, "--json"]);
        let report = &value["files"][0];
        assert_eq!((status, &report["valid"]), (1, &Value::Bool(false)), "{name}: {report}");
        let errors = report["errors"].as_array().expect("a list");
        assert!(errors.iter().any(|error| error["code"] == code), "{name}: {report}");
        // Without exploring nothing is known of this.
        assert_eq!(run(&["check", path]).status, 0, "{name}");
    }
}

#[test]
fn no_small_game_of_the_library_has_an_error_when_explored() {
    let (value, _) = run_json(&["games", "--json"]);
    let games = value["games"].as_array().expect("a list");
    let is_small = |game: &&Value| {
        let states = game["facts"]["states"]
            .as_str()
            .and_then(|states| states.parse::<u64>().ok());
        states.is_some_and(|states| states <= 6_000)
    };
    let names: Vec<&str> = games
        .iter()
        .filter(is_small)
        .filter_map(|game| game["name"].as_str())
        .collect();
    assert!(names.len() >= 20, "{names:?}");
    let (value, status) = run_json(&[&["check", "--json", "--explore", "100000"], &names[..]].concat());
    assert_eq!(status, 0, "{value}");
    for report in value["files"].as_array().expect("a list") {
        assert_eq!(report["exploration"]["complete"], Value::Bool(true), "{report}");
        for warning in report["warnings"].as_array().expect("a list") {
            // Games may go on for ever, and matrix games give less than 100.
            assert!(
                ["W402", "W405"].contains(&warning["code"].as_str().expect("a code")),
                "{report}"
            );
        }
    }
}
