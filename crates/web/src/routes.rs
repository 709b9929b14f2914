//! Routes of the API, one file for each part. [`api`] lists all of them with their descriptions.

mod adaptive;
mod agents;
mod body;
mod explain;
mod games;
mod matches;
mod pages;
mod server;
mod tournaments;

use crate::app::App;
use crate::error::ApiError;
use axum::Router;
use axum::http::{HeaderMap, Method, Uri, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use pages::pages;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Ludens",
        description = "Games, matches, tournaments and agents of a General Game Playing platform. \
                       Requests that change something need `Content-Type: application/json` and, if the server has \
                       one, its token.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(crate::error::ErrorAnswer))
)]
struct Description;

/// All routes with their OpenAPI description.
pub(crate) fn api() -> (Router<Arc<App>>, utoipa::openapi::OpenApi) {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(server::health))
        .routes(routes!(server::version))
        .routes(routes!(server::metrics))
        .routes(routes!(server::openapi))
        .routes(routes!(games::list, games::add))
        .routes(routes!(games::show))
        .routes(routes!(games::rules))
        .routes(routes!(games::facts))
        .routes(routes!(games::check))
        .routes(routes!(games::code))
        .routes(routes!(agents::list))
        .routes(routes!(adaptive::show))
        .routes(routes!(matches::list, matches::add))
        .routes(routes!(matches::show))
        .routes(routes!(matches::states))
        .routes(routes!(explain::explain))
        .routes(routes!(matches::make_move))
        .routes(routes!(matches::abort))
        .routes(routes!(matches::record))
        .routes(routes!(matches::watch))
        .routes(routes!(tournaments::list, tournaments::add))
        .routes(routes!(tournaments::show))
        .routes(routes!(tournaments::page))
        .routes(routes!(tournaments::abort))
        .routes(routes!(tournaments::watch))
        .split_for_parts()
}

/// Answer for unknown addresses: a page for browsers, JSON for other clients.
pub(crate) async fn not_found(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let is_browser = accepted.is_some_and(|accept| accept.contains("text/html"));
    let is_page = !matches!(uri.path().split('/').nth(1), Some("api" | "assets"));
    match is_browser && is_page && matches!(method, Method::GET | Method::HEAD) {
        true => pages::missing(),
        false => ApiError::NotFound("Address not found.".to_string()).into_response(),
    }
}

/// Answer for methods that an address does not support.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::MethodNotAllowed
}
