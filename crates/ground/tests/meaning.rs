//! A game means the same at every stage: a plain evaluation of the ground program is played along with the
//! simplified program and the propositional network, on every game of the library that is small enough.

use ludens_datalog::{Limits, Meter};
use ludens_gdl::{Description, Source};
use ludens_ground::network::{Block, Lit, Network};
use ludens_ground::order::groups;
use ludens_ground::simplify::{PASSES, Passes, simplify};
use ludens_ground::{Condition, Fluent, GroundProgram, MoveId, Proposition, Role, Signal, ground, text, verify};

/// Programs with more instances are left out: the evaluation here is made to be simple, not fast.
const MOST_INSTANCES: usize = 6_000;
const STEPS: usize = 40;

/// Answers about a state, and its successor.
#[derive(Debug, PartialEq)]
struct Facts {
    is_terminal: bool,
    legal: Vec<Vec<MoveId>>,
    goals: Vec<Vec<u8>>,
}

trait Play {
    fn facts(&self, state: &[bool]) -> Facts;
    fn step(&self, state: &[bool], joint: &[MoveId]) -> Vec<bool>;
}

struct Evaluated<'a>(&'a GroundProgram);

impl Evaluated<'_> {
    fn propositions(&self, state: &[bool], joint: &[MoveId]) -> Vec<bool> {
        let program = self.0;
        let mut holds = vec![false; program.propositions()];
        let is_met = |condition: &Condition, holds: &[bool]| {
            let value = match condition.signal {
                Signal::Fluent(fluent) => state[fluent.index()],
                Signal::Move(role, chosen) => joint.get(role.index()) == Some(&chosen),
                Signal::Derived(other) => holds[other.index()],
            };
            value != condition.negated
        };
        for group in groups(program, Proposition::first(program.propositions())) {
            // As often as there are members: then everything that follows has been derived.
            for _ in 0..group.members.len() {
                for &member in &group.members {
                    let mut instances = program.instances_of(member);
                    let value = instances.any(|body| body.iter().all(|condition| is_met(condition, &holds)));
                    holds[member.index()] = value;
                }
            }
        }
        holds
    }
}

impl Play for Evaluated<'_> {
    fn facts(&self, state: &[bool]) -> Facts {
        let program = self.0;
        let holds = self.propositions(state, &[]);
        let goals = program.goals.values().map(|goals| {
            let goals = goals.iter().filter(|goal| holds[goal.1.index()]);
            goals.map(|goal| goal.0).collect()
        });
        let legal = program.legal.values().map(|legal| {
            let legal = legal.iter().filter(|legal| holds[legal.1.index()]);
            legal.map(|legal| legal.0).collect()
        });
        Facts {
            is_terminal: program.terminal.is_some_and(|terminal| holds[terminal.index()]),
            legal: legal.collect(),
            goals: goals.collect(),
        }
    }

    fn step(&self, state: &[bool], joint: &[MoveId]) -> Vec<bool> {
        let holds = self.propositions(state, joint);
        let mut next = vec![false; state.len()];
        for &(fluent, proposition) in &self.0.next {
            next[fluent.index()] = holds[proposition.index()];
        }
        next
    }
}

struct Gates<'a>(&'a Network);

impl Gates<'_> {
    fn nodes(&self, state: &[bool], joint: Option<&[MoveId]>) -> Vec<bool> {
        let network = self.0;
        let mut values = vec![false; network.nodes()];
        values[1..=network.fluents].copy_from_slice(state);
        self.compute(&network.state_blocks, &mut values);
        if let Some(joint) = joint {
            for (role, &chosen) in network.moves.roles().zip(joint) {
                values[network.move_node(role, chosen).expect("it is legal")] = true;
            }
            self.compute(&network.move_blocks, &mut values);
        }
        values
    }

    fn compute(&self, blocks: &[Block], values: &mut [bool]) {
        for block in blocks {
            let (gates, latches) = match block {
                Block::Once(gates) => (gates, &[][..]),
                Block::UntilStable(gates, latches) => (gates, &latches[..]),
            };
            loop {
                for gate in gates.clone() {
                    let [a, b] = self.0.gates[gate];
                    values[self.0.first_gate() + gate] = holds(values, a) && holds(values, b);
                }
                let mut is_stable = true;
                for &(latch, input) in latches {
                    let value = holds(values, input);
                    is_stable &= values[latch as usize] == value;
                    values[latch as usize] = value;
                }
                if is_stable {
                    break;
                }
            }
        }
    }
}

