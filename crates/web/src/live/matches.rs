//! Begins matches, plays them on threads of their own, and keeps what comes of them.

use super::agents::agent;
use super::person::{HUMAN, person};
use super::table::Table;
use crate::app::App;
use crate::catalogue;
use crate::error::{ApiError, ErrorBody};
use crate::identity;
use crate::metrics::Metrics;
use crate::model::{Match, Pace, Status, now};
use crate::store::{Step, Store};
use crate::workshop::{Prepared, reading_limits};
use ludens_budget::Budget;
use ludens_engine::Machine;
use ludens_play::{
    AgentSpec, EndReason, MatchEvent, MatchRecord, Observer, Pace as PlayPace, Player, Recorder, Setup, Thought, seats,
};
use ludens_report::games::roles;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The matches under way.
#[derive(Default)]
pub(crate) struct Matches {
    tables: Mutex<BTreeMap<String, Arc<Table>>>,
}

/// What somebody wants to be played.
pub(crate) struct Wish {
    pub(crate) game: String,
    pub(crate) players: Vec<String>,
    pub(crate) pace: Pace,
    pub(crate) seed: Option<u64>,
}

/// Who is to sit at a table.
enum Chair {
    Person,
    Agent(AgentSpec),
}

/// Stack of the threads that run matches; agents without a clock run on them.
const STACK: usize = 32 << 20;

impl Matches {
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Table>> {
        self.tables().get(id).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        self.tables().len()
    }

    /// All matches under way.
    pub(crate) fn all(&self) -> Vec<Arc<Table>> {
        self.tables().values().cloned().collect()
    }

