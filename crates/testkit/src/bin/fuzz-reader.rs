//! Feeds random texts to the reader, the checks, the formatter and, for small texts, the interpreter.
//!
//! `cargo run --release -p ludens-testkit --bin fuzz-reader -- [SECONDS] [SEED]` runs with the stable compiler and
//! needs no instrumentation; `fuzz/` has the same target for coverage-guided fuzzing. A panic, an overflow or a text
//! that takes longer than ten seconds ends the run with the text saved beside it.

use ludens_engine::{EngineChoice, Game, Limits, Options, Rng, playout};
use ludens_gdl::{Description, Notation, Severity, Source, format, render};
use ludens_testkit::{files, mutate, root};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static CURRENT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static DONE: AtomicU64 = AtomicU64::new(0);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: u64| match arguments.next().map(|text| text.parse()) {
        None => Some(default),
        Some(parsed) => parsed.ok(),
    };
    let (Some(seconds), Some(seed)) = (number(60), number(1)) else {
        eprintln!("usage: fuzz-reader [SECONDS] [SEED]");
        return ExitCode::from(2);
    };
    let mut seeds: Vec<Vec<u8>> = files(&root().join("tests/files/check"), &["kif", "gdl"])
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    seeds.extend(ludens_library::entries().map(|entry| entry.text().as_bytes().to_vec()));
    std::thread::spawn(watch);
    let mut rng = Rng::with_seed(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let text = mutate::text(&seeds, &mut rng);
        if let Ok(mut current) = CURRENT.lock() {
            current.clone_from(&text);
        }
        let result = std::panic::catch_unwind(|| try_text(text.clone()));
        if result.is_err() {
            return report("panicked on", &text);
        }
        DONE.fetch_add(1, Ordering::Relaxed);
    }
    println!("{} texts, no panic, no hang", DONE.load(Ordering::Relaxed));
    ExitCode::SUCCESS
}

/// Ends the run when a text takes too long.
fn watch() {
    let mut last = (u64::MAX, 0);
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let done = DONE.load(Ordering::Relaxed);
        last = match last.0 == done {
            true => (done, last.1 + 1),
            false => (done, 0),
        };
        if last.1 >= 10 {
            let text = CURRENT.lock().map(|text| text.clone()).unwrap_or_default();
            report("hung on", &text);
            std::process::exit(1);
        }
    }
}

fn report(what: &str, text: &[u8]) -> ExitCode {
    let path = "fuzz-reader-failure.kif";
    let saved = std::fs::write(path, text).map_or("could not be saved", |()| path);
    eprintln!("{what} a text of {} bytes ({saved})", text.len());
    ExitCode::FAILURE
}

fn try_text(bytes: Vec<u8>) {
    let size = bytes.len();
    for notation in [None, Some(Notation::Infix)] {
        let source = Source::from_bytes("fuzz", bytes.clone());
        let description = Description::read_as(source, notation, &ludens_gdl::Limits::default());
        for diagnostic in description.diagnostics.iter().take(50) {
            assert!(!render::render(&description.source, diagnostic, Severity::Error, false).is_empty());
        }
        for target in [Notation::Kif, Notation::Infix] {
            format::format(&description, target);
        }
        if size < 20_000 {
            play(description);
        }
    }
}

fn play(description: Description) {
    for engine in [EngineChoice::Interpreted, EngineChoice::Compiled] {
        let limits = Limits {
            facts: 20_000,
            ..Limits::default()
        };
        let options = Options {
            engine,
            limits,
            ..Options::default()
        };
        if let Ok(game) = Game::new(description.clone(), options) {
            playout::play_out(&mut *game.machine(), &mut Rng::with_seed(1), 20);
        }
    }
}
