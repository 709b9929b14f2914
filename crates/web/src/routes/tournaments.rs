//! Routes for tournaments.

use super::body::Body;
use super::matches::Key;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::events::{self, Message};
use crate::guard::is_same;
use crate::live::tournaments::{TournamentRequest, begin, report};
use crate::model::{FullTournament, Tournament};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use ludens_report::tournament::html;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;

/// Maximum number of tournaments in an answer.
const MOST_LISTED: usize = 200;

/// Content security policy of the report, which contains its styles.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// The latest tournaments.
#[derive(Serialize, ToSchema)]
pub(crate) struct TournamentList {
    tournaments: Vec<Tournament>,
}

/// Start a tournament
#[utoipa::path(post, path = "/api/tournaments", tag = "tournaments", operation_id = "tournaments_add",
    request_body = TournamentRequest, responses(
    (status = 201, description = "created", body = FullTournament),
    ErrorAnswer))]
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    Body(request): Body<TournamentRequest>,
) -> Result<(StatusCode, Json<FullTournament>), ApiError> {
    let series = begin(&app, request).await?;
    let answer = FullTournament {
        summary: series.summary(),
        report: None,
        key: Some(series.key().to_string()),
    };
    Ok((StatusCode::CREATED, Json(answer)))
}

/// List the latest tournaments
#[utoipa::path(get, path = "/api/tournaments", tag = "tournaments", operation_id = "tournaments_list", responses(
    (status = 200, description = "success", body = TournamentList)))]
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<TournamentList>, ApiError> {
    let store = app.store.clone();
    let mut tournaments = app.short.run(move || store.tournaments(MOST_LISTED)).await??;
    for line in &mut tournaments {
        if let Some(series) = app.tournaments.find(&line.id) {
            *line = series.summary();
        }
    }
    Ok(Json(TournamentList { tournaments }))
}

async fn find(app: &Arc<App>, id: &str) -> Result<Tournament, ApiError> {
    if let Some(series) = app.tournaments.find(id) {
        return Ok(series.summary());
    }
    let (store, name) = (app.store.clone(), id.to_string());
    let kept = app.short.run(move || store.tournament(&name)).await??;
    match kept {
        Some((summary, _)) => Ok(summary),
        None => Err(ApiError::NotFound(format!("There is no tournament `{id}`."))),
    }
}

/// Show a tournament with its results so far
#[utoipa::path(get, path = "/api/tournaments/{id}", tag = "tournaments", operation_id = "tournaments_show",
    params(("id" = String, Path)), responses(
    (status = 200, description = "success", body = FullTournament),
    ErrorAnswer))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<FullTournament>, ApiError> {
    let summary = find(&app, &id).await?;
    let worker = app.clone();
    let reported = app.short.run(move || -> Result<Option<Value>, ApiError> {
        let report = report(&worker, &id)?;
        Ok(report.map(|report| serde_json::to_value(report.json())).transpose()?)
    });
    Ok(Json(FullTournament {
        summary,
        report: reported.await??,
        key: None,
    }))
}

/// Show the report of a tournament as HTML
#[utoipa::path(get, path = "/api/tournaments/{id}/report", tag = "tournaments", operation_id = "tournaments_page",
    params(("id" = String, Path)), responses(
    (status = 200, description = "success", body = String, content_type = "text/html"),
    ErrorAnswer))]
pub(crate) async fn page(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let worker = app.clone();
    let page = app.short.run(move || -> Result<String, ApiError> {
        let report = report(&worker, &id)?;
        let report =
            report.ok_or_else(|| ApiError::NotFound("No match of the tournament has been played yet.".to_string()))?;
        html(&report).map_err(|error| ApiError::Internal(format!("cannot make the report: {error}")))
    });
    let policy = [(header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
    Ok((policy, Html(page.await??)).into_response())
}

/// Abort a tournament
#[utoipa::path(post, path = "/api/tournaments/{id}/abort", tag = "tournaments", operation_id = "tournaments_abort",
    params(("id" = String, Path)),
    request_body = Key, responses(
    (status = 200, description = "success", body = Tournament),
    ErrorAnswer))]
pub(crate) async fn abort(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(Key { key }): Body<Key>,
) -> Result<Json<Tournament>, ApiError> {
    let Some(series) = app.tournaments.find(&id) else {
        return find(&app, &id).await.map(Json);
    };
    if !is_same(series.key(), &key) {
        return Err(ApiError::Forbidden(
            "Wrong key. Only the client that started the tournament can abort it.".to_string(),
        ));
    }
    series.abort();
    Ok(Json(series.summary()))
}

/// Watch a tournament: a stream of events
#[utoipa::path(get, path = "/api/tournaments/{id}/events", tag = "tournaments", operation_id = "tournaments_watch",
    params(("id" = String, Path)), responses(
    (status = 200, description = "Events `tournament` and `end`", body = String, content_type = "text/event-stream"),
    ErrorAnswer))]
pub(crate) async fn watch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, ApiError> {
    if let Some(series) = app.tournaments.find(&id) {
        let receiver = series.hub().watch();
        return events::live(&app, receiver, move || series.snapshot());
    }
    let summary = find(&app, &id).await?;
    let messages = vec![Message::new("tournament", &summary), Message::new("end", &summary)];
    events::finished(&app, messages)
}
