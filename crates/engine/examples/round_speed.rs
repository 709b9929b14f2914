//! Time until a number of playouts from the initial state have finished, one, 64 and 512 of them at once:
//! `cargo run --release -p ludens-engine --example round_speed -- FILE...`.
//!
//! The sizes take turns, so that whatever else the computer does meets them all, and the mean of all turns counts:
//! matches differ in length.

use ludens_engine::playout::Playout;
use ludens_engine::{EngineChoice, Game, Options, PlayoutOptions, PlayoutSource, Rng, State};
use ludens_gdl::{Description, Source};
use std::time::{Duration, Instant};

const SIZES: [u64; 3] = [1, 64, 512];
const ROUNDS: u32 = 10;

/// A number of playouts from the initial state.
struct Round<'a> {
    start: &'a State,
    size: u64,
    left: u64,
}

impl PlayoutSource for Round<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        self.left = self.left.checked_sub(1)?;
        Some((self.start, 0))
    }

    fn finish(&mut self, _tag: u32, _playout: &Playout) {}

    fn options(&self) -> PlayoutOptions {
        PlayoutOptions {
            at_most: Some(self.size),
            ..PlayoutOptions::default()
        }
    }
}

fn main() {
    println!("| game | gates | ms, 1 match | 64 | 512 |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("{path}: cannot be read");
            continue;
        };
        let name = path.rsplit('/').next().unwrap_or(&path).trim_end_matches(".kif");
        let options = Options {
            engine: EngineChoice::Compiled,
            ..Options::default()
        };
        match Game::new(Description::read(Source::from_bytes(name, bytes)), options) {
            Ok(game) => println!("| {name} | {} |", measure(&game)),
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
}

fn measure(game: &Game) -> String {
    let mut playouts = game.engine().playouts();
    let mut rng = Rng::with_seed(1);
    let mut times = [Duration::ZERO; 3];
    // The first turn makes everything ready and does not count.
    for turn in 0..=ROUNDS {
        for (size, time) in SIZES.into_iter().zip(&mut times) {
            let start = Instant::now();
            let mut round = Round {
                start: game.initial(),
                size,
                left: size,
            };
            playouts.run(&mut rng, 1000, &mut round);
            *time += if turn == 0 { Duration::ZERO } else { start.elapsed() };
        }
    }
    let [one, few, many] = times.map(|time| format!("{:.2}", time.as_secs_f64() * 1e3 / f64::from(ROUNDS)));
    format!("{} | {one} | {few} | {many}", game.engine().gates().unwrap_or(0))
}
