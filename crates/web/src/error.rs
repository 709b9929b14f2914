//! What clients are told when something does not work: one type, one form.

use crate::identity;
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Why a request was not answered as wished.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ApiError {
    /// The request cannot be understood.
    #[error("{0}")]
    BadRequest(String),
    /// The token is missing or wrong.
    #[error("Changing something on this server needs its token.")]
    Unauthorized,
    /// The client may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// There is no such method here.
    #[error("This address does not answer to this method.")]
    MethodNotAllowed,
    /// Too late or too early.
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
        /// What is wrong.
        message: String,
        /// Where, if that is known.
        findings: Vec<Value>,
    },
    /// The move is not legal.
    #[error("{0}")]
    IllegalMove(String),
    /// The client asks too often.
    #[error("You ask too often; wait a moment.")]
    TooManyRequests {
        /// When to come back.
        seconds: u64,
    },
    /// There is too much to do.
    #[error("{0}")]
    Busy(String),
    /// A mistake of the server.
    #[error("Internal server error. See the server log.")]
    Internal(String),
}

/// An error as clients see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// What happened, as one word.
    #[schema(example = "not-found")]
    pub code: String,
    /// What happened, as a sentence.
    #[schema(example = "There is no match `abc`.")]
    pub message: String,
    /// Where rules are wrong, if they are: findings as in `POST /api/check`.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub findings: Vec<Value>,
}

/// The body of every answer with a status of 400 or more.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorAnswer {
    /// What happened.
    pub error: ErrorBody,
}

impl ApiError {
    /// The status and the code.
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

    /// What clients see.
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
