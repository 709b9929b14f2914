//! Time of an evaluation, and states per second of an alpha-beta search with it: `cargo run --release -p
//! ludens-evaluate --example evaluator_speed -- [networks] GAME...`, with names of library games or rule files. With
//! `networks` only the cost of networks is measured, which is fast enough for many games.
//!
//! States are those of playouts. The search looks at a fixed number of states from the start of the game. Times are
//! those of the processor where the system tells them, so that other programs matter little.

use ludens_budget::Budget;
use ludens_engine::knowledge::{Evaluator, Standing};
use ludens_engine::{Game, Rng, Role, State, playout};
use ludens_evaluate::learned::clune::{self, Clune};
use ludens_evaluate::rules::fuzzy::{self, Fuzzy};
use ludens_evaluate::rules::mobility::Mobility;
use ludens_evaluate::rules::neural::{self, GoalNetwork, Weights};
use ludens_search::Searcher;
use ludens_search::alphabeta::{AlphaBeta, Settings};
use std::time::{Duration, Instant};

const STATES: usize = 1_000;
/// Time for which the states are evaluated again and again.
const LEAST_TIME: Duration = Duration::from_millis(200);
/// States that a search looks at.
const SEARCHED: u64 = 30_000;

/// How long this thread has run; the time of the clock where that is not known.
fn time(begun: Instant) -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| begun.elapsed(), Duration::from_nanos)
}

fn main() {
    println!("| game | evaluator | neurons | µs a state | states/s in search | evaluated/s |");
    println!("| --- | --- | ---: | ---: | ---: | ---: |");
    let mut arguments = std::env::args().skip(1).peekable();
    let only_networks = arguments.next_if(|word| word == "networks").is_some();
    for name in arguments {
        let source = match (ludens_library::find(&name), std::fs::read(&name)) {
            (Some(entry), _) => entry.source(),
            (None, Ok(bytes)) => ludens_gdl::Source::from_bytes(&name, bytes),
            (None, Err(cause)) => {
                eprintln!("there is no game {name} in the library, and no such file: {cause}");
                continue;
            }
        };
        match Game::read(source) {
            Ok(game) => measure(&game, only_networks),
            Err(cause) => eprintln!("{cause}"),
        }
    }
}

fn measure(game: &Game, only_networks: bool) {
    let states = states(game);
    let usual = neural::Settings::default();
    let weights = Weights::Global;
    for (name, settings) in [
        ("network 1.1", usual),
        ("network 1.1, chains", neural::Settings { chains: true, ..usual }),
        ("network 1.0", neural::Settings { weights, ..usual }),
    ] {
        let network = GoalNetwork::new(game, settings, &Budget::default());
        // Without chains the network is the same.
        if let Some(network) = network.filter(|network| !settings.chains || network.chains() > 0) {
            let neurons = network.neurons().to_string();
            report(game, name, &neurons, &states, Box::new(network), !only_networks);
        }
    }
    if only_networks {
        return;
    }
    if let Some(fuzzy) = Fuzzy::new(game, fuzzy::Settings::default()) {
        report(game, "fuzzy", "-", &states, Box::new(fuzzy), true);
    }
    if let Ok(function) = clune::build(game, &clune::Options::default(), 1, &Budget::default()) {
        report(game, "clune", "-", &states, Box::new(Clune::new(&function)), true);
    }
    report(game, "mobility", "-", &states, Box::new(Mobility::new(game)), true);
    report(game, "goals", "-", &states, Box::new(Standing::new(game)), true);
}

fn states(game: &Game) -> Vec<State> {
    let mut rng = Rng::with_seed(1);
    let mut machine = game.machine();
    let mut joint = Vec::new();
    let mut states = Vec::new();
    // A game whose initial state is terminal has no state to evaluate.
    for _ in 0..4 * STATES {
        if states.len() == STATES {
            break;
        }
        if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            machine.load(game.initial());
            continue;
        }
        states.push(machine.state().clone());
        machine.step(&joint);
    }
    states
}

fn report(game: &Game, name: &str, neurons: &str, states: &[State], mut evaluator: Box<dyn Evaluator>, searches: bool) {
    let mut goals = vec![0.0; game.roles().len()];
    let clock = Instant::now();
    // The time of the processor is told in steps of some milliseconds, so one round alone says little.
    let (begun, mut rounds) = (time(clock), 0);
    while rounds == 0 || time(clock) - begun < LEAST_TIME {
        for state in states {
            evaluator.evaluate(state, &mut goals);
        }
        rounds += 1;
    }
    let evaluated = rounds * states.len().max(1);
    let cost = (time(clock) - begun).as_secs_f64() * 1e6 / evaluated as f64;
    if !searches {
        println!("| {} | {name} | {neurons} | {cost:.1} | | |", game.name());
        return;
    }
    let mut search = AlphaBeta::with_evaluator(evaluator, game, Role(0), Settings::default(), 1);
    let begun = time(clock);
    let decision = search.decide(game.initial(), &Budget::iterations(SEARCHED));
    let seconds = (time(clock) - begun).as_secs_f64();
    println!(
        "| {} | {name} | {neurons} | {cost:.1} | {:.0} | {:.0} |",
        game.name(),
        decision.nodes as f64 / seconds,
        decision.playouts as f64 / seconds
    );
}
