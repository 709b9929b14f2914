//! The interpreter against the definition: random small rule sets, played at random, with every answer compared to that
//! of a naive evaluator.
//!
//! The evaluator below shares nothing with the interpreter but the text of the rules. It knows function-free programs
//! whose relations are listed stratum by stratum, tries every assignment of constants to the variables of a rule, and
//! repeats until nothing new follows.

use ludens_engine::{EngineChoice, Game, MoveId, Options, Role, Stepping};
use ludens_gdl::{Description, Source};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};

/// All object constants of the rule sets, roles and goal values apart.
const CONSTANTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];
const ROLES: [&str; 2] = ["w", "v"];
const GOALS: [&str; 3] = ["0", "50", "100"];

/// A relation with its terms; variables begin with a question mark. `true`, `next` and `init` are applied to fluents
/// without arguments of their own or with one: these are written as two arguments, `(true f a)`.
type Atom = Vec<String>;

#[derive(Clone, Debug, PartialEq)]
enum Literal {
    Positive(Atom),
    Negative(Atom),
    Distinct(String, String),
}

#[derive(Clone, Debug)]
struct Rule {
    head: Atom,
    body: Vec<Literal>,
}

/// Rules with the stratum of each relation: rules are applied in the order of the strata of their heads.
#[derive(Clone, Debug)]
struct Program {
    roles: Vec<&'static str>,
    rules: Vec<Rule>,
}

// The naive evaluator

type Facts = BTreeSet<Atom>;

/// The stratum of a relation; a rule reads its own and lower ones, and negates lower ones only.
fn stratum(relation: &str) -> usize {
    match relation {
        "role" | "init" | "true" | "does" | "e" => 0,
        "p" | "q" => 1,
        "r" | "s" => 2,
        "legal" | "goal" | "terminal" => 3,
        "m" => 4,
        "next" | "sees" => 5,
        _ => unreachable!("unknown relation {relation}"),
    }
}

/// Everything that follows from the rules and the given facts.
fn consequences(program: &Program, given: Facts) -> Facts {
    let mut facts = given;
    for level in 0..=5 {
        let rules: Vec<&Rule> = program
            .rules
            .iter()
            .filter(|rule| stratum(&rule.head[0]) == level)
            .collect();
        loop {
            let before = facts.len();
            for rule in &rules {
                derive(rule, &mut facts);
            }
            if facts.len() == before {
                break;
            }
        }
    }
    facts
}

/// Adds every instance of the head whose conditions hold, for all assignments of constants to variables.
fn derive(rule: &Rule, facts: &mut Facts) {
    let mut variables: Vec<&str> = Vec::new();
    for atom in rule.body.iter().flat_map(terms).chain([&rule.head]) {
        variables.extend(atom.iter().map(String::as_str).filter(|term| term.starts_with('?')));
    }
    variables.sort_unstable();
    variables.dedup();
    let universe: Vec<&str> = CONSTANTS.iter().chain(&ROLES).chain(&GOALS).copied().collect();
    let count = universe.len().pow(variables.len() as u32);
    for number in 0..count {
        let mut rest = number;
        let mut assignment = BTreeMap::new();
        for &variable in &variables {
            assignment.insert(variable, universe[rest % universe.len()]);
            rest /= universe.len();
        }
        let ground = |atom: &Atom| -> Atom {
            let value = |term: &String| {
                assignment
                    .get(term.as_str())
                    .map_or(term.clone(), |value| value.to_string())
            };
            atom.iter().map(value).collect()
        };
        let holds = rule.body.iter().all(|literal| match literal {
            Literal::Positive(atom) => facts.contains(&ground(atom)),
            Literal::Negative(atom) => !facts.contains(&ground(atom)),
            Literal::Distinct(a, b) => ground(&vec![a.clone()]) != ground(&vec![b.clone()]),
        });
        if holds {
            facts.insert(ground(&rule.head));
        }
    }
}

fn terms(literal: &Literal) -> Vec<&Atom> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => vec![atom],
        Literal::Distinct(..) => Vec::new(),
    }
}

/// The arguments after these first items of all facts that begin with them, as canonical text.
fn texts(facts: &Facts, start: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = facts
        .iter()
        .filter(|fact| fact.len() > start.len() && fact.iter().zip(start).all(|(a, b)| a == b))
        .map(|fact| term_text(&fact[start.len()..]))
        .collect();
    found.sort_unstable();
    found
}

/// A fluent or move: a name alone, or a name with an argument.
fn term_text(items: &[String]) -> String {
    match items {
        [name] => name.clone(),
        _ => format!("({})", items.join(" ")),
    }
}

fn term_items(text: &str) -> Vec<String> {
    text.trim_matches(['(', ')']).split(' ').map(str::to_string).collect()
}

// Rules as text

