//! The tree search finds the best moves of games with known values, and keeps to its bounds.

use super::*;

fn game(name: &str) -> Game {
    let entry = ludens_library::find(name).expect("the library has the game");
    Game::read(entry.source()).expect("library games can be played")
}

fn play(game: &Game, machine: &mut dyn Machine, moves: &[[&str; 2]]) {
    for texts in moves {
        let pairs = game.roles().zip(texts);
        let joint: Vec<MoveId> = pairs.filter_map(|(role, text)| game.parse_move(role, text)).collect();
        machine.step(&joint);
    }
}

fn one_by_one() -> Settings {
    Settings::with(|s| {
        s.playout.in_flight = 1;
        s.simultaneous.joint_first = true;
        s.selection.scaled = false;
    })
}

/// The worked trace of biased rock-paper-scissors: after every joint move was made once, both players have equal
/// statistics, make equal moves indefinitely, and drift to a third each, which is no equilibrium.
#[test]
fn decoupled_uct_goes_in_circles_in_biased_rock_paper_scissors() {
    let game = game("biased-rock-paper-scissors");
    let visits = |iterations: u64| -> Vec<(String, u64, f64)> {
        let mut search = Mcts::new(&game, Role(0), one_by_one(), 1);
        let decision = search.decide(game.initial(), &Budget::iterations(iterations));
        let of = |name: &str| {
            let found = decision
                .moves
                .iter()
                .find(|known| game.move_text(Role(0), known.move_id) == name);
            let known = found.expect("the move is legal");
            (name.to_string(), known.visits, known.value.unwrap_or(0.0))
        };
        vec![of("rock"), of("paper"), of("scissors")]
    };
    let nine = visits(9);
    assert!(nine.iter().all(|(_, visits, _)| *visits == 3));
    let means: Vec<f64> = nine.iter().map(|(_, _, mean)| (mean * 100.0).round() / 100.0).collect();
    assert_eq!(means, [58.33, 56.67, 35.0]);
    let mut choices = String::new();
    let mut before = nine;
    for iterations in 10..=27 {
        let after = visits(iterations);
        let made = (0..3).find(|&place| after[place].1 > before[place].1);
        choices.push(
            ["r", "p", "s"][made.expect("one of them was made")]
                .chars()
                .next()
                .unwrap_or('?'),
        );
        before = after;
    }
    // N = 9 chooses rock, 23 scissors for the first time, 24 to 26 go round.
    assert_eq!(choices, "rprprprprprprpsrps");
    let many = visits(100_000);
    for (name, visits, mean) in many {
        assert!(
            (visits as f64 / 100_000.0 - 1.0 / 3.0).abs() < 0.003,
            "{name}: {visits}"
        );
        assert!((mean - 50.0).abs() < 0.01, "{name}: {mean}");
    }
}

#[test]
fn joint_moves_that_lead_to_one_state_share_a_node() {
    let game = game("simultaneous-tic-tac-toe");
    let mut search = Mcts::new(&game, Role(0), one_by_one(), 1);
    search.decide(game.initial(), &Budget::iterations(200));
    let root = search.tree.find(game.initial()).expect("the root is known");
    let mut children: Vec<NodeId> = search.tree.get(root).children();
    assert_eq!(children.len(), 81);
    children.sort_unstable();
    children.dedup();
    // 72 with two different cells, and one where both chose the same.
    assert_eq!(children.len(), 73);
}

#[test]
fn the_solver_proves_forced_wins() {
    let game = game("tic-tac-toe");
    let mut machine = game.machine();
    // The centre against an edge wins by force.
    play(&game, &mut *machine, &[["(mark 2 2)", "noop"], ["noop", "(mark 1 2)"]]);
    let mut search = Mcts::new(&game, Role(0), Settings::default(), 3);
    let decision = search.decide(machine.state(), &Budget::iterations(200_000));
    assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(100.0)));
    assert!(decision.playouts < 200_000);
}

#[test]
fn equal_proofs_are_broken_by_the_mean_against_random_play() {
    let game = game("tic-tac-toe");
    let mut machine = game.machine();
    play(&game, &mut *machine, &[["(mark 2 2)", "noop"], ["noop", "(mark 1 1)"]]);
    let mut search = Mcts::new(&game, Role(0), Settings::default(), 3);
    let decision = search.decide(machine.state(), &Budget::iterations(500_000));
    assert_eq!((decision.stop, decision.value), (StopReason::Solved, Some(50.0)));
    assert!(decision.moves.iter().all(|known| known.value == Some(50.0)));
    let mean = |choice: MoveId| {
        let mut after = game.machine();
        after.load(machine.state());
        let noop = after.legal(Role(1))[0];
        after.step(&[choice, noop]);
        values(&game, after.state()).1
    };
    let means: Vec<f64> = decision.moves.iter().map(|known| mean(known.move_id)).collect();
    let most = means.iter().copied().fold(0.0, f64::max);
    assert_eq!(mean(decision.choice), most, "{means:?}");
    assert!(means.iter().any(|&other| other < most), "{means:?}");
}