    fn tables(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<Table>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Begins a match; setting up the game and playing go on behind the answer.
pub(crate) async fn begin(app: &Arc<App>, wish: Wish) -> Result<Arc<Table>, ApiError> {
    let limits = &app.config.limits;
    let pace = wish
        .pace
        .check(limits.most_clock, limits.most_iterations)
        .map_err(ApiError::BadRequest)?;
    let chairs = wish
        .players
        .iter()
        .map(|text| chair(text))
        .collect::<Result<Vec<Chair>, _>>()?;
    let seed = match wish.seed {
        Some(seed) => seed,
        None => identity::seed()?,
    };
    let (host, game, reading) = (app.clone(), wish.game.clone(), reading_limits(limits));
    let (title, roles) = app
        .short
        .run(move || -> Result<_, ApiError> {
            host.check_room()?;
            let rules = catalogue::find(&host.store, &game)?;
            Ok((rules.title().to_string(), roles(&rules.read(&reading))))
        })
        .await??;
    let wanted = roles.iter().filter(|role| *role != "random").count();
    if wanted != chairs.len() {
        return Err(ApiError::BadRequest(format!(
            "The game needs {wanted} players, one for each of its roles ({}); {} given.",
            roles.join(", "),
            chairs.len()
        )));
    }
    let mut names = chairs.iter().map(name);
    let mut is_person = chairs.iter().map(|chair| matches!(chair, Chair::Person));
    let is_chance = |role: &String| role == "random";
    let summary = Match {
        id: identity::identifier('m')?,
        status: Status::Preparing,
        game: wish.game,
        title,
        tournament: None,
        players: roles
            .iter()
            .map(|role| match is_chance(role) {
                true => "random".to_string(),
                false => names.next().unwrap_or_default(),
            })
            .collect(),
        pace: wish.pace,
        seed,
        step: 0,
        waiting: Vec::new(),
        unplayed: Vec::new(),
        goals: None,
        faults: 0,
        created: now(),
        ended: None,
        error: None,
        roles: roles.clone(),
    };
    let people = roles
        .iter()
        .map(|role| !is_chance(role) && is_person.next().unwrap_or(false))
        .collect();
    let table = Arc::new(Table::new(summary.clone(), people)?);
    seat(app, &table)?;
    let (store, kept) = (app.store.clone(), summary.clone());
    let added = app.short.run(move || store.add_match(&kept)).await;
    if let Err(error) = added.and_then(|added| added.map_err(ApiError::from)) {
        app.matches.tables().remove(table.id());
        return Err(error);
    }
    app.metrics.matches_begun.fetch_add(1, Ordering::Relaxed);
    tracing::info!(
        id = summary.id,
        game = summary.game,
        players = summary.players.join(" "),
        "match begins"
    );
    let (host, at_table) = (app.clone(), table.clone());
    tokio::spawn(async move {
        let prepared = host.workshop.prepare(&summary.game).await;
        let name = "match".to_string();
        let thread = std::thread::Builder::new().name(name).stack_size(STACK);
        let (app, table) = (host.clone(), at_table.clone());
        let started = thread.spawn(move || {
            let work = AssertUnwindSafe(|| run(&app, &table, prepared, chairs, pace, seed));
            if catch_unwind(work).is_err() {
                fail(&app, &table, &ApiError::Internal("a match panicked".to_string()));
            }
        });
        if let Err(error) = started {
            let error = ApiError::Internal(format!("cannot start a thread: {error}"));
            fail(&host, &at_table, &error);
        }
    });
    Ok(table)
}

/// Takes a place among the matches under way, if there is one. When all places are taken, the match that has waited
/// longest for a person who has left gives way.
fn seat(app: &App, table: &Arc<Table>) -> Result<(), ApiError> {
    let mut tables = app.matches.tables();
    if app.is_ending() {
        return Err(ApiError::Busy("The server is about to end.".to_string()));
    }
    let limits = &app.config.limits;
    let most = limits.running_matches;
    if tables.values().filter(|table| !table.is_ending()).count() >= most {
        let absences = tables.values().filter_map(|table| Some((table.absence()?, table)));
        let longest = absences.max_by_key(|(absence, _)| *absence);
        let Some((absence, abandoned)) = longest.filter(|(absence, _)| *absence >= limits.absence) else {
            return Err(ApiError::Busy(format!(
                "The server runs at most {most} matches. End one of yours to start another, or try again later."
            )));
        };
        tracing::info!(id = abandoned.id(), seconds = absence.as_secs(), "match gives way");
        abandoned.abort("The match was left, and it was ended to make room for another one.");
    }
    tables.insert(table.id().to_string(), table.clone());
    Ok(())
}

fn chair(text: &str) -> Result<Chair, ApiError> {
    match text.trim() {
        HUMAN => Ok(Chair::Person),
        spec => agent(spec).map(Chair::Agent),
    }
}

fn name(chair: &Chair) -> String {
    match chair {
        Chair::Person => HUMAN.to_string(),
        Chair::Agent(spec) => spec.to_string(),
    }
}

/// The thread of a match.
fn run(
    app: &Arc<App>,
    table: &Arc<Table>,
    prepared: Result<Arc<Prepared>, ApiError>,
    chairs: Vec<Chair>,
    pace: PlayPace,
    seed: u64,
) {
    let prepared = match prepared {
        Ok(prepared) if seats(&prepared.game).len() == chairs.len() => prepared,
        Ok(_) => {
            return fail(
                app,
                table,
                &ApiError::BadRequest("The game has another number of roles.".to_string()),
            );
        }
        Err(error) => return fail(app, table, &error),
    };
    table.prepare(prepared.clone());
    let limits = &app.config.limits;
    let has_people = chairs.iter().any(|chair| matches!(chair, Chair::Person));
    let players: Vec<Player> = chairs
        .into_iter()
        .map(|chair| match chair {
            Chair::Person => person(table.clone(), limits.idle),
            Chair::Agent(spec) => Player::from(spec),
        })
        .collect();
    let (listening, game) = (table.clone(), prepared.clone());
    let setup = Setup {
        // While a person thinks, the others may think too.
        at_once: has_people,
        most_steps: limits.most_steps,
        most_nodes: Some(limits.most_nodes),
        listener: Some(Arc::new(move |thought: &Thought<'_>| listening.think(&game, thought))),
        ..Setup::new(prepared.game.clone(), players, pace)
    }
    .with_seed(seed)
    .with_budget(Budget::until_cancelled(table.cancel.clone()));
    let seated = ludens_play::Match::new(&setup);
    let mut writer = StepWriter {
        table,
        store: &app.store,
        metrics: &app.metrics,
        machine: prepared.game.machine(),
        prepared: &prepared,
        recorder: seated.recorder(),
        written_errors: 0,
    };
    seated.run(&mut [&mut writer]);
    end(app, table, writer.recorder.record());
}

/// Stores a match step by step and shows it to those who watch.
struct StepWriter<'a> {
    table: &'a Table,
    store: &'a Store,
    metrics: &'a Metrics,
    prepared: &'a Prepared,
    machine: Box<dyn Machine>,
    recorder: Recorder,
    /// Faults that are stored already.
    written_errors: usize,
}

impl Observer for StepWriter<'_> {
    fn observe(&mut self, event: &MatchEvent<'_>) {
        self.recorder.observe(event);
        match event {
            MatchEvent::Prepared => self.write(),
            MatchEvent::Fault { .. } => {
                self.metrics.faults.fetch_add(1, Ordering::Relaxed);
            }
            MatchEvent::Moved { state, .. } => {
                self.metrics.moves.fetch_add(1, Ordering::Relaxed);
                self.machine.load(state);
                self.write();
            }
            MatchEvent::Started { .. } | MatchEvent::Ended { .. } => {}
        }
    }
}

impl StepWriter<'_> {
    fn write(&mut self) {
        let record = self.recorder.record();
        let (game, layout) = (&self.prepared.game, &self.prepared.layout);
        let state = layout.show(
            game,
            &mut *self.machine,
            record.moves.len(),
            record.moves.last().cloned(),
        );
        // A joint move is stored before anybody is told of it.
        let written = match Step::last(record, self.written_errors) {
            None => {
                let summary = self.table.advance(record, state);
                self.store.begin_record(&summary, record)
            }
            Some(step) => {
                let written = self.store.add_step(self.table.id(), record.moves.len() - 1, &step);
                self.table.advance(record, state);
                written
            }
        };
        self.written_errors = record.errors.len();
        if let Err(error) = written {
            // The match goes on; what is missing is written at its end.
            tracing::error!(%error, id = self.table.id(), "cannot write a step");
        }
    }
}

/// Keeps a match that was played.
fn end(app: &App, table: &Table, record: &MatchRecord) {
    let aborted = table.aborted();
    let stopped = |what: String| {
        Some(ErrorBody {
            code: "stopped".to_string(),
            message: what,
            findings: Vec::new(),
        })
    };
    let detail = record.end.detail.clone().unwrap_or_default();
    let (status, error) = match record.end.reason {
        EndReason::Terminal => (Status::Finished, None),
        EndReason::Interrupted | EndReason::Unfinished => match aborted {
            Some(why) => (Status::Aborted, stopped(why)),
            None => (Status::Interrupted, stopped("The server ended.".to_string())),
        },
        EndReason::SeveralGoals => (
            Status::Stopped,
            stopped(format!("The match ends without a result: {detail}.")),
        ),
        EndReason::Stuck => (Status::Stopped, stopped(format!("The match cannot go on: {detail}."))),
        EndReason::TooLong => (
            Status::Stopped,
            stopped(format!("The match was stopped after {} steps.", record.moves.len())),
        ),
        EndReason::EngineFault => (Status::Stopped, stopped(format!("The rules hit a limit: {detail}."))),
    };
    let summary = table.finish(Some(record), |summary| {
        summary.status = status;
        summary.error = error;
    });
    close(app, table, &summary, Some(record));
}

/// Keeps a match that could not begin.
fn fail(app: &App, table: &Table, error: &ApiError) {
    if let ApiError::Internal(cause) = error {
        tracing::error!(cause, id = table.id(), "match fails");
    }
    let summary = table.finish(None, |summary| {
        summary.status = match table.aborted() {
            Some(_) => Status::Aborted,
            None => Status::Failed,
        };
        summary.error = Some(error.body());
    });
    close(app, table, &summary, None);
}

fn close(app: &App, table: &Table, summary: &Match, record: Option<&MatchRecord>) {
    if let Err(error) = app.store.finish_match(summary, record) {
        tracing::error!(%error, id = summary.id, "cannot keep a match");
    }
    // From here on it is found in the store.
    app.matches.tables().remove(table.id());
    table.tell_end();
    app.metrics.matches_ended.fetch_add(1, Ordering::Relaxed);
    let (status, steps) = (summary.status.name(), summary.step);
    let goals = summary.goals.iter().flatten().map(u8::to_string);
    let goals = summary.goals.as_ref().map(|_| goals.collect::<Vec<_>>().join(" "));
    tracing::info!(id = summary.id, status, steps, goals, "match ends");
}

/// Ends all matches and waits a moment until they are kept.
pub(crate) async fn end_all(app: &App) {
    for table in app.matches.all() {
        table.cancel.store(true, Ordering::Relaxed);
    }
    for _ in 0..60 {
        if app.matches.count() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tracing::warn!(left = app.matches.count(), "matches did not end in time");
}
