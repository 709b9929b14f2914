//! Checks what ARCHITECTURE.md and CONTRIBUTING.md promise about the source: directions of dependencies; where unsafe
//! code, JSON, databases, sockets, files and global state may appear; sizes of files and lines; and the tables of
//! modules. Every exception is listed here with its reason.

mod map;
mod tree;

use ludens_testkit::root;
use tree::Crate;

/// Methods that may use another method; all other methods meet only in `play`.
const METHOD_PAIRS: &[(&str, &str)] = &[("equilibrium", "solve"), ("equilibrium", "reach"), ("solve", "reach")];

/// Dependencies that only some crates may have, except for tests.
const RESERVED_DEPENDENCIES: &[(&str, &[&str])] = &[
    (
        "serde_json",
        &["board", "cli", "play", "protocol", "report", "testkit", "web"],
    ),
    ("rusqlite", &["cli", "web"]),
    ("tokio", &["cli", "protocol", "web"]),
    ("axum", &["protocol", "web"]),
    ("clap", &["cli"]),
];

/// Code that only some places may contain: crates, or single files as `crate/src/file.rs`.
const RESERVED_CODE: &[(&str, &[&str])] = &[
    // Calls of loops compiled for vector instructions that the processor was found to support.
    (
        "allow(unsafe_code)",
        &["engine/src/compiled/wide.rs", "evaluate/src/rules/formula/vector.rs"],
    ),
    ("std::net", &["cli", "protocol", "testkit", "web"]),
    // `meter` asks the system how much memory there is.
    (
        "std::fs",
        &["artifact", "cli", "testkit", "web", "datalog/src/meter.rs"],
    ),
    ("std::process", &["artifact", "cli", "testkit"]),
    ("std::env", &["artifact", "cli", "testkit"]),
    ("println!", &["cli", "testkit"]),
    ("print!(", &["cli", "testkit"]),
    ("static mut", &[]),
    // Whether a thread runs an agent; operations of a thread since it last read the clock. Neither changes a result.
    (
        "thread_local!",
        &["play/src/seat.rs", "solve/src/symbolic/operators.rs"],
    ),
];

/// Files with a mutable `static`: the memory that all games of this process take, which is a limit and not a result,
/// and the thread-local cells named above.
const CHANGING_STATICS: &[&str] = &[
    "datalog/src/meter.rs",
    "play/src/seat.rs",
    "solve/src/symbolic/operators.rs",
];

/// Maximum width of comments; `cargo fmt` formats code.
const COLUMNS: usize = 120;

/// Maximum length of files, and longer files with their reasons.
const LINES: usize = 600;
const LONG_FILES: &[(&str, &str)] = &[
    (
        "engine/tests/semantics/language.rs",
        "one small test for each point of the meaning of the language",
    ),
    (
        "play/src/agents/uct.rs",
        "the table of the settings of all parts of the tree search",
    ),
];

/// Words that were replaced by those of the field, and the crates that are free of them.
const OLD_WORDS: &[&str] = &[
    "nothing if",
    "so many",
    "whoever",
    "random match",
    "judgement",
    "learnt",
];
const CRATES_WITHOUT_OLD_WORDS: &[&str] = &[
    "artifact",
    "budget",
    "evaluate",
    "library",
    "ludens",
    "report",
    "statistics",
];

/// Crates without a comment that is too wide.
const NARROW_CRATES: &[&str] = &["library", "ludens", "statistics", "testkit"];

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

#[track_caller]
fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_crate_is_in_the_table_of_layers_with_a_sentence() {
    let rows = map::layers(&architecture());
    let listed: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let crates = tree::crates();
    let mut wrong: Vec<String> = Vec::new();
    wrong.extend(
        crates
            .iter()
            .filter(|found| !listed.contains(&found.name.as_str()))
            .map(|found| format!("crates/{} is not in the table of crates of ARCHITECTURE.md", found.name)),
    );
    wrong.extend(
        rows.iter()
            .filter(|row| !crates.iter().any(|found| found.name == row.name))
            .map(|row| format!("ARCHITECTURE.md names the crate {}, which is not there", row.name)),
    );
    wrong.extend(
        rows.iter()
            .filter(|row| row.sentence.is_empty())
            .map(|row| format!("{} has no sentence", row.name)),
    );
    assert_none(wrong);
}

