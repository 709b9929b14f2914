//! Any bytes through the reader, the checks, the formatter and, if they make a game, a few steps of play.
//!
//! `cargo +nightly fuzz run reader tests/files/check -- -max_total_time=600`
#![no_main]

use libfuzzer_sys::fuzz_target;
use ludens_engine::{EngineChoice, Game, Limits, Options, Rng, playout};
use ludens_gdl::{Description, Notation, Severity, Source, format, render};

fuzz_target!(|bytes: &[u8]| {
    for notation in [None, Some(Notation::Infix)] {
        let source = Source::from_bytes("fuzz", bytes.to_vec());
        let description = Description::read_as(source, notation, &Default::default());
        for diagnostic in description.diagnostics.iter().take(20) {
            render::render(&description.source, diagnostic, Severity::Error, false);
        }
        format::format(&description, Notation::Kif);
        format::format(&description, Notation::Infix);
        let limits = Limits {
            facts: 5_000,
            ..Limits::default()
        };
        for engine in [EngineChoice::Interpreted, EngineChoice::Compiled] {
            if let Ok(game) = Game::new(description.clone(), Options { engine, limits }) {
                playout::play_out(&mut *game.machine(), &mut Rng::with_seed(1), 5);
            }
        }
    }
});
