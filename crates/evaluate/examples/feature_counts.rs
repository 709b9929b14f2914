//! Which features follow from the rules of games, and how long it takes to find them: `cargo run --release -p
//! ludens-evaluate --example feature_counts -- SECONDS FILE...` gives each game that many seconds, the time to make it
//! playable not counted, and prints a line for each, then the sums over all.
//!
//! In the states of a playout it is checked that the conditions with features say the same about goals and the end as
//! the rules do.
//!
//! Admissible distances are measured by themselves, to all fluents that goals and the end depend on, without a limit on
//! the time. Times are those of the processor where the system tells them, so that other programs matter little; but
//! the seconds that each game is given are those of the clock.

use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, Options, Rng, playout};
use ludens_evaluate::rules::derived::Kind;
use ludens_evaluate::rules::distance::{Choice, Distances};
use ludens_evaluate::rules::neural;
use ludens_evaluate::rules::neural::featured::{FeatureNetwork, FeatureSettings};
use ludens_gdl::Description;
use ludens_ground::Signal;
use ludens_ground::order::groups;
use std::time::{Duration, Instant};

/// The kinds that are counted; admissible distances are measured by themselves.
const KINDS: [Kind; 7] = [
    Kind::Solutions,
    Kind::PartialSolutions,
    Kind::Order,
    Kind::VariableDistance,
    Kind::FixedDistance,
    Kind::TruePersistence,
    Kind::FalsePersistence,
];

/// What was found in one game.
struct Row {
    counts: [usize; KINDS.len()],
    seconds: f64,
    /// Seconds for the distances, and whether there are any.
    admissible: (f64, bool),
    cost: f64,
    wrong: usize,
}

/// How long this thread has run; the time of the clock where that is not known.
fn time(begun: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds
        .map_or_else(|| begun.elapsed(), Duration::from_nanos)
        .as_secs_f64()
}

/// The time to make a game playable, so that none is left out only because the machine is busy.
const MOST_SETUP: Duration = Duration::from_secs(300);
/// States in which the network is checked.
const MOST_STATES: i32 = 100;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10.0);
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
    println!(
        "game\tsetup\trules\tpersistence\tadmissible\tleaves\t{}\tµs\twrong\tleft out\tgrounded",
        names.join("\t")
    );
    let mut rows = Vec::new();
    for path in arguments {
        rows.extend(look_at(&path, seconds));
    }
    print_sums(&rows);
}

fn look_at(path: &str, seconds: f64) -> Option<Row> {
    let name = path.rsplit('/').next().unwrap_or(path).to_string();
    let source = match ludens_library::find(path) {
        Some(entry) => entry.source(),
        None => match std::fs::read(path) {
            Ok(bytes) => ludens_gdl::Source::from_bytes(&name, bytes),
            Err(cause) => {
                println!("{name}\t{cause}");
                return None;
            }
        },
    };
    let begin = Instant::now();
    let mut options = Options::default();
    options.limits.setup = MOST_SETUP;
    let game = match Game::new(Description::read(source), options) {
        Ok(game) => game,
        Err(cause) => {
            println!("{name}\t{cause}");
            return None;
        }
    };
    let setup = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let before = time(begin);
    let budget = Budget::default().within(Duration::from_secs_f64(seconds));
    let features = FeatureSettings::default();
    let Some(mut network) = FeatureNetwork::new(&game, neural::Settings::default(), features, &budget) else {
        println!("{name}\t{setup:.2}\tnot compiled: {}", game.fallback().unwrap_or(""));
        return None;
    };
    let seconds = time(begin) - before;
    let (cost, wrong) = check(&game, &mut network);
    let found = network.found();
    let begin = Instant::now();
    let before = time(begin);
    let distances = Distances::new(&game, &asked_fluents(&game), Choice::Both);
    let admissible = (time(begin) - before, distances.is_some());
    let counts = KINDS.map(|kind| found.features.iter().filter(|feature| feature.kind == kind).count());
    let texts: Vec<String> = counts.iter().map(usize::to_string).collect();
    let left_out: Vec<String> = found
        .left_out
        .iter()
        .map(|(feature, cause)| format!("{}: {cause}", feature.kind.name()))
        .collect();
    println!(
        "{name}\t{setup:.2}\t{:.3}\t{:.3}\t{:.3}{}\t{}\t{}\t{cost:.1}\t{wrong}\t{}\t{}",
        found.times.rules.as_secs_f64(),
        found.times.persistence.as_secs_f64(),
        admissible.0,
        if admissible.1 { "" } else { " (too many)" },
        found.leaves().len(),
        texts.join("\t"),
        left_out.join(", "),
        found.grounded.unwrap_or("")
    );
    Some(Row {
        counts,
        seconds,
        admissible,
        cost,
        wrong,
    })
}

