//! Routes for matches.

use super::body::{Body, QueryString};
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::events::{self, Message};
use crate::game_cache::Prepared;
use crate::guard::is_same;
use crate::live::live_match::{LiveMatch, state_message};
use crate::live::matches::{MatchRequest, begin};
use crate::model::{Choice, FullMatch, Match, StateView};
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

/// Maximum number of states in an answer.
const MOST_STATES: usize = 200;

/// Maximum number of matches in an answer.
const MOST_MATCHES: usize = 200;

/// Key that authorises changes to a match or a tournament.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) key: String,
}

/// Move of a person.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMove {
    key: String,
    /// Step at which the move is made.
    step: usize,
    /// Index of the role.
    role: usize,
    /// The move.
    #[serde(rename = "move")]
    text: String,
}

/// A page of the list of matches.
#[derive(Serialize, ToSchema)]
pub(crate) struct MatchList {
    matches: Vec<Match>,
    /// Whether there are more.
    more: bool,
}

/// Range of states.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatesQuery {
    /// Step of the first state.
    #[serde(default)]
    from: usize,
    /// Maximum number of states.
    count: Option<usize>,
}

/// A range of states of a match.
#[derive(Serialize, ToSchema)]
pub(crate) struct States {
    #[schema(value_type = Object)]
    layout: Value,
    /// Number of states of the match.
    total: usize,
    states: Vec<StateView>,
}

/// Format of a record.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordQuery {
    /// `ludens` or `ggp`.
    format: Option<String>,
}

/// A match: running, or from the store.
pub(super) enum MatchHandle {
    Running(Arc<LiveMatch>),
    Stored(Box<(Match, Option<MatchRecord>)>),
}

pub(super) async fn find(app: &Arc<App>, id: &str) -> Result<MatchHandle, ApiError> {
    if let Some(live) = app.matches.find(id) {
        live.touch();
        return Ok(MatchHandle::Running(live));
    }
    let (store, name) = (app.store.clone(), id.to_string());
    let kept = app.short.run(move || -> Result<MatchHandle, ApiError> {
        let summary = store.find_match(&name)?;
        let summary = summary.ok_or_else(|| ApiError::NotFound(format!("There is no match `{name}`.")))?;
        let record = store.record(&name)?;
        Ok(MatchHandle::Stored(Box::new((summary, record))))
    });
    kept.await?
}

impl MatchHandle {
    pub(super) fn split(self) -> (Match, Option<MatchRecord>, Option<Arc<Prepared>>) {
        match self {
            MatchHandle::Running(live) => (live.summary(), live.record(), live.prepared()),
            MatchHandle::Stored(kept) => (kept.0, kept.1, None),
        }
    }
}

fn full(app: &App, found: MatchHandle, key: Option<String>) -> FullMatch {
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

/// Start a match
#[utoipa::path(post, path = "/api/matches", tag = "matches", operation_id = "matches_add",
    request_body = MatchRequest, responses(
    (status = 201, description = "created", body = FullMatch),
    ErrorAnswer))]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Body(request): Body<MatchRequest>,
) -> Result<(StatusCode, Json<FullMatch>), ApiError> {
    let live = begin(&app, request).await?;
    let key = Some(live.key().to_string());
    Ok((StatusCode::CREATED, Json(full(&app, MatchHandle::Running(live), key))))
}

/// List the latest matches
#[utoipa::path(get, path = "/api/matches", tag = "matches", operation_id = "matches_list",
    params(MatchFilter), responses(
    (status = 200, description = "success", body = MatchList),
    ErrorAnswer))]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    QueryString(mut filter): QueryString<MatchFilter>,
) -> Result<Json<MatchList>, ApiError> {
    let limit = filter.limit.min(MOST_MATCHES);
    filter.limit = limit;
    let store = app.store.clone();
    let mut matches = app.short.run(move || store.list_matches(&filter)).await??;
    let more = matches.len() > limit;
    matches.truncate(limit);
    for line in &mut matches {
        // The store has the match as it started; the running match is current.
        if let Some(live) = app.matches.find(&line.id) {
            *line = live.summary();
        }
    }
    Ok(Json(MatchList { matches, more }))
}

/// Show a match with its moves
#[utoipa::path(get, path = "/api/matches/{id}", tag = "matches", operation_id = "matches_show",
    params(("id" = String, Path)), responses(
    (status = 200, description = "success", body = FullMatch),
    ErrorAnswer))]
pub(crate) async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<FullMatch>, ApiError> {
    let found = find(&app, &id).await?;
    Ok(Json(full(&app, found, None)))
}

/// Show states of a match
#[utoipa::path(get, path = "/api/matches/{id}/states", tag = "matches", operation_id = "matches_states",
    params(("id" = String, Path), StatesQuery),
    responses(
    (status = 200, description = "success", body = States),
    ErrorAnswer))]
