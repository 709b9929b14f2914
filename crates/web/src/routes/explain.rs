//! Route for explanations of states.

use super::body::QueryString;
use super::matches::{find, prepare};
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

/// Query of an explanation.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainQuery {
    /// Step of the state; the latest if not given.
    step: Option<usize>,
}

/// Explanation of a state.
#[derive(Serialize, ToSchema)]
pub(crate) struct Explained {
    step: usize,
    /// As `ludens explain --json` prints it: the expected score of each role and why, and the effect of each move.
    #[schema(value_type = Option<Object>)]
    explanation: Option<Value>,
    /// Reason why there is no explanation.
    reason: Option<String>,
}

/// Explain the evaluation of a state
#[utoipa::path(get, path = "/api/matches/{id}/explanation", tag = "matches", operation_id = "matches_explain",
    params(("id" = String, Path), ExplainQuery),
    responses(
    (status = 200, description = "success", body = Explained),
    ErrorAnswer))]
pub(crate) async fn explain(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    QueryString(query): QueryString<ExplainQuery>,
) -> Result<Json<Explained>, ApiError> {
    let (summary, record, prepared) = find(&app, &id).await?.split();
    let (prepared, moves) = prepare(&app, &summary, record, prepared).await?;
    let step = query.step.unwrap_or(moves.len());
    if step > moves.len() {
        let message = format!("The match has no step {step}; its last step is {}.", moves.len());
        return Err(ApiError::NotFound(message));
    }
    let game = prepared.game.clone();
    let state = app.short.run(move || state_after(&game, &moves[..step])).await?;
    let Some(state) = state else {
        return Ok(Json(Explained {
            step,
            explanation: None,
            reason: Some("the state is terminal".to_string()),
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
