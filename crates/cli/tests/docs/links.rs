//! Checks the links between pages: files and headings that they name are there.

use std::path::{Path, PathBuf};

/// Links of a page that lead nowhere.
pub fn broken(path: &Path, text: &str) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    targets(text)
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .filter(|target| !leads_somewhere(path, folder, target))
        .map(|target| format!("{}: nothing is at {target}", path.display()))
        .collect()
}

/// What stands in the parentheses of all links, outside code.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()))
}

fn leads_somewhere(page: &Path, folder: &Path, target: &str) -> bool {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path: PathBuf = match file {
        "" => page.to_path_buf(),
        _ => folder.join(file),
    };
    match heading {
        "" => path.exists(),
        _ => std::fs::read_to_string(path)
            .is_ok_and(|text| text.lines().any(|line| anchor(line).as_deref() == Some(heading))),
    }
}

/// The name by which links find a heading: lower case, hyphens for spaces, no other signs.
fn anchor(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
}

#[test]
fn links_to_missing_files_and_headings_are_found() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text =
        "## One `two`\n[a](#one-two) [b](CHANGELOG.md) [c](https://x) [d](#three) [e](none.md#x)\n```\n[f](g)\n```\n";
    let known: Vec<&str> = targets(text).collect();
    assert_eq!(known, ["#one-two", "CHANGELOG.md", "https://x", "#three", "none.md#x"]);
    assert_eq!(anchor("## One `two`").as_deref(), Some("one-two"));
    let found = broken(&page, text);
    assert_eq!(
        found.iter().filter(|line| line.contains("none.md#x")).count(),
        1,
        "{found:?}"
    );
}
