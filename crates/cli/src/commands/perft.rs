//! `ludens perft`: number of joint-move sequences by length.

use crate::output::{Answer, Outcome, count, grouped, print, print_json};
use crate::{interrupt, load, progress};
use ludens_engine::perft::perft;
use serde_json::json;
use std::time::Instant;

/// Count the joint-move sequences of each length from the initial state
#[derive(clap::Args)]
#[command(after_help = "A sequence ends at a terminal state. Ctrl-C stops the count and shows the completed lengths.")]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Maximum length
    #[arg(long, value_name = "D", default_value_t = 4)]
    depth: usize,
    /// Maximum number of merged states of one length in memory; beyond it, sequences are enumerated one by one
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    most_states: usize,
    /// Time limit in seconds (default: none)
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    seconds: Option<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let mut budget = interrupt::budget();
    if let Some(seconds) = arguments.seconds {
        budget = budget.within(std::time::Duration::from_secs_f64(seconds));
    }
    let bar = progress::spinner();
    bar.set_message(format!("counting {}", game.name()));
    let start = Instant::now();
    let result = perft(
        &game,
        arguments.depth,
        arguments.most_states,
        &budget,
        |length, so_far| {
            bar.set_message(format!("length {length}: {}", grouped(so_far.nodes[length])));
        },
    );
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    if let Some(fault) = &result.fault {
        tell!("error: {fault}");
    } else if !result.complete {
        tell!("warning: stopped before length {}", arguments.depth);
    }
    let stuck: u128 = result.stuck.iter().sum();
    if stuck > 0 {
        tell!(
            "warning: {} sequences end where some role has no legal move",
            grouped(stuck)
        );
    }
    if arguments.json {
        let counts = |list: &[u128]| list.iter().map(|&number| count(number)).collect::<Vec<_>>();
        print_json(&json!({
            "game": game.name(),
            "nodes": counts(&result.nodes),
            "terminals": counts(&result.terminals),
            "stuck": counts(&result.stuck),
            "complete": result.complete,
            "seconds": seconds,
        }))?;
    } else {
        let mut text = format!("{:>6} {:>24} {:>24}\n", "length", "sequences", "terminal");
        for (length, (nodes, terminals)) in result.nodes.iter().zip(&result.terminals).enumerate() {
            text += &format!("{length:>6} {:>24} {:>24}\n", grouped(*nodes), grouped(*terminals));
        }
        print(&text)?;
    }
    Ok(match result.complete {
        true => Answer::Yes,
        false => Answer::No,
    })
}