fn holds(values: &[bool], lit: Lit) -> bool {
    values[lit.node()] != lit.is_negated()
}

impl Play for Gates<'_> {
    fn facts(&self, state: &[bool]) -> Facts {
        let network = self.0;
        let values = self.nodes(state, None);
        let goals = network.goals.values().map(|goals| {
            let goals = goals.iter().filter(|goal| holds(&values, goal.1));
            goals.map(|goal| goal.0).collect()
        });
        let legal = network.legal.values().map(|legal| {
            let legal = legal.iter().filter(|legal| holds(&values, legal.1));
            legal.map(|legal| legal.0).collect()
        });
        Facts {
            is_terminal: network.terminal.is_some_and(|terminal| holds(&values, terminal)),
            legal: legal.collect(),
            goals: goals.collect(),
        }
    }

    fn step(&self, state: &[bool], joint: &[MoveId]) -> Vec<bool> {
        let values = self.nodes(state, Some(joint));
        let mut next = vec![false; state.len()];
        for &(fluent, lit) in &self.0.next {
            next[fluent.index()] = holds(&values, lit);
        }
        next
    }
}

/// Plays two side by side at random, and compares all answers.
fn agree(name: &str, one: &dyn Play, other: &dyn Play, initial: &[Fluent], fluents: usize) {
    let mut start = vec![false; fluents];
    initial.iter().for_each(|fluent| start[fluent.index()] = true);
    let mut rng = fastrand::Rng::with_seed(1);
    let mut state = start.clone();
    for _ in 0..STEPS {
        let facts = one.facts(&state);
        assert_eq!(facts, other.facts(&state), "{name}");
        if facts.is_terminal || facts.legal.iter().any(Vec::is_empty) {
            state.clone_from(&start);
            continue;
        }
        let joint: Vec<MoveId> = facts
            .legal
            .iter()
            .map(|legal| legal[rng.usize(..legal.len())])
            .collect();
        let next = one.step(&state, &joint);
        assert_eq!(next, other.step(&state, &joint), "{name}");
        state = next;
    }
}

/// Small games of the library, grounded.
fn programs() -> Vec<(&'static str, GroundProgram, ludens_gdl::Symbols)> {
    let limits = Limits {
        facts: 20_000,
        steps: 500_000,
        ..Limits::default()
    };
    let mut programs = Vec::new();
    for entry in ludens_library::entries() {
        let rules = Description::read(entry.source()).take_normal();
        if let Ok(program) = ground(&rules, &rules.listed_roles(), limits)
            && program.instances() <= MOST_INSTANCES
        {
            programs.push((&*entry.name, program, rules.symbols));
        }
    }
    assert!(programs.len() >= 40, "only {} games are small", programs.len());
    programs
}

#[test]
fn simplification_and_network_preserve_the_meaning_of_the_library() {
    for (name, program, _) in programs() {
        assert_eq!(verify::program(&program), Ok(()), "{name}");
        let fluents = program.names.fluents.len();
        let before = program.clone();
        let mut simplified = simplify(program, Passes::default(), &mut Meter::default()).unwrap();
        assert_eq!(verify::program(&simplified.program), Ok(()), "{name}");
        let one = Evaluated(&before);
        agree(name, &one, &Evaluated(&simplified.program), &before.initial, fluents);
        let network = simplified
            .take_network(&mut Meter::default())
            .unwrap()
            .expect("moves decide only next");
        assert_eq!(verify::network(&network), Ok(()), "{name}");
        agree(name, &one, &Gates(&network), &before.initial, fluents);
    }
}

#[test]
fn every_choice_of_passes_preserves_the_meaning() {
    let choices: Vec<Vec<&str>> = (0..1 << PASSES.len())
        .map(|bits: usize| {
            let chosen = PASSES.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
            chosen.map(|(_, pass)| pass.name).collect()
        })
        .collect();
    for (name, program, _) in programs().into_iter().step_by(5) {
        let network = Network::new(&program).expect("moves decide only next");
        for names in &choices {
            let passes = Passes::only(names).unwrap();
            let simplified = simplify(program.clone(), passes, &mut Meter::default()).unwrap();
            let ran: Vec<&str> = simplified.passes.iter().map(|pass| pass.name).collect();
            assert_eq!(ran, *names, "{name}");
            let other = Network::new(&simplified.program).expect("as before");
            let fluents = program.names.fluents.len();
            agree(
                &format!("{name} with {names:?}"),
                &Gates(&network),
                &Gates(&other),
                &program.initial,
                fluents,
            );
        }
    }
    let error = Passes::without(&["inlining"]).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no pass `inlining`; the passes are constants, rebuild, inline"
    );
}

