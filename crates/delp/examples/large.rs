//! Times of queries to programs of 10,000 rules: `cargo run --release -p ludens-delp --example large`.

use ludens_budget::Budget;
use ludens_delp::{Options, Program};
use ludens_gdl::Source;
use std::time::Instant;

fn taxonomy() -> String {
    let mut text = String::from(
        "bird(X) <- chicken(X). bird(X) <- penguin(X). flies(X) -< bird(X). ~flies(X) -< chicken(X).
         ~flies(X) -< penguin(X). flies(X) -< chicken(X), scared(X). nests(X) -< flies(X). swims(X) -< penguin(X).
         ~swims(X) -< penguin(X), young(X). hunts(X) -< swims(X).\n",
    );
    for number in 0..3330 {
        let kind = ["chicken", "penguin", "bird"][number % 3];
        text += &format!("{kind}(i{number}). scared(i{number}). young(i{number}).\n");
    }
    text
}

fn parts() -> String {
    let part = |n| {
        format!(
            "a{n}. b{n}. p{n} -< a{n}. ~p{n} -< a{n}, b{n}. q{n} -< p{n}. r{n} <- q{n}. ~r{n} -< b{n}. s{n} -< ~p{n}.
             t{n} -< s{n}. ~t{n} -< b{n}, ~p{n}.\n"
        )
    };
    (0..1000).map(part).collect()
}

fn layers() -> String {
    let mut text = String::from("c0. d0.\n");
    for n in 1..3334 {
        text += &format!("c{n} -< c{0}. ~c{n} -< d{0}, c{0}. d{n} <- d{0}.\n", n - 1);
    }
    text
}

fn main() {
    for (name, text, query) in [
        ("taxonomy", taxonomy(), "nests(i300)"),
        ("parts", parts(), "t500"),
        ("layers", layers(), "c12"),
    ] {
        let start = Instant::now();
        let mut program = Program::read(Source::new(name, text));
        let read = start.elapsed();
        let strict = program.check_strict(&Budget::default()).map(|found| found.is_none());
        let checked = start.elapsed();
        let Ok(query) = program.read_query(query) else { continue };
        let budget = Budget::iterations(100_000_000).with_nodes(2_000_000);
        let answer = program.answer(&query.literal, Options::default(), &budget);
        println!(
            "{name}: {} rules, read {:.3} s, strict part {:.3} s ({strict:?}), {} {} in {:.3} s, {} steps{}",
            program.rules.len(),
            read.as_secs_f64(),
            (checked - read).as_secs_f64(),
            answer.query,
            answer.verdict.name(),
            (start.elapsed() - checked).as_secs_f64(),
            answer.steps,
            answer.limit.map_or(String::new(), |limit| format!(", {limit}")),
        );
    }
}
