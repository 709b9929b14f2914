//! Tournaments: one runs at a time, others wait in a queue; every match is stored when it ends.

use super::agents::agent;
use super::person::HUMAN;
use crate::app::App;
use crate::error::ApiError;
use crate::events::{Broadcast, Message};
use crate::identity;
use crate::model::{Match, Pace, Status, Tournament, now};
use crate::pool::Pool;
use ludens_budget::Budget;
use ludens_play::tournament::{Fixture, MatchResult, Plan, run};
use ludens_play::{AgentSpec, EndReason, MARGIN, MatchRecord, Pace as PlayPace, Player, seats};
use ludens_report::tournament::{Description, GameDescription, Report, numbered};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// Interval of progress events.
const TELLING: Duration = Duration::from_millis(200);

/// Running and queued tournaments.
pub(crate) struct Tournaments {
    open: Mutex<BTreeMap<String, Arc<Series>>>,
    pool: Pool,
}

/// A running or queued tournament.
pub(crate) struct Series {
    key: String,
    summary: Mutex<Tournament>,
    hub: Broadcast,
    cancel: Arc<AtomicBool>,
    is_aborted: AtomicBool,
}

/// Request for a tournament.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TournamentRequest {
    /// Identifiers of the games.
    games: Vec<String>,
    /// Agent specs.
    players: Vec<String>,
    /// Number of times every seating is played.
    rounds: u64,
    pace: Pace,
    #[serde(default)]
    seed: Option<u64>,
}

