//! `ludens explain`: the evaluation of a position, and its reasons.

use crate::interrupt;
use crate::load::{LimitArguments, game};
use crate::output::{Answer, Outcome, counted, cut, grouped, paragraph, print, print_json, table, table_text, width};
use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser};
use ludens_budget::Budget;
use ludens_engine::{EngineChoice, Game, State};
use ludens_evaluate::explain::{Explanation, MoveOutlook, Outlook, Reason};
use ludens_evaluate::learned::sample::Sampling;
use ludens_evaluate::rules::neural::{self, GoalNetwork};
use ludens_play::Replay;
use ludens_play::evaluators::Context;
use ludens_play::explain::{explainer, explaining};
use ludens_report::explain::explanation as as_json;
use ludens_report::plot::network as plot;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Explain the evaluation of a position, with knowledge from the rules or from random play
#[derive(clap::Args)]
#[command(
    after_help = "MOVES are the joint moves from the initial state to the position, one argument per step: the moves of \
                  all roles, as in \"(mark 1 1) noop\", or the move of the only role with a choice, as in \
                  \"(mark 1 1)\" or \"mark 1 1\". Exit status 1 means that the \
                  evaluator cannot be built for the game; the reason is printed."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Joint moves that lead to the position
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
    /// Evaluator or advisor [default: features, or network with --network]
    #[arg(long, value_parser = knowledge())]
    by: Option<String>,
    /// Plot the neural network of the goals, with its outputs in the position, to an SVG file
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Maximum number of neurons; deeper conditions are Boolean leaves
    #[arg(long, value_name = "N", default_value_t = neural::Settings::default().most_neurons)]
    neurons: usize,
    /// Number of reasons shown per role
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Number of state sequences sampled from playouts
    #[arg(long, value_name = "N", default_value_t = Sampling::default().sequences)]
    sequences: usize,
    /// Time limit for learning, in seconds (default: none)
    #[arg(long, value_name = "S", value_parser = crate::arguments::seconds)]
    seconds: Option<f64>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    /// Print the result as JSON, with all reasons
    #[arg(long)]
    json: bool,
}

/// Names of all evaluators and advisors that can explain themselves.
fn knowledge() -> PossibleValuesParser {
    let names = explaining().into_iter();
    PossibleValuesParser::new(names.map(|(name, summary)| PossibleValue::new(name).help(summary)))
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let game = game(&arguments.game, &arguments.limits, EngineChoice::Auto)?;
    let mut replay = Replay::new(&game);
    for (step, text) in arguments.moves.iter().enumerate() {
        let made = replay.follow_written(text);
        made.map_err(|cause| anyhow!("step {}: {cause}", step + 1))?;
    }
    let state = replay.state().clone();
    let machine = replay.machine();
    if machine.is_terminal() {
        let goals: Vec<String> = game.roles().map(|role| machine.score(role).to_string()).collect();
        return Err(anyhow!(
            "the position is terminal, with goals {}: nothing to explain",
            goals.join(" ")
        )
        .into());
    }
    let budget = interrupt::budget();
    let budget = match arguments.seconds {
        Some(seconds) => budget.within(Duration::from_secs_f64(seconds)),
        None => budget,
    };
    if let Some(file) = &arguments.network {
        draw(&arguments, &game, &state, file, &budget)?;
    }
    let begin = Instant::now();
    let found = find_out(&arguments, &game, &state, &budget);
    let seconds = begin.elapsed().as_secs_f64();
    let explanation = match found {
        Ok(explanation) => explanation,
        Err(cause) => {
            match arguments.json {
                true => print_json(&json!({"game": game.name(), "step": arguments.moves.len(), "reason": cause}))?,
                false => print(&format!(
                    "no explanation for {}: {cause}
",
                    game.name()
                ))?,
            }
            return Ok(Answer::No);
        }
    };
    if arguments.json {
        let mut value = as_json(&game, &explanation);
        if let Some(value) = value.as_object_mut() {
            value.insert("game".to_string(), json!(game.name()));
            value.insert("step".to_string(), json!(arguments.moves.len()));
            value.insert("seconds".to_string(), json!(seconds));
        }
        print_json(&value)?;
    } else {
        print(&as_text(&game, &explanation, arguments.top, seconds, width()))?;
    }
    Ok(Answer::Yes)
}

