//! Tournaments from the command line: fields, stores, kills, exports.

use super::*;
use std::process::Stdio;
use std::time::Duration;

const FIELDS: [&str; 8] = [
    "player",
    "matches",
    "mean_goal",
    "ci95",
    "wins",
    "draws",
    "losses",
    "failed",
];

#[test]
fn a_tournament_has_all_fields() {
    let call = "tournament tic-tac-toe,goofspiel-4 --players ucb(c=20),random --rounds 3 --iterations 30 --json";
    let (value, status) = run_json(&words(call));
    assert_eq!(status, 0);
    let games = value["games"].as_array().unwrap();
    assert_eq!(games[0]["game"], "tic-tac-toe");
    assert_eq!(games[1]["game"], "goofspiel-4");
    let lists = games.iter().map(|game| &game["players"]).chain([&value["overall"]]);
    for (list, matches) in lists.zip([6, 6, 12]) {
        let players = list.as_array().unwrap();
        for (player, name) in players.iter().zip(["ucb(c=20)", "random"]) {
            has_fields(player, &FIELDS);
            assert_eq!(player.as_object().unwrap().len(), FIELDS.len());
            assert_eq!(player["player"], name);
            assert_eq!(player["matches"], matches);
            let outcomes = ["wins", "draws", "losses"].map(|outcome| player[outcome].as_u64().unwrap());
            assert_eq!(outcomes.iter().sum::<u64>(), matches);
            let [low, high] = [0, 1].map(|end| player["ci95"][end].as_f64().unwrap());
            let mean = player["mean_goal"].as_f64().unwrap();
            assert!(0.0 <= low && low <= mean && mean <= high && high <= 100.0, "{player}");
        }
        assert_eq!(players[0]["wins"], players[1]["losses"]);
    }
    has_fields(&value, &["ratings", "comparisons", "seed", "planned", "played"]);
    let text = run(&words(&call.replace(" --json", "")));
    assert!(text.out.contains("ucb(c=20) × random"), "{}", text.out);
}

#[test]
fn results_do_not_depend_on_threads() {
    let call = "tournament tic-tac-toe,kuhn-poker --players flat,random,legal --rounds 4 --iterations 30 --json";
    let one = run(&words(&format!("{call} --threads 1")));
    assert_eq!(one.out, run(&words(&format!("{call} --threads 2"))).out);
    assert_ne!(one.out, run(&words(&format!("{call} --seed 2"))).out);
}

#[test]
fn a_thousand_matches_are_played() {
    let (value, status) = run_json(&words(
        "tournament tic-tac-toe --players random,random --rounds 500 --iterations 1 --json",
    ));
    assert_eq!(status, 0);
    for (place, name) in ["random", "random#2"].iter().enumerate() {
        assert_eq!(value["overall"][place]["player"], *name);
        assert_eq!(value["overall"][place]["matches"], 1000);
    }
}

