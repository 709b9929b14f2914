//! `ludens info`: what is known about a game. Not decided is `unknown`, never a guess.

mod compiled;

use crate::output::{Answer, Outcome, grouped, print, print_json};
use crate::{load, progress};
use ludens_analysis::{Analysis, Verdict, analyse};
use ludens_engine::explore::{Bounds, Exploration, explore};
use ludens_engine::{Budget, Game};
use ludens_gdl::keyword;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Show sizes and properties of a game
#[derive(clap::Args)]
#[command(
    after_help = "Properties are proved by looking at all states where that fits into the time or by induction, refuted \
    by an example, or else `unknown`. --json lists every group of exclusive fluents and every latch."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Time to look at states, and again to prove properties
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
    let time = Duration::from_secs_f64(arguments.seconds);
    let budget: Budget = crate::interrupt::budget();
    let bar = progress::spinner();
    bar.set_message(format!("looking at states of {}", game.name()));
    let exploration = explore(
        &game,
        Bounds {
            time,
            ..Bounds::default()
        },
        &budget,
    );
    bar.set_message(format!("proving properties of {}", game.name()));
    let analysis = analyse(&game, &budget.within(time));
    bar.finish_and_clear();
    let knowledge = Knowledge {
        game: &game,
        exploration,
        analysis,
    };
    let facts = knowledge.facts(setup);
    match arguments.json {
        true => print_json(&facts)?,
        false => print(&text(&facts))?,
    }
    Ok(Answer::Yes)
}

/// What both ways of looking at a game have shown.
struct Knowledge<'a> {
    game: &'a Game,
    exploration: Exploration,
    analysis: Option<Analysis>,
}

impl Knowledge<'_> {
    /// A property that an example refutes, and that all states or the analysis prove.
    fn property(&self, is_refuted: bool, verdict: impl Fn(&Analysis) -> Verdict) -> Value {
        let verdict = self.analysis.as_ref().map_or(Verdict::Unknown, verdict);
        match (is_refuted, self.exploration.complete, verdict) {
            (true, _, _) | (false, false, Verdict::Refuted) => json!(false),
            (false, true, _) | (false, false, Verdict::Proved) => json!(true),
            (false, false, Verdict::Unknown) => json!("unknown"),
        }
    }

    /// A figure that only a look at all states gives.
    fn of_all_states(&self, value: Value) -> Value {
        match self.exploration.complete {
            true => value,
            false => json!("unknown"),
        }
    }

    fn longest_match(&self) -> Value {
        let proved = self.analysis.as_ref().and_then(|analysis| analysis.longest_match);
        match (self.exploration.complete, proved) {
            (true, _) => json!(self.exploration.longest),
            (false, Some(steps)) => json!(steps),
            (false, None) => json!("unknown"),
        }
    }

    fn facts(&self, setup: f64) -> Value {
        let (game, exploration) = (self.game, &self.exploration);
        let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
        let turn_taking = self.property(exploration.choosers > 1, |analysis| analysis.turn_taking);
        let has_several_sums = exploration.terminal > 0 && exploration.sum.is_none();
        let rules = &game.description().rules.rules;
        let defines = |name| rules.iter().any(|rule| rule.head.name == name);
        // A compiled game has numbers for all fluents and moves, an interpreted one for those that were seen.
        let numbered = |value: Value| match game.engine().circuit().is_some() || exploration.complete {
            true => value,
            false => json!("unknown"),
        };
        let moves: Map<String, Value> = game
            .roles()
            .map(|role| {
                let count = game.vocabulary().move_count(role);
                (game.role_name(role).to_string(), numbered(json!(count)))
            })
            .collect();
        let findings = &game.description().findings;
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        let mut facts = json!({
            "name": game.name(),
            "roles": roles,
            "rules": rules.len(),
            "fluents": numbered(json!(game.vocabulary().fluent_count())),
            "initial_fluents": game.initial().len(),
            "moves": moves,
            "gates": game.engine().gates().map_or(json!("unknown"), |gates| json!(gates)),
            "states": self.of_all_states(json!(exploration.states.to_string())),
            "terminal_states": self.of_all_states(json!(exploration.terminal.to_string())),
            "longest_match": self.longest_match(),
            "turn_taking": turn_taking,
            "simultaneous": opposite(&turn_taking),
            "constant_sum": self.property(has_several_sums, |analysis| analysis.constant_sum),
            "hidden_information": defines(keyword::SEES),
            "chance": game.roles().any(|role| game.is_random(role)),
            "errors": errors,
            "warnings": findings.len() - errors,
            "engine": game.engine().name(),
            "stepping": game.engine().stepping(),
            "setup_seconds": setup,
        });
        if let (Some(map), Some(circuit), Some(analysis)) =
            (facts.as_object_mut(), game.engine().circuit(), &self.analysis)
        {
            map.extend(compiled::facts(game, circuit, analysis));
        }
        facts
    }
}

/// The opposite of a property.
fn opposite(property: &Value) -> Value {
    match property.as_bool() {
        Some(value) => json!(!value),
        None => property.clone(),
    }
}

/// Longer lists are cut in the text.
const MANY: usize = 8;

fn text(facts: &Value) -> String {
    let mut text = String::new();
    for (name, value) in facts.as_object().into_iter().flatten() {
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
        text += &format!("{:<20} {value}\n", name.replace('_', " "));
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
