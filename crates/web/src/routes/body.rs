//! Extractors for JSON bodies of bounded size and time, and for query strings.

use crate::app::App;
use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// JSON body of a request.
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
            Ok(Err(_)) => return Err(ApiError::BadRequest("The request ended early.".to_string())),
            Ok(Ok(bytes)) => bytes,
        };
        serde_json::from_slice(&bytes)
            .map(Body)
            .map_err(|error| ApiError::BadRequest(format!("Invalid request: {error}.")))
    }
}

fn is_length_error(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.to_string().contains("length limit"))
}

/// Query string of a request.
pub(crate) struct QueryString<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for QueryString<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<QueryString<T>, ApiError> {
        let Query(asked) = Query::<T>::from_request_parts(parts, app)
            .await
            .map_err(|error| ApiError::BadRequest(format!("{}.", error.body_text())))?;
        Ok(QueryString(asked))
    }
}