/// Builds the evaluator or advisor and explains a state; otherwise returns why there is no explanation.
fn find_out(arguments: &Arguments, game: &Game, state: &State, budget: &Budget) -> Result<Explanation, String> {
    let usual = match arguments.network {
        Some(_) => "network",
        None => "features",
    };
    let context = Context {
        game,
        seed: arguments.seed,
        max_steps: Sampling::default().most_steps,
        budget,
    };
    let name = arguments.by.as_deref().unwrap_or(usual);
    let explainer = explainer(name, arguments.sequences, &context)?;
    Ok(explainer.explain(state))
}

/// Builds the neural network of the goals.
fn goal_network(arguments: &Arguments, game: &Game, budget: &Budget) -> Option<GoalNetwork> {
    let settings = neural::Settings {
        most_neurons: arguments.neurons,
        ..neural::Settings::default()
    };
    GoalNetwork::new(game, settings, budget)
}

/// Reason why there is no network.
const NOT_COMPILED: &str = "the game is not compiled, so that its goals have no conditions to look at";

/// Plots the network in a state to a file.
fn draw(arguments: &Arguments, game: &Game, state: &State, file: &Path, budget: &Budget) -> anyhow::Result<()> {
    let Some(mut network) = goal_network(arguments, game, budget) else {
        return Err(anyhow!("{} cannot be drawn: {NOT_COMPILED}", game.name()));
    };
    let picture = network.picture(game, state);
    let title = match arguments.moves.len() {
        0 => format!("{}: the network of its goals at the start", game.name()),
        steps => format!(
            "{}: the network of its goals after {}",
            game.name(),
            counted(steps, "step")
        ),
    };
    let Some(svg) = plot::draw(game, &title, &picture)? else {
        return Err(anyhow!(
            "the network of {} has {} neurons and conditions, and no more than {} can be told apart on a drawing: give a \
             smaller number of neurons with --neurons",
            game.name(),
            picture.nodes.len(),
            plot::MOST_NODES
        ));
    };
    std::fs::write(file, svg).map_err(|cause| anyhow!("cannot write {}: {cause}", file.display()))
}

fn as_text(game: &Game, explanation: &Explanation, top: usize, seconds: f64, columns: Option<usize>) -> String {
    let made_of: Vec<String> = explanation
        .made_of
        .iter()
        .map(|&(name, number)| format!("{} {name}", grouped(number as u128)))
        .collect();
    let heading = format!("{} ({seconds:.1} s)", made_of.join(", "));
    let mut text = paragraph(&format!("{}: ", explanation.kind), &heading, columns);
    for left_out in &explanation.left_out {
        text += &paragraph("not built: ", left_out, columns);
    }
    for outlook in explanation.roles.iter().filter(|outlook| !outlook.reasons.is_empty()) {
        text += &role_text(game, outlook, top, columns);
    }
    for outlook in &explanation.roles {
        let moves = explanation.moves.iter().filter(|known| known.role == outlook.role);
        let mut moves: Vec<&MoveOutlook> = moves.collect();
        if !moves.is_empty() {
            moves.sort_by(|a, b| b.goal.total_cmp(&a.goal));
            text += &moves_text(game, outlook, &moves, columns);
        }
    }
    text
}

/// Values of reasons as text.
const SHOWN: [(&str, usize); 5] = [
    ("value", 2),
    ("mean", 2),
    ("weight", 3),
    ("correlation", 3),
    ("stability", 3),
];

/// Minimum number of columns for the full table of features; narrower terminals show only value and points.
const WIDE: usize = 100;

