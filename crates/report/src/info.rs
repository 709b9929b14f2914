//! Facts of a game as JSON. A property that could not be decided is `unknown`.

mod compiled;
mod evidence;

use ludens_analysis::{Analysis, Fact, GameFacts, Length, Verdict};
use ludens_engine::Game;
use ludens_reach::Exploration;
use ludens_symmetry::{Completeness, Symmetries};
use serde_json::{Map, Value, json};

/// Returns all facts of a game: from its rules, from an exploration of its states and, for a compiled game, proved
/// ones, with the seconds that the set-up took. `evidence` says how each was found.
pub fn facts(
    game: &Game,
    exploration: &Exploration,
    analysis: Option<&Analysis>,
    symmetries: &Symmetries,
    setup: f64,
) -> Value {
    let known = match analysis {
        Some(analysis) => analysis.facts.clone(),
        None => GameFacts::of_rules(game),
    };
    let known = known.explored(&exploration.facts());
    let turn_taking = property(&known.turn_taking);
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    let of_all_states = |value: usize| match exploration.complete {
        true => json!(value.to_string()),
        false => json!("unknown"),
    };
    let rules = &game.description().rules.rules;
    // A compiled game numbers all fluents and moves, an interpreted one only those that occurred.
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
    let diagnostics = &game.description().diagnostics;
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let mut facts = json!({
        "name": game.name(),
        "roles": roles,
        "rules": rules.len(),
        "fluents": numbered(json!(game.vocabulary().fluent_count())),
        "initial_fluents": game.initial().len(),
        "moves": moves,
        "gates": game.engine().gates().map_or(json!("unknown"), |gates| json!(gates)),
        "states": of_all_states(exploration.states),
        "terminal_states": of_all_states(exploration.terminal),
        "longest_match": longest_match(known.length),
        "turn_taking": turn_taking,
        "simultaneous": opposite(&turn_taking),
        "constant_sum": property(&known.constant_sum),
        "hidden_information": property(&known.hidden_information),
        "chance": property(&known.chance),
        "symmetries": symmetry_facts(symmetries),
        "errors": errors,
        "warnings": diagnostics.len() - errors,
        "engine": game.engine().name(),
        "stepping": game.engine().stepping(),
        "setup_seconds": setup,
    });
    if let (Some(map), Some(circuit), Some(analysis)) = (facts.as_object_mut(), game.engine().circuit(), analysis) {
        map.extend(compiled::facts(game, circuit, analysis));
    }
    facts["evidence"] = evidence::evidence(game, &known, exploration);
    facts
}

/// The number of symmetries, and whether there are no others.
fn symmetry_facts(symmetries: &Symmetries) -> Value {
    let order = match symmetries.completeness() {
        Completeness::Unknown => "unknown".to_string(),
        Completeness::All | Completeness::AtLeast => symmetries.order().to_string(),
    };
    let mut facts = json!({
        "order": order,
        "complete": symmetries.completeness() == Completeness::All,
    });
    if let Some(fingerprint) = symmetries.fingerprint() {
        facts["fingerprint"] = json!(format!("{fingerprint:016x}"));
    }
    if let Some(cause) = symmetries.cause() {
        facts["cause"] = json!(cause);
    }
    facts
}

/// A verdict as a truth value.
fn property(fact: &Fact) -> Value {
    match fact.verdict {
        Verdict::Yes => json!(true),
        Verdict::No => json!(false),
        Verdict::Unknown => json!("unknown"),
    }
}

/// Negation of a property.
fn opposite(property: &Value) -> Value {
    match property.as_bool() {
        Some(value) => json!(!value),
        None => property.clone(),
    }
}

/// Maximum number of steps; `null` if there is none.
fn longest_match(length: Length) -> Value {
    match length {
        Length::Unknown => json!("unknown"),
        Length::AtMost(steps) | Length::Exactly(steps) => json!(steps),
        Length::Unbounded => Value::Null,
    }
}