/// Returns what a state costs, in microseconds, and in how many states of a playout the network is wrong about what
/// holds.
fn check(game: &Game, network: &mut FeatureNetwork) -> (f64, usize) {
    let mut machine = game.machine();
    let mut rng = Rng::with_seed(1);
    let mut joint = Vec::new();
    let (mut states, mut wrong) = (0, 0);
    let mut spent = Duration::ZERO;
    while states < MOST_STATES {
        let state = machine.state().clone();
        // Other programs make some of the tries longer than they are.
        let times = [(); 3].map(|()| {
            let begin = Instant::now();
            network.compute(&state);
            begin.elapsed()
        });
        spent += times.into_iter().min().unwrap_or_default();
        states += 1;
        let is_right = network.is_over().is_none_or(|said| said == machine.is_terminal())
            && game.roles().all(|role| {
                let held = machine.goal_values(role).to_vec();
                (0..=100).all(|value| {
                    let said = network.holds(role.index(), value);
                    said.is_none_or(|said| said == held.contains(&value))
                })
            });
        wrong += usize::from(!is_right);
        if machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err() {
            break;
        }
        machine.step(&joint);
    }
    (spent.as_secs_f64() * 1e6 / f64::from(states), wrong)
}

/// Returns the fluents that goals and the end depend on.
fn asked_fluents(game: &Game) -> Vec<Fluent> {
    let Some(circuit) = game.engine().circuit() else {
        return Vec::new();
    };
    let program = &circuit.program;
    let goals = program.goals.values().flatten().map(|&(_, proposition)| proposition);
    let mut fluents = Vec::new();
    for group in groups(program, goals.chain(program.terminal)) {
        for body in group.members.iter().flat_map(|&member| program.instances_of(member)) {
            fluents.extend(body.iter().filter_map(|condition| match condition.signal {
                Signal::Fluent(fluent) => Some(fluent),
                Signal::Move(..) | Signal::Derived(_) => None,
            }));
        }
    }
    fluents.sort_unstable();
    fluents.dedup();
    fluents
}

fn print_sums(rows: &[Row]) {
    let games = rows.len().max(1) as f64;
    println!("\n| kind | games | share | features | a game |\n| --- | ---: | ---: | ---: | ---: |");
    let line = |name: &str, with: usize, features: usize| {
        let share = 100.0 * with as f64 / games;
        println!(
            "| {name} | {with} | {share:.1} % | {features} | {:.2} |",
            features as f64 / games
        );
    };
    for (number, kind) in KINDS.iter().enumerate() {
        let with = rows.iter().filter(|row| row.counts[number] > 0).count();
        line(kind.name(), with, rows.iter().map(|row| row.counts[number]).sum());
    }
    let kinds: usize = rows
        .iter()
        .map(|row| row.counts.iter().filter(|&&count| count > 0).count())
        .sum();
    let all: usize = rows.iter().flat_map(|row| row.counts).sum();
    println!(
        "\n{} games; {:.2} kinds and {:.2} features a game",
        rows.len(),
        kinds as f64 / games,
        all as f64 / games
    );
    let mut times: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    times.sort_by(f64::total_cmp);
    let at = |times: &[f64], share: f64| times.get((share * (games - 1.0)) as usize).copied().unwrap_or(0.0);
    println!(
        "seconds to find them: median {:.2}, nine tenths within {:.2}, longest {:.2}",
        at(&times, 0.5),
        at(&times, 0.9),
        at(&times, 1.0)
    );
    let mut costs: Vec<f64> = rows.iter().map(|row| row.cost).collect();
    costs.sort_by(f64::total_cmp);
    println!(
        "microseconds a state: median {:.1}, nine tenths within {:.1}, longest {:.1}; wrong in {} games",
        at(&costs, 0.5),
        at(&costs, 0.9),
        at(&costs, 1.0),
        rows.iter().filter(|row| row.wrong > 0).count()
    );
    let mut times: Vec<f64> = rows.iter().map(|row| row.admissible.0).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "seconds for admissible distances: median {:.3}, nine tenths within {:.2}, longest {:.2}; {} over 100 s; given up in {}",
        at(&times, 0.5),
        at(&times, 0.9),
        at(&times, 1.0),
        times.iter().filter(|&&seconds| seconds > 100.0).count(),
        rows.iter().filter(|row| !row.admissible.1).count()
    );
}
