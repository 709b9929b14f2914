//! Routes for the server itself.

use crate::app::App;
use crate::config::PublicLimits;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Health of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `ending`.
    status: &'static str,
}

/// Version and limits of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Version {
    name: &'static str,
    version: &'static str,
    /// Whether changes need a token.
    token_required: bool,
    limits: PublicLimits,
}

/// Show whether the server is up
#[utoipa::path(get, path = "/api/health", tag = "server", operation_id = "server_health", responses(
    (status = 200, description = "success", body = Health)))]
pub(crate) async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    let status = if app.is_ending() { "ending" } else { "ok" };
    Json(Health { status })
}

/// Show the version and the limits
#[utoipa::path(get, path = "/api/version", tag = "server", operation_id = "server_version", responses(
    (status = 200, description = "success", body = Version)))]
pub(crate) async fn version(State(app): State<Arc<App>>) -> Json<Version> {
    Json(Version {
        name: "ludens",
        version: env!("CARGO_PKG_VERSION"),
        token_required: app.config.token.is_some(),
        limits: PublicLimits::from(&app.config.limits),
    })
}

/// Metrics for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server", operation_id = "server_metrics",
    responses((status = 200, description = "success", body = String, content_type = "text/plain")))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let text = app.metrics.text(&app.gauges());
    (
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
        text,
    )
}

/// OpenAPI description of the API
#[utoipa::path(get, path = "/api/openapi.json", tag = "server", operation_id = "server_openapi", responses(
    (status = 200, description = "success", body = Object)))]
pub(crate) async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    let (_, description) = super::api();
    Json(description)
}
