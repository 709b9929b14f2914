//! Checks on every request and headers on every answer.
//!
//! The `Host` must be ours, against DNS rebinding. Changes must not come from another site and need the token, if there
//! is one. Clients have a maximum request rate. Answers get security headers, a log line and a count.

use crate::app::App;
use crate::error::ApiError;
use axum::body::Body;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

/// Content security policy: scripts and styles from this server only, and no framing.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Middleware that rejects requests that are not allowed.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let client = client(&request);
    let method = request.method().clone();
    let path = request.uri().path().to_string();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("other", MatchedPath::as_str)
        .to_string();
    let mut response = match admit(&app, &request, client, &method, &path) {
        Err(error) => error.into_response(),
        Ok(()) => match AssertUnwindSafe(next.run(request)).catch_unwind().await {
            Ok(response) => response,
            Err(_) => ApiError::Internal(format!("{method} {path} panicked")).into_response(),
        },
    };
    protect(&mut response);
    let (status, time) = (response.status().as_u16(), start.elapsed());
    app.metrics.answered(&route, method.as_str(), status, time);
    let milliseconds = time.as_secs_f64() * 1000.0;
    match status {
        500.. => tracing::error!(%client, %method, path, status, milliseconds, "request"),
        400.. => tracing::info!(%client, %method, path, status, milliseconds, "request"),
        _ => tracing::debug!(%client, %method, path, status, milliseconds, "request"),
    }
    response
}

fn admit(app: &App, request: &Request, client: IpAddr, method: &Method, path: &str) -> Result<(), ApiError> {
    let headers = request.headers();
    let authority = authority(request);
    let host = authority.as_deref().and_then(host).ok_or_else(|| {
        ApiError::BadRequest("Send one `Host` header with a name or an address, such as `localhost:8080`.".to_string())
    })?;
    if !is_ours(host, &app.config.names) {
        return Err(ApiError::Forbidden(format!(
            "This server does not answer to the host name `{host}`; start it with `--name {host}` to allow it."
        )));
    }
    let is_write = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let limit = match is_write && path != "/api/check" {
        true => &app.writes,
        false => &app.all_requests,
    };
    limit
        .admit(client, Instant::now())
        .map_err(|wait| ApiError::TooManyRequests {
            seconds: wait.as_secs().max(1),
        })?;
    if is_write {
        check_site(headers, request)?;
        check_content_type(headers)?;
        if path != "/api/check" {
            check_token(app, headers)?;
        }
    }
    Ok(())
}

/// Address of the client; unspecified in tests without a socket.
fn client(request: &Request) -> IpAddr {
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    address.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip())
}

/// Returns the host that is asked for, with its port: the only `Host` header, which the address in the first line must
/// not contradict.
fn authority(request: &Request) -> Option<String> {
    let mut headers = request.headers().get_all(header::HOST).iter();
    let (Some(only), None) = (headers.next(), headers.next()) else {
        return None;
    };
    let named = only.to_str().ok()?.to_ascii_lowercase();
    let target = request.uri().authority();
    let is_same = target.is_none_or(|target| target.as_str().eq_ignore_ascii_case(&named));
    is_same.then_some(named)
}

/// Returns the host of `host`, `host:port`, `[address]` or `[address]:port`, without brackets; `None` if the text has
/// another form.
fn host(authority: &str) -> Option<&str> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (host, rest) = inner.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            (host, rest)
        }
        None => {
            let end = authority.find(':').unwrap_or(authority.len());
            let (host, rest) = authority.split_at(end);
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            (!host.is_empty() && host.bytes().all(is_name)).then_some((host, rest))?
        }
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_well_formed = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    is_well_formed.then_some(host)
}

/// Whether a host is an IP address, `localhost` or an allowed name.
fn is_ours(host: &str, names: &[String]) -> bool {
    let is_local = host == "localhost" || host.ends_with(".localhost");
    is_local || host.parse::<IpAddr>().is_ok() || names.iter().any(|name| name.eq_ignore_ascii_case(host))
}

/// Checks that the request comes from our own page.
fn check_site(headers: &HeaderMap, request: &Request) -> Result<(), ApiError> {
    let foreign = || ApiError::Forbidden("Changes must not be requested by another site.".to_string());
    if let Some(site) = headers.get("sec-fetch-site")
        && site != "same-origin"
        && site != "none"
    {
        return Err(foreign());
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let named = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        if named.is_none() || named.map(str::to_string) != authority(request) {
            return Err(foreign());
        }
    }
    Ok(())
}

/// Checks for JSON, a type that forms of other sites cannot send without a CORS preflight.
fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match kind.as_deref() {
        Some("application/json") => Ok(()),
        _ => Err(ApiError::UnsupportedMediaType),
    }
}

fn check_token(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    let Some(token) = &app.config.token else {
        return Ok(());
    };
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ").or(value.strip_prefix("bearer ")));
    match given {
        Some(given) if is_same(given.trim(), token) => Ok(()),
        _ => Err(ApiError::Unauthorized),
    }
}

/// Compares secrets in constant time.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let difference = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && difference == 0
}

fn protect(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Pages with a policy of their own keep it.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_cannot_point_elsewhere_are_ours() {
        let names = ["games.example".to_string()];
        for host in [
            "127.0.0.1",
            "::1",
            "localhost",
            "a.localhost",
            "192.168.1.7",
            "GAMES.example",
        ] {
            assert!(is_ours(&host.to_ascii_lowercase(), &names), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!is_ours(host, &names), "{host}");
        }
    }

    #[test]
    fn a_host_is_a_name_or_an_address_with_an_optional_port() {
        for (authority, wanted) in [
            ("localhost", "localhost"),
            ("localhost:8080", "localhost"),
            ("127.0.0.1:1", "127.0.0.1"),
            ("[::1]", "::1"),
            ("[::1]:8080", "::1"),
        ] {
            assert_eq!(host(authority), Some(wanted), "{authority}");
        }
        for authority in [
            "",
            ":8080",
            "127.0.0.1]",
            "[[[127.0.0.1]]]",
            "[127.0.0.1]",
            "[localhost]",
            "[::1",
            "[::1]x",
            "::1",
            "localhost:80:80",
            "localhost:http",
            "user@localhost",
            "localhost/",
            "localhost, evil.example",
        ] {
            assert_eq!(host(authority), None, "{authority}");
        }
    }

    #[test]
    fn secrets_are_compared_as_a_whole() {
        assert!(is_same("secret", "secret"));
        assert!(!is_same("secret", "secreT") && !is_same("", "secret") && !is_same("secretsecret", "secret"));
    }
}