/// Number of arguments before the fluent or move of an atom, if it has one.
fn before_term(relation: &str) -> Option<usize> {
    match relation {
        "init" | "true" | "next" => Some(0),
        "legal" | "does" | "sees" => Some(1),
        _ => None,
    }
}

fn atom_text(atom: &Atom) -> String {
    let arguments = &atom[1..];
    match before_term(&atom[0]) {
        Some(count) => {
            let mut items = vec![atom[0].clone()];
            items.extend_from_slice(&arguments[..count]);
            items.push(term_text(&arguments[count..]));
            format!("({})", items.join(" "))
        }
        None if arguments.is_empty() => atom[0].clone(),
        None => format!("({} {})", atom[0], arguments.join(" ")),
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Positive(atom) => atom_text(atom),
        Literal::Negative(atom) => format!("(not {})", atom_text(atom)),
        Literal::Distinct(a, b) => format!("(distinct {a} {b})"),
    }
}

fn program_text(program: &Program) -> String {
    let mut text = String::new();
    for role in &program.roles {
        text += &format!("(role {role})\n");
    }
    for rule in &program.rules {
        let head = atom_text(&rule.head);
        let body: Vec<String> = rule.body.iter().map(literal_text).collect();
        text += &match body.is_empty() {
            true => format!("{head}\n"),
            false => format!("(<= {head} {})\n", body.join(" ")),
        };
    }
    text
}

// Random rule sets

/// The parts that a literal of a rule of some stratum may have, chosen by numbers.
#[derive(Clone, Debug)]
struct Choice {
    relation: Index,
    terms: [Index; 3],
    negative: bool,
}

fn choice() -> impl Strategy<Value = Choice> {
    let terms = [any::<Index>(), any::<Index>(), any::<Index>()];
    (any::<Index>(), terms, prop::bool::weighted(0.3)).prop_map(|(relation, terms, negative)| Choice {
        relation,
        terms,
        negative,
    })
}

/// The relations that rules may read, with the kinds of their arguments: `r` a role, `c` a constant, `f` a fluent, `m`
/// a move, `g` a goal value.
const READABLE: [(&str, &str); 13] = [
    ("true", "f"),
    ("true", "f"),
    ("e", "cc"),
    ("role", "r"),
    ("p", "c"),
    ("q", "cc"),
    ("r", "c"),
    ("s", ""),
    ("legal", "rm"),
    ("goal", "rg"),
    ("terminal", ""),
    ("does", "rm"),
    ("m", "c"),
];

fn any_of(choice: &Index, list: &[&str]) -> String {
    choice.get(list).to_string()
}

/// A variable two times out of three, else a constant.
fn term(choice: &Index) -> String {
    let variable = any_of(choice, &VARIABLES);
    match choice.index(7) % 3 {
        0 => any_of(choice, &CONSTANTS),
        _ => variable,
    }
}

fn arguments(kinds: &str, choices: &[Index; 3], roles: &[&str]) -> Vec<String> {
    let mut arguments = Vec::new();
    for (kind, choice) in kinds.chars().zip(choices) {
        match kind {
            'r' if choice.index(5) < 3 => arguments.push(any_of(choice, &VARIABLES)),
            'r' => arguments.push(any_of(choice, roles)),
            'c' => arguments.push(term(choice)),
            'g' => arguments.push(any_of(choice, &["0", "50", "100", "?x", "?y"])),
            'f' | 'm' => {
                let names = if kind == 'f' {
                    ["f", "g", "h"]
                } else {
                    ["go", "put", "noop"]
                };
                let name = any_of(choice, &names);
                // The third of each has no argument.
                let has_argument = name != names[2];
                arguments.push(name);
                if has_argument {
                    arguments.push(term(&choices[2]));
                }
            }
            _ => unreachable!("unknown kind {kind}"),
        }
    }
    arguments
}

/// A rule for this head: literals it may read, then what makes it safe.
fn rule(head: Atom, choices: &[Choice], roles: &[&str], must_be_fixed: bool) -> Rule {
    let level = stratum(&head[0]);
    let mut body: Vec<Literal> = Vec::new();
    for choice in choices {
        // One choice in eight is a `distinct`.
        if choice.relation.index(8) == 0 {
            body.push(Literal::Distinct(term(&choice.terms[0]), term(&choice.terms[1])));
            continue;
        }
        let highest = if choice.negative {
            level.saturating_sub(1)
        } else {
            level
        };
        let readable: Vec<(&str, &str)> = READABLE
            .iter()
            .copied()
            .filter(|(name, _)| stratum(name) <= highest)
            .filter(|(name, _)| level > 3 || *name != "does")
            .filter(|(name, _)| !must_be_fixed || matches!(*name, "e" | "role"))
            .collect();
        if readable.is_empty() {
            continue;
        }
        let (name, kinds) = *choice.relation.get(&readable);
        let mut atom = vec![name.to_string()];
        atom.extend(arguments(kinds, &choice.terms, roles));
        body.push(match choice.negative {
            true => Literal::Negative(atom),
            false => Literal::Positive(atom),
        });
    }
    make_safe(&head, &mut body);
    Rule { head, body }
}

