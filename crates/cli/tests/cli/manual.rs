//! The manual against the program: help and facts in it are what commands print.

use super::*;
use std::path::{Path, PathBuf};

/// What a call prints that a page may show in full: any help, and facts of games that are small enough to be known for
/// certain.
fn printed(call: &str) -> Option<String> {
    let words: Vec<&str> = call.split(' ').collect();
    match words[..] {
        [.., "--help" | "-h"] => Some(run(&words).out),
        // The result must not depend on how busy the machine is.
        ["info", "tic-tac-toe" | "kuhn-poker"] => Some(run(&[&words[..], &["--seconds", "600"]].concat()).out),
        _ => None,
    }
}

/// Text without what differs from run to run.
fn lasting(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("setup seconds")).collect()
}

/// The page with all complete blocks as the program prints them, and the calls that differ.
fn renewed(page: &str) -> (String, Vec<String>) {
    let mut differing = Vec::new();
    let mut parts: Vec<String> = page.split("```").map(str::to_string).collect();
    // Every other part stands between fences.
    for block in parts.iter_mut().skip(1).step_by(2) {
        let Some((call, text)) = block
            .strip_prefix("console\n$ ludens ")
            .and_then(|rest| rest.split_once('\n'))
        else {
            continue;
        };
        if text.lines().any(|line| line == "...") {
            continue;
        }
        if let Some(printed) = printed(call).filter(|printed| lasting(printed) != lasting(text)) {
            differing.push(call.to_string());
            *block = format!("console\n$ ludens {call}\n{printed}");
        }
    }
    (parts.join("```"), differing)
}

#[test]
fn the_manual_shows_what_commands_print() {
    for name in ["README.md", "docs/cli.md"] {
        let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let page = std::fs::read_to_string(&path).expect("the page");
        let (page, differing) = renewed(&page);
        match std::env::var_os("LUDENS_BLESS") {
            Some(_) => std::fs::write(&path, page).expect("the page can be written"),
            None => assert!(
                differing.is_empty(),
                "{name} (LUDENS_BLESS=1 writes it anew): {differing:?}"
            ),
        }
    }
}

#[test]
fn what_differs_from_the_program_is_found() {
    let old = "text\n```console\n$ ludens query --help\nUsage: ludens-x\n```\nmore\n```console\n$ ludens info \
               tic-tac-toe\nname                 tic-tac-toe\n```\n";
    let (page, differing) = renewed(old);
    assert_eq!(differing, ["query --help", "info tic-tac-toe"]);
    assert!(
        page.starts_with("text\n```console\n$ ludens query --help\nAsk a solution"),
        "{page}"
    );
    assert!(
        page.contains("Usage: ludens query") && page.contains("\nstates               5478\n"),
        "{page}"
    );
    assert_eq!(renewed(&page), (page.clone(), Vec::new()));
}
