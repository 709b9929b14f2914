//! `ludens analyse`: the analysis of a position by an agent, and its course during the search.

use crate::load::{LimitArguments, game};
use crate::output::{Answer, Failure, Outcome, grouped, print, print_json, rounded, table, table_text};
use crate::{interrupt, players};
use anyhow::anyhow;
use ludens_budget::{Budget, Progress};
use ludens_engine::{EngineChoice, Game, MoveId, Role};
use ludens_play::{AgentSpec, Place, PlayerSpec, Position, Replay, joint_texts};
use ludens_search::Decision;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Analyse a position with an agent: its move, value, principal variation and statistics
#[derive(clap::Args)]
#[command(
    after_help = "MOVES are the joint moves from the initial state to the position, one argument per step: the moves of \
                  all roles, as in \"(mark 1 1) noop\" or \"((mark 1 1) noop)\", or the move of the only role with a \
                  choice, as in \"(mark 1 1)\" or \"mark 1 1\". Ctrl-C ends the search and shows partial results."
)]
pub(crate) struct Arguments {
    /// Rule file or built-in game
    #[arg(value_name = "GAME")]
    game: String,
    /// Joint moves that lead to the position
    #[arg(long, value_name = "MOVES", num_args = 1..)]
    moves: Vec<String>,
    /// Agent to ask
    #[arg(long, value_name = "SPEC", default_value = "best")]
    agent: String,
    /// Role to choose for (default: the first role with a choice that is not chance)
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Seconds for the agent, preparation included
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = crate::arguments::seconds)]
    seconds: f64,
    /// Iterations for the agent instead of seconds; makes the result repeatable
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    iterations: Option<u64>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    limits: LimitArguments,
    /// Print the result as JSON, with all moves and the course of the search
    #[arg(long)]
    json: bool,
}

/// Share of the time that the agent may use to prepare.
const PREPARATION: f64 = 0.3;

/// Time between two snapshots of a search.
const INTERVAL: Duration = Duration::from_millis(20);

/// Snapshots that the text shows at most.
const SHOWN: usize = 10;

/// The best move and its value at some moment of the search.
struct Snapshot {
    seconds: f64,
    iterations: u64,
    choice: MoveId,
    value: Option<f64>,
}

pub(crate) fn run(arguments: Arguments) -> Outcome {
    let spec = AgentSpec::parse(&arguments.agent).map_err(|error| anyhow!("--agent: {error}"))?;
    players::read_files(&spec)?;
    let game = game(&arguments.game, &arguments.limits, EngineChoice::Auto)?;
    players::check(&PlayerSpec::Agent(spec.clone()), &game, true)?;
    let mut replay = Replay::new(&game);
    let mut view = Position::start(&game);
    for (step, text) in arguments.moves.iter().enumerate() {
        let made = replay.follow_written(text);
        let joint = made.map_err(|cause| anyhow!("step {}: {cause}", step + 1))?;
        view.observe(joint, replay.state());
    }
    if replay.machine().is_terminal() {
        let goals: Vec<String> = game
            .roles()
            .map(|role| replay.machine().score(role).to_string())
            .collect();
        return Err(anyhow!("the match is over here, with the goals {}", goals.join(" ")).into());
    }
    let role = role(&game, &mut replay, arguments.role.as_deref())?;
    let legal = replay.machine().legal(role).to_vec();
    let begin = Instant::now();
    let (decision, course) = ask(&arguments, &spec, &game, role, &view);
    let seconds = begin.elapsed().as_secs_f64();
    if !legal.contains(&decision.choice) {
        return Err(anyhow!(
            "{spec} gave no legal move: {}",
            decision.note.as_deref().unwrap_or("no reason")
        )
        .into());
    }
    let shown = Shown {
        game: &game,
        role,
        legal: &legal,
        decision: &decision,
        course: &course,
        seconds,
    };
    match arguments.json {
        true => print_json(&shown.json(&spec, arguments.moves.len()))?,
        false => print(&shown.text(&spec))?,
    }
    Ok(Answer::Yes)
}

/// The role that the agent chooses for.
fn role(game: &Game, replay: &mut Replay, wanted: Option<&str>) -> Result<Role, Failure> {
    let seats: Vec<Role> = game.roles().filter(|&role| !game.is_random(role)).collect();
    if let Some(wanted) = wanted {
        let named = seats
            .iter()
            .find(|&&role| game.role_name(role).eq_ignore_ascii_case(wanted));
        return named.copied().ok_or_else(|| {
            let names: Vec<&str> = seats.iter().map(|&role| game.role_name(role)).collect();
            anyhow!(
                "{} has no role {wanted} that a player can have; it has {}",
                game.name(),
                names.join(", ")
            )
            .into()
        });
    }
    let chooser = seats.iter().find(|&&role| replay.machine().legal(role).len() > 1);
    let first = chooser.or(seats.first()).copied();
    first.ok_or_else(|| anyhow!("{} has no role but chance", game.name()).into())
}

