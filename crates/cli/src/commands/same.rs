//! `ludens same`: whether two games are the same under other names.

use crate::output::{Answer, Outcome, print, print_json, table, table_text};
use crate::{load, progress};
use ludens_engine::{Game, Role};
use ludens_symmetry::{Equivalence, Mapping, same};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Tell whether two games are the same but for names and the way rules are written
#[derive(clap::Args)]
#[command(
    after_help = "Games are equivalent if roles, fluents and moves of one can be renamed to those of the other so that all \
    rules mean the same; the mapping is proved. They are not if their matches differ in number or in goals. Else the answer \
    is `unknown`, with the reason. Exit status 1 means that the games are not equivalent, or that this is unknown."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    first: String,
    /// Rule file or built-in game to compare with
    #[arg(value_name = "GAME")]
    second: String,
    /// Time to compare them
    #[arg(long, value_name = "S", default_value_t = 20.0, value_parser = crate::arguments::seconds)]
    seconds: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let first = load::game(&arguments.first, &arguments.limits, Default::default())?;
    let second = load::game(&arguments.second, &arguments.limits, Default::default())?;
    let budget = crate::interrupt::budget().within(Duration::from_secs_f64(arguments.seconds));
    let start = Instant::now();
    let bar = progress::spinner();
    bar.set_message(format!("comparing {} and {}", first.name(), second.name()));
    let answer = same(&first, &second, &budget);
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    match arguments.json {
        true => print_json(&facts(&first, &second, &answer, seconds))?,
        false => print(&text(&first, &second, &answer))?,
    }
    Ok(match answer {
        Equivalence::Yes(_) => Answer::Yes,
        Equivalence::No(_) | Equivalence::Unknown(_) => Answer::No,
    })
}

fn facts(first: &Game, second: &Game, answer: &Equivalence, seconds: f64) -> Value {
    let (equivalent, mapping, reason) = match answer {
        Equivalence::Yes(mapping) => (json!(true), mapping_facts(first, second, mapping), Value::Null),
        Equivalence::No(reason) => (json!(false), Value::Null, json!(reason)),
        Equivalence::Unknown(reason) => (json!("unknown"), Value::Null, json!(reason)),
    };
    json!({ "equivalent": equivalent, "mapping": mapping, "reason": reason, "seconds": seconds })
}

fn mapping_facts(first: &Game, second: &Game, mapping: &Mapping) -> Value {
    let roles: Map<String, Value> = first
        .roles()
        .map(|role| {
            (
                first.role_name(role).to_string(),
                json!(second.role_name(mapping.role(role))),
            )
        })
        .collect();
    let fluents: Map<String, Value> = fluent_texts(first, second, mapping)
        .into_iter()
        .map(|(from, to)| (from, json!(to)))
        .collect();
    let moves: Map<String, Value> = first
        .roles()
        .map(|role| {
            let moves = move_texts(first, second, mapping, role).into_iter();
            let moves: Map<String, Value> = moves.map(|(from, to)| (from, json!(to))).collect();
            (first.role_name(role).to_string(), Value::Object(moves))
        })
        .collect();
    json!({ "roles": roles, "fluents": fluents, "moves": moves })
}

fn fluent_texts(first: &Game, second: &Game, mapping: &Mapping) -> Vec<(String, String)> {
    let text = |game: &Game, fluent| game.vocabulary().fluent_name(fluent).text.clone();
    let pairs = mapping.fluents();
    pairs.map(|(from, to)| (text(first, from), text(second, to))).collect()
}

fn move_texts(first: &Game, second: &Game, mapping: &Mapping, role: Role) -> Vec<(String, String)> {
    let other = mapping.role(role);
    let pairs = mapping.moves(role);
    pairs
        .map(|(from, to)| (first.move_text(role, from), second.move_text(other, to)))
        .collect()
}

fn text(first: &Game, second: &Game, answer: &Equivalence) -> String {
    let names = format!("{} and {}", first.name(), second.name());
    let mapping = match answer {
        Equivalence::Yes(mapping) => mapping,
        Equivalence::No(reason) => return format!("{names} are not equivalent: {reason}\n"),
        Equivalence::Unknown(reason) => return format!("unknown whether {names} are equivalent: {reason}\n"),
    };
    let mut rows = table(&["", first.name(), second.name()]);
    for role in first.roles() {
        rows.add_row(["role", first.role_name(role), second.role_name(mapping.role(role))]);
    }
    for (from, to) in fluent_texts(first, second, mapping) {
        rows.add_row(["fluent", &from, &to]);
    }
    for role in first.roles() {
        for (from, to) in move_texts(first, second, mapping, role) {
            rows.add_row([&format!("move of {}", first.role_name(role)), &from, &to]);
        }
    }
    format!("{names} are equivalent\n\n{}", table_text(&rows))
}
