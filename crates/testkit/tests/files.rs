//! Diagnostics as text: every file in `tests/files/check` has its diagnostics beside it, exactly as people see them.

use ludens_gdl::diagnostic::codes;
use ludens_gdl::{Description, Source, render};
use ludens_testkit::{compare, files, root};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn cases() -> Vec<PathBuf> {
    files(&root().join("tests/files/check"), &["kif", "gdl"])
}

fn read(path: &PathBuf) -> Description {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    Description::read(Source::from_bytes(name, std::fs::read(path).unwrap()))
}

#[test]
fn findings_read_as_recorded() {
    let mut failures = Vec::new();
    for path in cases() {
        let description = read(&path);
        let mut text = String::new();
        for diagnostic in description.diagnostics.iter().take(30) {
            text += &render::render(&description.source, diagnostic, diagnostic.code.severity(), false);
            text += "\n\n";
        }
        let more = description.diagnostics.len().saturating_sub(30);
        if more > 0 {
            text += &format!("and {more} more\n");
        }
        text += if description.is_valid() {
            "valid\n"
        } else {
            "not valid\n"
        };
        failures.extend(compare(&path.with_extension("expected"), &text).err());
    }
    assert!(
        failures.is_empty(),
        "{} differ\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

#[test]
fn every_static_code_occurs() {
    let seen: BTreeSet<&str> = cases()
        .iter()
        .flat_map(|path| read(path).diagnostics)
        .map(|diagnostic| diagnostic.code.id)
        .collect();
    let missing: Vec<&str> = codes::ALL
        .iter()
        .map(|code| code.id)
        // Codes 4xx come from exploring; a text beyond the size limit cannot be a test file.
        .filter(|id| !id[1..].starts_with('4') && *id != "E106")
        .filter(|id| !seen.contains(id))
        .collect();
    assert!(missing.is_empty(), "no file shows {missing:?}");
}

#[test]
fn a_text_beyond_the_size_limit_is_refused() {
    let limits = ludens_gdl::Limits {
        bytes: 10,
        ..ludens_gdl::Limits::default()
    };
    let description = Description::read_as(Source::new("large", "(role white)"), None, &limits);
    assert_eq!(description.diagnostics[0].code.id, "E106");
}
