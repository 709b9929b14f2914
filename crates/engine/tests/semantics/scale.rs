//! Rules that cannot be run, and rules that can only be run with care: large relations, large disjunctions.

use super::{answers, options, play, play_within, refusal};
use ludens_engine::{Game, GameError, Limits, Role};
use ludens_gdl::{Description, Source};
use std::fmt::Write;

// Rules that cannot be run

#[test]
fn unstratified_rules_are_refused() {
    for rules in [
        "(role w) (legal w a) (<= p (not p))",
        "(role w) (legal w a) (<= p (not q)) (<= q (not p))",
        "(role w) (all 1) (all 2) (<= (p ?x) (all ?x) (not (q ?x))) (<= (q ?x) (r ?x)) (<= (r ?x) (p ?x))",
        "(role w) (<= (goal w 0) (not (goal w 100))) (<= (goal w 100) (not (goal w 0)))",
    ] {
        let error = refusal(rules, Limits::default());
        assert!(matches!(error, GameError::Unplayable { .. }), "{rules}: {error}");
        assert!(error.to_string().contains("not stratified"), "{error}");
    }
}

#[test]
fn negation_of_another_relation_is_stratified() {
    let rules = "(all 1) (all 2) (q 1) (<= (p ?x) (all ?x) (not (q ?x))) (<= (legal w ?x) (all ?x) (not (p ?x)))";
    assert_eq!(answers(rules), ["1"]);
}

#[test]
fn a_game_without_roles_is_refused() {
    let error = refusal("(legal w a) (init f)", Limits::default());
    assert!(error.to_string().contains("no role"), "{error}");
}

#[test]
fn text_with_broken_parentheses_is_refused() {
    let error = refusal("(role w) (legal w a", Limits::default());
    assert!(matches!(error, GameError::Unreadable { .. }), "{error}");
}

#[test]
fn building_terms_without_end_is_an_error() {
    let numbers = "(role w) (num 0) (<= (num (s ?x)) (num ?x)) (<= (legal w ?x) (num ?x))";
    let error = refusal(numbers, Limits::default());
    assert!(error.to_string().contains("nested more than 1000 deep"), "{error}");
    let from_state = "(role w) (init (num 0)) (<= (num ?x) (true (num ?x))) (<= (num (s ?x)) (num ?x))
        (<= (legal w ?x) (num ?x))";
    let error = refusal(from_state, Limits::default());
    assert!(error.to_string().contains("nested more than 1000 deep"), "{error}");
}

#[test]
fn building_too_many_facts_is_an_error() {
    let limits = Limits {
        facts: 10_000,
        ..Limits::default()
    };
    let pairs = "(role w) (p 0) (p 1) (<= (p (f ?x ?y)) (p ?x) (p ?y)) (<= (legal w ?x) (p ?x))";
    let error = refusal(pairs, limits);
    assert!(error.to_string().contains("more than 10000 facts"), "{error}");
}

#[test]
fn terms_that_grow_without_end_during_play_are_a_fault() {
    let limits = Limits {
        term_depth: 20,
        ..Limits::default()
    };
    let rules = "(role w) (legal w a) (init zero) (<= (next (s ?x)) (true ?x))";
    let description = Description::read(Source::new("test", rules));
    // A trial during preparation may hit the limit already; else playing on must.
    if let Ok(game) = Game::new(description, options(limits)) {
        let mut machine = game.machine();
        let a = game.parse_move(Role(0), "a").expect("a is a move");
        for _ in 0..30 {
            machine.step(&[a]);
        }
        assert!(
            machine
                .fault()
                .is_some_and(|fault| fault.contains("nested more than 20 deep"))
        );
    }
}

// Relations that are too large to be derived as a whole

/// Facts that may be derived where the relations as a whole have many more.
const FEW: Limits = Limits {
    memory: 1 << 30,
    facts: 20_000,
    term_depth: 1000,
    setup: std::time::Duration::from_secs(60),
    ..Limits::DEFAULT
};

/// `(digit 1)` … and `(succ 1 2)` ….
fn digits(count: usize) -> String {
    let mut text = String::new();
    for number in 1..=count {
        let _ = write!(text, "(digit {number}) (succ {} {number}) ", number - 1);
    }
    text
}

