//! The source tree as the checks see it: crates with their dependencies and files.

use ludens_testkit::root;
use std::path::Path;

/// A crate of the workspace.
pub struct Crate {
    /// Folder below `crates/`.
    pub name: String,
    pub dependencies: Vec<String>,
    pub dev_dependencies: Vec<String>,
    /// All Rust files, by path.
    pub files: Vec<SourceFile>,
}

/// One Rust file.
pub struct SourceFile {
    /// Path from the folder of the crate, as in `src/game.rs`.
    pub path: String,
    pub text: String,
}

impl Crate {
    /// Whether the manifest names this dependency, other than for tests.
    pub fn uses(&self, dependency: &str) -> bool {
        self.dependencies.iter().any(|name| name == dependency)
    }

    /// Files of the library or the program: no tests, examples or tools.
    pub fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        let is_source = |path: &str| path.starts_with("src/") && !path.starts_with("src/bin/");
        self.files.iter().filter(move |file| is_source(&file.path))
    }
}

impl SourceFile {
    /// Lines of code with their numbers, from one, without comments and without the tests at the end of the file.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .take_while(|(_, line)| *line != "#[cfg(test)]")
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// First sentence of the text that opens the file, if any.
    pub fn summary(&self) -> Option<String> {
        let paragraph: Vec<&str> = self
            .text
            .lines()
            .map_while(|line| line.strip_prefix("//!").map(str::trim))
            .take_while(|line| !line.is_empty())
            .collect();
        let paragraph = paragraph.join(" ").replace("[`", "`").replace("`]", "`");
        let end = paragraph.find(". ").map_or(paragraph.len(), |at| at + 1);
        let sentence = paragraph[..end].trim_end_matches('.').replace('|', "\\|");
        (!sentence.is_empty()).then_some(sentence)
    }
}

/// All crates of the workspace, by name.
pub fn crates() -> Vec<Crate> {
    let folder = root().join("crates");
    let mut crates: Vec<Crate> = std::fs::read_dir(&folder)
        .expect("the folder of crates")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| read(&path))
        .collect();
    crates.sort_by(|one, other| one.name.cmp(&other.name));
    crates
}

fn read(folder: &Path) -> Crate {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    let mut files = Vec::new();
    collect(folder, folder, &mut files);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Crate {
        name: folder
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a plain name")
            .to_string(),
        dependencies: section(&manifest, "[dependencies]"),
        dev_dependencies: section(&manifest, "[dev-dependencies]"),
        files,
    }
}

/// Names in a section of a manifest; crates of the workspace without `ludens-`.
fn section(manifest: &str, header: &str) -> Vec<String> {
    manifest
        .lines()
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(|name| name.trim_start_matches("ludens-").to_string())
        .collect()
}

fn collect(base: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in std::fs::read_dir(folder).expect("a folder of a crate") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(base, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let below = path.strip_prefix(base).expect("a path below the crate");
            files.push(SourceFile {
                path: below.to_str().expect("a plain path").replace('\\', "/"),
                text: std::fs::read_to_string(&path).expect("a source file"),
            });
        }
    }
}
