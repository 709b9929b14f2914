//! Which boards are found in rule files: `cargo run --release -p ludens-board --example survey -- FILE...`
//!
//! Prints a line for each file, and with `--draw` the initial state as well. The table in `docs/boards.md` is made with it.

use ludens_board::{Boards, Shape};
use ludens_engine::{Game, Limits, Options};
use ludens_gdl::{Description, Source};
use std::time::{Duration, Instant};

fn main() {
    let mut draw = false;
    for path in std::env::args().skip(1) {
        if path == "--draw" {
            draw = true;
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or(&path).to_string();
        let Ok(bytes) = std::fs::read(&path) else {
            println!("{name}\tcannot be read");
            continue;
        };
        let limits = Limits {
            facts: 2_000_000,
            memory: 1 << 30,
            setup: Duration::from_secs(10),
            ..Limits::default()
        };
        let options = Options {
            limits,
            ..Options::default()
        };
        let source = Source::from_bytes(&name, bytes);
        let game = match Game::new(Description::read(source), options) {
            Ok(game) => game,
            Err(error) => {
                println!("{name}\t{error}");
                continue;
            }
        };
        let start = Instant::now();
        let boards = Boards::find(&game);
        let seconds = start.elapsed().as_secs_f64();
        let texts: Vec<String> = boards.layout().boards.iter().map(describe).collect();
        let clicks = clicks(&game, &boards);
        println!("{name}\t{seconds:.2} s\t{clicks}\t{}", texts.join("; "));
        if draw {
            let view = boards.view(&game, game.initial());
            for drawing in boards.draw(&view) {
                println!("{drawing}");
            }
            let facts: Vec<&str> = view.facts.iter().map(|fact| fact.text.as_str()).take(12).collect();
            println!("{}", facts.join(" "));
        }
    }
}

fn describe(board: &ludens_board::BoardLayout) -> String {
    let shape = match board.shape {
        Shape::Square => "square",
        Shape::Hex => "hex",
        Shape::Row => "row",
    };
    let layers = match board.layers.len() {
        1 => String::new(),
        count => format!("x{count}"),
    };
    let holes = match board.holes.len() {
        0 => String::new(),
        count => format!(" ({count} holes)"),
    };
    let (columns, rows) = (board.columns.len(), board.rows.len());
    format!("{shape} {columns}x{rows}{layers}{holes} {}", board.relations.join(" "))
}

/// How many clicks the moves of the initial state take, by their number.
fn clicks(game: &Game, boards: &Boards) -> String {
    let mut machine = game.machine();
    let mut counts = std::collections::BTreeMap::new();
    if !machine.is_terminal() {
        for role in game.roles() {
            let legal = machine.legal(role).to_vec();
            for view in boards.moves(game, role, &legal) {
                *counts.entry(view.clicks.len()).or_insert(0) += 1;
            }
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(clicks, moves)| format!("{clicks}:{moves}"))
        .collect();
    counts.join(" ")
}
