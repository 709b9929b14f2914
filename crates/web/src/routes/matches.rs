//! Matches.

use super::body::{Asked, Body};
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::events::{self, Message};
use crate::game_cache::Prepared;
use crate::guard::is_same;
use crate::live::live_match::{LiveMatch, state_message};
use crate::live::matches::{MatchRequest, begin};
use crate::model::{Choice, FullMatch, Match, Pace, StateView};
use crate::store::MatchFilter;
use crate::view::replay;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use ludens_play::{MatchRecord, ggp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// States that are given at a time.
const MOST_STATES: usize = 200;

/// Matches that are listed at a time.
const MOST_MATCHES: usize = 200;

/// A match to be played.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMatch {
    /// The identifier of the game.
    game: String,
    /// One player for each role but `random`: `human`, `adaptive`, or the spec of an agent.
    players: Vec<String>,
    /// The name of the person whom an adaptive opponent adapts to.
    #[serde(default)]
    person: Option<String>,
    pace: Pace,
    #[serde(default)]
    seed: Option<u64>,
}

/// The proof that somebody may change a match or a tournament.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) key: String,
}

/// A move of a person.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMove {
    key: String,
    /// The step it is for.
    step: usize,
    /// The number of the role.
    role: usize,
    /// The move.
    #[serde(rename = "move")]
    text: String,
}

/// Which matches are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// At most so many.
    limit: Option<usize>,
    /// Only those made before this one.
    before: Option<String>,
    /// Only those of this game.
    game: Option<String>,
    /// Only those with this status.
    status: Option<String>,
    /// Those of this tournament.
    tournament: Option<String>,
}

/// Some matches.
#[derive(Serialize, ToSchema)]
pub(crate) struct MatchList {
    matches: Vec<Match>,
    /// Whether there are more.
    more: bool,
}

/// Which states are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatesQuery {
    /// The number of the first one.
    #[serde(default)]
    from: usize,
    /// At most so many.
    count: Option<usize>,
}

/// Some states of a match.
#[derive(Serialize, ToSchema)]
pub(crate) struct States {
    #[schema(value_type = Object)]
    layout: Value,
    /// How many there are.
    total: usize,
    states: Vec<StateView>,
}

/// In which form a record is wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordQuery {
    /// `ludens` or `ggp`.
    format: Option<String>,
}

/// A match that is under way or kept.
pub(super) enum Found {
    Live(Arc<LiveMatch>),
    Kept(Box<(Match, Option<MatchRecord>)>),
}

pub(super) async fn find(app: &Arc<App>, id: &str) -> Result<Found, ApiError> {
    if let Some(live) = app.matches.find(id) {
        live.touch();
        return Ok(Found::Live(live));
    }
    let (store, name) = (app.store.clone(), id.to_string());
    let kept = app.short.run(move || -> Result<Found, ApiError> {
        let summary = store.find_match(&name)?;
        let summary = summary.ok_or_else(|| ApiError::NotFound(format!("There is no match `{name}`.")))?;
        let record = store.record(&name)?;
        Ok(Found::Kept(Box::new((summary, record))))
    });
    kept.await?
}

impl Found {
    pub(super) fn split(self) -> (Match, Option<MatchRecord>, Option<Arc<Prepared>>) {
        match self {
            Found::Live(live) => (live.summary(), live.record(), live.prepared()),
            Found::Kept(kept) => (kept.0, kept.1, None),
        }
    }
}

fn full(app: &App, found: Found, key: Option<String>) -> FullMatch {
    let (summary, record, prepared) = found.split();
    let prepared = prepared.or_else(|| app.game_cache.ready(&summary.game));
    let (moves, evaluations, times, errors) = record.map_or_else(Default::default, |record| {
        (record.moves, record.evaluations, record.times, record.errors)
    });
    FullMatch {
        summary,
        layout: prepared.map(|prepared| prepared.layout.json().clone()),
        moves,
        evaluations,
        times,
        errors,
        key,
    }
}

