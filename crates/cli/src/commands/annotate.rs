//! `ludens annotate`: marks the mistakes in a recorded match.

use super::solve::{by_role, goal, goals_text};
use crate::output::{Answer, Failure, Outcome, counted, print, print_json, table, table_text};
use crate::solutions;
use anyhow::{Context, anyhow};
use ludens_engine::{Game, MoveId, Role};
use ludens_play::{Replay, ReplayError};
use ludens_solve::{Position, Solution};
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::path::PathBuf;

/// Find the mistakes in a recorded match: every move that lost value according to a solution
#[derive(clap::Args)]
#[command(
    alias = "judge",
    override_usage = "ludens annotate [OPTIONS] SOLUTION MATCH\n       ludens annotate [OPTIONS] --solution SOLUTION MATCH",
    after_help = "MATCH is a record of `ludens match --record` or `ludens match --json`, or a record in the format of \
                  ggp.org. Exit status 1 means that it is not a match of this game."
)]
pub(crate) struct Arguments {
    /// Solution file of `ludens solve --save`, unless --solution names it, and record of a match
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    files: Vec<PathBuf>,
    /// Solution file of `ludens solve --save`
    #[arg(long, value_name = "SOLUTION")]
    solution: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The fields that both record formats have.
#[derive(Deserialize)]
struct Record {
    moves: Vec<Vec<String>>,
    #[serde(alias = "playerNamesFromHost", default)]
    players: Vec<String>,
}

/// Choice of one role in one step.
struct Choice {
    step: usize,
    role: Role,
    move_id: MoveId,
    /// Values of the state before and after the move.
    before: Option<Vec<f64>>,
    after: Option<Vec<f64>>,
    /// Expected goal of the move against optimal play, if several roles choose simultaneously.
    expected: Option<f64>,
    /// Loss of the role's own goal, compared with its best move.
    lost: Option<f64>,
    is_mistake: Option<bool>,
    best: Option<MoveId>,
}

/// Tolerance for rounding in expected goals.
const SLACK: f64 = 1e-6;

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let (solution, record) = match (&arguments.solution, &arguments.files[..]) {
        (Some(solution), [record]) | (None, [solution, record]) => (solution, record),
        (None, _) => return Err(anyhow!("name a solution and a match: `ludens annotate SOLUTION MATCH`").into()),
        (Some(_), _) => return Err(anyhow!("the solution is named twice; leave out --solution").into()),
    };
    let shown = record.display();
    let text = std::fs::read_to_string(record).with_context(|| format!("cannot read {shown}"))?;
    let record: Record =
        serde_json::from_str(&text).map_err(|error| anyhow!("{shown} is not the record of a match: {error}"))?;
    let (game, solution) = solutions::load(solution)?;
    let choices = match annotate(&game, &solution, &record) {
        Ok(choices) => choices,
        Err(cause) => {
            tell!("error: {shown} is not a match of {}: {cause}", game.name());
            return Err(Failure::Refused);
        }
    };
    match arguments.json {
        true => print_json(&as_json(&game, &solution, &record, &choices))?,
        false => print(&as_text(&game, &record, &choices))?,
    }
    Ok(Answer::Yes)
}

fn annotate(game: &Game, solution: &Solution, record: &Record) -> Result<Vec<Choice>, String> {
    let mut replay = Replay::new(game);
    let mut choices = Vec::new();
    for (step, texts) in record.moves.iter().enumerate() {
        let place = |cause: ReplayError| format!("step {}: {cause}", step + 1);
        let joint = replay.joint(texts).map_err(place)?;
        let machine = replay.machine();
        let position = solution.look(game, machine.state());
        let choosers: Vec<Role> = game.roles().filter(|&role| machine.legal(role).len() > 1).collect();
        let made = position.moves.iter().find(|known| known.joint == joint);
        let after = made.and_then(|known| known.values.clone());
        for role in choosers {
            choices.push(choice(solution, &position, role, step, &joint, after.clone()));
        }
        replay.make(&joint).map_err(place)?;
    }
    Ok(choices)
}

