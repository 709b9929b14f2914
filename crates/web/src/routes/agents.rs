//! Routes for agents.

use axum::Json;
use serde_json::Value;

/// List agents and their settings
#[utoipa::path(get, path = "/api/agents", tag = "agents", operation_id = "agents_list", responses(
    (status = 200, description = "success", body = Object)))]
pub(crate) async fn list() -> Json<Value> {
    Json(ludens_report::agents::agents())
}