#[test]
fn what_is_printed_is_read_back() {
    for (name, program, symbols) in programs() {
        let read_back =
            |text: &str| text::read_program(&Source::new(name, text)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = text::write_program(&program, &symbols);
        let (again, its_symbols) = read_back(&printed);
        assert!(text::write_program(&again, &its_symbols) == printed, "{name}");
        let simple = simplify(program, Passes::default(), &mut Meter::default())
            .unwrap()
            .program;
        let simple_again = simplify(again, Passes::default(), &mut Meter::default())
            .unwrap()
            .program;
        let printed = text::write_program(&simple, &symbols);
        assert!(text::write_program(&simple_again, &its_symbols) == printed, "{name}");
        let network = Network::new(&simple).expect("moves decide only next");
        let of_read = Network::new(&read_back(&printed).0).expect("as before");
        let printed = text::write_network(&network, &symbols);
        assert!(
            text::write_network(&of_read, &its_symbols_of(name, &text::write_program(&simple, &symbols))) == printed,
            "{name}"
        );
        let (read, its_symbols) = text::read_network(&Source::new(name, &*printed)).unwrap();
        assert!(text::write_network(&read, &its_symbols) == printed, "{name}");
        assert_eq!(
            (read.gates, read.state_blocks, read.move_blocks),
            (network.gates, network.state_blocks, network.move_blocks)
        );
    }
}

fn its_symbols_of(name: &str, text: &str) -> ludens_gdl::Symbols {
    text::read_program(&Source::new(name, text)).unwrap().1
}

#[test]
fn a_text_that_is_no_program_is_refused_with_line_and_column() {
    let start = "(role a)\n(base f)\n(input a x)\n";
    for (rest, wanted) in [
        (
            "(<= p0 (true g))",
            "line 4, column 8: the fluent is not declared by `base`",
        ),
        (
            "(<= p0 (does b x))",
            "line 4, column 8: the role or its move is not declared by `role` and `input`",
        ),
        (
            "(<= p0 q)",
            "line 4, column 8: this is neither a fluent, nor a move, nor a proposition",
        ),
        (
            "(<= p0 (or p1 p2))",
            "line 4, column 8: a condition is an atom or `not` and an atom",
        ),
        (
            "(<= (goal a 200) p0)",
            "line 4, column 5: a goal value is a number from 0 to 100",
        ),
        (
            "(<= (legal a ?x) p0)",
            "line 4, column 14: there are no variables in a ground program",
        ),
        (
            "(<= p999999999 (true f))",
            "line 4, column 5: there are fewer propositions than that",
        ),
        ("(base f)", "line 4, column 1: the fluent is declared already"),
        (
            "(init g)",
            "line 4, column 1: the fluent is not declared before, by `base`",
        ),
        (
            "(<= terminal (true f))",
            "line 4, column 14: an output is one proposition",
        ),
    ] {
        let text = format!("{start}{rest}");
        let error = text::read_program(&Source::new("test", text)).unwrap_err();
        assert_eq!(error.to_string(), wanted, "{rest}");
    }
    for (rest, wanted) in [
        (
            "(<= g0 (true f) (true f))",
            "line 4, column 1: a gate has two inputs, the next number and a block",
        ),
        (
            "(once state)\n(<= l0 (true f))",
            "line 5, column 1: a latch has one input and stands in `until-stable`",
        ),
        (
            "(<= terminal g3)",
            "line 4, column 14: no rule defines this gate or latch",
        ),
        (
            "(once state)\n(<= g0 g0 g0)",
            "g0: its input g0 is not computed before it",
        ),
    ] {
        let text = format!("{start}{rest}");
        let error = text::read_network(&Source::new("test", text)).unwrap_err();
        assert_eq!(error.to_string(), wanted, "{rest}");
    }
}

#[test]
fn roles_and_moves_of_a_program_are_those_of_its_text() {
    let text = "(role a) (role b) (base f) (input a x) (input b x) (input b y)
        (<= p0 (true f) (does b y)) (<= (next f) p0)";
    let (program, _) = text::read_program(&Source::new("test", text)).unwrap();
    let conditions: Vec<Condition> = program.instances_of(Proposition(0)).flatten().copied().collect();
    let signals: Vec<Signal> = conditions.iter().map(|condition| condition.signal).collect();
    assert_eq!(signals, [Signal::Fluent(Fluent(0)), Signal::Move(Role(1), MoveId(1))]);
}
