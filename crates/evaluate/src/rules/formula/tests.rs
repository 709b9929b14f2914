//! Facts about formulas.

use super::*;
use ludens_engine::{Game, Machine, Rng, State, playout};

/// Evaluates the outputs of a graph in Kleene's three-valued logic: the minimum norm with 0 for false, 1 for true and
/// one half for unknown.
pub(crate) fn truths(graph: &Graph, known: impl Fn(Atom) -> Option<bool>) -> Vec<Option<bool>> {
    let mut lanes = LaneDegrees::<1>::default();
    let outputs = graph.outputs.len();
    graph.degrees(0..outputs, Norm::Minimum, 0.5, &mut lanes, |atom| {
        [known(atom).map_or(0.5, |known| f32::from(u8::from(known)))]
    });
    let truth = |output| match graph.output(output, &lanes)[0] {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    };
    (0..outputs).map(truth).collect()
}

fn fluent(number: u32) -> Atom {
    Atom::Fluent(Fluent(number))
}

#[test]
fn what_is_built_is_simplified() -> Result<(), TooLarge> {
    let mut store = Formulas::new(1000);
    let [a, b, c] = [0, 1, 2].map(|number| store.leaf(fluent(number), false));
    let not_a = store.negate(a)?;
    assert_eq!(store.all(&[a, Formula::ALWAYS, a])?, a);
    assert_eq!(store.all(&[a, not_a, b])?, Formula::NEVER);
    assert_eq!(store.any(&[a, not_a, b])?, Formula::ALWAYS);
    assert_eq!(store.all(&[])?, Formula::ALWAYS);
    assert_eq!(store.any(&[])?, Formula::NEVER);
    let a_or_b = store.any(&[a, b])?;
    assert_eq!(store.all(&[a, a_or_b])?, a);
    let not_a_or_b = store.any(&[not_a, b])?;
    let a_and_b = store.all(&[a, b])?;
    assert_eq!(store.all(&[a, not_a_or_b])?, a_and_b);
    let a_and_c = store.all(&[a, c])?;
    assert_eq!(store.all(&[a_and_b, a_and_c])?, store.all(&[c, b, a])?);
    let negated = store.negate(a_and_b)?;
    assert_eq!(store.negate(negated)?, a_and_b);
    assert_eq!(store.all(&[a_and_b, c, negated])?, Formula::NEVER);
    Ok(())
}

#[test]
fn unknown_follows_the_logic_of_kleene() -> Result<(), TooLarge> {
    let mut store = Formulas::new(1000);
    let a = store.leaf(fluent(0), false);
    let unknown = Formula::UNKNOWN;
    assert_eq!(store.negate(unknown)?, unknown);
    assert_eq!(store.all(&[unknown, Formula::NEVER])?, Formula::NEVER);
    assert_eq!(store.any(&[unknown, Formula::ALWAYS])?, Formula::ALWAYS);
    assert_eq!(store.all(&[unknown, unknown, Formula::ALWAYS])?, unknown);
    let open = store.all(&[unknown, a])?;
    let graph = Graph::with_shared_runs(&store, &[open]);
    assert_eq!(truths(&graph, |_| Some(false)), [Some(false)]);
    assert_eq!(truths(&graph, |_| Some(true)), [None]);
    Ok(())
}

#[test]
fn stores_have_limits() -> Result<(), TooLarge> {
    let mut store = Formulas::new(3);
    let [a, b, c] = [0, 1, 2].map(|number| store.leaf(fluent(number), false));
    store.all(&[a, b])?;
    assert_eq!(store.all(&[a, b, c]), Err(TooLarge::Parts(3)));
    // A stored formula costs no parts.
    assert!(store.all(&[b, a]).is_ok());
    let spent = ludens_budget::Budget::default().within(std::time::Duration::ZERO);
    let mut store = Formulas::within(1000, &spent);
    let [a, b] = [0, 1].map(|number| store.leaf(fluent(number), false));
    let error = (0..10_000).find_map(|_| store.all(&[a, b]).err());
    assert_eq!(error, Some(TooLarge::Time));
    Ok(())
}

