//! Fences: who may write, how much, how often, and what hostile rules can do.

mod common;

use axum::body::Body;
use axum::http::Request;
use common::{Client, id, is_final, post, quick_match};
use ludens_web::{Config, Limits};
use serde_json::{Value, json};
use std::time::Duration;

fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = if method == "POST" {
        Body::from("{\"text\": \"(role a)\"}")
    } else {
        Body::empty()
    };
    request.body(body).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_sites_and_other_names_are_kept_out() {
    let client = Client::new(Config {
        names: vec!["games.example".to_string()],
        ..Config::default()
    });
    let json = ("content-type", "application/json");
    let host = ("host", "127.0.0.1:8080");
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], u16);
    let cases: &[Case<'_>] = &[
        ("GET", &[("host", "localhost:1")], 200),
        ("GET", &[("host", "[::1]:8080")], 200),
        ("GET", &[("host", "Games.Example")], 200),
        ("GET", &[("host", "evil.example")], 403),
        ("GET", &[("host", "localhost.evil.example:8080")], 403),
        ("GET", &[], 400),
        ("GET", &[("host", "127.0.0.1]")], 400),
        ("GET", &[("host", "[[[127.0.0.1]]]")], 400),
        ("GET", &[("host", "localhost"), ("host", "evil.example")], 400),
        ("GET", &[("host", "localhost"), ("host", "localhost")], 400),
        ("POST", &[host, json], 200),
        (
            "POST",
            &[host, ("content-type", "application/json; charset=utf-8")],
            200,
        ),
        ("POST", &[host, json, ("origin", "http://127.0.0.1:8080")], 200),
        ("POST", &[host, json, ("origin", "http://127.0.0.1:8081")], 403),
        ("POST", &[host, json, ("origin", "http://evil.example")], 403),
        ("POST", &[host, json, ("origin", "null")], 403),
        ("POST", &[host, json, ("sec-fetch-site", "same-origin")], 200),
        ("POST", &[host, json, ("sec-fetch-site", "cross-site")], 403),
        ("POST", &[host, json, ("sec-fetch-site", "same-site")], 403),
        ("POST", &[host, ("content-type", "text/plain")], 415),
        (
            "POST",
            &[host, ("content-type", "application/x-www-form-urlencoded")],
            415,
        ),
        ("POST", &[host], 415),
        ("DELETE", &[host, json], 405),
    ];
    for (method, headers, status) in cases {
        let path = if *method == "GET" { "/api/health" } else { "/api/check" };
        let answer = client.send(request(method, path, headers)).await;
        assert_eq!(answer.status.as_u16(), *status, "{method} {headers:?}: {}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_needed_for_writing_only() {
    let client = Client::new(Config {
        token: Some("open sesame".to_string()),
        ..Config::default()
    });
    assert_eq!(client.get("/api/version").await.ok()["token_required"], true);
    assert_eq!(client.get("/api/games").await.status, 200);
    client.post("/api/check", &json!({"text": ""})).await.ok();
    let wish = quick_match("tic-tac-toe", ["random", "random"]);
    let refused = client.post("/api/matches", &wish).await;
    assert_eq!(
        (refused.status.as_u16(), refused.code().as_str()),
        (401, "unauthorized")
    );
    for (token, status) in [
        ("Bearer open sesam", 401),
        ("open sesame", 401),
        ("Bearer open sesame", 201),
    ] {
        let mut request = post("/api/matches", wish.to_string());
        request.headers_mut().insert("authorization", token.parse().unwrap());
        assert_eq!(client.send(request).await.status.as_u16(), status, "{token}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_tells_browsers_what_not_to_do() {
    let client = Client::new(Config::default());
    for path in ["/", "/api/games", "/api/nothing", "/metrics", "/match/abc"] {
        let headers = client.get(path).await.headers;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}"
        );
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert!(headers.get("access-control-allow-origin").is_none(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sizes_are_limited() {
    let client = Client::new(Config {
        limits: Limits {
            rules_bytes: 1000,
            body_bytes: 2000,
            ..Limits::default()
        },
        ..Config::default()
    });
    let text = |bytes: usize| json!({ "text": " ".repeat(bytes) });
    assert_eq!(client.post("/api/check", &text(1000)).await.status, 200);
    for bytes in [1001, 3000] {
        for path in ["/api/check", "/api/games"] {
            let answer = client.post(path, &text(bytes)).await;
            assert_eq!(
                (answer.status.as_u16(), answer.code().as_str()),
                (413, "too-large"),
                "{path} {bytes}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rates_are_limited() {
    let client = Client::new(Config {
        limits: Limits {
            requests_per_second: 2.0,
            writes_per_second: 1.0,
            ..Limits::default()
        },
        ..Config::default()
    });
    let mut last = client.get("/api/health").await;
    for _ in 0..30 {
        last = client.get("/api/health").await;
    }
    assert_eq!((last.status.as_u16(), last.code().as_str()), (429, "too-many-requests"));
    assert!(last.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_room_for_some_matches_only() {
    let client = Client::new(Config {
        limits: Limits {
            running_matches: 2,
            ..Limits::default()
        },
        ..Config::default()
    });
    let wish = json!({"game": "tic-tac-toe", "players": ["human", "human"], "pace": {"iterations": 5}});
    let first = client.post("/api/matches", &wish).await.ok();
    client.post("/api/matches", &wish).await.ok();
    let refused = client.post("/api/matches", &wish).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (503, "busy"));
    assert!(refused.headers.contains_key("retry-after"));
    let path = format!("/api/matches/{}", id(&first));
    client
        .post(&format!("{path}/abort"), &json!({"key": first["key"]}))
        .await
        .ok();
    client.until(&path, |found| found["status"] == "aborted").await;
    client.post("/api/matches", &wish).await.ok();
}

/// Rules that want too much, each of another thing.
fn hostile() -> Vec<(&'static str, String)> {
    let frame = |more: &str| {
        format!(
            "(role a)\n(init (p 0))\n(<= (legal a noop) (role a))\n(<= terminal (true (p 1)))\n(goal a 100)\n\
             (<= (next (p 1)) (role a))\n{more}"
        )
    };
    let numbers: String = (0..60).map(|number| format!("(n {number})\n")).collect();
    let wide = "(<= (big ?a ?b ?c ?d ?e ?f) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))\n\
                (<= (next (q ?a ?b ?c ?d ?e ?f)) (big ?a ?b ?c ?d ?e ?f))";
    let digits: String = "(<= (next (c ?a ?b ?c ?d ?e ?f ?g ?h)) (true (c ?b ?a ?c ?d ?e ?f ?g ?h)) (d ?a) (d ?h))\n\
                          (<= (legal a (set ?a ?b ?c ?d ?e ?f ?g ?h))\n\
                              (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))\n"
        .to_string()
        + &(0..10).map(|digit| format!("(d {digit})\n")).collect::<String>();
    vec![
        (
            "grows terms without end",
            frame("(<= (grow (s ?x)) (grow ?x))\n(grow z)\n(<= (next (g ?x)) (grow ?x))"),
        ),
        ("has a huge relation", frame(&(numbers + wide))),
        ("has a hundred million moves", frame(&digits)),
        (
            "nests deeply",
            format!("{}a{}", "(f ".repeat(50_000), ")".repeat(50_000)),
        ),
        ("is one long line of brackets", "(".repeat(300_000)),
        (
            "has a long rule",
            frame(&format!("(<= (next (p 2)) {})", "(true (p 0)) ".repeat(20_000))),
        ),
        (
            "has many alternatives",
            frame(&format!(
                "(<= (next (p 2)) {})",
                "(or (true (p 0)) (true (p 1))) ".repeat(40)
            )),
        ),
        ("is not text", "\u{0}\u{1}\u{fffd}\u{202e}".repeat(1000)),
        ("has markup in names", frame("(init (<script>alert(1)</script> 0))")),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_rules_cost_their_limits_and_nothing_else() {
    let mut limits = Limits::default();
    limits.setup.setup = Duration::from_millis(500);
    limits.setup.memory = 200 << 20;
    limits.setup.facts = 200_000;
    limits.writes_per_second = 1000.0;
    let client = Client::new(Config {
        limits,
        ..Config::default()
    });
    for (what, text) in hostile() {
        let check = client.post("/api/check", &json!({ "text": text })).await;
        assert_eq!(check.status, 200, "{what}: {}", check.text);
        let added = client.post("/api/games", &json!({"name": what, "text": text})).await;
        if added.status != 201 {
            assert_eq!(added.code(), "invalid-rules", "{what}");
            continue;
        }
        let game = id(&added.ok());
        let wish = json!({"game": game, "players": ["random"], "pace": {"iterations": 5}});
        let made = client.post("/api/matches", &wish).await;
        if made.status == 201 {
            let ended = client
                .until(&format!("/api/matches/{}", id(&made.ok())), is_final)
                .await;
            let status = ended["status"].as_str().unwrap();
            assert!(["finished", "stopped", "failed"].contains(&status), "{what}: {ended}");
            assert_ne!(ended["error"]["code"], "internal", "{what}: {ended}");
        }
    }
    // Everything still works.
    plays_a_quick_match(&client).await;
    let metrics = client.get("/metrics").await.text;
    assert!(metrics.contains("ludens_work_panics 0\n"), "{metrics}");
}

/// A server that gives up setting up a game after `setup`.
fn impatient(mut limits: Limits, setup: Duration) -> Client {
    limits.writes_per_second = 1000.0;
    limits.setup.setup = setup;
    Client::new(Config {
        limits,
        ..Config::default()
    })
}

/// Adds rules of one role and starts a match with them; returns the path of the match.
async fn start_hostile(client: &Client, text: &str) -> String {
    let game = id(&client.post("/api/games", &json!({ "text": text })).await.ok());
    let request = json!({"game": game, "players": ["random"], "pace": {"iterations": 5}});
    format!("/api/matches/{}", id(&client.post("/api/matches", &request).await.ok()))
}

async fn plays_a_quick_match(client: &Client) {
    let request = quick_match("tic-tac-toe", ["uct", "random"]);
    let made = client.post("/api/matches", &request).await.ok();
    let ended = client.until(&format!("/api/matches/{}", id(&made)), is_final).await;
    assert_eq!(ended["status"], "finished");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_is_refused_and_not_queued_without_end() {
    let limits = Limits {
        setup_workers: 1,
        setup_queue: 2,
        running_matches: 100,
        ..Limits::default()
    };
    let client = impatient(limits, Duration::from_millis(300));
    let mut statuses = Vec::new();
    for number in 0..12 {
        // Different rules, so that each has to be set up.
        let (_, text) = hostile().swap_remove(1);
        let text = format!("{text}\n; {number}");
        statuses.push(start_hostile(&client, &text).await);
    }
    let mut busy = 0;
    for path in statuses {
        let ended: Value = client.until(&path, is_final).await;
        busy += usize::from(ended["error"]["code"] == "busy");
    }
    assert!(busy >= 5, "only {busy} were refused");
    assert_eq!(client.get("/api/health").await.status, 200);
}

/// Rules that take longer than any limit to be set up: more variables than there are values, all different.
fn pigeons(text: &str) -> String {
    let mut rules = format!("; {text}\n(role w) (init (p 0)) (legal w go) (goal w 100) (<= terminal (true hit))\n");
    rules += &(0..20).map(|value| format!("(d {value}) ")).collect::<String>();
    rules += "(<= (next hit) (true (p 0))";
    for variable in 0..21 {
        rules += &format!(" (d ?x{variable})");
        for other in 0..variable {
            rules += &format!(" (distinct ?x{variable} ?x{other})");
        }
    }
    rules + ")"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_games_that_cannot_be_set_up_do_not_stop_other_set_ups() {
    let limits = Limits {
        setup_workers: 2,
        ..Limits::default()
    };
    let client = impatient(limits, Duration::from_millis(500));
    let mut hostile = Vec::new();
    for number in 0..2 {
        let text = pigeons(&number.to_string());
        hostile.push(start_hostile(&client, &text).await);
    }
    plays_a_quick_match(&client).await;
    for path in hostile {
        let ended = client.until(&path, is_final).await;
        assert_eq!(ended["status"], "failed", "{ended}");
        assert!(
            ended["error"]["message"]
                .as_str()
                .is_some_and(|text| text.contains("too long")),
            "{ended}"
        );
    }
}
