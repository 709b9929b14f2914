//! The server itself.

use crate::app::App;
use crate::config::PublicLimits;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Whether the server works.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `ending`.
    status: &'static str,
}

/// What runs.
#[derive(Serialize, ToSchema)]
pub(crate) struct Version {
    name: &'static str,
    version: &'static str,
    /// Whether changing something needs a token.
    token_required: bool,
    limits: PublicLimits,
}

/// Whether the server works
#[utoipa::path(get, path = "/api/health", tag = "server", operation_id = "server_health", responses(
    (status = 200, description = "done", body = Health)))]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    let status = if app.is_ending() { "ending" } else { "ok" };
    Json(Health { status })
}

/// What runs, and its limits
#[utoipa::path(get, path = "/api/version", tag = "server", operation_id = "server_version", responses(
    (status = 200, description = "done", body = Version)))]
pub(crate) async fn version(State(app): State<Arc<App>>) -> Json<Version> {
    Json(Version {
        name: "ludens",
        version: env!("CARGO_PKG_VERSION"),
        token_required: app.config.token.is_some(),
        limits: PublicLimits::from(&app.config.limits),
    })
}

/// Figures for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server", operation_id = "server_metrics",
    responses((status = 200, description = "done", body = String, content_type = "text/plain")))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = app.metrics.text(&app.gauges());
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text,
    )
}

/// This description
#[utoipa::path(get, path = "/api/openapi.json", tag = "server", operation_id = "server_openapi", responses(
    (status = 200, description = "done", body = Object)))]
pub(crate) async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    let (_, description) = super::api();
    Json(description)
}