#[test]
fn kills_lose_and_repeat_nothing() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let call =
        "tournament tic-tac-toe,goofspiel-4 --players flat,random --rounds 60 --iterations 20000 --seed 9 --json";
    let whole = format!("{call} --store {}", path("whole.sqlite"));
    let began = std::time::Instant::now();
    let expected = run(&words(&whole));
    let duration = began.elapsed();
    assert_eq!(expected.status, 0);
    let call = format!("{call} --store {}", path("killed.sqlite"));
    let hits = kill_often(&call, duration);
    assert!(
        hits >= 5,
        "only {hits} of ten kills met a tournament that was under way"
    );
    let resumed = run(&words(&call));
    assert_eq!(resumed.status, 0, "{}", resumed.err);
    assert_eq!(resumed.out, expected.out);
    // Not only the result is the same, but every match; and none was played twice.
    let [one, other] = ["whole", "killed"].map(|name| {
        let (store, export) = (path(&format!("{name}.sqlite")), path(&format!("{name}.json")));
        assert_eq!(run(&["tournament", "--store", &store, "--export", &export]).status, 0);
        let value: Value = serde_json::from_str(&std::fs::read_to_string(export).unwrap()).unwrap();
        let matches = value["matches"].as_array().unwrap().iter();
        let played = matches.map(|entry| (entry["match"].clone(), entry["record"]["moves"].clone()));
        played.collect::<Vec<_>>()
    });
    assert_eq!(one.len(), 240);
    assert_eq!(one, other);
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_keeps_what_was_played() {
    let folder = folder();
    let store = folder.path().join("part.sqlite").to_str().unwrap().to_string();
    let call = format!(
        "tournament tic-tac-toe --players flat,random --rounds 1000000 --iterations 100 --json --store {store}"
    );
    let child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ludens"))
        .args(words(&call))
        .stdout(Stdio::piped())
        .spawn()
        .expect("ludens runs");
    // The store is written match by match, or some at a time.
    loop {
        let so_far = run(&["tournament", "--store", &store, "--json"]);
        let value: Value = serde_json::from_str(&so_far.out).unwrap_or_default();
        if value["played"].as_u64() > Some(0) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    interrupt(&child);
    let output = child.wait_with_output().expect("ludens ends");
    assert_eq!(output.status.code(), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).expect("the output is JSON");
    let (kept, _) = run_json(&["tournament", "--store", &store, "--json"]);
    assert!(value["played"].as_u64().unwrap() > 0);
    assert_eq!(
        (&kept["played"], &kept["overall"]),
        (&value["played"], &value["overall"])
    );
}

/// Starts a tournament ten times and kills it at random moments, so that it comes about half way; how often it was
/// under way then.
fn kill_often(call: &str, duration: Duration) -> usize {
    let mut moments = fastrand::Rng::with_seed(1);
    let mut hits = 0;
    for _ in 0..10 {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("ludens"))
            .args(words(call))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("ludens runs");
        std::thread::sleep(duration.mul_f64(0.1 * moments.f64()));
        hits += usize::from(child.try_wait().expect("a child can be asked").is_none());
        // On Unix this is SIGKILL, which a program cannot notice.
        child.kill().expect("a child can be killed");
        child.wait().expect("a killed child ends");
    }
    hits
}

#[test]
fn stores_keep_tournaments_apart_and_grow() {
    let folder = folder();
    let store = folder.path().join("all.sqlite").to_str().unwrap().to_string();
    let call = |rounds: u32, seed: u32| {
        let options = "--players random,legal --iterations 1 --json";
        let call = format!("tournament tic-tac-toe {options} --rounds {rounds} --seed {seed} --store {store}");
        run_json(&words(&call)).0
    };
    assert_eq!(call(2, 1)["played"], 4);
    assert_eq!(call(5, 1)["played"], 10);
    assert_eq!(call(2, 1)["played"], 4);
    let (only, status) = run_json(&["tournament", "--store", &store, "--json"]);
    assert_eq!((status, &only["played"]), (0, &Value::from(10)));
    assert_eq!(call(1, 2)["played"], 2);
    let several = run(&["tournament", "--store", &store]);
    assert_eq!(several.status, 2);
    assert!(several.err.contains("--plan"), "{}", several.err);
    let id = several.err.lines().last().unwrap().split_whitespace().next().unwrap();
    let (chosen, _) = run_json(&["tournament", "--store", &store, "--plan", id, "--json"]);
    assert_eq!(chosen["played"], 2);
    assert_eq!(run(&["tournament", "--store", &store, "--plan", "zzz"]).status, 2);
}