pub(crate) async fn states(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    QueryString(query): QueryString<StatesQuery>,
) -> Result<Json<States>, ApiError> {
    let count = query.count.unwrap_or(100).min(MOST_STATES);
    let (summary, record, prepared) = find(&app, &id).await?.split();
    if record.is_none() && !summary.status.is_final() {
        // The game is still being set up.
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

/// The game of a match, set up, and the joint moves made so far.
pub(super) async fn prepare(
    app: &Arc<App>,
    summary: &Match,
    record: Option<MatchRecord>,
    prepared: Option<Arc<Prepared>>,
) -> Result<(Arc<Prepared>, Vec<Vec<String>>), ApiError> {
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => app.game_cache.prepare(&summary.game).await?,
    };
    Ok((prepared, record.map(|record| record.moves).unwrap_or_default()))
}

/// States of a match, replayed from its record.
async fn replayed(
    app: &Arc<App>,
    summary: &Match,
    record: Option<MatchRecord>,
    prepared: Option<Arc<Prepared>>,
    from: usize,
    count: usize,
) -> Result<(Arc<Prepared>, Vec<StateView>, usize), ApiError> {
    let (prepared, moves) = prepare(app, summary, record, prepared).await?;
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
            "Wrong key. Only the client that started the match can move in it or abort it.".to_string(),
        )),
    }
}

/// Make a move for a person
#[utoipa::path(post, path = "/api/matches/{id}/moves", tag = "matches", operation_id = "matches_make_move",
    params(("id" = String, Path)),
    request_body = NewMove, responses(
    (status = 200, description = "success", body = Match),
    ErrorAnswer))]
pub(crate) async fn make_move(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(new): Body<NewMove>,
) -> Result<Json<Match>, ApiError> {
    match find(&app, &id).await? {
        MatchHandle::Running(live) => {
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
        MatchHandle::Stored(_) => Err(ApiError::Conflict("The match is over.".to_string())),
    }
}

/// Abort a match
#[utoipa::path(post, path = "/api/matches/{id}/abort", tag = "matches", operation_id = "matches_abort",
    params(("id" = String, Path)),
    request_body = Key, responses(
    (status = 200, description = "success", body = Match),
    ErrorAnswer))]
pub(crate) async fn abort(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(Key { key }): Body<Key>,
) -> Result<Json<Match>, ApiError> {
    match find(&app, &id).await? {
        MatchHandle::Running(live) => {
            authorised(&live, &key)?;
            live.abort("The match was aborted.");
            Ok(Json(live.summary()))
        }
        MatchHandle::Stored(kept) => Ok(Json(kept.0)),
    }
}

/// Download the record of a match
#[utoipa::path(get, path = "/api/matches/{id}/record", tag = "matches", operation_id = "matches_record",
    params(("id" = String, Path), RecordQuery),
    responses(
    (status = 200, description = "success", body = Object),
    ErrorAnswer))]
pub(crate) async fn record(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    QueryString(query): QueryString<RecordQuery>,
) -> Result<Response, ApiError> {
    let (summary, record, _) = find(&app, &id).await?.split();
    let record =
        record.ok_or_else(|| ApiError::NotFound("The match has no record because it never started.".to_string()))?;
    match query.format.as_deref() {
        None | Some("ludens") => Ok(Json(record).into_response()),
        Some("ggp") => {
            let prepared = app.game_cache.prepare(&summary.game).await?;
            let url = format!("http://ludens.invalid/games/{}/v0/", summary.game);
            let exported = app.short.run(move || ggp::export(&record, &prepared.game, &url));
            Ok(Json(exported.await?).into_response())
        }
        Some(_) => Err(ApiError::BadRequest(
            "The format must be `ludens` or `ggp`.".to_string(),
        )),
    }
}

/// Watch a match: a stream of events
#[utoipa::path(get, path = "/api/matches/{id}/events", tag = "matches", operation_id = "matches_watch",
    params(("id" = String, Path)), responses(
    (status = 200, description = "Events `match`, `state`, `thinking` and `end`", body = String,
     content_type = "text/event-stream"),
    ErrorAnswer))]
pub(crate) async fn watch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    match find(&app, &id).await? {
        MatchHandle::Running(live) => {
            let receiver = live.hub().watch();
            let watching = live.watch();
            events::live(&app, receiver, move || watching.snapshot())
        }
        MatchHandle::Stored(kept) => {
            let (summary, record) = *kept;
            let mut messages = vec![Message::new("match", &summary)];
            let last = record.as_ref().map_or(0, |record| record.moves.len());
            // A game that can no longer be set up has no states to show.
            if let Ok((prepared, states, _)) = replayed(&app, &summary, record, None, last, 1).await {
                messages.extend(states.first().map(|state| state_message(&prepared, state)));
            }
            messages.push(Message::new("end", &summary));
            events::finished(&app, messages)
        }
    }
}
