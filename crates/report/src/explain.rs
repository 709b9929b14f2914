//! Explanations of positions as JSON.

use ludens_engine::Game;
use ludens_evaluate::explain::{Explanation, Outlook, Reason};
use serde_json::{Map, Value, json};

/// An explanation: its evaluator, the expected goal of each role with reasons, and the effect of each move.
pub fn explanation(game: &Game, explanation: &Explanation) -> Value {
    let made_of: Map<String, Value> = explanation
        .made_of
        .iter()
        .map(|&(name, number)| (name.to_string(), json!(number as u64)))
        .collect();
    let roles: Vec<Value> = explanation.roles.iter().map(|outlook| role(game, outlook)).collect();
    let moves: Vec<Value> = explanation
        .moves
        .iter()
        .map(|outlook| {
            let reasons = &explanation.roles[outlook.role.index()].reasons;
            let changes = outlook
                .changes
                .iter()
                .map(|change| json!({"text": reasons[change.reason].text, "points": rounded(change.points)}));
            json!({
                "role": game.role_name(outlook.role),
                "move": game.move_text(outlook.role, outlook.move_id),
                "goal": rounded(outlook.goal),
                "may_end": outlook.may_end,
                "changes": changes.collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "kind": explanation.kind,
        "made_of": made_of,
        "left_out": explanation.left_out,
        "roles": roles,
        "moves": moves,
    })
}

fn role(game: &Game, outlook: &Outlook) -> Value {
    let reasons: Vec<Value> = outlook.reasons.iter().map(reason).collect();
    json!({
        "role": game.role_name(outlook.role),
        "goal": rounded(outlook.goal),
        "middle": rounded(outlook.middle),
        "reasons": reasons,
    })
}

fn reason(reason: &Reason) -> Value {
    let mut value = Map::new();
    value.insert("text".to_string(), json!(reason.text));
    value.insert("points".to_string(), json!(rounded(reason.points)));
    for &(name, number) in &reason.numbers {
        value.insert(name.to_string(), json!(rounded(number)));
    }
    Value::Object(value)
}

/// Rounds a number for display.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