#[test]
fn degrees_follow_the_norm() -> Result<(), TooLarge> {
    let mut store = Formulas::new(1000);
    let [a, b] = [0, 1].map(|number| store.leaf(fluent(number), false));
    let not_b = store.negate(b)?;
    let formulas = [store.all(&[a, b])?, store.any(&[a, b])?, store.all(&[a, not_b])?];
    let graph = Graph::with_shared_runs(&store, &formulas);
    let mut lanes = LaneDegrees::<2>::default();
    let degree = |atom: Atom| match atom == fluent(0) {
        true => [0.5, 1.0],
        false => [0.75, 0.0],
    };
    let mut close = |norm: Norm, expected: [[f32; 2]; 3]| {
        graph.degrees(0..3, norm, 0.5, &mut lanes, degree);
        for (output, expected) in expected.iter().enumerate() {
            for (degree, expected) in graph.output(output, &lanes).iter().zip(expected) {
                assert!(
                    (degree - expected).abs() < 1e-5,
                    "{norm:?} {output}: {degree} for {expected}"
                );
            }
        }
    };
    close(Norm::Product, [[0.375, 0.0], [0.875, 1.0], [0.125, 1.0]]);
    close(Norm::Minimum, [[0.5, 0.0], [0.75, 1.0], [0.25, 1.0]]);
    let both = 1.0 - (0.5f32.powi(2) + 0.25f32.powi(2)).sqrt();
    let one = (0.5f32.powi(2) + 0.75f32.powi(2)).sqrt();
    let but = 1.0 - (0.5f32.powi(2) + 0.75f32.powi(2)).sqrt();
    close(Norm::Yager(2.0), [[both, 0.0], [one, 1.0], [but, 1.0]]);
    Ok(())
}

#[test]
fn what_joins_have_in_common_is_computed_once() -> Result<(), TooLarge> {
    const LEAVES: usize = 64;
    let mut store = Formulas::new(100_000);
    let leaves: Vec<Formula> = (0..LEAVES as u32)
        .map(|number| store.leaf(fluent(number), false))
        .collect();
    let all_but = |left_out: usize| {
        let mut rest = leaves.clone();
        rest.remove(left_out);
        rest
    };
    let mut formulas = Vec::new();
    for left_out in 0..LEAVES {
        formulas.push(store.all(&all_but(left_out))?);
        formulas.push(store.any(&all_but(left_out))?);
    }
    let graph = Graph::with_shared_runs(&store, &formulas);
    let parts = LEAVES * (LEAVES - 1);
    assert!(
        graph.operands.len() < parts,
        "{} for twice {parts}",
        graph.operands.len()
    );
    let degree = |Fluent(number): Fluent| 0.97 + 0.0004 * number as f32;
    let mut lanes = LaneDegrees::<1>::default();
    graph.degrees(0..formulas.len(), Norm::Product, 0.5, &mut lanes, |atom| match atom {
        Atom::Fluent(fluent) => [degree(fluent)],
        _ => unreachable!("there are fluents alone"),
    });
    let product: f32 = (0..LEAVES as u32).map(|number| degree(Fluent(number))).product();
    for left_out in 0..LEAVES {
        let expected = product / degree(Fluent(left_out as u32));
        let [all, any] = [0, 1].map(|kind| graph.output(2 * left_out + kind, &lanes)[0]);
        assert!((all - expected).abs() < 1e-5, "{left_out}: {all} for {expected}");
        assert!((any - 1.0).abs() < 1e-5, "{left_out}: {any}");
    }
    let mut state = [true; LEAVES];
    state[5] = false;
    let truths = truths(&graph, |atom| match atom {
        Atom::Fluent(number) => Some(state[number.index()]),
        _ => None,
    });
    for (left_out, truths) in truths.chunks(2).enumerate() {
        assert_eq!(truths, [Some(left_out == 5), Some(true)]);
    }
    Ok(())
}

/// The formulas of a game say what its engine says, in states of playouts.
fn agrees_with_the_engine(game: &Game, recursion: Recursion, seed: u64) {
    let Some(circuit) = game.engine().circuit() else {
        panic!("{} is compiled", game.name());
    };
    let program = &circuit.program;
    let mut store = Formulas::new(1_000_000);
    let mut extractor = Extractor::new(program, recursion);
    let mut formulas = vec![extractor.terminal(&mut store).expect("small")];
    for role in game.roles() {
        for &(value, _) in &program.goals[role] {
            formulas.push(extractor.goal(&mut store, role, value).expect("small"));
        }
        for number in 0..program.names.moves[role].len() as u32 {
            formulas.push(extractor.legal(&mut store, role, MoveId(number)).expect("small"));
        }
    }
    let of_state = formulas.len();
    for number in 0..program.names.fluents.len() as u32 {
        formulas.push(extractor.next(&mut store, Fluent(number)).expect("small"));
    }
    assert!(extractor.is_exact());
    let graph = Graph::with_shared_runs(&store, &formulas);
    let mut rng = Rng::with_seed(seed);
    let mut machine = game.machine();
    let mut joint = Vec::new();
    for _ in 0..20 {
        machine.load(game.initial());
        for _ in 0..100 {
            let state = machine.state().clone();
            let is_over = machine.is_terminal() || playout::choose_joint(&mut *machine, &mut rng, &mut joint).is_err();
            let holds = |atom: Atom| match atom {
                Atom::Fluent(fluent) => Some(state.holds(fluent)),
                Atom::Move(role, move_id) => Some(!is_over && joint[role.index()] == move_id),
                Atom::Proposition(_) => None,
            };
            let truths = truths(&graph, holds);
            let expected = said_by_the_engine(game, &mut *machine, program);
            assert_eq!(truths[..of_state].len(), expected.len());
            for (number, (truth, expected)) in truths.iter().zip(&expected).enumerate() {
                // What may be done is not asked of ends.
                if let Some(expected) = expected {
                    assert_eq!(*truth, Some(*expected), "{}: formula {number}", game.name());
                }
            }
            if is_over {
                break;
            }
            machine.step(&joint);
            let next: Vec<Fluent> = (0..)
                .zip(&truths[of_state..])
                .filter(|(_, truth)| **truth == Some(true))
                .map(|(number, _)| Fluent(number))
                .collect();
            assert_eq!(machine.state(), &State::new(next), "{}", game.name());
        }
    }
}

