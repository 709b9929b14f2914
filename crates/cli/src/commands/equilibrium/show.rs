//! The result as JSON and as text.

use super::Equilibrium;
use crate::commands::solve::{by_role, goal};
use crate::output::{grouped, rounded, table, table_text};
use ludens_engine::{Game, MoveId};
use ludens_equilibrium::{Graph, Strategy, Work};
use serde_json::{Map, Value, json};

/// Strategies of all roles at one state.
pub(super) struct StateStrategy {
    /// Steps from the start; the maximum if there are several paths.
    steps: usize,
    /// Fluents that hold; empty for the initial state.
    facts: Vec<String>,
    /// Moves with their probabilities, by role.
    mixtures: Vec<Vec<(String, f64)>>,
}

impl StateStrategy {
    /// Strategies at the initial state.
    pub(super) fn at_start(game: &Game, mixture: impl Fn(usize) -> Vec<(MoveId, f64)>) -> StateStrategy {
        StateStrategy {
            steps: 0,
            facts: Vec::new(),
            mixtures: texts(game, mixture),
        }
    }
}

fn texts(game: &Game, mixture: impl Fn(usize) -> Vec<(MoveId, f64)>) -> Vec<Vec<(String, f64)>> {
    let of_role = |role: ludens_engine::Role| {
        let mixture = mixture(role.index()).into_iter();
        mixture
            .map(|(move_id, chance)| (game.move_text(role, move_id), chance))
            .collect()
    };
    game.roles().map(of_role).collect()
}

/// Strategies at the initial state and at all states up to a depth where a role has a relevant choice.
pub(super) fn strategies(game: &Game, graph: &Graph, strategy: &Strategy, depth: usize) -> Vec<StateStrategy> {
    let mixture = |node: usize| move |role: usize| strategy.mixture(graph, node, role);
    let mut list = vec![StateStrategy::at_start(game, mixture(0))];
    for (steps, runs) in graph.levels().iter().enumerate().take(depth.saturating_add(1)).skip(1) {
        let runs = graph.runs()[runs.clone()].iter();
        for node in runs
            .filter(|run| run.work != Work::Settled)
            .flat_map(|run| run.nodes.clone())
        {
            list.push(StateStrategy {
                steps,
                facts: game.state_texts(&graph.state(node)),
                mixtures: texts(game, mixture(node)),
            });
        }
    }
    list
}

fn mixtures(game: &Game, state: &StateStrategy) -> Value {
    let roles = game.roles().zip(&state.mixtures).map(|(role, mixture)| {
        let moves: Map<String, Value> = mixture
            .iter()
            .map(|(text, chance)| (text.clone(), json!(chance)))
            .collect();
        (game.role_name(role).to_string(), Value::Object(moves))
    });
    Value::Object(roles.collect())
}

pub(super) fn as_json(game: &Game, algorithm: String, found: &Equilibrium) -> Value {
    let assessment = found.assessment.as_ref();
    let per_second = if found.seconds > 0.0 {
        found.iterations as f64 / found.seconds
    } else {
        0.0
    };
    let behind = found
        .strategies
        .iter()
        .skip(1)
        .map(|state| json!({"steps": state.steps, "facts": state.facts, "strategy": mixtures(game, state)}));
    let values = assessment
        .map(|assessment| &assessment.values)
        .or(found.mean_goals.as_ref());
    json!({
        "game": game.name(),
        "roles": game.roles().map(|role| game.role_name(role).to_string()).collect::<Vec<_>>(),
        "algorithm": algorithm,
        "states": found.states,
        "terminals": found.terminals,
        "transitions": found.transitions,
        "depth": found.depth,
        "leaves": found.leaves,
        "playouts": found.playouts,
        "graph_seconds": found.graph_seconds,
        "iterations": found.iterations,
        "seconds": found.seconds,
        "iterations_per_second": per_second,
        "sum": found.sum,
        "values": values.map(|values| by_role(game, values)),
        "best_response": assessment.map(|assessment| by_role(game, &assessment.best_responses)),
        "exploitability": assessment.and_then(|assessment| assessment.exploitability),
        "nash_conv": assessment.map(|assessment| assessment.nash_conv),
        "caveat": found.caveat,
        "strategy": found.strategies.first().map(|state| mixtures(game, state)),
        "strategies": behind.collect::<Vec<_>>(),
        "complete": found.stop.is_none(),
        "stopped": found.stop.as_ref().map(ToString::to_string),
    })
}

/// A goal as text.
fn points(value: f64) -> String {
    match value.fract() == 0.0 {
        true => goal(value).to_string(),
        false => format!("{value:.4}"),
    }
}

pub(super) fn as_text(game: &Game, algorithm: String, found: &Equilibrium) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| text += &format!("{name:<20} {value}\n");
    let per_role = |values: &[f64]| -> String {
        let texts = game
            .roles()
            .zip(values)
            .map(|(role, &value)| format!("{} {}", game.role_name(role), points(value)));
        texts.collect::<Vec<_>>().join(", ")
    };
    line("game", game.name().to_string());
    line("algorithm", algorithm);
    line("states", grouped(found.states as u128));
    line("terminal states", grouped(found.terminals as u128));
    line("joint moves", grouped(found.transitions as u128));
    if let Some(depth) = found.depth {
        line("steps ahead", depth.to_string());
        line("leaves", grouped(found.leaves as u128));
        line("playouts", grouped(u128::from(found.playouts)));
    }
    line("iterations", grouped(u128::from(found.iterations)));
    let per_second = if found.seconds > 0.0 {
        found.iterations as f64 / found.seconds
    } else {
        0.0
    };
    line(
        "seconds",
        format!("{:.2} ({} a second)", found.seconds, rounded(per_second)),
    );
    if let Some(means) = &found.mean_goals {
        line("mean goals", per_role(means));
    }
    if let Some(assessment) = &found.assessment {
        line("value", per_role(&assessment.values));
        line("best response", per_role(&assessment.best_responses));
        match assessment.exploitability {
            Some(exploitability) => line("exploitability", format!("{exploitability:.6}")),
            None => line("nash_conv", format!("{:.6}", assessment.nash_conv)),
        }
    }
    line("complete", if found.stop.is_none() { "yes" } else { "no" }.to_string());
    for state in &found.strategies {
        text += &state_text(game, state);
    }
    text
}

fn state_text(game: &Game, state: &StateStrategy) -> String {
    let mut rows = table(&["role", "move", "probability"]);
    for (role, mixture) in game.roles().zip(&state.mixtures) {
        // Skips roles without a choice.
        for (move_text, chance) in mixture.iter().filter(|_| mixture.len() > 1) {
            rows.add_row([
                game.role_name(role).to_string(),
                move_text.clone(),
                format!("{chance:.6}"),
            ]);
        }
    }
    let title = match state.facts.is_empty() {
        true => String::new(),
        false => format!(
            "after {}: {}\n",
            crate::output::counted(state.steps, "step"),
            state.facts.join(" ")
        ),
    };
    match rows.row_count() {
        0 => String::new(),
        _ => format!("\n{title}{}", table_text(&rows)),
    }
}
