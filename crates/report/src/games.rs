//! Library games as JSON.

use ludens_gdl::rule::{Rule, TermKind};
use ludens_gdl::{Description, keyword};
use ludens_library::{Entry, Family};
use serde_json::{Value, json};

/// A library game, optionally with its rules.
pub fn entry(entry: &Entry, with_text: bool) -> Value {
    let metadata = &entry.metadata;
    let facts = &metadata.facts;
    let mut value = json!({
        "name": entry.name,
        "title": metadata.title,
        "description": metadata.description.trim(),
        "roles": roles(&Description::read(entry.source())),
        "tags": metadata.tags,
        "author": metadata.author,
        "licence": metadata.licence,
        "family": entry.family.as_ref().map(|(name, _)| name),
        "parameters": entry.family.as_ref().map(|(_, values)| values),
        "facts": {
            "perft": facts.perft,
            "states": facts.states.or(facts.states_known).map(|count| count.to_string()),
            "terminal": facts.terminal.map(|count| count.to_string()),
            "values": facts.values,
        },
    });
    if with_text {
        value["text"] = json!(entry.text());
    }
    value
}

/// Roles that the rules declare, in order.
pub fn roles(description: &Description) -> Vec<String> {
    let role = |rule: &Rule| match (rule.head.name, &rule.head.args.first()?.kind) {
        (keyword::ROLE, TermKind::Constant(name)) => Some(description.rules.name(*name).to_string()),
        _ => None,
    };
    description.rules.rules.iter().filter_map(role).collect()
}

/// A family with its parameters.
pub fn family(family: &Family) -> Value {
    let parameters: Vec<Value> = family
        .metadata
        .parameters
        .iter()
        .map(|(name, parameter)| {
            json!({
                "name": name,
                "min": parameter.min,
                "max": parameter.max,
                "default": parameter.default,
                "help": parameter.help,
            })
        })
        .collect();
    json!({
        "name": family.name,
        "title": family.title,
        "description": family.description.trim(),
        "parameters": parameters,
    })
}
