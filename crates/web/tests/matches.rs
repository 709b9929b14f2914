//! Matches: played by agents and people, watched, looked through, kept.

mod common;

use common::{Client, id, is_final, quick_match};
use ludens_web::Config;
use serde_json::{Value, json};

fn stored(folder: &tempfile::TempDir) -> Config {
    Config {
        data: Some(folder.path().to_path_buf()),
        ..Config::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_play_and_everything_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(stored(&folder));
    let made = client
        .post("/api/matches", &quick_match("tic-tac-toe", ["ucb", "uct"]))
        .await;
    assert_eq!(made.status, 201);
    let made = made.ok();
    assert_eq!(made["seed"], 1);
    // Set up or not yet: that is a matter of moments.
    assert!(!is_final(&made) || made["status"] == "finished", "{made}");
    assert!(made["key"].as_str().is_some_and(|key| key.len() >= 20));
    let path = format!("/api/matches/{}", id(&made));
    let full = client.until(&path, is_final).await;
    assert_eq!(full["status"], "finished");
    assert!(full["key"].is_null(), "the key is told only once");
    let steps = full["moves"].as_array().unwrap().len();
    assert!((5..=9).contains(&steps));
    assert_eq!(full["step"], steps);
    assert_eq!(full["evaluations"].as_array().unwrap().len(), steps);
    let goals: u64 = full["goals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|goal| goal.as_u64().unwrap())
        .sum();
    assert_eq!(goals, 100);

    let states = client.get(&format!("{path}/states")).await.ok();
    assert_eq!(states["total"], steps + 1);
    let list = states["states"].as_array().unwrap();
    assert_eq!(list.len(), steps + 1);
    assert_eq!(list[0]["moves"], Value::Null);
    assert_eq!(list[0]["legal"][0].as_array().unwrap().len(), 9);
    assert_eq!(list[0]["view"]["moves"][0].as_array().unwrap().len(), 9);
    assert_eq!(list[steps]["moves"], full["moves"][steps - 1]);
    assert_eq!(list[steps]["goals"], full["goals"]);
    assert_eq!(states["layout"]["boards"].as_array().unwrap().len(), 1);
    let some = client.get(&format!("{path}/states?from=2&count=2")).await.ok();
    assert_eq!(some["states"].as_array().unwrap()[..], list[2..4]);
    let none = client
        .get(&format!("{path}/states?from=99999999999&count=2"))
        .await
        .ok();
    assert_eq!(none["states"], json!([]));

    let record = client.get(&format!("{path}/record")).await.ok();
    assert_eq!(record["moves"], full["moves"]);
    let ggp = client.get(&format!("{path}/record?format=ggp")).await.ok();
    assert_eq!(ggp["isCompleted"], true);
    assert_eq!(client.get(&format!("{path}/record?format=pdf")).await.status, 400);

    // Another server finds all of it.
    drop(client);
    let client = Client::new(stored(&folder));
    let again = client.get(&path).await.ok();
    assert_eq!((&again["moves"], &again["status"]), (&full["moves"], &full["status"]));
    assert_eq!(
        client.get(&format!("{path}/states")).await.ok()["states"],
        states["states"]
    );
    let listed = client.get("/api/matches").await.ok();
    assert_eq!(listed["matches"][0]["id"], full["id"]);
    assert_eq!(listed["more"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_play_by_sending_moves() {
    let client = Client::new(Config::default());
    let wish = json!({"game": "tic-tac-toe", "players": ["human", "random"],
                      "pace": {"start_clock": 0.0, "play_clock": 0.5}, "seed": 3});
    let made = client.post("/api/matches", &wish).await.ok();
    let (path, key) = (format!("/api/matches/{}", id(&made)), made["key"].clone());
    let begun = client.until(&path, |found| found["waiting"] == json!([0])).await;
    assert_eq!(begun["status"], "running");
    let moves = format!("{path}/moves");
    let send = |step: usize, role: usize, text: &str, key: &Value| {
        let body = json!({"key": key, "step": step, "role": role, "move": text});
        let (client, moves) = (&client, &moves);
        async move { client.post(moves, &body).await }
    };
    let wrong = send(0, 0, "(mark 1 1)", &json!("guessed")).await;
    assert_eq!((wrong.status.as_u16(), wrong.code().as_str()), (403, "forbidden"));
    let wrong = send(1, 0, "(mark 1 1)", &key).await;
    assert_eq!((wrong.status.as_u16(), wrong.code().as_str()), (409, "conflict"));
    let wrong = send(0, 1, "noop", &key).await;
    assert_eq!(
        (wrong.status.as_u16(), wrong.code().as_str()),
        (409, "conflict"),
        "the other role is an agent"
    );
    let wrong = send(0, 7, "noop", &key).await;
    assert_eq!(wrong.status, 409);
    for text in ["(mark 4 4)", "noop", "", "((((", "(mark 1 1) (mark 1 2)", "?x"] {
        let wrong = send(0, 0, text, &key).await;
        assert_eq!(
            (wrong.status.as_u16(), wrong.code().as_str()),
            (422, "illegal-move"),
            "{text}"
        );
    }
    let right = send(0, 0, "( MARK  1 1 )", &key).await.ok();
    assert_eq!(right["waiting"], json!([]));
    let twice = send(0, 0, "(mark 1 2)", &key).await;
    assert_eq!(twice.status, 409);

    // The first legal move, until the end.
    loop {
        let now = client
            .until(&path, |found| is_final(found) || found["waiting"] == json!([0]))
            .await;
        if is_final(&now) {
            assert_eq!(now["status"], "finished");
            assert_eq!(now["moves"][0][0], "(mark 1 1)");
            assert_eq!(now["faults"], 0, "people are never late");
            break;
        }
        let step = now["step"].as_u64().unwrap() as usize;
        let states = client.get(&format!("{path}/states?from={step}")).await.ok();
        let first = states["states"][0]["legal"][0][0].as_str().unwrap().to_string();
        send(step, 0, &first, &key).await.ok();
    }
    let over = send(0, 0, "(mark 1 1)", &key).await;
    assert_eq!((over.status.as_u16(), over.code().as_str()), (409, "conflict"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_see_states_and_thoughts() {
    let client = Client::new(Config::default());
    let wish = json!({"game": "connect-four", "players": ["uct", "ucb"],
                      "pace": {"start_clock": 0.0, "play_clock": 0.7}, "seed": 3});
    let made = client.post("/api/matches", &wish).await.ok();
    let (path, key) = (format!("/api/matches/{}", id(&made)), &made["key"]);
    let events = format!("{path}/events");
    let seen = client
        .events(&events, |event, data| event == "state" && data["state"]["step"] == 2)
        .await;
    assert_eq!(seen[0].0, "match");
    let thoughts: Vec<&Value> = seen
        .iter()
        .filter(|(event, _)| event == "thinking")
        .map(|(_, data)| data)
        .collect();
    for role in [0, 1] {
        let own: Vec<&&Value> = thoughts.iter().filter(|thought| thought["role"] == role).collect();
        let on_the_way = own
            .iter()
            .find(|thought| thought["final"] == false)
            .expect("agents are watched");
        assert_eq!(on_the_way["moves"].as_array().unwrap().len(), 7);
        assert!(on_the_way["moves"][0]["visits"].as_u64().unwrap() > 0, "{on_the_way}");
        assert!(
            on_the_way["moves"][0]["move"].as_str().unwrap().starts_with("(drop"),
            "{on_the_way}"
        );
        assert!(own.iter().any(|thought| thought["final"] == true));
    }
    assert!(
        thoughts
            .iter()
            .any(|thought| thought["line"].as_array().unwrap().len() > 1),
        "uct has a line"
    );

    // Who comes later is told how things stand; the stream closes at the end.
    client.post(&format!("{path}/abort"), &json!({"key": "no"})).await;
    assert_eq!(client.get(&path).await.ok()["status"], "running");
    client.post(&format!("{path}/abort"), &json!({ "key": key })).await.ok();
    let rest = client.events(&events, |_, _| false).await;
    assert_eq!(rest.last().unwrap().0, "end");
    assert_eq!(rest.last().unwrap().1["status"], "aborted");
    let afterwards = client.events(&events, |_, _| false).await;
    let names: Vec<&str> = afterwards.iter().map(|(event, _)| event.as_str()).collect();
    assert_eq!(names, ["match", "state", "end"]);
    assert!(
        client.get("/metrics").await.text.contains("ludens_watchers 0\n"),
        "no place is lost"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_wishes_are_refused_with_a_reason() {
    let client = Client::new(Config::default());
    let wishes = [
        (
            json!({"game": "tic-tac-toe", "players": ["human"], "pace": {"iterations": 5}}),
            400,
            "2 players",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "you"], "pace": {"iterations": 5}}),
            400,
            "you",
        ),
        (
            json!({"game": "nothing", "players": ["uct", "uct"], "pace": {"iterations": 5}}),
            404,
            "nothing",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "pace": {}}),
            400,
            "iterations",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "pace": {"iterations": 0}}),
            400,
            "between 1 and",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "pace": {"play_clock": -1.0}}),
            400,
            "seconds",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "pace": {"play_clock": 1e300}}),
            400,
            "seconds",
        ),
        (
            json!({"game": "tic-tac-toe", "players": ["uct", "uct"], "clock": 1}),
            400,
            "clock",
        ),
        (json!([]), 400, "Invalid request"),
    ];
    for (wish, status, word) in wishes {
        let answer = client.post("/api/matches", &wish).await;
        assert_eq!(answer.status.as_u16(), status, "{wish}");
        assert!(answer.text.contains(word), "{wish}: {}", answer.text);
    }
    for path in [
        "/api/matches/x",
        "/api/matches/x/states",
        "/api/matches/x/events",
        "/api/matches/x/record",
    ] {
        assert_eq!(client.get(path).await.code(), "not-found", "{path}");
    }
    assert_eq!(client.get("/api/matches/x/states?from=-1").await.status, 400);
    assert_eq!(client.get("/api/matches?limit=1&color=red").await.status, 400);
    assert_eq!(client.get("/api/matches").await.ok()["matches"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_have_pages_and_filters() {
    let client = Client::new(Config::default());
    let mut made = Vec::new();
    for game in ["tic-tac-toe", "tic-tac-toe", "connect-four-5x4"] {
        let answer = client
            .post("/api/matches", &quick_match(game, ["random", "random"]))
            .await
            .ok();
        client.until(&format!("/api/matches/{}", id(&answer)), is_final).await;
        made.push(id(&answer));
    }
    let ids = |list: &Value| -> Vec<String> { list["matches"].as_array().unwrap().iter().map(id).collect() };
    let first = client.get("/api/matches?limit=2").await.ok();
    assert_eq!(
        (ids(&first), &first["more"]),
        (vec![made[2].clone(), made[1].clone()], &json!(true))
    );
    let second = client
        .get(&format!("/api/matches?limit=2&before={}", made[1]))
        .await
        .ok();
    assert_eq!((ids(&second), &second["more"]), (vec![made[0].clone()], &json!(false)));
    let small = client.get("/api/matches?game=connect-four-5x4").await.ok();
    assert_eq!(ids(&small), [made[2].clone()]);
    assert_eq!(ids(&client.get("/api/matches?status=aborted").await.ok()).len(), 0);
    assert_eq!(ids(&client.get("/api/matches?status=finished").await.ok()).len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_server_keeps_matches() {
    let folder = tempfile::tempdir().unwrap();
    let client = Client::new(stored(&folder));
    let wish = json!({"game": "tic-tac-toe", "players": ["human", "random"], "pace": {"iterations": 5}});
    let made = client.post("/api/matches", &wish).await.ok();
    let path = format!("/api/matches/{}", id(&made));
    client.until(&path, |found| found["waiting"] == json!([0])).await;
    let body = json!({"key": made["key"], "step": 0, "role": 0, "move": "(mark 2 2)"});
    client.post(&format!("{path}/moves"), &body).await.ok();
    // After the move of the agent the person is to move again.
    client.until(&path, |found| found["step"].as_u64() >= Some(2)).await;
    client.app.end().await;
    let ended = client.get(&path).await.ok();
    assert_eq!(ended["status"], "interrupted");
    assert_eq!(client.post("/api/matches", &wish).await.code(), "busy");
    drop(client);
    let again = Client::new(stored(&folder)).get(&path).await.ok();
    assert_eq!(
        (&again["status"], &again["moves"][0][0]),
        (&json!("interrupted"), &json!("(mark 2 2)"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn positions_are_explained() {
    let client = Client::new(Config::default());
    let made = client
        .post("/api/matches", &quick_match("tic-tac-toe", ["random", "random"]))
        .await
        .ok();
    let path = format!("/api/matches/{}", id(&made));
    let full = client.until(&path, is_final).await;
    let start = client.get(&format!("{path}/explanation?step=0")).await.ok();
    assert_eq!((&start["step"], &start["reason"]), (&json!(0), &Value::Null));
    let explanation = &start["explanation"];
    assert_eq!(explanation["kind"], "features");
    assert_eq!(explanation["roles"].as_array().map(Vec::len), Some(2));
    assert_eq!(explanation["moves"].as_array().map(Vec::len), Some(9));
    for field in ["text", "points", "value", "weight", "correlation", "stability"] {
        assert!(!explanation["roles"][0]["reasons"][0][field].is_null(), "{field}");
    }
    // What was found out once is kept.
    assert_eq!(client.get(&format!("{path}/explanation?step=0")).await.ok(), start);
    let last = client.get(&format!("{path}/explanation")).await.ok();
    assert_eq!(last["step"], full["step"]);
    assert!(last["explanation"].is_null() && last["reason"].is_string());
    assert_eq!(client.get(&format!("{path}/explanation?step=99")).await.status, 404);
}
