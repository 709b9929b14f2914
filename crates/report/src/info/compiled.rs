//! Facts from the ground program and its analysis.

use ludens_analysis::{Analysis, Chain, Verdict};
use ludens_engine::{Circuit, Fluent, Game, Role};
use serde_json::{Map, Value, json};

/// Facts about a compiled game.
pub(super) fn facts(game: &Game, circuit: &Circuit, analysis: &Analysis) -> Map<String, Value> {
    let text = |fluent: Fluent| game.vocabulary().fluent_name(fluent).text.clone();
    let texts = |fluents: &[Fluent]| fluents.iter().map(|&fluent| text(fluent)).collect::<Vec<_>>();
    let (before, after) = (circuit.before, circuit.program.sizes());
    let by_role = |value: &dyn Fn(Role) -> Value| {
        let roles = game.roles().map(|role| (game.role_name(role).to_string(), value(role)));
        Value::Object(roles.collect())
    };
    let constant = circuit.constant_fluents.iter().filter(|value| value.is_some()).count();
    // A chain of only two fluents is not a counter.
    let counters = analysis.structure.chains.iter();
    let counters = counters.filter(|chain| !chain.is_cyclic && chain.fluents.len() > 2);
    let counter: Option<&Chain> = counters.max_by_key(|chain| chain.fluents.len());
    let latches = |value: bool| {
        let latches = analysis.persistence.latches().filter(|latch| latch.value == value);
        texts(&latches.map(|latch| latch.fluent).collect::<Vec<_>>())
    };
    let exclusive: Vec<Value> = analysis
        .exclusive
        .iter()
        .map(|group| json!({ "fluents": texts(&group.fluents), "exactly_one": group.exactly_one }))
        .collect();
    let exactly_one = analysis.exclusive.iter().filter(|group| group.exactly_one).count();
    let mut facts = json!({
        "instances": after.instances,
        "ground_program": {
            "propositions_before": before.propositions,
            "propositions": after.propositions,
            "instances_before": before.instances,
            "instances": after.instances,
            "bodies_before": before.bodies,
            "bodies": after.bodies,
        },
        "constant_fluents": constant,
        "goal_values": by_role(&|role| goals(analysis, role)),
        "noops": by_role(&|role| json!(analysis.noops(role).len())),
        "moved_fluents": by_role(&|role| json!(moved(analysis, role))),
        "step_counter": counter.map_or(json!("unknown"), |chain| {
            json!({
                "first": text(chain.fluents[0]),
                "last": text(chain.fluents[chain.fluents.len() - 1]),
                "steps": chain.fluents.len() - 1,
            })
        }),
        "exclusive": exclusive,
        "exactly_one": exactly_one,
        "stay_true": json!(latches(true)),
        "stay_false": json!(latches(false)),
        "persistence": {
            "true_refuted": analysis.persistence.count(true, Verdict::No),
            "true_unknown": analysis.persistence.count(true, Verdict::Unknown),
            "false_refuted": analysis.persistence.count(false, Verdict::No),
            "false_unknown": analysis.persistence.count(false, Verdict::Unknown),
        },
        "factors": match analysis.structure.factors.len() {
            0 => json!("unknown"),
            factors => json!(factors),
        },
    });
    if let (Some(map), Some(cause)) = (facts.as_object_mut(), &analysis.incomplete) {
        map.insert("not_proved".to_string(), json!(cause));
    }
    match facts {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Goal values of a role that occur, and those that are undecided.
fn goals(analysis: &Analysis, role: Role) -> Value {
    let values = analysis.facts.goals[role].iter().filter_map(|goal| match goal.occurs {
        Verdict::Yes => Some(json!(goal.value)),
        Verdict::Unknown => Some(json!(format!("{}?", goal.value))),
        Verdict::No => None,
    });
    Value::Array(values.collect())
}

/// Number of fluents that the moves of a role affect.
fn moved(analysis: &Analysis, role: Role) -> usize {
    let fluents = analysis.structure.moved_by.iter();
    fluents.filter(|roles| roles.contains(&role)).count()
}