fn said_by_the_engine(
    game: &Game,
    machine: &mut dyn Machine,
    program: &ludens_ground::GroundProgram,
) -> Vec<Option<bool>> {
    let is_terminal = machine.is_terminal();
    let mut said = vec![Some(is_terminal)];
    for role in game.roles() {
        let values = machine.goal_values(role).to_vec();
        said.extend(program.goals[role].iter().map(|goal| Some(values.contains(&goal.0))));
        let legal = match is_terminal {
            true => Vec::new(),
            false => machine.legal(role).to_vec(),
        };
        let moves = (0..program.names.moves[role].len() as u32).map(MoveId);
        said.extend(moves.map(|known| (!is_terminal).then(|| legal.contains(&known))));
    }
    said
}

#[test]
fn formulas_say_what_the_engine_says() {
    for name in [
        "tic-tac-toe",
        "bidding-tic-tac-toe",
        "sheep-and-wolf",
        "minichess",
        "switches",
        "kuhn-poker",
    ] {
        let entry = ludens_library::find(name).expect("the library has the game");
        let game = Game::read(entry.source()).expect("library games can be played");
        agrees_with_the_engine(&game, Recursion::Opaque, 5);
    }
}

#[test]
fn recursion_can_be_unrolled() {
    // Three lamps in a ring, of which two neighbours are connected while their wire is up: whether the last is lit
    // depends on a ring of propositions.
    let rules =
        "(role you) (node a) (node b) (node c) (edge a b) (edge b c) (edge c a) (edge b a) (edge c b) (edge a c)
        (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal you (wire ?x ?y)) (edge ?x ?y))
        (<= (next (up ?x ?y)) (does you (wire ?x ?y)))
        (<= (next (up ?x ?y)) (true (up ?x ?y)))
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
        (lit-first a) (<= (lit ?x) (lit-first ?x))
        (<= (lit ?y) (lit ?x) (true (up ?x ?y)))
        (<= (lit ?x) (lit ?y) (true (up ?x ?y)))
        (<= terminal (lit b) (lit c)) (<= terminal (true (step 4)))
        (<= (goal you 100) (lit c)) (<= (goal you 0) (not (lit c)))";
    let game = Game::read(ludens_gdl::Source::new("ring", rules)).expect("the rules are right");
    agrees_with_the_engine(&game, Recursion::Unrolled(10), 3);
    let circuit = game.engine().circuit().expect("the game is compiled");
    let mut store = Formulas::new(1000);
    let mut extractor = Extractor::new(&circuit.program, Recursion::Opaque);
    let goal = extractor.goal(&mut store, Role(0), 100).expect("small");
    assert!(
        store
            .atoms(goal)
            .iter()
            .any(|atom| matches!(atom, Atom::Proposition(_)))
    );
}

#[test]
fn atoms_can_be_replaced() -> Result<(), TooLarge> {
    let mut store = Formulas::new(1000);
    let [a, b, c] = [0, 1, 2].map(|number| store.leaf(fluent(number), false));
    let not_a = store.negate(a)?;
    let c_or_not_a = store.any(&[c, not_a])?;
    let formula = store.all(&[b, c_or_not_a])?;
    let replaced = store.replace(&[formula, a], |atom| (atom == fluent(0)).then_some(Formula::ALWAYS))?;
    assert_eq!(replaced, [store.all(&[b, c])?, Formula::ALWAYS]);
    let b_and_c = store.all(&[b, c])?;
    // A negated atom takes the negation: b and (c or not (b and c)) is b, because not b falls away.
    let replaced = store.replace(&[formula], |atom| (atom == fluent(0)).then_some(b_and_c))?;
    assert_eq!(replaced, [b]);
    assert_eq!(store.atoms(formula), [fluent(0), fluent(1), fluent(2)]);
    Ok(())
}
