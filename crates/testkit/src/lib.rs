//! Helpers for tests and measurements: files, library games, and comparison with expected output.

use std::path::{Path, PathBuf};

pub mod asp;
pub mod hostile;
pub mod mutate;

/// Root folder of the project.
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap_or(crate_folder).to_path_buf()
}

/// Folder with games and traces of others, which are not part of the project: the value of `LUDENS_CORPUS`, or `shared`
/// beside the project. Tests that need it are ignored by default, have `corpus` in their name, and fail if it is
/// missing.
///
/// # Panics
/// If there is no such folder.
pub fn corpus() -> PathBuf {
    let folder = match std::env::var_os("LUDENS_CORPUS") {
        Some(path) => PathBuf::from(path),
        None => root().with_file_name("shared"),
    };
    let is_there = folder.join("games").is_dir();
    assert!(
        is_there,
        "there is no corpus in {}: set LUDENS_CORPUS",
        folder.display()
    );
    folder
}

/// A game of the corpus, ready to play.
///
/// # Panics
/// If there is no corpus, or no such game in it.
pub fn corpus_game(name: &str) -> ludens_engine::Game {
    let path = corpus().join("games").join(format!("{name}.kif"));
    let text = std::fs::read(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    let source = ludens_gdl::Source::new(name, String::from_utf8_lossy(&text).into_owned());
    ludens_engine::Game::read(source).expect("a game of the corpus can be played")
}

/// Source of a library game.
///
/// # Panics
/// If there is no such game.
pub fn library_source(name: &str) -> ludens_gdl::Source {
    let entry = ludens_library::find(name).unwrap_or_else(|| panic!("the library has no game {name}"));
    entry.source()
}

/// A library game, ready to play.
///
/// # Panics
/// If there is no such game.
pub fn library(name: &str) -> ludens_engine::Game {
    ludens_engine::Game::read(library_source(name)).expect("a game of the library can be played")
}

/// All library games that can be set up and have at most `most_fluents` fluents, with their names.
pub fn library_games(most_fluents: usize) -> impl Iterator<Item = (&'static str, ludens_engine::Game)> {
    let games = ludens_library::entries().filter_map(|entry| {
        let game = ludens_engine::Game::read(entry.source()).ok()?;
        Some((entry.name.as_str(), game))
    });
    games.filter(move |(_, game)| game.vocabulary().fluent_count() <= most_fluents)
}

/// Files of a folder with one of these endings, sorted.
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

/// Compares text with an expected file; with `LUDENS_BLESS=1` writes the file instead.
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
