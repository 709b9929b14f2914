//! The web page: one HTML file for all its addresses, and its assets, compiled in.

use crate::app::App;
use crate::error::ApiError;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use include_dir::{Dir, File, include_dir};
use ludens_report::tournament::hash;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/assets");

/// ETag of each file, so that browsers fetch it again only when it has changed.
static TAGS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let mut tags = BTreeMap::new();
    collect(&FILES, &mut tags);
    tags
});

fn collect(folder: &'static Dir<'static>, tags: &mut BTreeMap<String, String>) {
    for file in folder.files() {
        let tag = hash(&String::from_utf8_lossy(file.contents()));
        // Weak, because the same contents may be sent compressed or not.
        tags.insert(file.path().display().to_string(), format!("W/\"{tag}\""));
    }
    for inner in folder.dirs() {
        collect(inner, tags);
    }
}

/// Addresses of the page. Its script dispatches on the address.
const ADDRESSES: &[&str] = &[
    "/",
    "/game/{id}",
    "/rules",
    "/matches",
    "/match/{id}",
    "/tournaments",
    "/tournament/{id}",
];

/// Routes of the page.
pub(crate) fn pages() -> Router<Arc<App>> {
    let router = Router::new().route("/assets/{*path}", get(asset)).route(
        "/favicon.ico",
        get(|headers: HeaderMap| async move { file("favicon.ico", &headers) }),
    );
    let page = |headers: HeaderMap| async move { file("index.html", &headers) };
    ADDRESSES
        .iter()
        .fold(router, |router, address| router.route(address, get(page)))
}

/// The page for unknown addresses. Its script shows the error.
pub(super) fn missing() -> Response {
    let mut response = file("index.html", &HeaderMap::new());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Response {
    file(&path, &headers)
}

fn file(path: &str, headers: &HeaderMap) -> Response {
    let Some(file) = FILES.get_file(path) else {
        return ApiError::NotFound(format!("There is no file `{path}`.")).into_response();
    };
    let tag = TAGS.get(path).map_or("", String::as_str);
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let caching = [
        (header::ETAG, tag.to_string()),
        (header::CACHE_CONTROL, "no-cache".to_string()),
    ];
    if known.is_some_and(|known| !tag.is_empty() && known.split(',').any(|one| one.trim() == tag)) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    let kind = [(header::CONTENT_TYPE, content_type(file))];
    (caching, kind, file.contents()).into_response()
}

fn content_type(file: &File<'_>) -> &'static str {
    match file.path().extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "webmanifest" | "map") => "application/json",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
