//! `ludens info`: the facts of a game with their evidence. A property that could not be decided is `unknown`.

use crate::output::{Answer, Outcome, grouped, print, print_json};
use crate::{load, progress};
use ludens_analysis::analyse;
use ludens_budget::Budget;
use ludens_reach::{ExploreOptions, explore};
use ludens_report::info;
use ludens_symmetry::{Kind, symmetries};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Show sizes and proved properties of a game
#[derive(clap::Args)]
#[command(
    after_help = "A property is proved by visiting all states, if time permits, or by induction; refuted by a \
    counterexample; or `unknown`. The evidence is in parentheses. --json lists all mutex groups of fluents, all latches, \
    and in `evidence` the lines of play that decide a property."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Time limit for exploring states, again for proving properties and again for finding symmetries, in seconds
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = crate::arguments::seconds)]
    seconds: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let start = Instant::now();
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let setup = start.elapsed().as_secs_f64();
    let time = Duration::from_secs_f64(arguments.seconds);
    let budget: Budget = crate::interrupt::budget();
    let bar = progress::spinner();
    bar.set_message(format!("looking at states of {}", game.name()));
    let exploration = explore(&game, &ExploreOptions::default(), &budget.within(time));
    bar.set_message(format!("proving properties of {}", game.name()));
    let analysis = analyse(&game, &budget.within(time));
    bar.set_message(format!("looking for symmetries of {}", game.name()));
    let symmetries = symmetries(&game, Kind::Game, &budget.within(time));
    bar.finish_and_clear();
    let facts = info::facts(&game, &exploration, analysis.as_deref(), &symmetries, setup);
    match arguments.json {
        true => print_json(&facts)?,
        false => print(&text(&facts))?,
    }
    Ok(Answer::Yes)
}

/// Maximum length of lists in the text.
const MANY: usize = 8;

fn text(facts: &Value) -> String {
    let mut text = String::new();
    let fields = facts.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| *name != "evidence") {
        let value = match value {
            Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
                grouped(list.len() as u128)
            }
            Value::Array(list) if list.len() > MANY => {
                let first: Vec<String> = list.iter().take(MANY / 2).map(plain).collect();
                format!("{}: {}, ...", grouped(list.len() as u128), first.join(", "))
            }
            Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
            Value::Object(map) => map
                .iter()
                .map(|(name, value)| format!("{} {}", name.replace('_', " "), plain(value)))
                .collect::<Vec<_>>()
                .join(", "),
            other => plain(other),
        };
        let detail = facts["evidence"][name]["detail"].as_str();
        let detail = detail.map_or(String::new(), |detail| format!(" ({detail})"));
        text += &format!("{:<20} {value}{detail}\n", name.replace('_', " "));
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_string(),
        Value::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap_or(0.0)),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Null => "-".to_string(),
        other => other.to_string(),
    }
}