impl Tournaments {
    pub(crate) fn new(most_open: usize) -> Tournaments {
        Tournaments {
            open: Mutex::default(),
            pool: Pool::new("tournament", 1, most_open),
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Series>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Series>> {
        self.open().get(id).cloned()
    }

    pub(crate) fn count(&self) -> usize {
        self.open().len()
    }
}

impl Series {
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) fn hub(&self) -> &Broadcast {
        &self.hub
    }

    pub(crate) fn summary(&self) -> Tournament {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Tournament> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Events that describe the current situation, for new subscribers.
    pub(crate) fn snapshot(&self) -> Vec<Arc<Message>> {
        let summary = self.summary();
        let mut messages = vec![Message::new("tournament", &summary)];
        if summary.status.is_final() {
            messages.push(Message::new("end", &summary));
        }
        messages
    }

    /// Aborts the tournament.
    pub(crate) fn abort(&self) {
        self.is_aborted.store(true, Ordering::Relaxed);
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// Starts or queues a tournament.
pub(crate) async fn begin(app: &Arc<App>, request: TournamentRequest) -> Result<Arc<Series>, ApiError> {
    let limits = &app.config.limits;
    let pace = request
        .pace
        .check(limits.most_clock, limits.most_iterations)
        .map_err(ApiError::BadRequest)?;
    let specs = request
        .players
        .iter()
        .map(|text| spec(text))
        .collect::<Result<Vec<_>, _>>()?;
    check_games(app, &request).await?;
    let seed = match request.seed {
        Some(seed) => seed,
        None => identity::seed()?,
    };
    let summary = Tournament {
        id: identity::identifier('t')?,
        status: Status::Preparing,
        games: request.games,
        players: numbered(specs.iter().cloned().map(Player::from).collect())
            .iter()
            .map(|player| player.name().to_string())
            .collect(),
        rounds: request.rounds,
        pace: request.pace,
        seed,
        played: 0,
        planned: 0,
        faults: 0,
        created: now(),
        ended: None,
        error: None,
    };
    let series = Arc::new(Series {
        key: identity::secret()?,
        summary: Mutex::new(summary.clone()),
        hub: Broadcast::default(),
        cancel: Arc::default(),
        is_aborted: AtomicBool::new(false),
    });
    take_place(app, &series, &summary.id)?;
    let (store, kept) = (app.store.clone(), summary.clone());
    let added = app.short.run(move || store.add_tournament(&kept)).await;
    let begun = added.and_then(|added| added.map_err(ApiError::from)).and_then(|()| {
        let (host, played) = (app.clone(), series.clone());
        let runtime = tokio::runtime::Handle::current();
        app.tournaments.pool.submit(move || {
            let attempt = std::panic::AssertUnwindSafe(|| play(&host, &played, specs, pace, &runtime));
            let result = std::panic::catch_unwind(attempt);
            let result = result.unwrap_or_else(|_| Err(ApiError::Internal("a tournament panicked".to_string())));
            close(&host, &played, result);
        })
    });
    if let Err(error) = begun {
        app.tournaments.open().remove(&summary.id);
        return Err(error);
    }
    tracing::info!(id = summary.id, games = summary.games.join(" "), "tournament begins");
    Ok(series)
}

fn take_place(app: &App, series: &Arc<Series>, id: &str) -> Result<(), ApiError> {
    let mut open = app.tournaments.open();
    if app.is_ending() || open.len() >= app.config.limits.open_tournaments {
        return Err(ApiError::Busy(
            "The server has no room for another tournament; retry later.".to_string(),
        ));
    }
    open.insert(id.to_string(), series.clone());
    Ok(())
}

fn spec(text: &str) -> Result<AgentSpec, ApiError> {
    match text.trim() {
        HUMAN => Err(ApiError::BadRequest(
            "Tournaments are for agents; `human` cannot take part.".to_string(),
        )),
        spec => agent(spec),
    }
}

async fn check_games(app: &Arc<App>, request: &TournamentRequest) -> Result<(), ApiError> {
    let mut names = request.games.clone();
    names.sort();
    names.dedup();
    if names.len() != request.games.len() || names.is_empty() {
        return Err(ApiError::BadRequest(
            "Name at least one game, and each game once.".to_string(),
        ));
    }
    if request.rounds == 0 || request.rounds > app.config.limits.tournament_matches {
        return Err(ApiError::BadRequest(format!(
            "Rounds must be between 1 and {}.",
            app.config.limits.tournament_matches
        )));
    }
    let host = app.clone();
    let looked = app.short.run(move || {
        host.check_room()?;
        let mut games = names.iter().map(|name| crate::catalogue::find(&host.store, name));
        games.try_for_each(|game| game.map(|_| ()))
    });
    looked.await?
}

/// Sets up the games and plays all matches, on the tournament thread.
fn play(
    app: &Arc<App>,
    series: &Series,
    specs: Vec<AgentSpec>,
    pace: PlayPace,
    runtime: &tokio::runtime::Handle,
) -> Result<(), ApiError> {
    let summary = series.summary();
    if series.cancel.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut games = Vec::new();
    for id in &summary.games {
        games.push(runtime.block_on(app.game_cache.prepare(id))?);
    }
    let limits = &app.config.limits;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_clocked = matches!(pace, PlayPace::Clocks { .. }) && !specs.iter().all(|spec| spec.is_light());
    // With clocks, each agent needs a processor of its own.
    let threads = if is_clocked { 1 } else { cores.min(2) };
    let described = games
        .iter()
        .map(|prepared| GameDescription::new(&prepared.game))
        .collect();
    let players = numbered(specs.into_iter().map(Player::from).collect());
    let plan = Plan::new(
        games.iter().map(|prepared| prepared.game.clone()).collect(),
        players,
        summary.rounds,
        pace,
    );
    let mut plan = plan
        .map_err(|error| ApiError::BadRequest(format!("The tournament is not possible: {error}.")))?
        .with_seed(summary.seed);
    plan.most_steps = limits.most_steps;
    plan.most_nodes = Some(limits.most_nodes);
    if plan.match_count() > limits.tournament_matches {
        return Err(ApiError::BadRequest(format!(
            "The tournament would have {} matches; the maximum is {}.",
            plan.match_count(),
            limits.tournament_matches
        )));
    }
    let description = Description {
        version: env!("CARGO_PKG_VERSION").to_string(),
        games: described,
        players: summary.players.clone(),
        start_clock: summary.pace.start_clock,
        play_clock: summary.pace.play_clock,
        margin: summary.pace.play_clock.map(|_| MARGIN.as_secs_f64()),
        iterations: summary.pace.iterations,
        seed: summary.seed,
        most_steps: limits.most_steps,
    };
    let begun = {
        let mut summary = series.lock();
        summary.status = Status::Running;
        summary.planned = plan.match_count();
        summary.clone()
    };
    app.store.update_tournament(&begun, Some(&description))?;
    series.hub.tell(Message::new("tournament", &begun));
    play_all(app, series, &plan, threads, &games)
}

fn play_all(
    app: &App,
    series: &Series,
    plan: &Plan,
    threads: usize,
    games: &[Arc<crate::game_cache::Prepared>],
) -> Result<(), ApiError> {
    let mut told = Instant::now();
    let mut failure = None;
    let budget = Budget::until_cancelled(series.cancel.clone());
    run(plan, &plan.numbers(), threads, &budget, &mut |fixture, record| {
        let result = MatchResult::new(plan, &fixture, &record);
        let summary = {
            let mut summary = series.lock();
            summary.played += 1;
            summary.faults += record.errors.len() as u64;
            summary.clone()
        };
        let prepared = &games[fixture.game];
        let line = match_line(&summary, &fixture, &record, &prepared.title, plan);
        app.metrics.tournament_matches.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = app.store.add_result(&summary, &result, &line, &record) {
            failure = Some(error);
            return ControlFlow::Break(());
        }
        if told.elapsed() >= TELLING {
            told = Instant::now();
            series.hub.tell(Message::new("tournament", &summary));
        }
        ControlFlow::Continue(())
    });
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Summary of a tournament match, in the form of other matches.
fn match_line(tournament: &Tournament, fixture: &Fixture, record: &MatchRecord, title: &str, plan: &Plan) -> Match {
    let game = plan.games().nth(fixture.game);
    let seats_wanted = game.map(seats).unwrap_or_default();
    let mut players = record.players.clone();
    for (role, &player) in seats_wanted.iter().zip(&fixture.seating) {
        players[role.index()].clone_from(&tournament.players[player]);
    }
    Match {
        id: format!("{}.{}", tournament.id, fixture.number),
        status: match record.end.reason {
            EndReason::Terminal => Status::Finished,
            _ => Status::Stopped,
        },
        game: tournament.games[fixture.game].clone(),
        title: title.to_string(),
        tournament: Some(tournament.id.clone()),
        roles: record.roles.clone(),
        players,
        pace: tournament.pace,
        seed: record.seed,
        step: record.moves.len(),
        waiting: Vec::new(),
        unplayed: Vec::new(),
        goals: record.goals.clone(),
        faults: record.errors.len(),
        created: record.started,
        ended: Some(now()),
        error: None,
    }
}

fn close(app: &App, series: &Series, result: Result<(), ApiError>) {
    let summary = {
        let mut summary = series.lock();
        summary.ended = Some(now());
        summary.status = match &result {
            Err(error) => {
                summary.error = Some(error.body());
                Status::Failed
            }
            Ok(()) if series.is_aborted.load(Ordering::Relaxed) => Status::Aborted,
            Ok(()) if summary.planned == 0 || summary.played < summary.planned => Status::Interrupted,
            Ok(()) => Status::Finished,
        };
        summary.clone()
    };
    if let Err(error) = app.store.update_tournament(&summary, None) {
        tracing::error!(%error, id = summary.id, "cannot keep a tournament");
    }
    app.tournaments.open().remove(&summary.id);
    series.hub.tell(Message::new("tournament", &summary));
    series.hub.tell(Message::new("end", &summary));
    tracing::info!(
        id = summary.id,
        status = summary.status.name(),
        played = summary.played,
        "tournament ends"
    );
}

/// Report of the matches played so far; `None` before the first.
pub(crate) fn report(app: &App, id: &str) -> Result<Option<Report>, ApiError> {
    let Some((summary, description)) = app.store.tournament(id)? else {
        return Err(ApiError::NotFound(format!("There is no tournament `{id}`.")));
    };
    let results = app.store.results(id)?;
    let description = description.filter(|_| !results.is_empty());
    Ok(description.map(|description| Report::new(description, summary.planned, results, None)))
}

/// Ends all tournaments and waits briefly until they are stored.
pub(crate) async fn end_all(app: &App) {
    for series in app.tournaments.open().values() {
        series.cancel.store(true, Ordering::Relaxed);
    }
    for _ in 0..40 {
        if app.tournaments.count() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
