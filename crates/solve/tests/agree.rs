//! Both methods give the same answers.

use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, JointMoves, Rng, State};
use ludens_gdl::Source;
use ludens_solve::{Method, Options, Order, Report, Solution, SolveError, solve};

/// States of games that are compared.
const MOST_STATES: u64 = 6_000;
/// Gates of library games that are compared; relations of larger ones take long to build.
const MOST_GATES: usize = 2_000;

fn options(method: Method, order: Order) -> Options {
    Options {
        method,
        order,
        threads: 2,
        ..Options::default()
    }
}

/// What both methods must agree on.
fn facts(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        report.complete,
        report.values.clone(),
        [
            &report.reachable,
            &report.terminal,
            &report.classified,
            &report.unclassified,
        ]
        .map(|count| count.to_string()),
        report.layers.iter().map(ToString::to_string).collect::<Vec<_>>(),
        report
            .buckets
            .iter()
            .map(|bucket| (bucket.goals.clone(), bucket.states.to_string()))
            .collect::<Vec<_>>(),
    )
}

/// Some reachable states.
fn states(game: &Game) -> Vec<State> {
    let mut rng = Rng::with_seed(2);
    let mut machine = game.machine();
    let mut states = Vec::new();
    for _ in 0..5 {
        machine.load(game.initial());
        for _ in 0..60 {
            states.push(machine.state().clone());
            if machine.is_terminal() {
                break;
            }
            let mut joints = JointMoves::of(&mut *machine);
            let (mut joint, mut chosen, mut count) = (Vec::new(), Vec::new(), 0);
            while joints.next_into(&mut joint) {
                count += 1;
                if rng.usize(..count) == 0 {
                    chosen.clone_from(&joint);
                }
            }
            if count == 0 {
                break;
            }
            machine.step(&chosen);
        }
    }
    states
}

fn solved(game: &Game, options: &Options) -> Result<(Report, Option<Solution>), SolveError> {
    solve(
        game,
        options,
        &Budget::default().with_nodes(MOST_STATES).with_bytes(1 << 30),
    )
}

/// Whether a game was small enough and made for both methods; panics where they disagree.
fn agree(game: &Game, order: Order) -> bool {
    let Ok((explicit, Some(table))) = solved(game, &options(Method::Explicit, order)) else {
        return false;
    };
    if explicit.stop.is_some_and(|stop| stop.reason == StopReason::Nodes) {
        return false;
    }
    let (symbolic, sets) = match solved(game, &options(Method::Symbolic, order)) {
        Ok((symbolic, Some(sets))) => (symbolic, sets),
        Ok((report, None)) => panic!("{}: no solution, {:?}", game.name(), report.stop),
        Err(SolveError::Unsuitable { .. }) => return false,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(facts(&explicit), facts(&symbolic), "{} ({})", game.name(), order.name());
    for state in states(game) {
        assert_eq!(table.values(&state), sets.values(&state), "{}", game.name());
    }
    true
}

#[test]
fn methods_agree_on_small_library_games() {
    let mut agreed = Vec::new();
    for entry in ludens_library::entries() {
        let game = Game::read(entry.source()).unwrap();
        if game.engine().gates().is_none_or(|gates| gates > MOST_GATES) {
            continue;
        }
        for order in [Order::Own, Order::Difference] {
            if agree(&game, order) && order == Order::Own {
                agreed.push(game.name().to_string());
            }
        }
    }
    assert!(agreed.len() >= 10, "{agreed:?}");
}

#[test]
fn methods_agree_on_generated_sizes() {
    type Sizes = &'static [(&'static str, std::ops::Range<i64>)];
    let families: &[(&str, Sizes)] = &[
        ("chomp", &[("cols", 2..5), ("rows", 1..4)]),
        ("clobber", &[("cols", 2..4), ("rows", 1..4)]),
        ("domineering", &[("cols", 2..4), ("rows", 2..4)]),
        ("dots-and-boxes", &[("cols", 1..3), ("rows", 1..2)]),
        ("hanoi", &[("discs", 1..4)]),
        ("hex", &[("size", 2..4)]),
        ("kalaha", &[("pits", 1..3), ("seeds", 1..3)]),
        ("lights-out", &[("size", 2..3)]),
        ("nim", &[("a", 1..5), ("b", 0..5), ("c", 0..5), ("d", 0..1)]),
        ("pancakes", &[("n", 3..5)]),
        ("subtraction", &[("heap", 1..30), ("most", 1..6)]),
        ("sliding-puzzle", &[("cols", 2..3), ("rows", 2..4), ("limit", 5..12)]),
    ];
    let mut rng = Rng::with_seed(31);
    let mut agreed = 0;
    for (name, ranges) in families {
        let family = ludens_library::find_family(name).unwrap();
        for _ in 0..3 {
            let chosen: Vec<(&str, i64)> = ranges
                .iter()
                .map(|(parameter, range)| (*parameter, rng.i64(range.clone())))
                .collect();
            let rules = family.generate(&chosen).unwrap();
            let game = Game::read(Source::new(format!("{name} {chosen:?}"), rules)).unwrap();
            agreed += usize::from(agree(&game, Order::Own));
        }
    }
    assert!(agreed >= 24, "{agreed}");
}

/// Graphs with cycles, in which not every state has a value.
#[test]
fn methods_agree_on_cycles() {
    let mut rng = Rng::with_seed(23);
    let mut unclassified = 0u64;
    for round in 0..30 {
        let roles = 1 + round % 3;
        let nodes = rng.usize(4..14);
        let mut rules: String = (0..roles).map(|role| format!("(role r{role}) ")).collect();
        rules += "(init (at n0)) (<= (next (at ?n)) (does ?r (go ?n)))
            (<= (legal ?r (go ?n)) (true (at ?m)) (owner ?m ?r) (edge ?m ?n))
            (<= (legal ?r noop) (role ?r) (true (at ?m)) (not (owner ?m ?r)))
            (<= terminal (true (at ?n)) (end ?n))
            (<= (goal ?r ?g) (true (at ?n)) (worth ?n ?r ?g))\n";
        // The start leads to an end, so that there is one.
        rules += &format!("(owner n0 r0) (edge n0 n1) (edge n0 n{}) ", nodes - 1);
        for node in 1..nodes {
            if node + 1 == nodes || rng.u8(..4) == 0 {
                rules += &format!("(end n{node}) ");
                (0..roles).for_each(|role| {
                    rules += &format!("(worth n{node} r{role} {}) ", [0, 50, 100][rng.usize(..3)]);
                });
            } else {
                rules += &format!("(owner n{node} r{}) ", rng.usize(..roles));
                (0..rng.usize(1..4)).for_each(|_| rules += &format!("(edge n{node} n{}) ", rng.usize(..nodes)));
            }
        }
        let game = Game::read(Source::new(format!("graph {round}"), rules)).unwrap();
        for order in [Order::Own, Order::Difference] {
            assert!(agree(&game, order));
            let (report, _) = solved(&game, &options(Method::Explicit, order)).unwrap();
            unclassified += u64::try_from(&report.unclassified).unwrap();
        }
    }
    assert!(unclassified > 0);
}
