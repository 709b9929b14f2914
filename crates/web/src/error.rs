//! Errors of the API: one type, one JSON form.

use crate::identity;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::openapi::{self, RefOr};
use utoipa::{IntoResponses, ToSchema};

/// Error of a request.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ApiError {
    /// The request is malformed.
    #[error("{0}")]
    BadRequest(String),
    /// The token is missing or wrong.
    #[error("This server needs a token for every change.")]
    Unauthorized,
    /// The client is not allowed to do this.
    #[error("{0}")]
    Forbidden(String),
    /// The resource does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The address does not support this method.
    #[error("Method not allowed.")]
    MethodNotAllowed,
    /// The resource is not in a state that allows this.
    #[error("{0}")]
    Conflict(String),
    /// The request is too large.
    #[error("{0}")]
    TooLarge(String),
    /// The request is not JSON.
    #[error("Send JSON, with the header `Content-Type: application/json`.")]
    UnsupportedMediaType,
    /// The rules cannot be read or played.
    #[error("{message}")]
    InvalidRules {
        /// Description of the problem.
        message: String,
        /// Diagnostics of the rules, if any.
        findings: Vec<Value>,
    },
    /// The move is not legal.
    #[error("{0}")]
    IllegalMove(String),
    /// The client exceeded its request rate.
    #[error("Too many requests; retry in {seconds} s.")]
    TooManyRequests {
        /// Seconds until the next request is accepted.
        seconds: u64,
    },
    /// A queue or a limit of the server is full.
    #[error("{0}")]
    Busy(String),
    /// An error of the server.
    #[error("Internal server error. See the server log.")]
    Internal(String),
}

/// Error as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// Stable code, one word.
    #[schema(example = "not-found")]
    pub code: String,
    /// Description, one sentence.
    #[schema(example = "There is no match `abc`.")]
    pub message: String,
    /// Diagnostics of the rules, if any, as in `POST /api/check`.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub findings: Vec<Value>,
}

/// Body of every answer with a status of 400 or more.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorAnswer {
    /// The error.
    pub error: ErrorBody,
}

/// Every route may answer with an error of the request or of the server.
impl IntoResponses for ErrorAnswer {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let reference = openapi::Ref::from_schema_name("ErrorAnswer");
        let answer = |description: &str| {
            let content = openapi::Content::new(Some(reference.clone()));
            let response = openapi::ResponseBuilder::new()
                .description(description)
                .content("application/json", content);
            RefOr::T(response.build())
        };
        BTreeMap::from([
            ("4XX".to_string(), answer("the request is wrong")),
            ("5XX".to_string(), answer("the server is busy or has failed")),
        ])
    }
}

impl ApiError {
    /// HTTP status and code.
    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            ApiError::BadRequest(_) => (StatusCode::BAD_REQUEST, "bad-request"),
            ApiError::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            ApiError::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
            ApiError::NotFound(_) => (StatusCode::NOT_FOUND, "not-found"),
            ApiError::MethodNotAllowed => (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed"),
            ApiError::Conflict(_) => (StatusCode::CONFLICT, "conflict"),
            ApiError::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too-large"),
            ApiError::UnsupportedMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type"),
            ApiError::InvalidRules { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "invalid-rules"),
            ApiError::IllegalMove(_) => (StatusCode::UNPROCESSABLE_ENTITY, "illegal-move"),
            ApiError::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, "too-many-requests"),
            ApiError::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ApiError::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// The JSON form of the error.
    pub fn body(&self) -> ErrorBody {
        ErrorBody {
            code: self.kind().1.to_string(),
            message: self.to_string(),
            findings: match self {
                ApiError::InvalidRules { findings, .. } => findings.clone(),
                _ => Vec::new(),
            },
        }
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(error: rusqlite::Error) -> ApiError {
        ApiError::Internal(format!("the store failed: {error}"))
    }
}

impl From<serde_json::Error> for ApiError {
    fn from(error: serde_json::Error) -> ApiError {
        ApiError::Internal(format!("cannot write or read JSON: {error}"))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, _) = self.kind();
        let mut error = self.body();
        if let ApiError::Internal(cause) = &self {
            let request = identity::request();
            tracing::error!(cause, request, "internal error");
            error.message = format!("Internal server error. See the server log for request {request}.");
        }
        let mut response = (status, Json(ErrorAnswer { error })).into_response();
        let headers = response.headers_mut();
        match self {
            ApiError::TooManyRequests { seconds } => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            ApiError::Busy(_) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
            }
            ApiError::Unauthorized => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response
    }
}
