//! `ludens info`: what is known about a game. Not decided is `unknown`, never a guess.

use crate::load;
use crate::output::{Answer, Outcome, print, print_json};
use ludens_engine::Budget;
use ludens_engine::Game;
use ludens_engine::explore::{Bounds, Exploration, explore};
use ludens_gdl::keyword;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Show sizes and properties of a game
#[derive(clap::Args)]
#[command(
    after_help = "Properties are proved by looking at all states where that fits into the time, refuted by an \
    example, or else `unknown`."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Time to look at states
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = super::check::seconds)]
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
    let bounds = Bounds {
        time: Duration::from_secs_f64(arguments.seconds),
        ..Bounds::default()
    };
    let budget: Budget = crate::interrupt::budget();
    let exploration = explore(&game, bounds, &budget);
    let facts = facts(&game, &exploration, setup);
    match arguments.json {
        true => print_json(&facts)?,
        false => print(&text(&facts))?,
    }
    Ok(Answer::Yes)
}

/// A property that an example refutes and a complete exploration proves.
fn property(refuted: bool, exploration: &Exploration) -> Value {
    match (refuted, exploration.complete) {
        (true, _) => json!(false),
        (false, true) => json!(true),
        (false, false) => json!("unknown"),
    }
}

/// The opposite of a property.
fn opposite(property: &Value) -> Value {
    match property.as_bool() {
        Some(value) => json!(!value),
        None => property.clone(),
    }
}

fn facts(game: &Game, exploration: &Exploration, setup: f64) -> Value {
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    let turn_taking = property(exploration.choosers > 1, exploration);
    let constant_sum = match exploration.terminal {
        0 => property(false, exploration),
        _ => property(exploration.sum.is_none(), exploration),
    };
    let rules = &game.description().rules.rules;
    let defines = |name| rules.iter().any(|rule| rule.head.name == name);
    let known = |value: Value| match exploration.complete {
        true => value,
        false => json!("unknown"),
    };
    // A compiled game has numbers for all fluents and moves, an interpreted one for those that were seen.
    let is_compiled = game.engine().gates().is_some();
    let numbered = |value: Value| match is_compiled || exploration.complete {
        true => value,
        false => json!("unknown"),
    };
    let moves: serde_json::Map<String, Value> = game
        .roles()
        .map(|role| {
            let count = game.vocabulary().move_count(role);
            (game.role_name(role).to_string(), numbered(json!(count)))
        })
        .collect();
    json!({
        "name": game.name(),
        "roles": roles,
        "rules": rules.len(),
        "fluents": numbered(json!(game.vocabulary().fluent_count())),
        "initial_fluents": game.initial().len(),
        "moves": moves,
        "gates": game.engine().gates().map_or(json!("unknown"), |gates| json!(gates)),
        "states": known(json!(exploration.states.to_string())),
        "terminal_states": known(json!(exploration.terminal.to_string())),
        "longest_match": known(json!(exploration.longest)),
        "turn_taking": turn_taking,
        "simultaneous": opposite(&turn_taking),
        "constant_sum": constant_sum,
        "hidden_information": defines(keyword::SEES),
        "chance": game.roles().any(|role| game.is_random(role)),
        "errors": game.description().findings.iter().filter(|finding| finding.is_error()).count(),
        "warnings": game.description().findings.iter().filter(|finding| !finding.is_error()).count(),
        "engine": game.engine().name(),
        "stepping": game.engine().stepping(),
        "setup_seconds": setup,
    })
}

fn text(facts: &Value) -> String {
    let mut text = String::new();
    for (name, value) in facts.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(string) => string.clone(),
            Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
            Value::Object(map) => map
                .iter()
                .map(|(name, value)| format!("{name} {}", plain(value)))
                .collect::<Vec<_>>()
                .join(", "),
            Value::Bool(value) => if *value { "yes" } else { "no" }.to_string(),
            Value::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap_or(0.0)),
            Value::Null => "-".to_string(),
            other => other.to_string(),
        };
        text += &format!("{:<20} {value}\n", name.replace('_', " "));
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        other => other.to_string(),
    }
}
