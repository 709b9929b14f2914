//! People at the table: what they must not see too early, what is kept of their moves, and when their place is free.

mod common;

use common::{Client, id};
use ludens_web::{Config, Limits};
use serde_json::{Value, json};
use std::time::Duration;

/// Thoughts about a step among events.
fn thoughts(events: &[(String, Value)], step: u64) -> Vec<&Value> {
    let of_step = |(event, data): &&(String, Value)| event == "thinking" && data["step"] == step;
    events.iter().filter(of_step).map(|(_, data)| data).collect()
}

/// The place of the event that tells that a person has moved.
fn moved(events: &[(String, Value)]) -> usize {
    let has_moved = |(event, data): &(String, Value)| {
        event == "match" && data["status"] == "running" && data["waiting"] == json!([])
    };
    events.iter().position(has_moved).expect("the person moves")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thoughts_about_a_simultaneous_move_are_told_when_the_joint_move_is_made() {
    let client = Client::new(Config::default());
    let wish = json!({"game": "repeated-rock-paper-scissors-3", "players": ["human", "uct"],
                      "pace": {"start_clock": 0.5, "play_clock": 0.5}, "seed": 3});
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    let events = format!("{path}/events");
    let is_next = |event: &str, data: &Value| event == "state" && data["state"]["step"] == 1;
    let play = async {
        client.until(&path, |found| found["waiting"] == json!([0])).await;
        // Long enough for thoughts to be told, if anybody told them.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = client.get(&path).await.ok();
        assert_eq!(
            (&before["moves"], &before["evaluations"], &before["errors"]),
            (&json!([]), &json!([]), &json!([]))
        );
        let body = json!({"key": made["key"], "step": 0, "role": 0, "move": "paper"});
        let late = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            client.post(&format!("{path}/moves"), &body).await.ok();
        };
        // Who comes in the middle of the step is told nothing either.
        tokio::join!(client.events(&events, is_next), late).0
    };
    let (from_the_start, from_the_middle) = tokio::join!(client.events(&events, is_next), play);
    for seen in [from_the_start, from_the_middle] {
        let early = thoughts(&seen[..moved(&seen)], 0);
        assert!(early.is_empty(), "{early:?}");
        let told = thoughts(&seen, 0);
        let last = told.last().expect("thoughts come with the joint move");
        assert_eq!((&last["role"], &last["final"]), (&json!(1), &json!(true)));
        let (_, state) = seen.last().unwrap();
        assert_eq!(last["choice"], state["state"]["moves"][1]);
        let line = last["line"].as_array().unwrap();
        assert!(line.len() <= 1, "the next move is a secret again: {line:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thoughts_of_an_agent_that_moves_alone_are_told_at_once() {
    let client = Client::new(Config::default());
    let wish = json!({"game": "connect-four", "players": ["human", "uct"],
                      "pace": {"start_clock": 0.0, "play_clock": 0.8}, "seed": 3});
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    client.until(&path, |found| found["waiting"] == json!([0])).await;
    let body = json!({"key": made["key"], "step": 0, "role": 0, "move": "(drop 4)"});
    client.post(&format!("{path}/moves"), &body).await.ok();
    let seen = client
        .events(&format!("{path}/events"), |event, data| {
            event == "state" && data["state"]["step"] == 2
        })
        .await;
    let told = thoughts(&seen, 1);
    assert!(told.iter().any(|thought| thought["final"] == false), "{told:?}");
}

fn stored(folder: &tempfile::TempDir) -> Config {
    Config {
        data: Some(folder.path().to_path_buf()),
        ..Config::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_is_stored_before_it_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(stored(&folder));
    let wish = json!({"game": "rock-paper-scissors", "players": ["human", "human"], "pace": {"iterations": 1}});
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    client.until(&path, |found| found["waiting"] == json!([0, 1])).await;
    let body = json!({"key": made["key"], "step": 0, "role": 1, "move": "paper"});
    client.post(&format!("{path}/moves"), &body).await.ok();
    let twice = client.post(&format!("{path}/moves"), &body).await;
    assert_eq!(twice.code(), "conflict");
    // Until the joint move is made, nobody is told what was chosen.
    let before = client.get(&path).await.ok();
    assert_eq!((&before["waiting"], &before["unplayed"]), (&json!([0]), &json!([])));

    // Another server on the same store finds what a killed one leaves behind.
    let other = Client::new(stored(&folder));
    let kept = other.get(&path).await.ok();
    assert_eq!((&kept["status"], &kept["moves"]), (&json!("interrupted"), &json!([])));
    assert_eq!(kept["unplayed"], json!([{"role": 1, "move": "paper"}]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_for_a_step_that_was_never_completed_is_shown_after_an_abort() {
    let client = Client::new(Config::default());
    let wish = json!({"game": "rock-paper-scissors", "players": ["human", "human"], "pace": {"iterations": 1}});
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    client.until(&path, |found| found["waiting"] == json!([0, 1])).await;
    let body = json!({"key": made["key"], "step": 0, "role": 0, "move": "rock"});
    client.post(&format!("{path}/moves"), &body).await.ok();
    let key = json!({"key": made["key"]});
    client.post(&format!("{path}/abort"), &key).await.ok();
    let ended = client.until(&path, |found| found["status"] == "aborted").await;
    assert_eq!(ended["unplayed"], json!([{"role": 0, "move": "rock"}]));
}

#[test]
fn a_store_without_choices_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let open = || rusqlite::Connection::open(folder.path().join("ludens.db")).unwrap();
    drop(Client::new(stored(&folder)));
    open()
        .execute_batch("DROP TABLE choices; PRAGMA user_version = 1;")
        .unwrap();
    drop(Client::new(stored(&folder)));
    let count: i64 = open()
        .query_row("SELECT count(*) FROM choices", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_whose_person_has_left_gives_way_to_a_new_one() {
    let client = Client::new(Config {
        limits: Limits {
            running_matches: 2,
            absence: Duration::ZERO,
            ..Limits::default()
        },
        ..Config::default()
    });
    let wish = json!({"game": "tic-tac-toe", "players": ["human", "random"], "pace": {"iterations": 1}});
    let begin = async || {
        let path = format!("/api/matches/{}", id(&client.post("/api/matches", &wish).await.ok()));
        client.until(&path, |found| found["waiting"] == json!([0])).await;
        path
    };
    let (watched, left) = (begin().await, begin().await);
    // Nobody watches the second one.
    let _stream = client.stream(&format!("{watched}/events")).await;
    begin().await;
    let ended = client.until(&left, |found| found["status"] == "aborted").await;
    let message = ended["error"]["message"].as_str().unwrap();
    assert!(message.contains("make room"), "{message}");
    assert_eq!(client.get(&watched).await.ok()["status"], "running");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_of_agents_never_gives_way() {
    let client = Client::new(Config {
        limits: Limits {
            running_matches: 1,
            absence: Duration::ZERO,
            ..Limits::default()
        },
        ..Config::default()
    });
    let slow = json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "pace": {"play_clock": 300.0}});
    client.post("/api/matches", &slow).await.ok();
    let refused = client.post("/api/matches", &slow).await;
    assert_eq!(refused.code(), "busy");
    assert!(refused.text.contains("at most 1 matches"), "{}", refused.text);
}
