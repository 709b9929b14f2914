//! `scripts/check-studies`: tables of the manual against the program.

use super::*;
use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = "# Page

```sh
ludens tournament tic-tac-toe --players legal,random --rounds 2 --iterations 1 --seed 1
ludens tournament tic-tac-toe --players random,legal --rounds 2 --iterations 1 --seed 1
```

*Program: commit 0000000.*

<!-- check-studies -->
| | mean goals | wins / draws / losses | elsewhere |
| --- | --- | --- | --- |
| one | 1.0 × 2.0, ± 3.0 | 1 / 2 / 3 | 12 |
| other | 1.0 × 2.0, ± 3.0 | 1 / 2 / 3 | 34 |

| not | checked |
| --- | --- |
";

fn check_studies(page: &str, more: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/check-studies");
    Command::new("python3")
        .arg(script)
        .args(["--page", page, "--program", env!("CARGO_BIN_EXE_ludens")])
        .args(more)
        .output()
        .expect("python3 runs")
}

#[test]
fn tables_that_do_not_come_out_are_found_and_written_anew() {
    let folder = folder();
    let page = file(&folder, "page.md", PAGE);
    let found = check_studies(&page, &[]);
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert_eq!(
        found.status.code(),
        Some(1),
        "{text}{}",
        String::from_utf8_lossy(&found.stderr)
    );
    assert!(text.ends_with("2 rows, 2 differ\n"), "{text}");
    assert_eq!(std::fs::read_to_string(&page).expect("the page"), PAGE);
    // A part of a table gets new figures, but no other commit.
    assert_eq!(
        check_studies(&page, &["--write", "legal,random"]).status.code(),
        Some(0)
    );
    let partly = std::fs::read_to_string(&page).expect("the page");
    assert!(
        partly.contains("commit 0000000") && partly.contains("| other | 1.0 × 2.0"),
        "{partly}"
    );
    assert!(
        !partly.contains("| one | 1.0 × 2.0") && partly.contains("| 12 |"),
        "{partly}"
    );
    assert_eq!(check_studies(&page, &["--write"]).status.code(), Some(0));
    let written = std::fs::read_to_string(&page).expect("the page");
    assert!(
        !written.contains("1.0 × 2.0") && written.contains("| 34 |"),
        "{written}"
    );
    assert_eq!(written.lines().count(), PAGE.lines().count());
    let again = check_studies(&page, &[]);
    assert_eq!(again.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&again.stdout).ends_with("2 rows, 0 differ\n"));
}

#[test]
fn the_tables_of_the_manual_have_commands() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studies.md");
    let listed = check_studies(page.to_str().expect("a plain path"), &["--list"]);
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert_eq!(listed.status.code(), Some(0), "{text}");
    assert!(
        text.contains("--players \"uct(c=40),uct(c=1)\" --rounds 50 --iterations 5000 --seed 7"),
        "{text}"
    );
    assert!(
        text.lines()
            .all(|line| line.starts_with("ludens tournament ") && line.contains("--iterations"))
    );
}