#[test]
fn a_relation_over_nine_variables_is_derived_as_far_as_it_is_asked_for() {
    // As in sudoku: all different, over 9^9 rows, asked about one row of the board at a time.
    let mut distinct = String::new();
    for a in 1..=9 {
        for b in a + 1..=9 {
            let _ = write!(distinct, "(distinct ?{a} ?{b}) ");
        }
    }
    let variables: Vec<String> = (1..=9).map(|number| format!("?{number}")).collect();
    let values: String = variables.iter().map(|name| format!("(digit {name}) ")).collect();
    let cells: String = variables
        .iter()
        .enumerate()
        .map(|(column, name)| format!("(true (cell ?row {} {name})) ", column + 1))
        .collect();
    let head = variables.join(" ");
    let line = |row: usize, digits: [usize; 9]| -> String {
        let cells = digits.iter().enumerate();
        cells
            .map(|(column, digit)| format!("(init (cell {row} {} {digit})) ", column + 1))
            .collect()
    };
    let rules = format!(
        "{} {} {} {} (<= (all-different {head}) {values} {distinct}) (<= (good ?row) (all-different {head}) {cells})
         (<= (legal w ?row) (good ?row)) (<= terminal (good 3)) (<= (goal w 100) (not (good 2)))",
        digits(9),
        line(1, [5, 3, 4, 6, 7, 8, 9, 1, 2]),
        line(2, [6, 7, 2, 1, 9, 5, 3, 4, 6]),
        line(3, [1, 9, 8, 3, 4, 2, 5, 6, 7]),
    );
    let mut play = play(&format!("(role w) {rules}"));
    assert_eq!(play.legal("w"), ["1", "3"]);
    assert!(play.machine.is_terminal());
    assert_eq!(play.goals("w"), [100]);
}

#[test]
fn large_relations_that_depend_on_the_state_are_derived_on_demand() {
    // 30^4 rows if derived as a whole.
    let rules = format!(
        "{} (init (at 3 4)) (<= (init (on ?x)) (digit ?x))
         (<= (box ?a ?b ?c ?d) (true (on ?a)) (true (on ?b)) (true (on ?c)) (true (on ?d)) (distinct ?a ?c))
         (<= (legal w (go ?c ?d)) (true (at ?a ?b)) (succ ?a ?c) (succ ?b ?d) (box ?a ?b ?c ?d))
         (<= (legal w stay) (true (at ?a ?b)) (not (box ?a ?b ?a ?b)))
         (<= (next (at ?c ?d)) (does w (go ?c ?d))) (<= (next (on ?x)) (true (on ?x)) (distinct ?x 6))",
        digits(30)
    );
    let mut play = play_within(&format!("(role w) {rules}"), FEW);
    assert_eq!(play.legal("w"), ["(go 4 5)", "stay"]);
    play.step(&["(go 4 5)"]);
    assert_eq!(play.legal("w"), ["stay"]);
}

#[test]
fn recursion_on_demand() {
    // Reachability on a ring of 120 nodes that depends on the state: 14,400 pairs, asked from one node only.
    let mut rules = String::from("(role w) ");
    for node in 0..120 {
        let _ = write!(
            rules,
            "(init (edge {node} {})) (label {node} {}) ",
            (node + 1) % 120,
            node % 40
        );
    }
    rules += "(init (edge 200 201)) (label 201 far)
        (<= (path ?x ?y) (true (edge ?x ?y)))
        (<= (path ?x ?z) (path ?x ?y) (true (edge ?y ?z)))
        (<= (legal w ?l) (path 7 ?x) (label ?x ?l))
        (<= (legal w lonely) (not (path 7 201)))
        (<= (legal w wrong) (path 200 7))
        (<= terminal (path 7 7)) (<= (goal w 100) (path 200 201))";
    let mut play = play_within(&rules, FEW);
    let legal = play.legal("w");
    assert_eq!(legal.len(), 41);
    assert!(legal.contains(&"lonely".to_string()) && !legal.contains(&"far".to_string()));
    assert!(play.machine.is_terminal());
    assert_eq!(play.goals("w"), [100]);
}

#[test]
fn recursion_on_demand_agrees_with_recursion_as_a_whole() {
    // The same game twice, once with so many nodes elsewhere that the closure is large.
    let game = |extra: usize| {
        let mut rules = String::from(
            "(role w) (init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge d a)) (node a) (node b) (node c) (node d)
             (<= (path ?x ?y) (true (edge ?x ?y)))
             (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
             (<= (legal w (cut ?x ?y)) (node ?x) (true (edge ?x ?y)) (not (path ?y d)))
             (<= (legal w (both ?x ?y)) (node ?x) (node ?y) (path ?x ?y) (path ?y ?x) (distinct ?x ?y))
             (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does w (cut ?x ?y))))
             (<= terminal (node ?x) (not (path ?x a)) (distinct ?x a))",
        );
        for node in 0..extra {
            let _ = write!(rules, "(init (edge n{node} n{})) ", (node + 1) % extra);
        }
        play(&rules)
    };
    let (mut small, mut large) = (game(2), game(70));
    for cut in ["(cut b c)", "(cut a b)", "(cut d a)"] {
        assert_eq!(small.legal("w"), large.legal("w"));
        assert_eq!(small.machine.is_terminal(), large.machine.is_terminal());
        small.step(&[cut]);
        large.step(&[cut]);
    }
    assert_eq!(small.legal("w"), ["(cut c a)"]);
    assert_eq!(large.legal("w"), ["(cut c a)"]);
    assert!(small.machine.is_terminal() && large.machine.is_terminal());
}

