//! A client of a server without a socket.
#![allow(dead_code, reason = "every test file uses a part of it")]

use axum::Router;
use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use futures_util::StreamExt;
use ludens_web::{App, Config, router};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

/// Time limit for events that must happen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A server and a client of it.
pub struct Client {
    pub app: Arc<App>,
    router: Router,
}

/// A complete answer.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// Code of an error.
    pub fn code(&self) -> String {
        let body = self.json();
        assert!(
            body["error"]["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{body}"
        );
        body["error"]["code"].as_str().expect("errors have a code").to_string()
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.text);
        self.json()
    }
}

impl Client {
    pub fn new(config: Config) -> Client {
        let app = App::open(config).expect("the store opens");
        Client {
            router: router(app.clone()),
            app,
        }
    }

    async fn answer(&self, request: Request<Body>) -> Response {
        let answer = self.router.clone().oneshot(request).await;
        answer.expect("the router always answers")
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.answer(request).await.into_parts();
        let bytes = to_bytes(body, 64 << 20).await.expect("bodies end");
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(get(path)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(post(path, body.to_string())).await
    }

    /// Polls until `is_wanted` accepts the answer.
    pub async fn until(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let asking = async {
            loop {
                let answer = self.get(path).await.ok();
                if is_wanted(&answer) {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(answer) => answer,
            Err(_) => panic!("{path} is {}", self.get(path).await.text),
        }
    }

    /// Opens an event stream.
    pub async fn stream(&self, path: &str) -> BodyDataStream {
        let response = self.answer(get(path)).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        response.into_body().into_data_stream()
    }

    /// All events of a stream, up to its end or to the first that `is_last` accepts.
    pub async fn events(&self, path: &str, is_last: impl Fn(&str, &Value) -> bool) -> Vec<(String, Value)> {
        let mut stream = self.stream(path).await;
        let mut text = String::new();
        let mut events = Vec::new();
        let reading = async {
            while let Some(part) = stream.next().await {
                text += &String::from_utf8_lossy(&part.expect("streams do not break"));
                while let Some(end) = text.find("\n\n") {
                    let block: String = text.drain(..end + 2).collect();
                    let Some(event) = parse(&block) else {
                        continue;
                    };
                    let is_last = is_last(&event.0, &event.1);
                    events.push(event);
                    if is_last {
                        return;
                    }
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading)
            .await
            .expect("the stream ends in time");
        events
    }
}

/// Parses an event; `None` for a keep-alive comment.
fn parse(block: &str) -> Option<(String, Value)> {
    let line = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data = serde_json::from_str(line("data:")?).expect("data is JSON");
    Some((line("event:")?.to_string(), data))
}

fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header("host", "localhost");
    request.body(Body::empty()).expect("a request")
}

pub fn post(path: &str, body: String) -> Request<Body> {
    Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("a request")
}

/// A quick match of two agents.
pub fn quick_match(game: &str, players: [&str; 2]) -> Value {
    json!({"game": game, "players": players, "pace": {"iterations": 50}, "seed": 1})
}

/// Identifier in an answer.
#[track_caller]
pub fn id(answer: &Value) -> String {
    answer["id"].as_str().expect("it has an identifier").to_string()
}

pub fn is_final(answer: &Value) -> bool {
    !matches!(answer["status"].as_str(), Some("preparing" | "running" | "queued"))
}
