//! Evidence of facts: how each verdict was reached, as data and as a phrase.

use super::{longest_match, opposite, property};
use ludens_analysis::{Evidence, Fact, GameFacts, Length, Line, Verdict};
use ludens_engine::{Game, StepCost};
use ludens_reach::Exploration;
use serde_json::{Map, Value, json};

/// Returns for each fact its verdict, the kind of evidence (`by`) and a phrase that says what was done (`detail`). Facts
/// that play decided have the `lines` of joint moves that show it.
pub(super) fn evidence(game: &Game, known: &GameFacts, exploration: &Exploration) -> Value {
    let entry = |fact: &Fact| entry(game, fact, exploration);
    let turn_taking = entry(&known.turn_taking);
    let mut simultaneous = turn_taking.clone();
    simultaneous["verdict"] = opposite(&turn_taking["verdict"]);
    json!({
        "turn_taking": turn_taking,
        "simultaneous": simultaneous,
        "simultaneous_players": entry(&known.simultaneous),
        "constant_sum": entry(&known.constant_sum),
        "hidden_information": entry(&known.hidden_information),
        "chance": entry(&known.chance),
        "longest_match": length(known.length, exploration),
        "goal_values": goals(game, known),
        "step_cost": step_cost(game, known.step_cost),
    })
}

fn entry(game: &Game, fact: &Fact, exploration: &Exploration) -> Value {
    let (by, detail) = match &fact.evidence {
        Evidence::None => ("none", "not examined".to_string()),
        Evidence::Rules => ("rules", "form of the rules".to_string()),
        Evidence::Proof => ("proof", "SAT proof from inductive invariants".to_string()),
        Evidence::Play(lines) => ("play", shown_by(lines)),
        Evidence::Exploration => ("exploration", explored(fact.verdict, exploration)),
        Evidence::Sample(states) => ("sample", format!("no counterexample in {states} sampled states")),
    };
    let mut entry = json!({ "verdict": property(fact), "by": by, "detail": detail });
    if let Evidence::Play(lines) = &fact.evidence {
        entry["lines"] = lines.iter().map(|line| texts(game, line)).collect();
    }
    entry
}

/// The phrase for lines of sampled play.
fn shown_by(lines: &[Line]) -> String {
    let steps: Vec<String> = lines.iter().map(|line| line.len().to_string()).collect();
    format!("sampled play, after {} steps", steps.join(" and "))
}

/// The phrase for a verdict of an exploration.
fn explored(verdict: Verdict, exploration: &Exploration) -> String {
    match (verdict, exploration.complete) {
        (Verdict::No, false) => format!("counterexample in {} explored states", exploration.states),
        _ => format!("exploration of all {} states", exploration.states),
    }
}

/// The joint moves of a line as texts.
fn texts(game: &Game, line: &Line) -> Value {
    let joint = |joint: &Vec<_>| {
        let moves = game.roles().zip(joint);
        let moves: Vec<String> = moves.map(|(role, &made)| game.move_text(role, made)).collect();
        format!("({})", moves.join(" "))
    };
    line.iter().map(joint).collect()
}

fn length(length: Length, exploration: &Exploration) -> Value {
    let (by, detail) = match length {
        Length::Unknown => ("none", "no proof, and not all states were explored".to_string()),
        Length::AtMost(_) => ("proof", "SAT proof: a step counter forces the end".to_string()),
        Length::Exactly(_) | Length::Unbounded => ("exploration", explored(Verdict::Yes, exploration)),
    };
    json!({ "verdict": longest_match(length), "by": by, "detail": detail })
}

/// For each role its goal values and whether each can be the result of a match.
fn goals(game: &Game, known: &GameFacts) -> Value {
    let of_role = |goals: &Vec<ludens_analysis::GoalValue>| -> Value {
        let entries = goals.iter().map(|goal| {
            let (verdict, by, detail) = match goal.occurs {
                Verdict::Yes => (json!(true), "play", "result of a playout"),
                Verdict::No => (json!(false), "proof", "SAT proof from inductive invariants"),
                Verdict::Unknown => (json!("unknown"), "none", "neither seen nor excluded"),
            };
            json!({ "value": goal.value, "verdict": verdict, "by": by, "detail": detail })
        });
        entries.collect()
    };
    let roles = known.goals.iter();
    let roles = roles.map(|(role, goals)| (game.role_name(role).to_string(), of_role(goals)));
    Value::Object(roles.collect::<Map<String, Value>>())
}

fn step_cost(game: &Game, cost: StepCost) -> Value {
    let name = match cost {
        StepCost::Trivial => "trivial",
        StepCost::VeryLow => "very low",
        StepCost::Low => "low",
        StepCost::Moderate => "moderate",
        StepCost::High => "high",
        StepCost::VeryHigh => "very high",
        StepCost::Interpreted => "interpreted",
    };
    let (by, detail) = match game.engine().gates() {
        Some(gates) => ("network", format!("{gates} gates")),
        None => ("none", "no propositional network".to_string()),
    };
    json!({ "verdict": name, "by": by, "detail": detail })
}