/// Begin a match
#[utoipa::path(post, path = "/api/matches", tag = "matches", operation_id = "matches_add",
    request_body = NewMatch, responses(
    (status = 201, description = "made", body = FullMatch),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer),
    (status = 503, description = "there is too much to do", body = ErrorAnswer)))]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Body(new): Body<NewMatch>,
) -> Result<(StatusCode, Json<FullMatch>), ApiError> {
    let request = MatchRequest {
        game: new.game,
        players: new.players,
        person: new.person,
        pace: new.pace,
        seed: new.seed,
    };
    let live = begin(&app, request).await?;
    let key = Some(live.key().to_string());
    Ok((StatusCode::CREATED, Json(full(&app, Found::Live(live), key))))
}

/// The latest matches
#[utoipa::path(get, path = "/api/matches", tag = "matches", operation_id = "matches_list",
    params(ListQuery), responses(
    (status = 200, description = "done", body = MatchList),
    (status = 400, description = "the request is wrong", body = ErrorAnswer)))]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Asked(query): Asked<ListQuery>,
) -> Result<Json<MatchList>, ApiError> {
    let limit = query.limit.unwrap_or(50).min(MOST_MATCHES);
    let filter = MatchFilter {
        before: query.before,
        game: query.game,
        status: query.status,
        tournament: query.tournament,
        limit,
    };
    let store = app.store.clone();
    let mut matches = app.short.run(move || store.list_matches(&filter)).await??;
    let more = matches.len() > limit;
    matches.truncate(limit);
    for line in &mut matches {
        // The store knows how a match began, the running match how it stands.
        if let Some(live) = app.matches.find(&line.id) {
            *line = live.summary();
        }
    }
    Ok(Json(MatchList { matches, more }))
}

/// A match with its moves
#[utoipa::path(get, path = "/api/matches/{id}", tag = "matches", operation_id = "matches_show",
    params(("id" = String, Path)), responses(
    (status = 200, description = "done", body = FullMatch),
    (status = 404, description = "there is no such thing", body = ErrorAnswer)))]
pub(crate) async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<FullMatch>, ApiError> {
    let found = find(&app, &id).await?;
    Ok(Json(full(&app, found, None)))
}

/// States of a match
#[utoipa::path(get, path = "/api/matches/{id}/states", tag = "matches", operation_id = "matches_states",
    params(("id" = String, Path), StatesQuery),
    responses(
    (status = 200, description = "done", body = States),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer),
    (status = 503, description = "there is too much to do", body = ErrorAnswer)))]
pub(crate) async fn states(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asked(query): Asked<StatesQuery>,
) -> Result<Json<States>, ApiError> {
    let count = query.count.unwrap_or(100).min(MOST_STATES);
    let (summary, record, prepared) = find(&app, &id).await?.split();
    if record.is_none() && !summary.status.is_final() {
        // The game is being set up; there are no states yet.
        return Ok(Json(States {
            layout: Value::Null,
            total: 0,
            states: Vec::new(),
        }));
    }
    let (prepared, states, total) = replayed(&app, &summary, record, prepared, query.from, count).await?;
    let layout = prepared.layout.json().clone();
    Ok(Json(States { layout, total, states }))
}

/// States of a match, played again from its record.
async fn replayed(
    app: &Arc<App>,
    summary: &Match,
    record: Option<MatchRecord>,
    prepared: Option<Arc<Prepared>>,
    from: usize,
    count: usize,
) -> Result<(Arc<Prepared>, Vec<StateView>, usize), ApiError> {
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => app.game_cache.prepare(&summary.game).await?,
    };
    let moves = record.map(|record| record.moves).unwrap_or_default();
    let total = moves.len() + 1;
    let game = prepared.clone();
    let replayed = app
        .short
        .run(move || replay(&game.game, &game.layout, &moves, from, count));
    Ok((prepared, replayed.await?, total))
}

fn authorised(live: &LiveMatch, key: &str) -> Result<(), ApiError> {
    match is_same(live.key(), key) {
        true => Ok(()),
        false => Err(ApiError::Forbidden(
            "Only who made the match can move in it or abort it; the key is wrong.".to_string(),
        )),
    }
}

