//! What the director decides about the next adaptive opponent of a person, and why.

use super::body::QueryString;
use crate::adaptive;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use utoipa::IntoParams;

/// Whose next opponent is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdaptiveQuery {
    /// The identifier of the game.
    game: String,
    /// The name of the person, as given when matches were begun.
    person: String,
    /// The policy; `balanced` if not given.
    policy: Option<String>,
}

/// The level of the next adaptive opponent, with the reasons
#[utoipa::path(get, path = "/api/adaptive", tag = "matches", operation_id = "adaptive_show",
    params(AdaptiveQuery), responses(
    (status = 200, description = "success", body = Object),
    ErrorAnswer))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    QueryString(query): QueryString<AdaptiveQuery>,
) -> Result<Json<Value>, ApiError> {
    let person = adaptive::person(Some(&query.person))?;
    let written = match &query.policy {
        Some(policy) => format!("{}(policy={policy})", adaptive::ADAPTIVE),
        None => adaptive::ADAPTIVE.to_string(),
    };
    let policy = adaptive::policy_of(&written)
        .unwrap_or_else(|| Err(ApiError::BadRequest("The policy is not a name.".to_string())))?;
    let store = app.store.clone();
    let work = move || adaptive::decide(&store, &person, &query.game, policy);
    let (ruling, history) = app.short.run(work).await??;
    Ok(Json(adaptive::shown(&ruling, &history)))
}
