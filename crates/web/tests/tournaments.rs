//! Tournaments: begun, watched, reported, aborted, kept.

mod common;

use common::{Client, id, is_final};
use ludens_web::Config;
use serde_json::{Value, json};

fn wish(rounds: u64) -> Value {
    json!({"games": ["tic-tac-toe"], "players": ["ucb", "random"], "rounds": rounds,
           "pace": {"iterations": 30}, "seed": 1})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_is_played_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        data: Some(folder.path().to_path_buf()),
        ..Config::default()
    };
    let client = Client::new(config.clone());
    let made = client.post("/api/tournaments", &wish(10)).await;
    assert_eq!(made.status, 201);
    let made = made.ok();
    let path = format!("/api/tournaments/{}", id(&made));
    let events = client.events(&format!("{path}/events"), |_, _| false).await;
    assert_eq!(events[0].0, "tournament");
    let (last, end) = events.last().unwrap();
    assert_eq!(
        (last.as_str(), &end["status"], &end["played"]),
        ("end", &json!("finished"), &json!(20))
    );
    let full = client.get(&path).await.ok();
    let overall = full["report"]["overall"].as_array().unwrap();
    assert_eq!(
        (&overall[0]["player"], &overall[0]["matches"]),
        (&json!("ucb"), &json!(20)),
        "{full}"
    );
    assert!(overall[0]["mean_goal"].as_f64() > overall[1]["mean_goal"].as_f64());
    let page = client.get(&format!("{path}/report")).await;
    assert!(page.text.starts_with("<!DOCTYPE html>") && page.text.contains("<svg"));
    assert!(
        !page.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("script")
    );

    // Its matches are matches.
    let matches = client
        .get(&format!("/api/matches?tournament={}&limit=100", id(&made)))
        .await
        .ok();
    assert_eq!(matches["matches"].as_array().unwrap().len(), 20);
    assert_eq!(
        client.get("/api/matches").await.ok()["matches"],
        json!([]),
        "they are not listed with the others"
    );
    let one = client.get(&format!("/api/matches/{}.3", id(&made))).await.ok();
    assert_eq!((&one["status"], &one["tournament"]), (&json!("finished"), &made["id"]));
    let states = client.get(&format!("/api/matches/{}.3/states", id(&made))).await.ok();
    assert_eq!(states["total"].as_u64().unwrap(), one["step"].as_u64().unwrap() + 1);

    drop(client);
    let client = Client::new(config);
    let again = client.get(&path).await.ok();
    assert_eq!(
        (&again["report"], &again["status"]),
        (&full["report"], &json!("finished"))
    );
    assert_eq!(
        client.get("/api/tournaments").await.ok()["tournaments"][0]["id"],
        made["id"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_can_be_aborted() {
    let client = Client::new(Config::default());
    let made = client.post("/api/tournaments", &wish(4000)).await.ok();
    let path = format!("/api/tournaments/{}", id(&made));
    client.until(&path, |found| found["played"].as_u64() > Some(0)).await;
    let wrong = client.post(&format!("{path}/abort"), &json!({"key": ""})).await;
    assert_eq!(wrong.code(), "forbidden");
    client
        .post(&format!("{path}/abort"), &json!({"key": made["key"]}))
        .await
        .ok();
    let ended = client.until(&path, is_final).await;
    assert_eq!(ended["status"], "aborted");
    assert_eq!(ended["report"]["played"], ended["played"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_wishes_are_refused() {
    let client = Client::new(Config::default());
    let change = |name: &str, value: Value| {
        let mut wish = wish(2);
        wish[name] = value;
        wish
    };
    let cases = [
        (change("games", json!([])), 400),
        (change("games", json!(["tic-tac-toe", "tic-tac-toe"])), 400),
        (change("games", json!(["nothing"])), 404),
        (change("players", json!(["human", "random"])), 400),
        (change("players", json!(["nobody", "random"])), 400),
        (change("rounds", json!(0)), 400),
        (change("rounds", json!(10_000_000)), 400),
        (change("pace", json!({"iterations": 5, "play_clock": 1.0})), 400),
    ];
    for (wish, status) in cases {
        let answer = client.post("/api/tournaments", &wish).await;
        assert_eq!(answer.status.as_u16(), status, "{wish}: {}", answer.text);
    }
    // What is seen only when the games are set up is an error of the tournament.
    for wish in [change("players", json!([])), change("rounds", json!(9_000))] {
        let made = client.post("/api/tournaments", &wish).await.ok();
        let path = format!("/api/tournaments/{}", id(&made));
        let ended = client.until(&path, is_final).await;
        assert_eq!(
            (&ended["status"], &ended["error"]["code"]),
            (&json!("failed"), &json!("bad-request")),
            "{ended}"
        );
    }
    assert_eq!(client.get("/api/tournaments/x").await.code(), "not-found");
    assert_eq!(client.get("/api/tournaments/x/report").await.code(), "not-found");
    assert_eq!(client.get("/api/tournaments/x/events").await.code(), "not-found");
}
