//! `ludens belief`: what a role may believe after what it has observed of a recorded match.

use crate::output::{Answer, Failure, Outcome, counted, grouped, print, print_json};
use crate::{interrupt, load};
use anyhow::{Context, anyhow};
use ludens_belief::{Belief, Settings, Summary};
use ludens_budget::Budget;
use ludens_engine::{Game, Observation, Role, State};
use ludens_play::Replay;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Show what a role may believe about the state of a recorded match
#[derive(clap::Args)]
#[command(
    after_help = "The role knows the rules, its own moves and its percepts. Chance and the other roles are taken to choose \
    uniformly. Beliefs are exact while each step has at most --candidates joint moves to look at over all possible worlds, \
    and sampled after that."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// Record of the match, as `ludens match --record` writes it
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// Number of steps to follow (default: all)
    #[arg(long, value_name = "N")]
    step: Option<usize>,
    /// Joint moves that an exact update may look at
    #[arg(long, value_name = "N", default_value_t = Settings::default().candidates)]
    candidates: u64,
    /// Number of sampled worlds
    #[arg(long, value_name = "N", default_value_t = Settings::default().particles, value_parser = at_least_one)]
    particles: usize,
    /// Seed of the sampled worlds
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Maximum number of states to list, the likeliest first
    #[arg(long, value_name = "N", default_value_t = 5)]
    worlds: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: load::LimitArguments,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("a number of at least 1 is needed".to_string()),
    }
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let game = load::game(&arguments.game, &arguments.limits, Default::default())?;
    let role = role(&game, &arguments.role)?;
    let moves = recorded(&arguments.record)?;
    let steps = arguments.step.unwrap_or(moves.len());
    if steps > moves.len() {
        return Err(anyhow!(
            "--step {steps}: {} has {}",
            arguments.record.display(),
            counted(moves.len(), "step")
        )
        .into());
    }
    let settings = Settings {
        candidates: arguments.candidates,
        particles: arguments.particles,
        seed: arguments.seed,
        ..Settings::default()
    };
    let budget = interrupt::budget();
    let mut belief = followed(&game, role, &moves[..steps], settings, &budget)?;
    if let Some(fault) = belief.fault() {
        return Err(anyhow!("{fault}").into());
    }
    let summary = belief.summary(arguments.worlds);
    match arguments.json {
        true => print_json(&as_json(&game, role, steps, &belief, &summary))?,
        false => print(&as_text(&game, role, steps, &summary))?,
    }
    Ok(Answer::Yes)
}

/// The role of this name that has a player.
fn role(game: &Game, name: &str) -> Result<Role, Failure> {
    let found = game.find_role(name).filter(|&role| !game.is_random(role));
    found.ok_or_else(|| {
        let seats = ludens_play::seats(game).into_iter();
        let names: Vec<&str> = seats.map(|role| game.role_name(role)).collect();
        anyhow!("{} has no player `{name}`; it has {}", game.name(), names.join(", ")).into()
    })
}

/// The joint moves of a record.
fn recorded(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut record: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not a record of a match", path.display()))?;
    let moves = serde_json::from_value(record["moves"].take());
    let moves = moves.with_context(|| format!("{} has no list `moves` of joint moves", path.display()))?;
    Ok(moves)
}

/// Follows a match as the role observes it. Where the rules hide nothing, it observes all moves.
fn followed(
    game: &Game,
    role: Role,
    moves: &[Vec<String>],
    settings: Settings,
    budget: &Budget,
) -> Result<Belief, Failure> {
    let mut replay = Replay::new(game);
    let mut belief = Belief::new(game, role, settings);
    for (step, texts) in moves.iter().enumerate() {
        let joint = replay
            .joint(texts)
            .map_err(|cause| anyhow!("step {}: {cause}", step + 1))?;
        let percepts = replay.machine().percepts(role, &joint);
        replay
            .make(&joint)
            .map_err(|cause| anyhow!("step {}: {cause}", step + 1))?;
        let observation = Observation {
            own: Some(joint[role.index()]),
            percepts,
        };
        let is_over = replay.machine().is_terminal();
        match game.hides_information() {
            true => belief.observe(&observation, is_over, budget),
            false => belief.observe_state(observation, replay.state()),
        }
        if budget.is_cancelled() {
            return Err(anyhow!("interrupted after {}", counted(step + 1, "step")).into());
        }
    }
    Ok(belief)
}

fn fluents(game: &Game, fluents: &[ludens_engine::Fluent]) -> Vec<String> {
    game.state_texts(&State::new(fluents.iter().copied()))
}

/// Uncertain fluents with their probabilities, in the order of their texts.
fn uncertain(game: &Game, summary: &Summary) -> Vec<(String, f64)> {
    let name = |fluent| game.vocabulary().fluent_name(fluent).text.clone();
    let texts = summary
        .uncertain
        .iter()
        .map(|&(fluent, probability)| (name(fluent), probability));
    let mut texts: Vec<(String, f64)> = texts.collect();
    texts.sort_by(|one, other| one.0.cmp(&other.0));
    texts
}

fn as_json(game: &Game, role: Role, steps: usize, belief: &Belief, summary: &Summary) -> Value {
    let legal = summary
        .legal
        .iter()
        .map(|&(id, probability)| json!([game.move_text(role, id), probability]));
    let worlds = summary.likeliest.iter();
    json!({
        "game": game.name(),
        "role": game.role_name(role),
        "step": steps,
        "kind": summary.kind.name(),
        "states": summary.states.to_string(),
        "particles": (summary.kind.name() != "exact").then_some(summary.worlds),
        "ess": summary.effective,
        "entropy_bits": summary.entropy_bits,
        "regenerated": belief.regenerated(),
        "certain": fluents(game, &summary.certain),
        "fluents": uncertain(game, summary),
        "legal": legal.collect::<Vec<Value>>(),
        "worlds": worlds.map(|(state, weight)| json!({
            "probability": weight,
            "state": game.state_texts(state),
        })).collect::<Vec<Value>>(),
    })
}

fn as_text(game: &Game, role: Role, steps: usize, summary: &Summary) -> String {
    let mut text = format!(
        "{} after {}: {} possible {}, {}\n\ncertain\n",
        game.role_name(role),
        counted(steps, "step"),
        grouped(summary.states as u128),
        if summary.states == 1 { "state" } else { "states" },
        match summary.kind.name() {
            "exact" => "all of them",
            "particles" => "sampled",
            _ => "a guess: no state explains what was observed",
        }
    );
    for fluent in fluents(game, &summary.certain) {
        text += &format!("  {fluent}\n");
    }
    let uncertain = uncertain(game, summary);
    if !uncertain.is_empty() {
        text += "\nuncertain\n";
    }
    for (fluent, probability) in uncertain {
        text += &format!("  {probability:.4}  {fluent}\n");
    }
    text += "\nlegal\n";
    for &(id, probability) in &summary.legal {
        text += &format!("  {probability:.4}  {}\n", game.move_text(role, id));
    }
    text
}