#[test]
fn negation_on_demand() {
    // `free` is large and negates `blocked`, which is large too; both are asked about single places only.
    let rules = format!(
        "(role w) {} (<= (init (on ?x)) (digit ?x)) (init (wall 2 3)) (init (at 2 2)) (small 1) (small 2) (small 3)
         (<= (blocked ?x ?y ?z) (true (on ?x)) (true (on ?y)) (true (on ?z)) (true (wall ?x ?y)))
         (<= (blocked ?x ?y ?z) (true (on ?x)) (true (on ?y)) (true (on ?z)) (above 2 ?z) (not (above 20 ?z)))
         (<= (above ?x ?y) (succ ?x ?y)) (<= (above ?x ?z) (succ ?x ?y) (above ?y ?z))
         (<= (free ?x ?y ?z) (true (on ?x)) (true (on ?y)) (true (on ?z)) (not (blocked ?x ?y ?z)))
         (<= (legal w (up ?z)) (true (at ?x ?y)) (succ ?y ?up) (small ?z) (free ?x ?up ?z))
         (<= (legal w (right ?z)) (true (at ?x ?y)) (succ ?x ?r) (small ?z) (free ?r ?y ?z))
         (<= (legal w closed) (true (at ?x ?y)) (succ ?y ?up) (not (free ?x ?up ?any)))
         (<= (legal w open) (true (at ?x ?y)) (not (free ?x ?y 3)) (free ?x ?y 30))",
        digits(30)
    );
    let mut play = play(&rules);
    assert_eq!(play.legal("w"), ["(right 1)", "(right 2)", "closed", "open"]);
}

#[test]
fn facts_of_a_large_relation_count_too() {
    let rules = format!(
        "{} (<= (init (on ?x)) (digit ?x)) (triple a b c) (triple 1 1 x)
         (<= (triple ?x ?y ?z) (true (on ?x)) (true (on ?y)) (true (on ?z)))
         (<= (legal w ?z) (triple a ?y ?z)) (<= (legal w (z ?z)) (triple 1 1 ?z) (not (digit ?z)))",
        digits(30)
    );
    let mut play = play_within(&format!("(role w) {rules}"), FEW);
    assert_eq!(play.legal("w"), ["(z x)", "c"]);
}

#[test]
fn a_large_relation_that_is_needed_as_a_whole_is_derived() {
    let rules = format!(
        "{} (<= (init (on ?x)) (digit ?x)) (<= (pair ?x ?y) (true (on ?x)) (true (on ?y)))
         (<= (some ?x) (pair ?x ?y)) (<= (legal w ?x) (some ?x)) (<= terminal (pair ?x ?y) (not (pair ?y ?x)))",
        digits(80)
    );
    let mut play = play(&format!("(role w) {rules}"));
    assert_eq!(play.legal("w").len(), 80);
    assert!(!play.machine.is_terminal());
}

// Large disjunctions

#[test]
fn a_wide_or_means_the_same_as_its_rules_written_out() {
    let mut or = String::from("(<= (legal w ?x) (digit ?x) (or ");
    let mut rules = String::new();
    for number in 1..=100 {
        let _ = write!(or, "(true (f {number} ?x)) ");
        let _ = write!(rules, "(<= (legal w ?x) (digit ?x) (true (f {number} ?x))) ");
    }
    or += "))";
    let base = format!(
        "{} (init (f 1 3)) (init (f 99 4)) (init (f 100 5)) (init (f 101 6))",
        digits(9)
    );
    assert_eq!(answers(&format!("{base} {or}")), ["3", "4", "5"]);
    assert_eq!(answers(&format!("{base} {rules}")), ["3", "4", "5"]);
}