/// Binds what no positive literal binds: a role variable by `role`, any other by `e`.
fn make_safe(head: &Atom, body: &mut Vec<Literal>) {
    let mut needed: Vec<String> = Vec::new();
    let mut bound: Vec<String> = Vec::new();
    let variables =
        |atom: &[String]| -> Vec<String> { atom.iter().filter(|term| term.starts_with('?')).cloned().collect() };
    needed.extend(variables(head));
    for literal in body.iter() {
        match literal {
            Literal::Positive(atom) => bound.extend(variables(atom)),
            Literal::Negative(atom) => needed.extend(variables(atom)),
            Literal::Distinct(a, b) => needed.extend(variables(&[a.clone(), b.clone()])),
        }
    }
    for variable in needed {
        if bound.contains(&variable) {
            continue;
        }
        let is_role = head.len() > 1 && head[1] == variable && matches!(head[0].as_str(), "legal" | "goal" | "sees");
        let atom = match is_role {
            true => vec!["role".to_string(), variable.clone()],
            false => vec!["e".to_string(), variable.clone(), variable.clone()],
        };
        // Behind the literals that need it: the order does not matter.
        body.push(Literal::Positive(atom));
        bound.push(variable);
    }
}

/// The heads that rules may have, with the kinds of their arguments.
const HEADS: [(&str, &str); 12] = [
    ("init", "f"),
    ("p", "c"),
    ("q", "cc"),
    ("r", "c"),
    ("s", ""),
    ("legal", "rm"),
    ("goal", "rg"),
    ("terminal", ""),
    ("m", "c"),
    ("next", "f"),
    ("next", "f"),
    ("sees", "rm"),
];

fn program() -> impl Strategy<Value = Program> {
    let edge = [any::<Index>(), any::<Index>()];
    let body = prop::collection::vec(choice(), 0..4);
    let extra = prop::collection::vec(
        (any::<Index>(), [any::<Index>(), any::<Index>(), any::<Index>()], body),
        4..18,
    );
    let inits = prop::collection::vec([any::<Index>(), any::<Index>()], 0..5);
    (1..=2usize, prop::collection::vec(edge, 2..6), inits, extra).prop_map(|(count, edges, inits, extra)| {
        let roles = &ROLES[..count];
        let mut rules = Vec::new();
        let mut fact = |items: &[&str]| {
            let head = items.iter().map(|item| item.to_string()).collect();
            rules.push(Rule { head, body: Vec::new() });
        };
        // Every constant is bound by `e`, so that rules can be made safe with it.
        for constant in CONSTANTS {
            fact(&["e", constant, constant]);
        }
        for [from, to] in &edges {
            fact(&["e", *from.get(&CONSTANTS), *to.get(&CONSTANTS)]);
        }
        for [name, argument] in &inits {
            match *name.get(&["f", "g", "h"]) {
                "h" => fact(&["init", "h"]),
                name => fact(&["init", name, *argument.get(&CONSTANTS)]),
            }
        }
        fact(&["legal", "w", "noop"]);
        // Recursion is always there, and something that persists.
        let variables = |items: &[&str]| -> Atom { items.iter().map(|item| item.to_string()).collect() };
        rules.push(Rule {
            head: variables(&["q", "?x", "?z"]),
            body: vec![
                Literal::Positive(variables(&["q", "?x", "?y"])),
                Literal::Positive(variables(&["e", "?y", "?z"])),
            ],
        });
        rules.push(Rule {
            head: variables(&["next", "g", "?x"]),
            body: vec![Literal::Positive(variables(&["does", "w", "put", "?x"]))],
        });
        for (head, terms, choices) in &extra {
            let (name, kinds) = *head.get(&HEADS);
            let mut atom = vec![name.to_string()];
            atom.extend(arguments(kinds, terms, roles));
            rules.push(rule(atom, choices, roles, name == "init"));
        }
        Program {
            roles: roles.to_vec(),
            rules,
        }
    })
}

// The comparison

/// The facts that hold in a state, without moves.
fn given(program: &Program, state: &[String]) -> Facts {
    let mut facts: Facts = program
        .roles
        .iter()
        .map(|role| vec!["role".to_string(), role.to_string()])
        .collect();
    for fluent in state {
        let mut fact = vec!["true".to_string()];
        fact.extend(term_items(fluent));
        facts.insert(fact);
    }
    facts
}