/// Move for a person
#[utoipa::path(post, path = "/api/matches/{id}/moves", tag = "matches", operation_id = "matches_make_move",
    params(("id" = String, Path)),
    request_body = NewMove, responses(
    (status = 200, description = "done", body = Match),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer)))]
pub(crate) async fn make_move(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(new): Body<NewMove>,
) -> Result<Json<Match>, ApiError> {
    match find(&app, &id).await? {
        Found::Live(live) => {
            authorised(&live, &new.key)?;
            let store = app.store.clone();
            let chosen = app.short.run(move || {
                let keep = |text: &str| {
                    let (role, text) = (new.role, text.to_string());
                    match store.add_choice(&id, new.step, &Choice { role, text })? {
                        true => Ok(()),
                        false => Err(ApiError::Conflict("The match is over.".to_string())),
                    }
                };
                live.choose(new.step, new.role, &new.text, keep)
            });
            chosen.await?.map(Json)
        }
        Found::Kept(_) => Err(ApiError::Conflict("The match is over.".to_string())),
    }
}

/// Abort a match
#[utoipa::path(post, path = "/api/matches/{id}/abort", tag = "matches", operation_id = "matches_abort",
    params(("id" = String, Path)),
    request_body = Key, responses(
    (status = 200, description = "done", body = Match),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer)))]
pub(crate) async fn abort(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(Key { key }): Body<Key>,
) -> Result<Json<Match>, ApiError> {
    match find(&app, &id).await? {
        Found::Live(live) => {
            authorised(&live, &key)?;
            live.abort("The match was aborted.");
            Ok(Json(live.summary()))
        }
        Found::Kept(kept) => Ok(Json(kept.0)),
    }
}

/// The record of a match
#[utoipa::path(get, path = "/api/matches/{id}/record", tag = "matches", operation_id = "matches_record",
    params(("id" = String, Path), RecordQuery),
    responses(
    (status = 200, description = "done", body = Object),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer),
    (status = 503, description = "there is too much to do", body = ErrorAnswer)))]
pub(crate) async fn record(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asked(query): Asked<RecordQuery>,
) -> Result<Response, ApiError> {
    let (summary, record, _) = find(&app, &id).await?.split();
    let record = record.ok_or_else(|| ApiError::NotFound("The match has no record: it never began.".to_string()))?;
    match query.format.as_deref() {
        None | Some("ludens") => Ok(Json(record).into_response()),
        Some("ggp") => {
            let prepared = app.game_cache.prepare(&summary.game).await?;
            let url = format!("http://ludens.invalid/games/{}/v0/", summary.game);
            let exported = app.short.run(move || ggp::export(&record, &prepared.game, &url));
            Ok(Json(exported.await?).into_response())
        }
        Some(_) => Err(ApiError::BadRequest("The format is `ludens` or `ggp`.".to_string())),
    }
}

/// What happens in a match, live
#[utoipa::path(get, path = "/api/matches/{id}/events", tag = "matches", operation_id = "matches_watch",
    params(("id" = String, Path)), responses(
    (status = 200, description = "Events `match`, `state`, `thinking` and `end`", body = String,
     content_type = "text/event-stream"),
    (status = 404, description = "there is no such thing", body = ErrorAnswer),
    (status = 503, description = "there is too much to do", body = ErrorAnswer)))]
pub(crate) async fn watch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    match find(&app, &id).await? {
        Found::Live(live) => {
            let receiver = live.hub().watch();
            let watching = live.watch();
            events::live(&app, receiver, move || watching.snapshot())
        }
        Found::Kept(kept) => {
            let (summary, record) = *kept;
            let mut messages = vec![Message::new("match", &summary)];
            let last = record.as_ref().map_or(0, |record| record.moves.len());
            // A game that cannot be set up has no states to be shown.
            if let Ok((prepared, states, _)) = replayed(&app, &summary, record, None, last, 1).await {
                messages.extend(states.first().map(|state| state_message(&prepared, state)));
            }
            messages.push(Message::new("end", &summary));
            events::finished(&app, messages)
        }
    }
}
