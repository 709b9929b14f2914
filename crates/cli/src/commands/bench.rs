//! `ludens bench`: random playouts a second.

use crate::engines::EngineName;
use crate::output::{Answer, Outcome, grouped, print, print_json};
use crate::{interrupt, load, progress};
use anyhow::anyhow;
use ludens_engine::playout::{End, Playout};
use ludens_engine::{Budget, Game, Rng};
use serde_json::json;
use std::time::{Duration, Instant};

/// Measure random playouts from the initial state to the end
#[derive(clap::Args)]
#[command(
    after_help = "A playout is one uniformly random match from the start to a terminal state; `states` counts \
    state changes, all of them within the time stated."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// How to run the rules
    #[arg(long, default_value = "auto")]
    engine: EngineName,
    /// How long to measure
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = super::check::seconds)]
    seconds: f64,
    /// How many threads play
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Longest playout; longer ones end there and are counted apart
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    most_steps: usize,
    /// Makes the random choices repeatable
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

#[derive(Default)]
struct Count {
    playouts: u64,
    states: u64,
    unfinished: u64,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let start = Instant::now();
    let game = load::game(&arguments.game, &arguments.limits, arguments.engine.into())?;
    let setup = start.elapsed().as_secs_f64();
    let bar = progress::spinner();
    bar.set_message(format!("playing {} for {} s", game.name(), arguments.seconds));
    let start = Instant::now();
    let budget = interrupt::budget().within(Duration::from_secs_f64(arguments.seconds));
    let counts: Vec<Result<Count, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..u64::from(arguments.threads))
            .map(|thread| {
                let (game, budget) = (&game, &budget);
                let seed = arguments.seed.wrapping_mul(1000).wrapping_add(thread);
                scope.spawn(move || play(game, Rng::with_seed(seed), arguments.most_steps, budget))
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread failed".to_string())))
            .collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let mut total = Count::default();
    for count in counts {
        let count = count.map_err(|fault| anyhow!("the game cannot be played on: {fault}"))?;
        total.playouts += count.playouts;
        total.states += count.states;
        total.unfinished += count.unfinished;
    }
    let per_second = |count: u64| count as f64 / seconds;
    match arguments.json {
        true => print_json(&json!({
            "game": game.name(),
            "engine": game.engine().name(),
            "setup_seconds": setup,
            "seconds": seconds,
            "playouts": total.playouts,
            "states": total.states,
            "playouts_per_second": per_second(total.playouts),
            "states_per_second": per_second(total.states),
            "unfinished": total.unfinished,
            "threads": arguments.threads,
        }))?,
        false => print(&format!(
            "{}: {} engine, set up in {setup:.3} s\n{} playouts and {} states in {seconds:.2} s on {} thread{}\n\
             {:.1} playouts and {:.0} states a second\n",
            game.name(),
            game.engine().name(),
            grouped(u128::from(total.playouts)),
            grouped(u128::from(total.states)),
            arguments.threads,
            if arguments.threads == 1 { "" } else { "s" },
            per_second(total.playouts),
            per_second(total.states),
        ))?,
    }
    Ok(Answer::Yes)
}

/// Starts playouts until the budget is spent; those under way are finished.
fn play(game: &Game, mut rng: Rng, most_steps: usize, budget: &Budget) -> Result<Count, String> {
    let mut count = Count::default();
    let mut fault = false;
    let mut started = 0u32;
    let mut is_spent = false;
    let mut next = || {
        // Asking the clock costs as much as a short playout.
        started = started.wrapping_add(1);
        if started.is_multiple_of(64) || game.engine().gates().is_none() {
            is_spent |= budget.is_spent();
        }
        (!is_spent).then(|| game.initial().clone())
    };
    let mut done = |playout: &Playout| {
        match playout.end {
            End::Terminal => count.playouts += 1,
            End::Stuck(_) | End::TooLong => count.unfinished += 1,
            End::Fault => fault = true,
        }
        count.states += playout.steps as u64;
    };
    game.engine().playouts().run(&mut rng, most_steps, &mut next, &mut done);
    match fault {
        true => Err("a limit was hit while deriving a state".to_string()),
        false => Ok(count),
    }
}
