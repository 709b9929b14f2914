//! `equilibrium`.

use super::{file, folder, has_fields, run, run_json};
use serde_json::{Value, json};

const FIELDS: [&str; 10] = [
    "states",
    "terminals",
    "transitions",
    "iterations",
    "seconds",
    "iterations_per_second",
    "values",
    "best_response",
    "exploitability",
    "strategy",
];

fn found(algorithm: &str, game: &str, more: &[&str]) -> Value {
    let call = [&["equilibrium", game, "--algorithm", algorithm, "--json"], more].concat();
    let (result, status) = run_json(&call);
    assert_eq!(status, 0, "{algorithm} {game}");
    has_fields(&result, &FIELDS);
    result
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn every_algorithm_has_all_fields() {
    for algorithm in ["cfr", "cfr+", "pcfr+", "linear", "dcfr", "external", "outcome"] {
        let result = found(
            algorithm,
            "biased-rock-paper-scissors",
            &["--iterations", "2000", "--seed", "3"],
        );
        let sizes = ["states", "terminals", "transitions", "iterations"].map(|field| result[field].clone());
        assert_eq!(sizes, [10, 9, 9, 2000].map(Value::from), "{algorithm}");
        assert!(number(&result["exploitability"]) < 12.0, "{algorithm}: {result}");
    }
    let exact = found("lp", "biased-rock-paper-scissors", &[]);
    assert!(number(&exact["exploitability"]) < 1e-9);
    let strategy = exact["strategy"]["row"]
        .as_object()
        .or(exact["strategy"]["left"].as_object());
    let mut chances: Vec<f64> = strategy
        .expect("a strategy of the first role")
        .values()
        .map(number)
        .collect();
    chances.sort_by(f64::total_cmp);
    for (chance, expected) in chances.iter().zip([1.0 / 16.0, 5.0 / 16.0, 10.0 / 16.0]) {
        assert!((chance - expected).abs() < 1e-6, "{chances:?}");
    }
    let (online, status) = run_json(&[
        "equilibrium",
        "goofspiel-5",
        "--algorithm",
        "online",
        "--iterations",
        "500",
        "--json",
    ]);
    assert_eq!(
        (status, &online["exploitability"], &online["iterations"]),
        (0, &Value::Null, &json!(500))
    );
}

#[test]
fn more_roles_come_with_a_caveat() {
    let result = found("cfr", "two-thirds", &["--iterations", "50"]);
    assert_eq!(result["exploitability"], Value::Null);
    assert!(number(&result["nash_conv"]) >= 0.0);
    assert!(
        result["caveat"]
            .as_str()
            .is_some_and(|text| text.contains("more than two roles"))
    );
    let run = run(&["equilibrium", "two-thirds", "--iterations", "5"]);
    assert!(
        run.err.contains("more than two roles") && run.out.contains("nash_conv"),
        "{} {}",
        run.err,
        run.out
    );
}

#[test]
fn curves_are_written_in_three_forms() {
    let folder = folder();
    let paths = ["c.csv", "c.json", "c.svg"].map(|name| folder.path().join(name).to_string_lossy().to_string());
    let [csv, json, svg] = &paths;
    let curves = ["--curve", csv, "--curve", json, "--curve", svg, "--iterations", "30"];
    found("cfr+", "goofspiel-4", &curves);
    let text = std::fs::read_to_string(csv).expect("it was written");
    assert!(
        text.starts_with("iterations,seconds,exploitability,nash_conv,mse"),
        "{text}"
    );
    let points: Value = serde_json::from_str(&std::fs::read_to_string(json).expect("it was written")).expect("JSON");
    let points = points["points"].as_array().expect("a list");
    assert_eq!(points.len(), text.lines().count() - 1);
    assert!(number(&points[points.len() - 1]["exploitability"]) < number(&points[0]["exploitability"]));
    assert!(points.iter().all(|point| number(&point["mse"]) >= 0.0));
    assert!(std::fs::read_to_string(svg).expect("it was written").contains("<svg"));
    assert_eq!(run(&["equilibrium", "goofspiel-4", "--curve", "c.png"]).status, 2);
}

#[test]
fn limits_and_games_of_other_kinds_are_told() {
    let little = ["equilibrium", "goofspiel-6", "--memory", "100K", "--json"];
    let (result, status) = run_json(&little);
    assert_eq!(
        (status, &result["complete"], &result["values"]),
        (1, &json!(false), &Value::Null)
    );
    assert!(result["stopped"].as_str().is_some_and(|text| text.contains("memory")));
    let ahead = found(
        "pcfr+",
        "goofspiel-6",
        &["--depth", "1", "--iterations", "20", "--playouts", "50"],
    );
    assert_eq!((&ahead["depth"], &ahead["leaves"]), (&json!(1), &json!(36)));
    let chance = run(&["equilibrium", "kuhn-poker"]);
    assert!(chance.status == 2 && chance.err.contains("chance"), "{}", chance.err);
    let general = run(&["equilibrium", "prisoners-dilemma", "--algorithm", "lp"]);
    assert!(
        general.status == 2 && general.err.contains("constant sum"),
        "{}",
        general.err
    );
    let folder = folder();
    let fro = "(role one) (init (at a)) (opposite a b) (opposite b a) (<= (legal one stop)) (<= (legal one go))
        (<= (next (at ?y)) (true (at ?x)) (opposite ?x ?y)) (<= (next over) (does one stop)) (<= terminal (true over))
        (<= (goal one 100) (true (at a))) (<= (goal one 0) (true (at b)))";
    let path = file(&folder, "fro.kif", fro);
    let cycles = run(&["equilibrium", &path]);
    assert!(cycles.status == 2 && cycles.err.contains("depth"), "{}", cycles.err);
    assert_eq!(run(&["equilibrium", &path, "--depth", "3"]).status, 0);
}