#[test]
fn dependencies_point_up_the_table_of_layers() {
    let rows = map::layers(&architecture());
    let place = |name: &str| rows.iter().position(|row| row.name == name);
    let crates = tree::crates();
    let is_ours = |name: &&String| crates.iter().any(|found| found.name == **name);
    let mut wrong = Vec::new();
    for found in &crates {
        let Some(own) = place(&found.name) else { continue };
        for other in found.dependencies.iter().filter(is_ours) {
            let Some(above) = place(other) else { continue };
            let are_methods = rows[own].layer == "methods" && rows[above].layer == "methods";
            if above >= own || matches!(other.as_str(), "cli" | "testkit") {
                wrong.push(format!("{} depends on {other}, which is below it", found.name));
            } else if are_methods && !METHOD_PAIRS.contains(&(found.name.as_str(), other.as_str())) {
                wrong.push(format!("the method {} depends on the method {other}", found.name));
            }
        }
        // Tests may also use the games of the library and the drivers.
        for other in found.dev_dependencies.iter().filter(is_ours) {
            if place(other) >= Some(own) && !matches!(other.as_str(), "library" | "testkit") {
                wrong.push(format!("tests of {} use {other}, which is below it", found.name));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn reserved_dependencies_are_used_only_where_they_may() {
    let mut wrong = Vec::new();
    for found in tree::crates() {
        for (dependency, places) in RESERVED_DEPENDENCIES {
            if found.uses(dependency) && !places.contains(&found.name.as_str()) {
                wrong.push(format!(
                    "{} depends on {dependency}, which only {places:?} may",
                    found.name
                ));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn reserved_code_stands_only_where_it_may() {
    let mut wrong = Vec::new();
    for found in tree::crates() {
        for file in found.sources() {
            let path = format!("{}/{}", found.name, file.path);
            for (pattern, places) in RESERVED_CODE {
                if places.contains(&found.name.as_str()) || places.contains(&path.as_str()) {
                    continue;
                }
                let lines = file.code().filter(|(_, line)| line.contains(pattern));
                wrong.extend(lines.map(|(number, _)| format!("crates/{path}:{number}: `{pattern}` is for {places:?}")));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn global_state_is_constant() {
    // A `static` may hold a table, a value that is computed once, or one of the counters above.
    let may_change = ["Mutex", "RwLock", "Atomic", "RefCell", "Cell<"];
    let mut wrong = Vec::new();
    for found in tree::crates() {
        for file in found.sources() {
            let path = format!("{}/{}", found.name, file.path);
            if CHANGING_STATICS.contains(&path.as_str()) {
                continue;
            }
            for (number, line) in file.code() {
                let is_static = line.trim_start().trim_start_matches("pub ").starts_with("static ");
                if is_static && may_change.iter().any(|word| line.contains(word)) {
                    wrong.push(format!("crates/{path}:{number}: {}", line.trim()));
                }
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    let mut wrong = Vec::new();
    for found in tree::crates() {
        let files = found.files.iter().filter(|file| file.summary().is_none());
        wrong.extend(files.map(|file| format!("crates/{}/{} does not open with `//!`", found.name, file.path)));
    }
    assert_none(wrong);
}

#[test]
fn files_and_lines_stay_below_their_limits() {
    let mut wrong = Vec::new();
    for found in tree::crates() {
        for file in &found.files {
            let path = format!("{}/{}", found.name, file.path);
            let lines = file.text.lines().count();
            let may_be_long = LONG_FILES.iter().any(|(long, _)| *long == path);
            if lines > LINES && !may_be_long {
                wrong.push(format!("crates/{path} has {lines} lines; {LINES} are the limit"));
            }
            if NARROW_CRATES.contains(&found.name.as_str()) {
                let is_wide = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > COLUMNS;
                let wide = file.text.lines().enumerate().filter(|(_, line)| is_wide(line));
                wrong.extend(wide.map(|(index, _)| format!("crates/{path}:{} is wider than {COLUMNS}", index + 1)));
            }
        }
    }
    for (path, _) in LONG_FILES {
        if !root().join("crates").join(path).is_file() {
            wrong.push(format!("crates/{path} is not there: take it off the list"));
        }
    }
    assert_none(wrong);
}

#[test]
fn words_that_were_replaced_do_not_come_back() {
    let mut wrong = Vec::new();
    for found in tree::crates()
        .iter()
        .filter(|found| CRATES_WITHOUT_OLD_WORDS.contains(&found.name.as_str()))
    {
        for file in &found.files {
            for (index, line) in file.text.lines().enumerate() {
                let lower = line.to_lowercase();
                let words = OLD_WORDS.iter().filter(|word| lower.contains(**word));
                wrong.extend(words.map(|word| format!("crates/{}/{}:{}: `{word}`", found.name, file.path, index + 1)));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn the_tables_of_modules_are_those_of_the_source() {
    let page = architecture();
    let written = map::with_modules(&page, &tree::crates());
    match std::env::var_os("LUDENS_BLESS") {
        Some(_) => std::fs::write(root().join("ARCHITECTURE.md"), written).expect("ARCHITECTURE.md can be written"),
        None => assert_none(differing(&page, &written)),
    }
}

#[test]
fn the_glossary_names_places_that_are_there() {
    let page = std::fs::read_to_string(root().join("docs/glossary.md")).expect("the glossary");
    let crates = tree::crates();
    let is_there = |place: &str| {
        let (name, module) = place.split_once("::").unwrap_or((place, "lib"));
        let path = format!("src/{}.rs", module.replace("::", "/"));
        let found = crates.iter().find(|found| found.name == name);
        found.is_some_and(|found| found.files.iter().any(|file| file.path == path))
    };
    // Places are in the last column, in backticks.
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|line| line.trim_end_matches(" |").rsplit(" | ").next());
    let places = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    assert_none(
        places
            .filter(|place| !is_there(place))
            .map(|place| format!("{place} is not there"))
            .collect(),
    );
}

/// Lines that only one of two texts has.
fn differing(old: &str, new: &str) -> Vec<String> {
    let missing = |text: &str, other: &str, sign: char| -> Vec<String> {
        let has: std::collections::BTreeSet<&str> = other.lines().collect();
        text.lines()
            .filter(|line| !has.contains(line))
            .map(|line| format!("{sign} {line}"))
            .collect()
    };
    let mut lines = missing(old, new, '-');
    lines.extend(missing(new, old, '+'));
    if !lines.is_empty() {
        lines.insert(
            0,
            "ARCHITECTURE.md (LUDENS_BLESS=1 writes its tables of modules):".to_string(),
        );
    }
    lines
}

/// The checks detect violations.
#[test]
fn a_source_file_is_read_as_code_and_summary() {
    let file = tree::SourceFile {
        path: "src/game.rs".to_string(),
        text: "//! A game: [`Game`] and\n//! more. And so on.\n\nuse a;\n// std::fs\nfn f() {}\n#[cfg(test)]\nmod tests {}\n"
            .to_string(),
    };
    assert_eq!(file.summary().as_deref(), Some("A game: `Game` and more"));
    assert_eq!(
        file.code().collect::<Vec<_>>(),
        [(3, ""), (4, "use a;"), (6, "fn f() {}")]
    );
    let found = Crate {
        name: "a".into(),
        dependencies: vec![],
        dev_dependencies: vec![],
        files: vec![file],
    };
    let page = "| layer | crate | |\n| --- | --- | --- |\n| one | `a` | x |\n| | `b` | y |\n\n<!-- modules: written by \
                LUDENS_BLESS=1 cargo test -p ludens-testkit --test tidy -->\nold\n<!-- end of modules -->\n";
    assert_eq!(
        map::layers(page)
            .iter()
            .map(|row| row.layer.as_str())
            .collect::<Vec<_>>(),
        ["one", "one"]
    );
    let written = map::with_modules(page, &[found]);
    assert!(
        written.contains("### `a`\n\n") && written.contains("| `game` | A game: `Game` and more |  |\n"),
        "{written}"
    );
    assert!(!written.contains("old"), "{written}");
}
