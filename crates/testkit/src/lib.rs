//! What tests and measurements share: where files are, and how expected output is compared or written anew.

use std::path::{Path, PathBuf};

pub mod asp;
pub mod hostile;
pub mod mutate;

/// The root of the project.
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap_or(crate_folder).to_path_buf()
}

/// The folder with games and traces of others, which is not part of the project: the value of `LUDENS_CORPUS`, or
/// `shared` beside the project. Tests that need it say so and pass where it is missing.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("LUDENS_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => root().parent()?.join("shared"),
    };
    let found = folder.join("games").is_dir().then_some(folder);
    if found.is_none() {
        eprintln!("skipped: there is no corpus folder (set LUDENS_CORPUS)");
    }
    found
}

/// The files of a folder with one of these endings, in order.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| endings.contains(&extension))
        })
        .collect();
    files.sort();
    files
}

/// Compares text with an expected file; with `LUDENS_BLESS=1` the file is written instead.
pub fn compare(expected: &Path, actual: &str) -> Result<(), String> {
    if std::env::var_os("LUDENS_BLESS").is_some() {
        return std::fs::write(expected, actual).map_err(|error| format!("{}: {error}", expected.display()));
    }
    let known = std::fs::read_to_string(expected).unwrap_or_default();
    match known == actual {
        true => Ok(()),
        false => Err(format!(
            "{} differs (LUDENS_BLESS=1 writes it anew)\n--- expected\n{known}\n--- actual\n{actual}",
            expected.display()
        )),
    }
}