fn role_text(game: &Game, outlook: &Outlook, top: usize, columns: Option<usize>) -> String {
    let find = |reason: &Reason, wanted: &str| {
        reason
            .numbers
            .iter()
            .find(|(name, _)| *name == wanted)
            .map(|known| known.1)
    };
    let is_known =
        |(name, _): &&(&'static str, usize)| outlook.reasons.iter().any(|reason| find(reason, name).is_some());
    let mut shown: Vec<&(&str, usize)> = SHOWN.iter().filter(is_known).collect();
    let narrow = columns.filter(|&columns| columns < WIDE);
    if narrow.is_some() {
        shown.truncate(1);
    }
    // A column with a number needs about ten characters.
    let room = narrow.map(|columns| columns.saturating_sub(10 * (shown.len() + 1)).max(20));
    let mut header = vec![if shown.is_empty() { "condition" } else { "feature" }];
    header.extend(shown.iter().map(|(name, _)| *name));
    header.push("points");
    let mut rows = table(&header);
    for reason in outlook.reasons.iter().take(top) {
        let mut row = vec![cut(&reason.text, room)];
        row.extend(
            shown.iter().map(|&&(name, digits)| {
                find(reason, name).map_or(String::new(), |number| format!("{number:.digits$}"))
            }),
        );
        row.push(points(reason.points, shown.is_empty()));
        rows.add_row(row);
    }
    let more = outlook.reasons.len().saturating_sub(top);
    let rest: f64 = outlook.reasons.iter().skip(top).map(|reason| reason.points).sum();
    let name = game.role_name(outlook.role);
    let mut text = match shown.is_empty() {
        true => format!("\nthe goal of {name} has the degree {}, by\n", goal(outlook.goal, true)),
        false => {
            let (goal, middle) = (outlook.goal, outlook.middle);
            format!("\n{name} can expect {goal:.1}: {middle:.1} in the middle, and\n")
        }
    };
    text += &table_text(&rows);
    if more > 0 {
        text += &format!(" and {more} more, which add {rest:+.2}\n");
    }
    text
}

fn moves_text(game: &Game, outlook: &Outlook, moves: &[&MoveOutlook], columns: Option<usize>) -> String {
    let is_fine = outlook.reasons.iter().all(|reason| reason.numbers.is_empty());
    let texts = moves
        .iter()
        .map(|known| game.move_text(known.role, known.move_id).chars().count());
    let longest = texts.max().unwrap_or(0);
    // Besides the move, a line has its goal and some spaces.
    let room = columns.map(|columns| columns.saturating_sub(longest + 14).max(20));
    let mut rows = table(&["move", "goal", "because"]);
    for known in moves {
        let mut because: Vec<String> = known
            .changes
            .iter()
            .take(3)
            .map(|change| {
                format!(
                    "{} {}",
                    outlook.reasons[change.reason].text,
                    points(change.points, is_fine)
                )
            })
            .collect();
        if known.may_end {
            because.insert(0, "the match may be over".to_string());
        }
        // As many reasons as fit, and at least one.
        let fits = |because: &[String]| room.is_none_or(|room| because.join(", ").chars().count() <= room);
        while because.len() > 1 && !fits(&because) {
            because.pop();
        }
        rows.add_row([
            game.move_text(known.role, known.move_id),
            goal(known.goal, is_fine),
            cut(&because.join(", "), room),
        ]);
    }
    format!("\nmoves of {}\n{}", game.role_name(outlook.role), table_text(&rows))
}

/// Points as text; degrees of truth get more digits.
fn points(points: f64, is_fine: bool) -> String {
    match points.abs() {
        small if is_fine && small > 0.0 && small < 0.1 => format!("{points:+.4}"),
        _ => format!("{points:+.2}"),
    }
}

/// Goals as text; degrees of truth get more digits.
fn goal(goal: f64, is_fine: bool) -> String {
    match goal {
        small if is_fine && small > 0.0 && small < 1.0 => format!("{goal:.4}"),
        _ => format!("{goal:.1}"),
    }
}
