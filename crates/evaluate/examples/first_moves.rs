//! Values of the states after the first moves of a game, by evaluator: `cargo run --release -p ludens-evaluate
//! --example first_moves -- GAME`, with the name of a library game.

use ludens_budget::Budget;
use ludens_engine::knowledge::{Evaluator, Standing};
use ludens_engine::{Game, MoveId, Role};
use ludens_evaluate::rules::fuzzy::{self, Fuzzy};
use ludens_evaluate::rules::mobility::Mobility;
use ludens_evaluate::rules::neural::{self, GoalNetwork, Weights};
use ludens_search::Searcher;
use ludens_search::alphabeta::{AlphaBeta, Settings};

/// States that the search for the last column looks at.
const SEARCHED: u64 = 100_000;

fn main() {
    let name = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "connect-four-8x6".to_string());
    let game = ludens_library::find(&name).map(|entry| Game::read(entry.source()));
    match game {
        Some(Ok(game)) => show(&game),
        Some(Err(cause)) => eprintln!("{cause}"),
        None => eprintln!("there is no game {name} in the library"),
    }
}

fn show(game: &Game) {
    let global = neural::Settings {
        weights: Weights::Global,
        ..neural::Settings::default()
    };
    let mut evaluators: Vec<(&str, Box<dyn Evaluator>)> = vec![
        ("goals", Box::new(Standing::new(game))),
        ("mobility", Box::new(Mobility::new(game))),
    ];
    if let Some(fuzzy) = Fuzzy::new(game, fuzzy::Settings::default()) {
        evaluators.push(("fuzzy", Box::new(fuzzy)));
    }
    for (name, settings) in [("network 1.0", global), ("network 1.1", neural::Settings::default())] {
        if let Some(network) = GoalNetwork::new(game, settings, &Budget::default()) {
            evaluators.push((name, Box::new(network)));
        }
    }
    let names: Vec<&str> = evaluators.iter().map(|(name, _)| *name).collect();
    println!("move of {}: {}", game.role_name(Role(0)), names.join(", "));
    let mut machine = game.machine();
    let legal: Vec<Vec<MoveId>> = game.roles().map(|role| machine.legal(role).to_vec()).collect();
    for &made in &legal[0] {
        let mut joint: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
        joint[0] = made;
        machine.load(game.initial());
        machine.step(&joint);
        let mut values = Vec::new();
        for (_, evaluator) in &mut evaluators {
            let mut goals = vec![0.0; legal.len()];
            evaluator.evaluate(machine.state(), &mut goals);
            values.push(format!("{:.12}", goals[0]));
        }
        println!("{}: {}", game.move_text(Role(0), made), values.join(", "));
    }
    if let Some((name, evaluator)) = evaluators.pop() {
        let mut search = AlphaBeta::with_evaluator(evaluator, game, Role(0), Settings::default(), 1);
        let decision = search.decide(game.initial(), &Budget::iterations(SEARCHED));
        let line: Vec<String> = decision
            .line
            .iter()
            .map(|joint| {
                let moves = game.roles().zip(joint).map(|(role, &made)| game.move_text(role, made));
                moves.filter(|text| text != "noop").collect::<Vec<_>>().join(" & ")
            })
            .collect();
        println!(
            "search by {name} over {} states, {} of them evaluated: {:.9} by {}",
            decision.nodes,
            decision.playouts,
            decision.value.unwrap_or(f64::NAN),
            line.join(", ")
        );
    }
}