/// Lets the agent prepare and choose, and takes snapshots of its search.
fn ask(arguments: &Arguments, spec: &AgentSpec, game: &Game, role: Role, view: &Position) -> (Decision, Vec<Snapshot>) {
    let mut agent = spec.create(&Place {
        game: game.clone(),
        role,
        seed: arguments.seed,
        match_id: "analysis".into(),
        // All moves so far are given, so the state is known.
        is_hidden: false,
    });
    let budget = interrupt::budget();
    let total = Duration::from_secs_f64(arguments.seconds);
    let (before, whole): (Budget, Budget) = match arguments.iterations {
        Some(most) => (budget.clone().with_iterations(most), budget.with_iterations(most)),
        None => (budget.within(total.mul_f64(PREPARATION)), budget.within(total)),
    };
    agent.prepare(view, &before);
    let course = Arc::new(Mutex::new(Vec::new()));
    let (begin, kept) = (Instant::now(), Arc::clone(&course));
    let progress = Progress::every(INTERVAL, move |decision: &Decision| {
        let mut course = kept.lock().unwrap_or_else(PoisonError::into_inner);
        course.push(Snapshot::of(decision, begin));
    });
    let decision = agent.choose(view, &whole.observed_by(progress));
    let mut course = std::mem::take(&mut *course.lock().unwrap_or_else(PoisonError::into_inner));
    course.push(Snapshot::of(&decision, begin));
    (decision, course)
}

impl Snapshot {
    fn of(decision: &Decision, begin: Instant) -> Snapshot {
        Snapshot {
            seconds: begin.elapsed().as_secs_f64(),
            iterations: decision.playouts,
            choice: decision.choice,
            value: decision.value,
        }
    }
}

/// All that is shown of an analysis.
struct Shown<'a> {
    game: &'a Game,
    role: Role,
    legal: &'a [MoveId],
    decision: &'a Decision,
    course: &'a [Snapshot],
    seconds: f64,
}

impl Shown<'_> {
    fn move_text(&self, move_id: MoveId) -> String {
        self.game.move_text(self.role, move_id)
    }

    fn json(&self, spec: &AgentSpec, step: usize) -> Value {
        let decision = self.decision;
        let moves = decision.moves.iter().map(|known| {
            json!({
                "move": self.move_text(known.move_id),
                "visits": known.visits,
                "value": known.value,
                "probability": known.probability,
                "proved": known.proved,
            })
        });
        let course = self.course.iter().map(|moment| {
            json!({
                "seconds": moment.seconds,
                "iterations": moment.iterations,
                "move": self.move_text(moment.choice),
                "value": moment.value,
            })
        });
        json!({
            "game": self.game.name(),
            "step": step,
            "agent": spec.to_string(),
            "role": self.game.role_name(self.role),
            "legal": self.legal.iter().map(|&known| self.move_text(known)).collect::<Vec<_>>(),
            "move": self.move_text(decision.choice),
            "value": decision.value,
            "line": decision.line.iter().map(|joint| joint_texts(self.game, joint)).collect::<Vec<_>>(),
            "iterations": decision.playouts,
            "nodes": decision.nodes,
            "seconds": self.seconds,
            "stop": decision.stop.to_string(),
            "note": decision.note,
            "moves": moves.collect::<Vec<_>>(),
            "course": course.collect::<Vec<_>>(),
        })
    }

    fn text(&self, spec: &AgentSpec) -> String {
        let decision = self.decision;
        let value = |value: Option<f64>| value.map_or("unknown".to_string(), |value| format!("{value:.1}"));
        let mut text = format!(
            "{} ({spec}) plays {}, value {}\n{} iterations in {} s\n",
            self.game.role_name(self.role),
            self.move_text(decision.choice),
            value(decision.value),
            grouped(decision.playouts.into()),
            rounded(self.seconds),
        );
        if let Some(note) = &decision.note {
            text += &format!("{note}\n");
        }
        if !decision.line.is_empty() {
            let steps: Vec<String> = decision
                .line
                .iter()
                .map(|joint| joint_texts(self.game, joint).join(" "))
                .collect();
            text += &format!("\nprincipal variation\n  {}\n", steps.join("\n  "));
        }
        if !decision.moves.is_empty() {
            let mut moves = decision.moves.clone();
            moves.sort_by_key(|known| (known.move_id != decision.choice, std::cmp::Reverse(known.visits)));
            let mut rows = table(&["move", "visits", "value", ""]);
            for known in moves {
                rows.add_row([
                    self.move_text(known.move_id),
                    grouped(known.visits.into()),
                    value(known.value),
                    if known.proved { "proved" } else { "" }.to_string(),
                ]);
            }
            text += &format!("\n{}", table_text(&rows));
        }
        // A few moments tell the course: those at which the choice changed, and the end.
        let changes = self
            .course
            .windows(2)
            .filter(|pair| pair[0].choice != pair[1].choice)
            .map(|pair| &pair[1]);
        let changes: Vec<&Snapshot> = self.course.first().into_iter().chain(changes).collect();
        if changes.len() > 1 {
            text += "\ncourse of the search\n";
            for moment in &changes[changes.len().saturating_sub(SHOWN)..] {
                let (iterations, choice) = (grouped(moment.iterations.into()), self.move_text(moment.choice));
                text += &format!(
                    "  after {iterations} iterations: {choice}, value {}\n",
                    value(moment.value)
                );
            }
        }
        text
    }
}
