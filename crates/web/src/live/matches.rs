//! Starts matches, runs each on its own thread, and stores the results.

use super::agents::agent;
use super::live_match::LiveMatch;
use super::person::{HUMAN, person};
use crate::adaptive::{self, Adaptive};
use crate::app::App;
use crate::catalogue;
use crate::error::{ApiError, ErrorBody};
use crate::game_cache::{Prepared, reading_limits};
use crate::identity;
use crate::metrics::Metrics;
use crate::model::{Match, Pace, Status, now};
use crate::store::{Step, Store};
use ludens_budget::Budget;
use ludens_engine::Machine;
use ludens_play::{
    AgentSpec, EndReason, MatchEvent, MatchRecord, Observer, Pace as PlayPace, Player, Recorder, Setup, Thought, seats,
};
use ludens_report::games::roles;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use utoipa::ToSchema;

/// The running matches.
#[derive(Default)]
pub(crate) struct Matches {
    live_matches: Mutex<BTreeMap<String, Arc<LiveMatch>>>,
}

/// Request for a match.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchRequest {
    /// Identifier of the game.
    game: String,
    /// Player of each role except `random`: `human`, `adaptive` or an agent spec.
    players: Vec<String>,
    /// Name of the person to whom an adaptive opponent adapts.
    #[serde(default)]
    person: Option<String>,
    pace: Pace,
    #[serde(default)]
    seed: Option<u64>,
}

/// Player requested for a role.
enum SeatRequest {
    Person,
    Agent(AgentSpec),
    Adaptive(Adaptive),
}

/// Stack of match threads; agents without a clock run on them.
const STACK: usize = 32 << 20;

impl Matches {
    pub(crate) fn find(&self, id: &str) -> Option<Arc<LiveMatch>> {
        self.live_matches().get(id).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        self.live_matches().len()
    }

    /// All running matches.
    pub(crate) fn all(&self) -> Vec<Arc<LiveMatch>> {
        self.live_matches().values().cloned().collect()
    }