#[test]
fn matches_are_exported() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let call = format!(
        "tournament smallest-3 --players ucb(c=20,steps=50),random --rounds 1 --iterations 10 --export {} --export {} --report {} --ggp-records {}",
        path("m.csv"),
        path("m.json"),
        path("m.html"),
        path("ggp")
    );
    assert_eq!(run(&words(&call)).status, 0);
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let table = read("m.csv");
    assert_eq!(table.lines().count(), 1 + 6 * 3);
    assert!(table.contains("\"ucb(c=20,steps=50)\""), "{table}");
    let value: Value = serde_json::from_str(&read("m.json")).unwrap();
    has_fields(&value, &["id", "tournament", "result"]);
    let matches = value["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 6);
    // A match of a tournament can be played again alone.
    let record = &matches[3]["record"];
    let names: Vec<&str> = record["players"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let (players, seed) = (names.join(","), record["seed"].to_string());
    let alone = ["match", "smallest-3", "--players", &players, "--seed", &seed];
    let (again, _) = run_json(&[&alone[..], &["--iterations", "10", "--json"]].concat());
    assert_eq!(again["moves"], record["moves"]);
    let exchanged: Value = serde_json::from_str(&read("ggp/match-3.json")).unwrap();
    assert_eq!(exchanged["goalValues"], record["goals"]);
    let page = read("m.html");
    assert!(page.contains("<svg") && page.contains("smallest-3") && !page.contains("href="));
}

#[test]
fn sequential_tests_end_early_and_alike() {
    let call = "tournament tic-tac-toe --players flat,random --rounds 1000 --iterations 30 --sprt 0,50 --json";
    let one = run(&words(&format!("{call} --threads 1")));
    assert_eq!(one.status, 0);
    let value: Value = serde_json::from_str(&one.out).unwrap();
    assert_eq!(value["sprt"]["decision"], "elo1");
    assert!(value["played"].as_u64().unwrap() < 500, "{value}");
    assert_eq!(one.out, run(&words(&format!("{call} --threads 2"))).out);
}

#[test]
fn wrong_tournaments_are_refused() {
    let folder = folder();
    let text = file(
        &folder,
        "text.sqlite",
        "this is no database, but a longer text that could be one",
    );
    let game = "tournament tic-tac-toe --players";
    for (call, message) in [
        (format!("{game} random,flat --threads 2"), "one at a time"),
        (format!("{game} random,nobody"), "nobody"),
        (format!("{game} random,legal --sprt 20,0"), "below"),
        (format!("{game} random,legal,flat --sprt 0,20"), "two players"),
        (format!("{game} random,legal --export a.txt"), ".csv"),
        (format!("{game} random,legal --report not-there/a.html"), "not-there"),
        (
            "tournament tic-tac-toe --store not-there.sqlite".to_string(),
            "--players",
        ),
        (format!("{game} random,legal --store {text}"), "as a store"),
        ("tournament tic-tac-toe".to_string(), "--players"),
        (
            "tournament tic-tac-toe,tic-tac-toe --players legal,legal".to_string(),
            "twice",
        ),
        ("tournament --store not-there.sqlite".to_string(), "not-there"),
    ] {
        let run = run(&words(&call));
        assert_eq!(run.status, 2, "{call}");
        assert!(run.err.contains(message), "{call}: {}", run.err);
    }
}

fn words(call: &str) -> Vec<&str> {
    call.split(' ').collect()
}

#[test]
fn open_tournaments_say_that_nothing_is_hidden() {
    let folder = folder();
    let store = folder.path().join("store.db");
    let store = store.to_str().expect("a plain path");
    let call =
        "tournament kuhn-poker,tic-tac-toe --players random,legal --rounds 1 --iterations 1 --seed 1 --open --store";
    let call = [&words(call)[..], &[store]].concat();
    let text = run(&call);
    assert_eq!(text.status, 0, "{}", text.err);
    assert_eq!(
        text.out.matches("note: kuhn-poker hides information").count(),
        1,
        "{}",
        text.out
    );
    assert!(!text.out.contains("tic-tac-toe hides"), "{}", text.out);
    // The store remembers it.
    let (value, _) = run_json(&["tournament", "--store", store, "--json"]);
    assert_eq!(value["notes"].as_array().map(Vec::len), Some(1), "{value}");
}
