//! The adaptive opponent: its level follows the results of a person in a game, and the reasons can be asked for.

mod common;

use common::{Client, id};
use ludens_web::Config;
use serde_json::{Value, json};

async fn begin(client: &Client, person: &str, players: &Value) -> Value {
    let wish =
        json!({"game": "nim-small", "players": players, "person": person, "pace": {"iterations": 10}, "seed": 1});
    client.post("/api/matches", &wish).await.ok()
}

/// Plays the first legal move until the match is over; returns the match.
async fn play(client: &Client, made: &Value, role: usize) -> Value {
    let path = format!("/api/matches/{}", id(made));
    loop {
        let is_ready = |found: &Value| {
            found["waiting"] == json!([role]) || !matches!(found["status"].as_str(), Some("preparing" | "running"))
        };
        let found = client.until(&path, is_ready).await;
        if found["waiting"] != json!([role]) {
            return found;
        }
        let step = found["step"].as_u64().expect("a step");
        let states = client.get(&format!("{path}/states?from={step}")).await.ok();
        let last = states["states"]
            .as_array()
            .and_then(|list| list.last())
            .cloned()
            .unwrap_or_default();
        let text = last["legal"][role][0]
            .as_str()
            .unwrap_or_else(|| panic!("a legal move in {last}"));
        let body = json!({"key": made["key"], "step": step, "role": role, "move": text});
        client.post(&format!("{path}/moves"), &body).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_level_follows_the_results_of_the_person() {
    let client = Client::new(Config::default());
    let asked = "/api/adaptive?game=nim-small&person=tom";
    let first = client.get(asked).await.ok();
    assert_eq!(
        (&first["level"], &first["iterations"], &first["matches"]),
        (&json!(8), &json!(100), &json!(0))
    );
    assert_eq!(first["rating"], Value::Null);
    let made = begin(&client, "tom", &json!(["human", "adaptive"])).await;
    assert_eq!(made["players"], json!(["human", "adaptive(level=8)"]));
    let ended = play(&client, &made, 0).await;
    assert_eq!(ended["status"], "finished", "{ended}");
    let won = ended["goals"][0].as_u64() > ended["goals"][1].as_u64();
    let after = client.get(asked).await.ok();
    assert_eq!(after["matches"], 1);
    assert_eq!(after["level"], if won { 11 } else { 5 });
    let change = &after["changes"][0];
    assert!(
        change["sentence"]
            .as_str()
            .is_some_and(|text| text.contains("level 8 to")),
        "{after}"
    );
    assert_eq!(change["answer"]["tree"]["mark"], "undefeated");
    assert!(after["rating"]["uncertainty"].as_f64() > Some(0.0));
    // The next match has this level; another person begins anew.
    let next = begin(&client, "tom", &json!(["adaptive", "human"])).await;
    assert_eq!(next["players"][0], format!("adaptive(level={})", after["level"]));
    let other = begin(&client, "eve", &json!(["human", "adaptive(policy=gentle)"])).await;
    assert_eq!(other["players"][1], "adaptive(level=8)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_make_no_sense_are_refused() {
    let client = Client::new(Config::default());
    let wishes = [
        json!({"game": "nim-small", "players": ["human", "adaptive"], "pace": {"iterations": 1}}),
        json!({"game": "nim-small", "players": ["human", "adaptive"], "person": "a b", "pace": {"iterations": 1}}),
        json!({"game": "nim-small", "players": ["random", "adaptive"], "person": "tom", "pace": {"iterations": 1}}),
        json!({"game": "nim-small", "players": ["human", "adaptive(policy=none)"], "person": "tom", "pace": {"iterations": 1}}),
        json!({"game": "nim-small", "players": ["human", "adaptive(level=3)"], "person": "tom", "pace": {"iterations": 1}}),
    ];
    for wish in wishes {
        let answer = client.post("/api/matches", &wish).await;
        assert_eq!(answer.status, 400, "{wish} {}", answer.text);
    }
    let answer = client.get("/api/adaptive?game=nim-small&person=tom&policy=none").await;
    assert_eq!(answer.status, 400);
}
