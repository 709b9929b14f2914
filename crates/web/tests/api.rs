//! The API as a whole: what is served, that all of it is described, and that errors have one form.

mod common;

use axum::body::Body;
use axum::http::Request;
use common::{Client, id, is_final, post, quick_match};
use ludens_web::Config;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn client() -> Client {
    Client::new(Config::default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_says_what_it_is() {
    let client = client();
    assert_eq!(client.get("/api/health").await.ok(), json!({"status": "ok"}));
    let version = client.get("/api/version").await.ok();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(version["token_required"], false);
    assert!(version["limits"]["rules_bytes"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_are_listed_shown_and_added() {
    let client = client();
    let list = client.get("/api/games").await.ok();
    let games = list["games"].as_array().unwrap();
    assert_eq!(games.len(), ludens_library::entries().count());
    let known = games.iter().find(|game| game["id"] == "tic-tac-toe").unwrap();
    assert_eq!(
        (&known["source"], &known["roles"]),
        (&json!("library"), &json!(["x", "o"]))
    );
    let clobber = list["families"]
        .as_array()
        .unwrap()
        .iter()
        .find(|family| family["name"] == "clobber");
    let clobber = clobber.expect("the library has the family");
    assert!(
        clobber["instances"].as_array().unwrap().contains(&json!("clobber-3x4")),
        "{clobber}"
    );

    assert!(!list["families"].to_string().contains("{{"), "{}", list["families"]);
    assert_eq!(clobber["title"], "Clobber");

    let shown = client.get("/api/games/tic-tac-toe").await.ok();
    assert_eq!(shown["hidden_information"], false);
    let hidden = client.get("/api/games/kuhn-poker").await.ok();
    assert_eq!(hidden["hidden_information"], true);
    assert!(shown["text"].as_str().unwrap().contains("(role x)"));
    assert_eq!(shown["check"]["valid"], true);
    let rules = client.get("/api/games/tic-tac-toe/rules").await;
    assert_eq!(rules.text, shown["text"].as_str().unwrap());
    assert_eq!(client.get("/api/games/nim-nam-num").await.code(), "not-found");

    let text = shown["text"].as_str().unwrap().to_string() + "\n; mine\n";
    let added = client.post("/api/games", &json!({"name": "Mine", "text": text})).await;
    assert_eq!(added.status, 201);
    let added = added.ok();
    assert_eq!((&added["title"], &added["source"]), (&json!("Mine"), &json!("added")));
    let again = client
        .post("/api/games", &json!({"name": "Another name", "text": text}))
        .await;
    assert_eq!(again.status, 200);
    assert_eq!(again.ok()["id"], added["id"], "the same rules have the same address");
    let listed = client.get("/api/games").await.ok();
    assert_eq!(listed["games"].as_array().unwrap().last().unwrap()["id"], added["id"]);
    let made = client
        .post("/api/matches", &quick_match(&id(&added), ["random", "legal"]))
        .await
        .ok();
    let played = client.until(&format!("/api/matches/{}", id(&made)), is_final).await;
    assert_eq!(
        (&played["status"], &played["title"]),
        (&json!("finished"), &json!("Mine"))
    );

    let library = client.post("/api/games", &json!({"text": shown["text"]})).await.ok();
    assert_eq!(library["id"], "tic-tac-toe", "rules of the library are not kept twice");
    let sized = json!({"family": "clobber", "parameters": {"rows": 2, "cols": 5}});
    let sized = client.post("/api/games", &sized).await.ok();
    assert_eq!(sized["title"], "Clobber 2x5");
    let wrong = json!({"family": "clobber", "parameters": {"rows": 2000}});
    assert_eq!(client.post("/api/games", &wrong).await.code(), "bad-request");
    let broken = client.post("/api/games", &json!({"text": "(role white"})).await;
    assert_eq!((broken.status.as_u16(), broken.code().as_str()), (422, "invalid-rules"));
    assert_eq!(broken.json()["error"]["findings"][0]["line"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_are_checked() {
    let client = client();
    let text = "; é\n(role white)\n(init (cell 1 ?x))\n(<= (legal white ?m) (true (cell ?m ?n))";
    let check = client.post("/api/check", &json!({ "text": text })).await.ok();
    assert_eq!((&check["valid"], &check["notation"]), (&json!(false), &json!("kif")));
    let errors = check["errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["line"] == 4), "{check}");
    for error in errors {
        let code = error["code"].as_str().unwrap();
        let page = client.get(&format!("/api/codes/{code}")).await.ok();
        assert!(page["page"].as_str().unwrap().contains(code));
    }
    assert_eq!(client.get("/api/codes/E999").await.code(), "not-found");
    let many = "(init (cell ?x))\n".repeat(300);
    let check = client.post("/api/check", &json!({ "text": many })).await.ok();
    assert_eq!(
        check["errors"].as_array().unwrap().len() + check["warnings"].as_array().unwrap().len(),
        100
    );
    assert!(check["left_out"].as_u64().unwrap() >= 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn facts_are_found_out_once() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        data: Some(folder.path().to_path_buf()),
        ..Config::default()
    };
    let client = Client::new(config.clone());
    let first = client.get("/api/games/tic-tac-toe/facts").await;
    assert_eq!(first.status, 202);
    let known = client.until("/api/games/tic-tac-toe/facts", is_final).await;
    assert_eq!(known["status"], "ready", "{known}");
    let facts = &known["facts"];
    assert_eq!(
        (&facts["states"], &facts["turn_taking"]),
        (&json!("5478"), &json!(true))
    );
    assert!(facts["measured"]["playouts_per_second"].as_f64().unwrap() > 0.0);
    assert_eq!(known["layout"]["boards"][0]["columns"].as_array().unwrap().len(), 3);
    drop(client);
    let client = Client::new(config);
    let again = client.until("/api/games/tic-tac-toe/facts", is_final).await;
    assert_eq!(again["facts"]["measured"], facts["measured"], "they were kept");
    assert_eq!(client.get("/api/games/nothing/facts").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_are_those_of_the_table() {
    let agents = client().get("/api/agents").await.ok();
    let names: Vec<&str> = agents["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["name"].as_str().unwrap())
        .collect();
    let table: Vec<&str> = ludens_play::agents::AGENTS.iter().map(|kind| kind.name).collect();
    assert_eq!(names, table);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_have_one_form() {
    let client = client();
    let found = [
        (client.get("/api/nothing").await, 404, "not-found"),
        (client.get("/nothing").await, 404, "not-found"),
        (client.get("/assets/nothing.js").await, 404, "not-found"),
        (client.get("/assets/../Cargo.toml").await, 404, "not-found"),
        (client.get("/assets/%2e%2e/Cargo.toml").await, 404, "not-found"),
        (client.get("/api/matches/x/moves").await, 405, "method-not-allowed"),
        (
            client.send(post("/api/check", "{".to_string())).await,
            400,
            "bad-request",
        ),
        (
            client.send(post("/api/check", "{\"text\": 5}".to_string())).await,
            400,
            "bad-request",
        ),
        (
            client.send(post("/api/check", "{\"txt\": \"\"}".to_string())).await,
            400,
            "bad-request",
        ),
    ];
    for (answer, status, code) in found {
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (status, code),
            "{answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_count() {
    let client = client();
    client.get("/api/games").await;
    client.get("/api/games/nothing").await;
    let metrics = client.get("/metrics").await;
    assert_eq!(
        metrics.headers["content-type"],
        "text/plain; version=0.0.4; charset=utf-8"
    );
    for line in [
        "ludens_requests_total{route=\"/api/games\",method=\"GET\",status=\"200\"} 1",
        "ludens_requests_total{route=\"/api/games/{id}\",method=\"GET\",status=\"404\"} 1",
        "ludens_matches_running 0",
        "ludens_work_panics 0",
    ] {
        assert!(
            metrics.text.lines().any(|found| found == line),
            "{line}\n{}",
            metrics.text
        );
    }
}

/// All operations of the description, as `GET /api/games/{id}`.
fn described(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap();
    let operations = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| (path, method)));
    operations
        .map(|(path, method)| format!("{} {path}", method.to_uppercase()))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_description_is_valid_and_complete() {
    let document = client().get("/api/openapi.json").await.ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["info"]["title"].is_string() && document["info"]["version"].is_string());
    check_references(&document, &document);
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let place = format!("{method} {path}");
            assert!(
                operation["summary"].is_string() && operation["tags"][0].is_string(),
                "{place}"
            );
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{place}");
            assert!(
                responses.values().all(|response| response["description"].is_string()),
                "{place}"
            );
            let empty = Vec::new();
            let parameters = operation["parameters"].as_array().unwrap_or(&empty);
            let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path");
            let in_path: BTreeSet<&str> = in_path.map(|parameter| parameter["name"].as_str().unwrap()).collect();
            let wanted: BTreeSet<&str> = path
                .split('/')
                .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
                .collect();
            assert_eq!(in_path, wanted, "{place}");
            assert_eq!(operation["requestBody"].is_object(), method == "post", "{place}");
            let identifier = operation["operationId"].as_str().unwrap_or_default();
            assert!(
                names.insert(identifier.to_string()),
                "{place}: {identifier} is not unique"
            );
        }
    }
    // The manual describes the same operations as the code.
    let manual = include_str!("../../../docs/api.md");
    let written: BTreeSet<String> = manual
        .lines()
        .filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'))
        .map(|heading| heading.split('?').next().unwrap_or_default().to_string())
        .collect();
    assert_eq!(described(&document), written);
}

/// Every reference leads somewhere.
fn check_references(document: &Value, part: &Value) {
    match part {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                let pointer = reference.strip_prefix('#').expect("references stay in the document");
                assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
            }
            fields.values().for_each(|field| check_references(document, field));
        }
        Value::Array(items) => items.iter().for_each(|item| check_references(document, item)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_answers() {
    let client = client();
    for operation in described(&client.get("/api/openapi.json").await.ok()) {
        let (method, path) = operation.split_once(' ').unwrap();
        let path = path.replace("{id}", "x").replace("{code}", "E101");
        let answer = match method {
            "GET" => client.get(&path).await,
            _ => client.post(&path, &json!({})).await,
        };
        let is_missing = answer.text.contains("Address not found") || answer.status == 405;
        assert!(
            !is_missing && answer.status != 500,
            "{operation}: {} {}",
            answer.status,
            answer.text
        );
    }
}

/// A request of a browser that goes to an address, or of a program that takes what it gets.
fn visit(path: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::get(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_address_is_a_page_for_browsers_and_json_for_programs() {
    let client = client();
    let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    for path in ["/nothing", "/about", "/game", "/match/a/b"] {
        let page = client.send(visit(path, &browser)).await;
        assert_eq!(
            (page.status.as_u16(), &page.headers["content-type"]),
            (404, &"text/html; charset=utf-8".parse().unwrap())
        );
        assert!(page.text.contains("<main"), "{path}: {}", page.text);
        let program = client.send(visit(path, &[("accept", "*/*")])).await;
        assert_eq!(
            (program.status.as_u16(), program.code().as_str()),
            (404, "not-found"),
            "{path}"
        );
    }
    for path in ["/api/nothing", "/api", "/assets/nothing.js"] {
        let data = client.send(visit(path, &browser)).await;
        assert_eq!(
            (data.status.as_u16(), data.code().as_str()),
            (404, "not-found"),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_compressed_and_streams_are_not() {
    let client = client();
    let gzip = [("accept-encoding", "gzip, br")];
    for path in ["/api/games", "/assets/main.js"] {
        let plain = client.get(path).await;
        let small = client.send(visit(path, &gzip)).await;
        assert_eq!(small.headers["content-encoding"], "gzip", "{path}");
        assert!(
            small.headers["vary"].to_str().unwrap().contains("accept-encoding"),
            "{path}"
        );
        assert!(plain.headers.get("content-encoding").is_none(), "{path}");
    }
    let version = client.send(visit("/api/health", &gzip)).await;
    assert!(
        version.headers.get("content-encoding").is_none(),
        "too small to be worth it"
    );
    let wish = quick_match("tic-tac-toe", ["random", "random"]);
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    client.until(&path, is_final).await;
    let stream = client.send(visit(&format!("{path}/events"), &gzip)).await;
    assert!(stream.text.contains("event: state"), "{}", stream.text);
    assert!(stream.headers.get("content-encoding").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_the_browser_knows_is_not_sent_again() {
    let client = client();
    let tag = client.get("/assets/main.js").await.headers["etag"].clone();
    let again = visit("/assets/main.js", &[("if-none-match", tag.to_str().unwrap())]);
    assert_eq!(client.send(again).await.status, 304);
}
