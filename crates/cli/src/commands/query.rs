//! `ludens query`: looks up a position in a solution.

use super::solve::{by_role, goals_text};
use crate::output::{Answer, Outcome, counted, print, print_json, table, table_text};
use crate::solutions;
use anyhow::anyhow;
use ludens_engine::{Game, MoveId};
use ludens_play::Replay;
use ludens_solve::{JointValue, Position, Solution};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Look up a position in a solution: its value, the values of the moves and optimal play
#[derive(clap::Args)]
#[command(
    after_help = "MOVES are the joint moves from the initial state to the position, one argument per step: the moves of \
                  all roles, as in \"(mark 1 1) noop\", or the move of the only role with a choice, as in \
                  \"(mark 1 1)\" or \"mark 1 1\"."
)]
pub(crate) struct Arguments {
    /// File written by `ludens solve --save`
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// Joint moves that lead to the position
    #[arg(value_name = "MOVES")]
    moves: Vec<String>,
    /// Maximum length of the line of optimal play
    #[arg(long, value_name = "N", default_value_t = 100)]
    line: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let (game, solution) = solutions::load(&arguments.solution)?;
    let mut replay = Replay::new(&game);
    for (step, text) in arguments.moves.iter().enumerate() {
        let made = replay.follow_written(text);
        made.map_err(|cause| anyhow!("step {}: {cause}", step + 1))?;
    }
    let position = solution.look(&game, replay.state());
    let line = solution.best_line(&game, replay.state(), arguments.line);
    match arguments.json {
        true => print_json(&as_json(&game, &solution, &position, &line, arguments.moves.len()))?,
        false => print(&as_text(&game, &position, &line))?,
    }
    Ok(match position.values {
        Some(_) => Answer::Yes,
        None => Answer::No,
    })
}

fn texts(game: &Game, joint: &[MoveId]) -> Vec<String> {
    let moves = game.roles().zip(joint);
    moves.map(|(role, &move_id)| game.move_text(role, move_id)).collect()
}

fn as_json(game: &Game, solution: &Solution, position: &Position, line: &[Vec<MoveId>], steps: usize) -> Value {
    let best = position.best();
    let exact = |distance: Option<u32>| distance.filter(|&steps| position.is_exact || steps == 0);
    let moves = position.moves.iter().enumerate().map(|(number, known)| {
        json!({
            "moves": texts(game, &known.joint),
            "values": known.values.as_ref().map(|values| by_role(game, values)),
            "distance": exact(known.distance),
            "distance_at_most": known.distance,
            "keeps_value": known.keeps,
            "best": best == Some(number),
        })
    });
    let strategies = game.roles().zip(&position.strategies).map(|(role, strategy)| {
        let chances = strategy
            .iter()
            .map(|&(move_id, chance)| (game.move_text(role, move_id), json!(chance)));
        (game.role_name(role).to_string(), Value::Object(chances.collect()))
    });
    json!({
        "game": game.name(),
        "order": solution.order().name(),
        "step": steps,
        "terminal": position.is_terminal,
        "to_move": position.chooser.map(|role| game.role_name(role).to_string()),
        "values": position.values.as_ref().map(|values| by_role(game, values)),
        "distance": exact(position.distance),
        "distance_at_most": position.distance,
        "moves": moves.collect::<Vec<_>>(),
        "strategies": Value::Object(strategies.collect()),
        "line": line.iter().map(|joint| texts(game, joint)).collect::<Vec<_>>(),
    })
}

fn as_text(game: &Game, position: &Position, line: &[Vec<MoveId>]) -> String {
    let roles: Vec<&str> = game.roles().map(|role| game.role_name(role)).collect();
    let mut text = format!(
        "value     {} ({})\n",
        goals_text(position.values.as_deref()),
        roles.join(" / ")
    );
    if let Some(distance) = position.distance {
        let bound = if position.is_exact { "" } else { "at most " };
        text += &format!("to end    {bound}{}\n", counted(distance as usize, "step"));
    }
    if position.is_terminal {
        return text + "the match is over\n";
    }
    // Moves of roles without a choice are omitted.
    let chosen = |joint: &JointValue| match position.chooser {
        Some(role) => game.move_text(role, joint.joint[role.index()]),
        None => texts(game, &joint.joint).join(" "),
    };
    if let Some(role) = position.chooser {
        text += &format!("to move   {}\n", game.role_name(role));
    }
    let to_end = if position.is_exact { "to end" } else { "to end at most" };
    let mut rows = table(&["move", "value", to_end, ""]);
    let best = position.best();
    for (number, joint) in position.moves.iter().enumerate() {
        let remark = match joint.keeps {
            _ if best == Some(number) => "best",
            Some(true) => "keeps the value",
            _ => "",
        };
        rows.add_row([
            chosen(joint),
            goals_text(joint.values.as_deref()),
            joint.distance.map_or(String::new(), |distance| distance.to_string()),
            remark.to_string(),
        ]);
    }
    text += &format!("\n{}", table_text(&rows));
    for (role, strategy) in game.roles().zip(&position.strategies) {
        let chances: Vec<String> = strategy
            .iter()
            .filter(|(_, chance)| *chance > 1e-9)
            .map(|&(move_id, chance)| format!("{} {:.1} %", game.move_text(role, move_id), chance * 100.0))
            .collect();
        text += &format!("\n{} plays {}\n", game.role_name(role), chances.join(", "));
    }
    if !line.is_empty() {
        let steps: Vec<String> = line.iter().map(|joint| texts(game, joint).join(" ")).collect();
        text += &format!("\nbest play\n  {}\n", steps.join("\n  "));
    }
    text
}
