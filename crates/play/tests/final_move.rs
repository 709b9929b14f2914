//! The move that is made is never one that the search has proved to be worse than another.
//!
//! A thousand positions of solved games are searched with 200 to 20,000 iterations. What the search calls proved is
//! compared with the exact solution, and the chosen move with everything that the search knows.

use ludens_budget::{Budget, StopReason};
use ludens_engine::playout::choose_joint;
use ludens_engine::{Game, MoveId, Rng, Role, State};
use ludens_search::mcts::{Mcts, PlayoutPolicy, Settings};
use ludens_search::{Decision, Searcher};
use ludens_solve::{Method, Options, Solution};

const POSITIONS: usize = 1_000;
const GAMES: [&str; 5] = [
    "tic-tac-toe",
    "clobber-3x4",
    "kalaha-3x2",
    "connect-four-4x4",
    "connect-four-5x4",
];

/// A state of random play in which one role has a choice, with that role.
fn position(game: &Game, rng: &mut Rng) -> Option<(State, Role)> {
    let mut machine = game.machine();
    let mut seen = Vec::new();
    let mut joint: Vec<MoveId> = Vec::new();
    while !machine.is_terminal() {
        let chooser = game.roles().find(|&role| machine.legal(role).len() > 1);
        seen.extend(chooser.map(|role| (machine.state().clone(), role)));
        choose_joint(&mut *machine, rng, &mut joint).ok()?;
        machine.step(&joint);
    }
    (!seen.is_empty()).then(|| seen.swap_remove(rng.usize(..seen.len())))
}

/// The value of a state for a role after one of its moves, the others having no choice.
fn after(game: &Game, solution: &Solution, state: &State, role: Role, move_id: MoveId) -> f64 {
    let mut machine = game.machine();
    machine.load(state);
    let joint: Vec<MoveId> = game
        .roles()
        .map(|other| {
            if other == role {
                move_id
            } else {
                machine.legal(other)[0]
            }
        })
        .collect();
    machine.step(&joint);
    solution.values(machine.state()).expect("the game is solved")[role.index()]
}

/// Whether a move is proved to be worse than what another one is worth, as far as that is known.
fn is_refuted(decision: &Decision, move_id: MoveId) -> bool {
    let chosen = decision.moves.iter().find(|known| known.move_id == move_id);
    let chosen = chosen.expect("the chosen move is among the moves");
    let is_above = decision.moves.iter().any(|other| other.value > chosen.value);
    chosen.proved && is_above
}

#[test]
fn no_move_proved_worse_than_another_is_ever_chosen() {
    let mut rng = Rng::with_seed(21);
    let (mut searched, mut tempting, mut proved) = (0, 0, 0);
    for name in GAMES {
        let game = Game::read(ludens_library::find(name).expect("a library game").source()).expect("playable");
        let options = Options {
            method: Method::Explicit,
            ..Options::default()
        };
        let (_, solution) = ludens_solve::solve(&game, &options, &Budget::default()).expect("solvable");
        let solution = solution.expect("the game is small");
        for number in 0..POSITIONS / GAMES.len() {
            let Some((state, role)) = position(&game, &mut rng) else {
                continue;
            };
            let settings = Settings::with(|s| {
                s.playout.policy = [PlayoutPolicy::Uniform, PlayoutPolicy::Mast][number % 2];
                s.parallel.threads = [1, 1, 2][number % 3];
                s.selection.halving = number % 7 == 0;
                s.playout.per_leaf = [1, 8][number % 2];
            });
            let mut search = Mcts::new(&game, role, settings, number as u64);
            let iterations = (200.0 * 100f64.powf(rng.f64())) as u64;
            let decision = search.decide(&state, &Budget::iterations(iterations));
            searched += 1;
            let place = format!("{name}, position {number}, {iterations} iterations: {decision:?}");
            assert!(!is_refuted(&decision, decision.choice), "{place}");
            for known in decision.moves.iter().filter(|known| known.proved) {
                let exact = after(&game, &solution, &state, role, known.move_id);
                assert_eq!(known.value, Some(exact), "{place}");
                proved += 1;
            }
            let most_visited = decision.moves.iter().max_by_key(|known| known.visits);
            let is_tempting = decision.stop != StopReason::Solved
                && most_visited.is_some_and(|known| is_refuted(&decision, known.move_id));
            tempting += usize::from(is_tempting);
        }
    }
    // Where the most visited move is refuted, choosing by visits alone would have made it.
    eprintln!("{searched} positions, {proved} proved moves, {tempting} with the most visited move refuted");
    assert!(searched >= POSITIONS * 9 / 10, "{searched}");
    assert!(tempting > 0, "no position would have shown the fault");
}
