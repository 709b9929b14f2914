//! Why positions of matches look good or bad.

use super::body::Asked;
use super::matches::find;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::view::state_after;
use axum::Json;
use axum::extract::{Path, State};
use ludens_budget::Budget;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Which state is asked about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainQuery {
    /// The number of the state; without one, the latest.
    step: Option<usize>,
}

/// What knowledge says about a state.
#[derive(Serialize, ToSchema)]
pub(crate) struct Explained {
    step: usize,
    /// What `ludens explain --json` prints: what each role can expect and why, and what moves would change.
    #[schema(value_type = Option<Object>)]
    explanation: Option<Value>,
    /// Why there is nothing to say.
    reason: Option<String>,
}

/// Why a state of a match looks good or bad
#[utoipa::path(get, path = "/api/matches/{id}/explanation", tag = "matches", operation_id = "matches_explain",
    params(("id" = String, Path), ExplainQuery),
    responses(
    (status = 200, description = "done", body = Explained),
    (status = "4XX", description = "the request is wrong", body = ErrorAnswer),
    (status = 503, description = "there is too much to do", body = ErrorAnswer)))]
pub(crate) async fn explain(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Asked(query): Asked<ExplainQuery>,
) -> Result<Json<Explained>, ApiError> {
    let (summary, record, prepared) = find(&app, &id).await?.split();
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => app.game_cache.prepare(&summary.game).await?,
    };
    let moves = record.map(|record| record.moves).unwrap_or_default();
    let step = query.step.unwrap_or(moves.len());
    if step > moves.len() {
        let message = format!("The match has no step {step}; it has come to step {}.", moves.len());
        return Err(ApiError::NotFound(message));
    }
    let game = prepared.game.clone();
    let state = app.short.run(move || state_after(&game, &moves[..step])).await?;
    let Some(state) = state else {
        return Ok(Json(Explained {
            step,
            explanation: None,
            reason: Some("the match is over here: nothing is left to judge".to_string()),
        }));
    };
    let budget = Budget::until_cancelled(app.cancel.clone());
    let answer = app
        .explanations
        .explain(&summary.game, prepared.game.clone(), state, budget);
    let (explanation, reason) = match answer.await? {
        Ok(explanation) => (Some(explanation), None),
        Err(reason) => (None, Some(reason)),
    };
    Ok(Json(Explained {
        step,
        explanation,
        reason,
    }))
}