/// The goal that the first role can force in a state of tic-tac-toe, and its mean goal against random moves if it
/// gives nothing away.
fn values(game: &Game, state: &State) -> (u8, f64) {
    let mut machine = game.machine();
    machine.load(state);
    if machine.is_terminal() {
        let score = machine.score(Role(0));
        return (score, f64::from(score));
    }
    let (own, other) = (machine.legal(Role(0)).to_vec(), machine.legal(Role(1)).to_vec());
    let mut after = Vec::new();
    for &first in &own {
        for &second in &other {
            machine.load(state);
            machine.step(&[first, second]);
            after.push(values(game, machine.state()));
        }
    }
    if own.len() > 1 {
        let forced = after.iter().map(|values| values.0).max().unwrap_or(0);
        let kept = after.iter().filter(|values| values.0 == forced);
        (forced, kept.map(|values| values.1).fold(0.0, f64::max))
    } else {
        let forced = after.iter().map(|values| values.0).min().unwrap_or(0);
        (
            forced,
            after.iter().map(|values| values.1).sum::<f64>() / after.len() as f64,
        )
    }
}

#[test]
fn tic_tac_toe_is_not_lost() {
    let game = game("tic-tac-toe");
    for seed in 0..100 {
        let role = Role((seed % 2) as u8);
        let mut search = Mcts::new(&game, role, Settings::default(), seed);
        let mut rng = Rng::with_seed(seed);
        let mut machine = game.machine();
        while !machine.is_terminal() {
            let mut joint: Vec<MoveId> = game
                .roles()
                .filter_map(|role| rng.choice(machine.legal(role)).copied())
                .collect();
            let state = machine.state().clone();
            joint[role.index()] = search.decide(&state, &Budget::iterations(1_000)).choice;
            machine.step(&joint);
        }
        assert!(machine.score(role) >= 50, "lost with seed {seed}");
    }
}

#[test]
fn iterations_are_spent_exactly_and_alike() {
    for name in [
        "connect-four",
        "breakthrough-small",
        "goofspiel-5",
        "smallest-3",
        "eight-puzzle",
    ] {
        let game = game(name);
        let decide = || {
            let mut search = Mcts::new(&game, Role(0), Settings::default(), 11);
            search.decide(game.initial(), &Budget::iterations(2_345))
        };
        let decision = decide();
        assert_eq!(decision.playouts, 2_345, "{name}");
        assert_eq!(decision, decide(), "{name}");
        let visits: u64 = decision.moves.iter().map(|known| known.visits).sum();
        assert_eq!(visits, 2_345, "{name}");
    }
}

#[test]
fn threads_share_the_budget_and_agree_every_time() {
    let game = game("connect-four");
    let decide = || {
        let settings = Settings::with(|s| s.parallel.threads = 3);
        Mcts::new(&game, Role(0), settings, 5).decide(game.initial(), &Budget::iterations(3_001))
    };
    let decision = decide();
    assert_eq!(decision.playouts, 3_001);
    assert_eq!(decision.moves.iter().map(|known| known.visits).sum::<u64>(), 3_001);
    let most = decision.moves.iter().max_by_key(|known| known.visits);
    assert_eq!(most.map(|known| known.move_id), Some(decision.choice));
    assert_eq!(decision, decide());
}

#[test]
fn memory_is_bounded() {
    let game = game("connect-four");
    let settings = Settings::with(|s| s.expansion.max_nodes = 50);
    let mut search = Mcts::new(&game, Role(0), settings, 1);
    let decision = search.decide(game.initial(), &Budget::iterations(5_000));
    assert_eq!((decision.nodes, decision.playouts), (50, 5_000));
}

#[test]
fn a_bounded_tree_keeps_the_nearest_nodes() {
    let game = game("connect-four");
    let mut search = Mcts::new(&game, Role(0), Settings::default(), 1);
    let before = search.decide(game.initial(), &Budget::iterations(3_000));
    let root = search.tree.find(game.initial()).expect("it was searched from there");
    let root = search.tree.keep(root, 8);
    assert_eq!(search.tree.len(), 8);
    // The root and its seven children; what was found out about the moves is still known.
    assert_eq!(search.tree.get(root).children().len(), 7);
    assert!(
        search
            .tree
            .get(root)
            .children()
            .iter()
            .all(|&child| search.tree.get(child).children().is_empty())
    );
    let after = search.decide(game.initial(), &Budget::iterations(3_000));
    let visits = |decision: &Decision| decision.moves.iter().map(|known| known.visits).sum::<u64>();
    assert!(visits(&after) > visits(&before) + 2_500);
    assert!(search.tree.len() > 1_000);
}
