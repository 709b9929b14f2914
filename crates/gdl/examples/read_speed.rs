//! Measures how fast rules are read: `cargo run --release -p ludens-gdl --example read_speed -- FILE`.
//!
//! Without a file, ten megabytes of rules are made up.

use ludens_gdl::{Description, Notation, Source, Symbols, read};
use std::time::Instant;

fn main() {
    let text = match std::env::args().nth(1) {
        Some(path) => std::fs::read(&path).unwrap_or_default(),
        None => made_up(),
    };
    let megabytes = text.len() as f64 / 1e6;
    let start = Instant::now();
    let source = Source::from_bytes("speed", text);
    let mut symbols = Symbols::new();
    let (tree, _) = read::read_tree(&source, Notation::Kif, &Default::default(), &mut symbols);
    let reading = start.elapsed().as_secs_f64();
    println!("read {megabytes:.1} MB into {} nodes in {reading:.3} s", tree.len());
    let start = Instant::now();
    let description = Description::read(source);
    let checking = start.elapsed().as_secs_f64();
    println!(
        "read and checked, {} diagnostics, in {checking:.3} s",
        description.diagnostics.len()
    );
}

fn made_up() -> Vec<u8> {
    let mut text = String::from("(role w)\n(goal w 100)\n");
    let mut number = 0;
    while text.len() < 10_000_000 {
        number += 1;
        let kind = number % 500;
        text += &format!(
            "(<= (next (cell{kind} ?x {number} ?c))\n    (true (cell{kind} ?x {number} ?c)) ; keep\n    \
             (does ?p (move{kind} ?a ?b))\n    (distinct ?x ?a)\n    (not (helper{kind} ?x ?c)))\n\
             (succ {number} {})\n",
            number + 1
        );
    }
    text.into_bytes()
}
