//! The library: every game is valid without a warning, and its facts come out of the interpreter.

use ludens_budget::Budget;
use ludens_engine::perft::perft;
use ludens_engine::{EngineChoice, Game, JointMoves, Machine, Options, Role, State};
use ludens_gdl::Description;
use ludens_library::Entry;
use ludens_reach::{ExploreOptions, ViolationKind, explore};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Longer counts are left to `ludens perft` and `ludens check --explore`.
const MOST_SEQUENCES: u64 = 100_000;
const MOST_STATES: u64 = 70_000;
const MOST_TRANSITIONS: u64 = 1_000_000;

fn for_all(check: impl Fn(&Entry) -> Result<(), String> + Sync) {
    let entries: Vec<&Entry> = ludens_library::entries().collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(failure) = check(entry) {
                        failures.lock().unwrap().push(format!("{}: {failure}", entry.name));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_game_is_valid_without_a_warning() {
    for_all(|entry| {
        let description = Description::read(entry.source());
        match description.diagnostics.first() {
            None => Ok(()),
            Some(diagnostic) => Err(format!("{} {}", diagnostic.code.id, diagnostic.message)),
        }
    });
}

#[test]
fn every_game_has_the_recorded_perft() {
    for_all(|entry| has_recorded_perft(entry, EngineChoice::Auto, MOST_SEQUENCES));
}

#[test]
fn every_game_has_the_recorded_perft_on_the_interpreter() {
    for_all(|entry| has_recorded_perft(entry, EngineChoice::Interpreted, 2_000));
}

fn has_recorded_perft(entry: &Entry, engine: EngineChoice, most_sequences: u64) -> Result<(), String> {
    let options = Options {
        engine,
        ..Options::default()
    };
    let game = Game::new(Description::read(entry.source()), options).map_err(|error| error.to_string())?;
    let expected = &entry.metadata.facts.perft;
    let depth = expected.iter().rposition(|&count| count <= most_sequences).unwrap_or(0);
    let counted = perft(&game, depth, usize::MAX, &Budget::default(), |_, _| {});
    let counted: Vec<u64> = counted.nodes.iter().map(|&count| count as u64).collect();
    match counted[..] == expected[..=depth] {
        true => Ok(()),
        false => Err(format!("perft {counted:?}, expected {expected:?}")),
    }
}

#[test]
fn small_games_have_the_recorded_states() {
    let explored = std::sync::atomic::AtomicUsize::new(0);
    for_all(|entry| {
        let facts = &entry.metadata.facts;
        let Some(states) = facts.states.filter(|&states| states <= MOST_STATES) else {
            return Ok(());
        };
        if facts
            .transitions
            .is_some_and(|transitions| transitions > MOST_TRANSITIONS)
        {
            return Ok(());
        }
        let game = Game::read(entry.source()).map_err(|error| error.to_string())?;
        let budget = Budget::default().within(Duration::from_secs(1000));
        let exploration = explore(&game, &ExploreOptions::default(), &budget);
        explored.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if exploration.states as u64 != states {
            return Err(format!("{} states, expected {states}", exploration.states));
        }
        if let Some(terminal) = facts
            .terminal
            .filter(|&terminal| terminal != exploration.terminal as u64)
        {
            return Err(format!("{} terminal states, expected {terminal}", exploration.terminal));
        }
        let transitions = facts
            .transitions
            .filter(|&transitions| transitions != exploration.transitions);
        if let Some(transitions) = transitions {
            return Err(format!(
                "{} transitions, expected {transitions}",
                exploration.transitions
            ));
        }
        // Some games may go on for ever and declare it; there must be no other violation.
        let allowed = |kind: &ViolationKind| matches!(kind, ViolationKind::Cycle(_) | ViolationKind::TooLong);
        match exploration
            .violations
            .iter()
            .find(|violation| !allowed(&violation.kind))
        {
            None => Ok(()),
            Some(violation) => Err(format!("{:?} after {} steps", violation.kind, violation.line.len())),
        }
    });
    let explored = explored.into_inner();
    assert!(explored >= 30, "only {explored} games were explored");
}

#[test]
fn small_games_have_the_recorded_values() {
    let solved = std::sync::atomic::AtomicUsize::new(0);
    for_all(|entry| {
        let facts = &entry.metadata.facts;
        let is_small = facts.states.is_some_and(|states| states <= MOST_STATES);
        let takes_turns = !entry
            .metadata
            .tags
            .iter()
            .any(|tag| tag == "simultaneous" || tag == "chance");
        let is_clear = entry
            .metadata
            .tags
            .iter()
            .any(|tag| tag == "one-player" || tag == "constant-sum");
        let Some(expected) = facts.values.as_ref().filter(|_| is_small && takes_turns && is_clear) else {
            return Ok(());
        };
        let game = Game::read(entry.source()).map_err(|error| error.to_string())?;
        let mut values = HashMap::new();
        let Some(value) = value(&mut *game.machine(), game.initial(), &mut values, 0) else {
            return Ok(());
        };
        solved.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        match value == *expected {
            true => Ok(()),
            false => Err(format!("values {value:?}, expected {expected:?}")),
        }
    });
    let solved = solved.into_inner();
    assert!(solved >= 20, "only {solved} games were solved");
}

/// Goals under optimal play by backward induction; `None` if two roles choose simultaneously or a line is very long.
fn value(
    machine: &mut dyn Machine,
    state: &State,
    known: &mut HashMap<State, Vec<u8>>,
    depth: usize,
) -> Option<Vec<u8>> {
    if let Some(value) = known.get(state) {
        return Some(value.clone());
    }
    if depth > 200 {
        return None;
    }
    machine.load(state);
    let roles = machine.role_count();
    let goals = |machine: &mut dyn Machine| (0..roles).map(|role| machine.score(Role(role as u8))).collect();
    let mut best: Option<Vec<u8>> = None;
    if machine.is_terminal() {
        best = Some(goals(machine));
    } else {
        let mut joints = JointMoves::of(machine);
        let choosing: Vec<usize> = (0..roles)
            .filter(|&role| machine.legal(Role(role as u8)).len() > 1)
            .collect();
        let chooser = match choosing[..] {
            [] => 0,
            [role] => role,
            _ => return None,
        };
        let mut joint = Vec::new();
        while joints.next_into(&mut joint) {
            machine.load(state);
            machine.step(&joint);
            let next = machine.state().clone();
            let value = value(machine, &next, known, depth + 1)?;
            if best.as_ref().is_none_or(|best| value[chooser] > best[chooser]) {
                best = Some(value);
            }
        }
    }
    known.insert(state.clone(), best.clone()?);
    best
}

#[test]
fn small_games_have_the_recorded_information_sets() {
    let counted = std::sync::atomic::AtomicUsize::new(0);
    for_all(|entry| {
        let Some(expected) = &entry.metadata.facts.information_sets else {
            return Ok(());
        };
        let game = Game::read(entry.source()).map_err(|error| error.to_string())?;
        let players = expected.len();
        let mut sets = vec![HashSet::new(); players];
        let observed = vec![String::new(); players];
        collect_sets(&mut *game.machine(), game.initial(), &observed, &mut sets);
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let found: Vec<u64> = sets.iter().map(|sets| sets.len() as u64).collect();
        match found == *expected {
            true => Ok(()),
            false => Err(format!("information sets {found:?}, expected {expected:?}")),
        }
    });
    let counted = counted.into_inner();
    assert!(counted >= 8, "only {counted} games were counted");
}

/// Walks all histories and notes what each player has observed where it has a choice: own moves and percepts, step by
/// step. Players come before `random` among the roles of all games that are counted.
fn collect_sets(machine: &mut dyn Machine, state: &State, observed: &[String], sets: &mut [HashSet<String>]) {
    machine.load(state);
    if machine.is_terminal() {
        return;
    }
    for (player, sets) in sets.iter_mut().enumerate() {
        if machine.legal(Role(player as u8)).len() > 1 {
            sets.insert(observed[player].clone());
        }
    }
    let mut joints = JointMoves::of(machine);
    let mut joint = Vec::new();
    while joints.next_into(&mut joint) {
        machine.load(state);
        let observation = |player: usize, machine: &mut dyn Machine| {
            let role = Role(player as u8);
            format!(
                "{}{:?}{:?} ",
                observed[player],
                joint[player],
                machine.percepts(role, &joint)
            )
        };
        let next_observed: Vec<String> = (0..observed.len()).map(|player| observation(player, machine)).collect();
        machine.step(&joint);
        let next = machine.state().clone();
        collect_sets(machine, &next, &next_observed, sets);
    }
}

#[test]
fn the_library_holds_the_games_that_others_rely_on() {
    let names = "tic-tac-toe connect-four connect-four-5x4 connect-four-5x5 connect-four-6x5 connect-four-8x6 \
        clobber-3x4 clobber-4x4 clobber-4x5 breakthrough breakthrough-small simultaneous-tic-tac-toe \
        simultaneous-breakthrough-3x5 biased-rock-paper-scissors repeated-rock-paper-scissors-9 goofspiel-4 \
        goofspiel-5 goofspiel-6 goofspiel-7 smallest-3 pancakes-6 eight-puzzle predator-prey-4 predator-prey-5 \
        predator-prey-6 predator-prey-7 predator-prey-8 predator-prey-9 number-scrabble kuhn-poker leduc-poker \
        liars-dice-3 monty-hall tiger exploding-bomb phantom-tic-tac-toe blind-tic-tac-toe phantom-domineering-8x8 \
        go-fish-3-2-1 lost-cities peg-solitaire hanoi-5 pancakes-8 morpion-4d surakarta checkers chess";
    for name in names.split_whitespace() {
        assert!(ludens_library::find(name).is_some(), "{name} is missing");
    }
}
