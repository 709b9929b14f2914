//! Reads the bodies of requests: JSON of a bounded size, within a bounded time.

use crate::app::App;
use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The body of a request as JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Body<T>, ApiError> {
        let limits = &app.config.limits;
        let reading = axum::body::to_bytes(request.into_body(), limits.body_bytes);
        let bytes: Bytes = match tokio::time::timeout(limits.request_time, reading).await {
            Err(_) => return Err(ApiError::BadRequest("The request took too long to arrive.".to_string())),
            Ok(Err(error)) if is_length_error(&error) => {
                return Err(ApiError::TooLarge(format!(
                    "The request is larger than {} bytes.",
                    limits.body_bytes
                )));
            }
            Ok(Err(_)) => return Err(ApiError::BadRequest("The request broke off.".to_string())),
            Ok(Ok(bytes)) => bytes,
        };
        serde_json::from_slice(&bytes)
            .map(Body)
            .map_err(|error| ApiError::BadRequest(format!("The request cannot be understood: {error}.")))
    }
}

fn is_length_error(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.to_string().contains("length limit"))
}

/// The questions behind the path.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Asked<T>, ApiError> {
        let Query(asked) = Query::<T>::from_request_parts(parts, app)
            .await
            .map_err(|error| ApiError::BadRequest(format!("{}.", error.body_text())))?;
        Ok(Asked(asked))
    }
}