    fn live_matches(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<LiveMatch>>> {
        self.live_matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a match. Set-up and play continue after the answer.
pub(crate) async fn begin(app: &Arc<App>, request: MatchRequest) -> Result<Arc<LiveMatch>, ApiError> {
    let limits = &app.config.limits;
    let pace = request
        .pace
        .check(limits.most_clock, limits.most_iterations)
        .map_err(ApiError::BadRequest)?;
    let wanted_seats = seats_of(app, &request).await?;
    let seed = match request.seed {
        Some(seed) => seed,
        None => identity::seed()?,
    };
    let (host, game, reading) = (app.clone(), request.game.clone(), reading_limits(limits));
    let (title, roles) = app
        .short
        .run(move || -> Result<_, ApiError> {
            host.check_room()?;
            let rules = catalogue::find(&host.store, &game)?;
            Ok((rules.title().to_string(), roles(&rules.read(&reading))))
        })
        .await??;
    let wanted = roles.iter().filter(|role| *role != "random").count();
    if wanted != wanted_seats.len() {
        return Err(ApiError::BadRequest(format!(
            "The game needs {wanted} players, one for each of its roles ({}); {} given.",
            roles.join(", "),
            wanted_seats.len()
        )));
    }
    let mut names = wanted_seats.iter().map(name);
    let mut is_person = wanted_seats.iter().map(|seat| matches!(seat, SeatRequest::Person));
    let is_chance = |role: &String| role == "random";
    let summary = Match {
        id: identity::identifier('m')?,
        status: Status::Preparing,
        game: request.game,
        title,
        tournament: None,
        players: roles
            .iter()
            .map(|role| match is_chance(role) {
                true => "random".to_string(),
                false => names.next().unwrap_or_default(),
            })
            .collect(),
        pace: request.pace,
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
    let live = Arc::new(LiveMatch::new(summary.clone(), people)?);
    make_room(app, &live)?;
    let (store, kept) = (app.store.clone(), summary.clone());
    let added = app.short.run(move || store.add_match(&kept)).await;
    if let Err(error) = added.and_then(|added| added.map_err(ApiError::from)) {
        app.matches.live_matches().remove(live.id());
        return Err(error);
    }
    app.metrics.matches_begun.fetch_add(1, Ordering::Relaxed);
    tracing::info!(
        id = summary.id,
        game = summary.game,
        players = summary.players.join(" "),
        "match begins"
    );
    let (host, waiting_match) = (app.clone(), live.clone());
    tokio::spawn(async move {
        let prepared = host.game_cache.prepare(&summary.game).await;
        let name = "match".to_string();
        let thread = std::thread::Builder::new().name(name).stack_size(STACK);
        let (app, live) = (host.clone(), waiting_match.clone());
        let started = thread.spawn(move || {
            let work = AssertUnwindSafe(|| run(&app, &live, prepared, wanted_seats, pace, seed));
            if catch_unwind(work).is_err() {
                fail(&app, &live, &ApiError::Internal("a match panicked".to_string()));
            }
        });
        if let Err(error) = started {
            let error = ApiError::Internal(format!("cannot start a thread: {error}"));
            fail(&host, &waiting_match, &error);
        }
    });
    Ok(live)
}

/// Takes a slot for a running match. If all are taken, the match that has waited longest for an absent person gives
/// way.
fn make_room(app: &App, live: &Arc<LiveMatch>) -> Result<(), ApiError> {
    let mut live_matches = app.matches.live_matches();
    if app.is_ending() {
        return Err(ApiError::Busy("The server is shutting down.".to_string()));
    }
    let limits = &app.config.limits;
    let most = limits.running_matches;
    if live_matches.values().filter(|live| !live.is_ending()).count() >= most {
        let absences = live_matches.values().filter_map(|live| Some((live.absence()?, live)));
        let longest = absences.max_by_key(|(absence, _)| *absence);
        let Some((absence, abandoned)) = longest.filter(|(absence, _)| *absence >= limits.absence) else {
            return Err(ApiError::Busy(format!(
                "The server runs at most {most} matches. End one of yours to start another, or try again later."
            )));
        };
        tracing::info!(id = abandoned.id(), seconds = absence.as_secs(), "match gives way");
        abandoned.abort("The match was abandoned and has been ended to make room for another one.");
    }
    live_matches.insert(live.id().to_string(), live.clone());
    Ok(())
}

/// Who is to play, with the levels of adaptive opponents.
async fn seats_of(app: &Arc<App>, request: &MatchRequest) -> Result<Vec<SeatRequest>, ApiError> {
    let mut wanted = Vec::new();
    for text in &request.players {
        let Some(policy) = adaptive::policy_of(text.trim()) else {
            wanted.push(seat_of(text)?);
            continue;
        };
        if request.players.iter().filter(|text| text.trim() == HUMAN).count() != 1 {
            let message = "An adaptive opponent adapts to one person: let exactly one player be `human`.";
            return Err(ApiError::BadRequest(message.to_string()));
        }
        let (policy, person) = (policy?, adaptive::person(request.person.as_deref())?);
        let (store, game, name) = (app.store.clone(), request.game.clone(), person.clone());
        let decided = app.short.run(move || adaptive::decide(&store, &name, &game, policy));
        let (ruling, _) = decided.await??;
        let level = ruling.difficulty.level;
        wanted.push(SeatRequest::Adaptive(Adaptive { person, level }));
    }
    Ok(wanted)
}

fn seat_of(text: &str) -> Result<SeatRequest, ApiError> {
    match text.trim() {
        HUMAN => Ok(SeatRequest::Person),
        spec => agent(spec).map(SeatRequest::Agent),
    }
}

fn name(seat: &SeatRequest) -> String {
    match seat {
        SeatRequest::Person => HUMAN.to_string(),
        SeatRequest::Agent(spec) => spec.to_string(),
        SeatRequest::Adaptive(adaptive) => adaptive.name(),
    }
}

/// Body of a match thread.
fn run(
    app: &Arc<App>,
    live: &Arc<LiveMatch>,
    prepared: Result<Arc<Prepared>, ApiError>,
    wanted_seats: Vec<SeatRequest>,
    pace: PlayPace,
    seed: u64,
) {
    let prepared = match prepared {
        Ok(prepared) if seats(&prepared.game).len() == wanted_seats.len() => prepared,
        Ok(_) => {
            return fail(
                app,
                live,
                &ApiError::BadRequest("The game has another number of roles.".to_string()),
            );
        }
        Err(error) => return fail(app, live, &error),
    };
    live.prepare(prepared.clone());
    let limits = &app.config.limits;
    let has_people = wanted_seats.iter().any(|seat| matches!(seat, SeatRequest::Person));
    let seat_of_person = wanted_seats.iter().position(|seat| matches!(seat, SeatRequest::Person));
    let opponent = wanted_seats.iter().find_map(|seat| match seat {
        SeatRequest::Adaptive(adaptive) => Some(adaptive.clone()),
        _ => None,
    });
    let players = wanted_seats.into_iter().map(|seat| match seat {
        SeatRequest::Person => Ok(person(live.clone(), limits.idle)),
        SeatRequest::Agent(spec) => Ok(Player::from(spec)),
        SeatRequest::Adaptive(adaptive) => adaptive.player(),
    });
    let players: Vec<Player> = match players.collect::<Result<_, ApiError>>() {
        Ok(players) => players,
        Err(error) => return fail(app, live, &error),
    };
    let (listening, game) = (live.clone(), prepared.clone());
    let setup = Setup {
        // Agents think while a person does.
        at_once: has_people,
        // The page shows people whole states, so agents see them too.
        is_open: has_people,
        most_steps: limits.most_steps,
        most_nodes: Some(limits.most_nodes),
        listener: Some(Arc::new(move |thought: &Thought<'_>| listening.think(&game, thought))),
        ..Setup::new(prepared.game.clone(), players, pace)
    }
    .with_seed(seed)
    .with_budget(Budget::until_cancelled(live.cancel.clone()));
    let seated = ludens_play::Match::new(&setup);
    let mut writer = StepWriter {
        live,
        store: &app.store,
        metrics: &app.metrics,
        machine: prepared.game.machine(),
        prepared: &prepared,
        recorder: seated.recorder(),
        written_errors: 0,
    };
    seated.run(&mut [&mut writer]);
    let record = writer.recorder.record();
    let adapted = opponent.zip(seat_of_person);
    let game = live.summary().game;
    let names = (live.id(), game.as_str());
    // The next opponent depends on the result, so it is kept before anybody is told of it.
    if let Some((opponent, seat)) = &adapted {
        opponent.keep(app, names, &prepared, record, *seat);
    }
    end(app, live, record);
    if let Some((opponent, seat)) = &adapted {
        opponent.judge(app, names, &prepared, record, *seat);
    }
}

/// Observer that stores a match step by step and publishes it.
struct StepWriter<'a> {
    live: &'a LiveMatch,
    store: &'a Store,
    metrics: &'a Metrics,
    prepared: &'a Prepared,
    machine: Box<dyn Machine>,
    recorder: Recorder,
    /// Number of faults already stored.
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
        // A joint move is stored before it is published.
        let written = match Step::last(record, self.written_errors) {
            None => {
                let summary = self.live.advance(record, state);
                self.store.begin_record(&summary, record)
            }
            Some(step) => {
                let written = self.store.add_step(self.live.id(), record.moves.len() - 1, &step);
                self.live.advance(record, state);
                written
            }
        };
        self.written_errors = record.errors.len();
        if let Err(error) = written {
            // The match continues; missing steps are written at its end.
            tracing::error!(%error, id = self.live.id(), "cannot write a step");
        }
    }
}

/// Stores a finished match.
fn end(app: &App, live: &LiveMatch, record: &MatchRecord) {
    let aborted = live.aborted();
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
            None => (Status::Interrupted, stopped("The server was stopped.".to_string())),
        },
        EndReason::SeveralGoals => (
            Status::Stopped,
            stopped(format!("The match ended without a result: {detail}.")),
        ),
        EndReason::Stuck => (
            Status::Stopped,
            stopped(format!("The match cannot continue: {detail}.")),
        ),
        EndReason::TooLong => (
            Status::Stopped,
            stopped(format!(
                "The match was stopped at the limit of {} steps.",
                record.moves.len()
            )),
        ),
        EndReason::EngineFault => (Status::Stopped, stopped(format!("The rules hit a limit: {detail}."))),
    };
    let summary = live.finish(Some(record), |summary| {
        summary.status = status;
        summary.error = error;
    });
    close(app, live, &summary, Some(record));
}

/// Stores a match that could not start.
fn fail(app: &App, live: &LiveMatch, error: &ApiError) {
    if let ApiError::Internal(cause) = error {
        tracing::error!(cause, id = live.id(), "match fails");
    }
    let summary = live.finish(None, |summary| {
        summary.status = match live.aborted() {
            Some(_) => Status::Aborted,
            None => Status::Failed,
        };
        summary.error = Some(error.body());
    });
    close(app, live, &summary, None);
}

fn close(app: &App, live: &LiveMatch, summary: &Match, record: Option<&MatchRecord>) {
    if let Err(error) = app.store.finish_match(summary, record) {
        tracing::error!(%error, id = summary.id, "cannot keep a match");
    }
    // From now on the match is found in the store.
    app.matches.live_matches().remove(live.id());
    live.tell_end();
    app.metrics.matches_ended.fetch_add(1, Ordering::Relaxed);
    let (status, steps) = (summary.status.name(), summary.step);
    let goals = summary.goals.iter().flatten().map(u8::to_string);
    let goals = summary.goals.as_ref().map(|_| goals.collect::<Vec<_>>().join(" "));
    tracing::info!(id = summary.id, status, steps, goals, "match ends");
}

/// Ends all matches and waits briefly until they are stored.
pub(crate) async fn end_all(app: &App) {
    for live in app.matches.all() {
        live.cancel.store(true, Ordering::Relaxed);
    }
    for _ in 0..60 {
        if app.matches.count() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tracing::warn!(left = app.matches.count(), "matches did not end in time");
}
