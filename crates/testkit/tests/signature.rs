//! Compares the signature of the program with the one in the repository.
//!
//! A commit that changes results of playouts, searches, evaluations or solvers renews the file with `LUDENS_BLESS=1
//! cargo test --workspace --release --test signature` and says why.

use ludens_budget::Budget;
use std::path::Path;

#[test]
fn results_are_those_that_the_repository_keeps() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/files/signature.txt");
    let signature = ludens_report::signature::signature(&Budget::default(), &mut |_| ());
    let signature = signature.expect("every part runs").expect("nobody interrupts");
    let text = signature.to_string();
    if std::env::var_os("LUDENS_BLESS").is_some() {
        std::fs::write(&file, &text).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let changed: Vec<&str> = text
        .lines()
        .filter(|line| !kept.lines().any(|old| old == *line))
        .collect();
    assert!(kept == text, "these results changed:\n{}", changed.join("\n"));
}