/// A game with this many copies of a disjunction in one rule, and the same with each copy a relation of its own.
fn products(base: &str, head: &str, before: &str, disjunction: impl Fn(usize) -> (String, String)) -> [Vec<String>; 2] {
    let mut multiplied = format!("(<= {head} {before} ");
    let mut helpers = String::new();
    let mut apart = multiplied.clone();
    for number in 0..7 {
        let (or, helper) = disjunction(number);
        multiplied += &or;
        let _ = write!(apart, "({helper}) ");
        let parts = or
            .trim()
            .strip_prefix("(or ")
            .and_then(|or| or.strip_suffix(')'))
            .expect("an or");
        let _ = write!(helpers, "(<= ({helper}) {before} (or {parts})) ");
    }
    multiplied += ") ";
    apart += ") ";
    [
        answers(&format!("{base} {multiplied}")),
        answers(&format!("{base} {helpers} {apart}")),
    ]
}

#[test]
fn a_product_of_positive_ors_means_the_same_as_helper_relations() {
    let base = format!("{} (init (f 0 1)) (init (f 1 2)) (init (g 3)) (init (g 2))", digits(5));
    let found = products(&base, "(legal w ?x)", "(digit ?x)", |number| {
        (
            format!("(or (true (f {number} ?x)) (true (g ?x))) "),
            format!("h{number} ?x"),
        )
    });
    assert_eq!(found[0], ["2", "3"]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_product_of_ors_with_negation_means_the_same_as_helper_relations() {
    // The alternatives test a variable that is bound outside of the `or` only.
    let base = format!(
        "{} (init (f 0 1)) (init (f 6 2)) (init (f 6 4)) (init (g 2)) (init (g 3))",
        digits(4)
    );
    let found = products(&base, "(legal w ?x)", "(digit ?x)", |number| {
        (
            format!("(or (not (true (f {number} ?x))) (true (g ?x))) "),
            format!("h{number} ?x"),
        )
    });
    assert_eq!(found[1], ["2", "3"]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_product_of_ors_with_distinct_means_the_same_as_helper_relations() {
    let base = format!("{} (init (g 2))", digits(9));
    let found = products(&base, "(legal w ?x)", "(digit ?x)", |number| {
        (
            format!("(or (distinct ?x {}) (true (g ?x))) ", number + 1),
            format!("h{number} ?x"),
        )
    });
    assert_eq!(found[1], ["2", "8", "9"]);
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_product_of_ors_that_bind_different_variables_means_the_same_as_helper_relations() {
    let base = format!("{} (init (f 1)) (init (g 1 2)) (init (g 3 4)) (init (f 4))", digits(4));
    for place in 0..7 {
        let found = products(&base, "(legal w (pair ?x ?y))", "(digit ?x) (digit ?y)", |number| {
            let or = match number == place {
                true => "(or (true (g ?x ?y)) (true (f ?x)))",
                false => "(or (digit ?x) (digit ?y))",
            };
            (or.to_string(), format!("h{number} ?x ?y"))
        });
        assert_eq!(found[1].len(), 9);
        assert!(found[1].contains(&"(pair 3 4)".to_string()) && !found[1].contains(&"(pair 3 1)".to_string()));
        assert_eq!(found[0], found[1], "at place {place}");
    }
}

#[test]
fn ors_that_bind_variables_of_the_head_may_be_multiplied() {
    // Nothing but the disjunctions binds the variables.
    let mut rule = String::from("(<= (legal w (all ?a ?b ?c ?d ?e ?f ?g)) ");
    for name in ["?a", "?b", "?c", "?d", "?e", "?f", "?g"] {
        let _ = write!(rule, "(or (p {name}) (q {name})) ");
    }
    let moves = answers(&format!("(p 0) (q 1) {rule})"));
    assert_eq!(moves.len(), 128);
    assert_eq!(moves[0], "(all 0 0 0 0 0 0 0)");
    assert_eq!(moves[127], "(all 1 1 1 1 1 1 1)");
}

#[test]
fn the_negation_of_a_large_conjunction_of_ors_is_multiplied_correctly() {
    // not (and (or ...) ...) is an or of ands; not (or (and ...) ...) is an and of ors.
    let base = format!(
        "{} (init (f 0 1)) (init (g 0 1)) (init (f 3 2)) (init (f 6 3)) (init (g 6 3))",
        digits(4)
    );
    let ands: String = (0..7)
        .map(|number| format!("(and (true (f {number} ?x)) (true (g {number} ?x))) "))
        .collect();
    let rules = format!("{base} (<= (legal w ?x) (digit ?x) (not (or {ands})))");
    assert_eq!(answers(&rules), ["2", "4"]);
}