fn goal_values(facts: &Facts, role: &str) -> Vec<u8> {
    let texts = texts(facts, &["goal", role]);
    let mut values: Vec<u8> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    values.sort_unstable();
    values
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_interpreter_agrees_with_the_definition(program in program(), choices in prop::collection::vec(any::<Index>(), 12)) {
        compare(&program, &choices, EngineChoice::Interpreted, Stepping::Auto)?;
    }

    #[test]
    fn the_compiled_engine_agrees_with_the_definition(program in program(), choices in prop::collection::vec(any::<Index>(), 12)) {
        compare(&program, &choices, EngineChoice::Compiled, Stepping::Plain)?;
    }

    #[test]
    fn steps_by_differences_agree_with_the_definition(program in program(), choices in prop::collection::vec(any::<Index>(), 12)) {
        compare(&program, &choices, EngineChoice::Compiled, Stepping::Differential)?;
    }
}

/// Plays at random and compares every answer with the naive evaluator's.
fn compare(
    program: &Program,
    choices: &[Index],
    engine: EngineChoice,
    stepping: Stepping,
) -> Result<(), TestCaseError> {
    let text = program_text(program);
    let options = Options {
        engine,
        stepping,
        ..Options::default()
    };
    let game = match Game::new(Description::read(Source::new("random", text.clone())), options) {
        Ok(game) => game,
        Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
    };
    let mut machine = game.machine();
    let mut choices = choices.iter();
    let mut state = texts(&consequences(program, given(program, &[])), &["init"]);
    for _ in 0..5 {
        prop_assert_eq!(game.state_texts(machine.state()), state.clone(), "state\n{}", text);
        let facts = consequences(program, given(program, &state));
        let terminal = facts.contains(&vec!["terminal".to_string()]);
        prop_assert_eq!(machine.is_terminal(), terminal, "terminal in {:?}\n{}", state, text);
        let mut joint: Vec<MoveId> = Vec::new();
        let mut with_moves = given(program, &state);
        for (number, &role) in program.roles.iter().enumerate() {
            let seat = Role(number as u8);
            prop_assert_eq!(game.role_name(seat), role);
            let goals = goal_values(&facts, role);
            prop_assert_eq!(machine.goal_values(seat), &goals[..], "goals in {:?}\n{}", state, text);
            let expected = texts(&facts, &["legal", role]);
            let legal = machine.legal(seat).to_vec();
            let got: Vec<String> = legal.iter().map(|&id| game.move_text(seat, id)).collect();
            prop_assert_eq!(&got, &expected, "legal moves of {} in {:?}\n{}", role, state, text);
            if let (Some(choice), false) = (choices.next(), legal.is_empty()) {
                let chosen = choice.index(legal.len());
                joint.push(legal[chosen]);
                let mut does = vec!["does".to_string(), role.to_string()];
                does.extend(term_items(&expected[chosen]));
                with_moves.insert(does);
            }
        }
        prop_assert_eq!(machine.fault(), None);
        if joint.len() < program.roles.len() {
            break;
        }
        // The rules go on after a terminal state too: more to compare.
        let facts = consequences(program, with_moves);
        for (number, &role) in program.roles.iter().enumerate() {
            let expected = texts(&facts, &["sees", role]);
            let percepts = machine.percepts(Role(number as u8), &joint);
            let percepts = game.percept_texts(Role(number as u8), &percepts);
            prop_assert_eq!(percepts, expected, "percepts of {} in {:?}\n{}", role, state, text);
        }
        state = texts(&facts, &["next"]);
        // There and back again, from another state: what was computed there must not show.
        let here = machine.state().clone();
        machine.step(&joint);
        machine.load(game.initial());
        machine.legal(Role(0));
        machine.load(&here);
        machine.step(&joint);
    }
    Ok(())
}

#[test]
fn the_naive_evaluator_computes_transitive_closure_and_its_complement() {
    let atom = |text: &str| -> Atom { term_items(text) };
    let rule = |head: &str, body: &[&str]| Rule {
        head: atom(head),
        body: body
            .iter()
            .map(|text| match text.strip_prefix('~') {
                Some(text) => Literal::Negative(atom(text)),
                None => Literal::Positive(atom(text)),
            })
            .collect(),
    };
    let program = Program {
        roles: vec!["w"],
        rules: vec![
            rule("e a b", &[]),
            rule("e b c", &[]),
            rule("q ?x ?y", &["e ?x ?y"]),
            rule("q ?x ?z", &["q ?x ?y", "e ?y ?z"]),
            rule("p ?y", &["q a ?y"]),
            rule("r ?x", &["e ?x ?y", "~p ?x"]),
        ],
    };
    let facts = consequences(&program, Facts::new());
    assert_eq!(texts(&facts, &["q"]), ["(a b)", "(a c)", "(b c)"]);
    assert_eq!(texts(&facts, &["p"]), ["b", "c"]);
    assert_eq!(texts(&facts, &["r"]), ["a"]);
}