fn choice(
    solution: &Solution,
    position: &Position,
    role: Role,
    step: usize,
    joint: &[MoveId],
    after: Option<Vec<f64>>,
) -> Choice {
    let own = role.index();
    let mut choice = Choice {
        step,
        role,
        move_id: joint[own],
        before: position.values.clone(),
        after,
        expected: None,
        lost: None,
        is_mistake: None,
        best: position.best().map(|best| position.moves[best].joint[own]),
    };
    match (&choice.before, &choice.after) {
        (Some(before), Some(after)) if position.chooser.is_some() => {
            choice.lost = Some((before[own] - after[own]).max(0.0));
            choice.is_mistake = Some(solution.compare(role, after, before) == Ordering::Less);
        }
        (Some(before), _) if !position.strategies.is_empty() => {
            // Assumes optimal play of the other role.
            let other = 1 - own;
            let chance = |move_id: MoveId| {
                let known = position.strategies[other].iter().find(|(known, _)| *known == move_id);
                known.map_or(0.0, |&(_, chance)| chance)
            };
            let same = position.moves.iter().filter(|known| known.joint[own] == joint[own]);
            let values = same.filter_map(|known| Some(chance(known.joint[other]) * known.values.as_ref()?[own]));
            let expected: f64 = values.sum();
            let lost = before[own] - expected;
            choice.expected = Some(expected);
            choice.lost = Some(if lost > SLACK { lost } else { 0.0 });
            choice.is_mistake = Some(lost > SLACK);
        }
        _ => {}
    }
    choice
}

/// Number and cost of mistakes by role.
fn totals(game: &Game, choices: &[Choice]) -> Vec<(Role, usize, usize, usize, f64)> {
    let of = |role: Role| {
        let own = || choices.iter().filter(move |choice| choice.role == role);
        let mistakes = own().filter(|choice| choice.is_mistake == Some(true)).count();
        let unknown = own().filter(|choice| choice.is_mistake.is_none()).count();
        let lost: f64 = own().filter_map(|choice| choice.lost).sum();
        (role, own().count(), mistakes, unknown, lost)
    };
    game.roles().map(of).collect()
}

fn as_json(game: &Game, solution: &Solution, record: &Record, choices: &[Choice]) -> Value {
    let named = |values: &Option<Vec<f64>>| values.as_ref().map(|values| by_role(game, values));
    let moves = choices.iter().map(|choice| {
        json!({
            "step": choice.step,
            "role": game.role_name(choice.role),
            "move": game.move_text(choice.role, choice.move_id),
            "before": named(&choice.before),
            "after": named(&choice.after),
            "expected": choice.expected,
            "lost": choice.lost.map(goal),
            "mistake": choice.is_mistake,
            "best": choice.best.map(|best| game.move_text(choice.role, best)),
        })
    });
    let totals = totals(game, choices);
    let roles = totals.iter().map(|&(role, moves, mistakes, unknown, lost)| {
        json!({
            "role": game.role_name(role),
            "player": record.players.get(role.index()),
            "choices": moves,
            "mistakes": mistakes,
            "unknown": unknown,
            "lost": goal(lost),
        })
    });
    json!({
        "game": game.name(),
        "order": solution.order().name(),
        "steps": record.moves.len(),
        "moves": moves.collect::<Vec<_>>(),
        "roles": roles.collect::<Vec<_>>(),
        "mistakes": totals.iter().map(|total| total.2).sum::<usize>(),
    })
}

fn as_text(game: &Game, record: &Record, choices: &[Choice]) -> String {
    let mut rows = table(&["step", "role", "move", "value", "then", ""]);
    for choice in choices {
        let remark = match (choice.is_mistake, choice.best) {
            (Some(true), Some(best)) => format!("lost value; best was {}", game.move_text(choice.role, best)),
            (Some(true), None) => format!("gave away {:.2} against best play", choice.lost.unwrap_or(0.0)),
            (Some(false), _) => String::new(),
            (None, _) => "unknown".to_string(),
        };
        rows.add_row([
            (choice.step + 1).to_string(),
            game.role_name(choice.role).to_string(),
            game.move_text(choice.role, choice.move_id),
            goals_text(choice.before.as_deref()),
            goals_text(choice.after.as_deref()),
            remark,
        ]);
    }
    let mut text = table_text(&rows) + "\n";
    for (role, moves, mistakes, unknown, lost) in totals(game, choices) {
        let player = record
            .players
            .get(role.index())
            .map_or(String::new(), |player| format!(" ({player})"));
        let unknown = if unknown > 0 {
            format!(", {unknown} unknown")
        } else {
            String::new()
        };
        text += &format!(
            "{}{player}: {}, {mistakes} lost value{unknown}, {} in all\n",
            game.role_name(role),
            counted(moves, "choice"),
            goal(lost)
        );
    }
    text
}
