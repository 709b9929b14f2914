//! The language: states and steps, conditions, recursion, terms and names, roles and goals, reading moves.

use super::{answers, options, play};
use ludens_engine::playout::Playout;
use ludens_engine::{Game, Limits, MoveId, Options, PlayoutSource, Rng, Role, SeveralGoals, State};
use ludens_gdl::{Description, Source};

// States and steps

#[test]
fn nothing_persists_without_a_next_rule() {
    let mut play = play("(role w) (legal w a) (init f) (init g) (<= (next g) (true g))");
    assert_eq!(play.state(), ["f", "g"]);
    assert_eq!(play.step(&["a"]).state(), ["g"]);
    assert_eq!(play.step(&["a"]).state(), ["g"]);
}

#[test]
fn a_game_without_next_goes_to_the_empty_state() {
    let mut play = play("(role w) (legal w a) (init f)");
    assert_eq!(play.step(&["a"]).state(), [""; 0]);
    assert_eq!(play.machine.state(), &State::default());
}

#[test]
fn the_initial_state_may_be_empty() {
    let mut play = play(
        "(role w) (role b) (<= (legal ?r a) (role ?r))
         (<= (next (did ?r ?m)) (does ?r ?m)) (<= terminal (true (did w ?m)))",
    );
    assert!(play.machine.state().is_empty());
    assert!(!play.machine.is_terminal());
    assert_eq!(play.step(&["a", "a"]).state(), ["(did b a)", "(did w a)"]);
    assert!(play.machine.is_terminal());
}

#[test]
fn terminal_states_have_the_legal_moves_that_the_rules_give_them() {
    let mut play = play(
        "(role w) (init (at 1)) (next (at 2)) (legal w a) (<= (legal w b) (true (at 1))) (<= (legal w c) (true (at 2)))
         (<= terminal (true (at 2)))",
    );
    assert_eq!(play.legal("w"), ["a", "b"]);
    play.step(&["b"]);
    assert!(play.machine.is_terminal());
    assert_eq!(play.legal("w"), ["a", "c"]);
}

#[test]
fn init_may_be_defined_by_rules_and_by_facts() {
    let play = play("(role w) (index 1) (index 2) (init (cell 1 x)) (<= (init (cell ?i b)) (index ?i))");
    assert_eq!(play.state(), ["(cell 1 b)", "(cell 1 x)", "(cell 2 b)"]);
}

#[test]
fn all_roles_move_at_once() {
    let rules = "(role w) (role b) (<= (legal ?r ?m) (role ?r) (choice ?m)) (choice rock) (choice paper)
        (<= (next (played ?r ?m)) (does ?r ?m))
        (<= (next same) (does w ?m) (does b ?m))";
    let mut play = play(rules);
    assert_eq!(play.legal("w"), ["paper", "rock"]);
    assert_eq!(play.legal("b"), ["paper", "rock"]);
    play.step(&["rock", "paper"]);
    assert_eq!(play.state(), ["(played b paper)", "(played w rock)"]);
    play.step(&["rock", "rock"]);
    assert_eq!(play.state(), ["(played b rock)", "(played w rock)", "same"]);
}

#[test]
fn a_move_of_one_role_is_not_a_move_of_another() {
    let mut play = play(
        "(role w) (role b) (legal w (go 1)) (legal b (go 2))
         (<= (next (w-went ?n)) (does w (go ?n))) (<= (next (b-went ?n)) (does b (go ?n)))",
    );
    assert_eq!(play.legal("w"), ["(go 1)"]);
    assert_eq!(play.legal("b"), ["(go 2)"]);
    assert_eq!(play.step(&["(go 1)", "(go 2)"]).state(), ["(b-went 2)", "(w-went 1)"]);
}

#[test]
fn loading_a_state_goes_back_to_it() {
    let mut play = play(
        "(role w) (init (at 1)) (succ 1 2) (succ 2 3) (<= (legal w (to ?m)) (true (at ?n)) (succ ?n ?m))
         (<= (next (at ?m)) (does w (to ?m))) (<= terminal (true (at 3)))",
    );
    let start = play.machine.state().clone();
    play.step(&["(to 2)"]);
    let middle = play.machine.state().clone();
    play.step(&["(to 3)"]);
    assert!(play.machine.is_terminal());
    play.machine.load(&middle);
    assert!(!play.machine.is_terminal());
    assert_eq!(play.legal("w"), ["(to 3)"]);
    play.machine.load(&start);
    assert_eq!(play.legal("w"), ["(to 2)"]);
    // Another machine of the game understands the same states.
    let mut other = play.game.machine();
    other.load(&middle);
    assert_eq!(play.game.state_texts(other.state()), ["(at 2)"]);
}

#[test]
fn next_may_be_read_in_a_body() {
    let mut play = play(
        "(role w) (legal w a) (legal w b) (<= (next f) (does w a)) (<= (next g) (next f)) (<= (next h) (not (next f)))",
    );
    assert_eq!(play.step(&["a"]).state(), ["f", "g"]);
    assert_eq!(play.step(&["b"]).state(), ["h"]);
}

#[test]
fn init_may_be_read_in_a_body() {
    let mut play = play("(role w) (legal w a) (init (f 1)) (<= (next (again ?x)) (init (f ?x)))");
    assert_eq!(play.step(&["a"]).state(), ["(again 1)"]);
}

#[test]
fn terminal_that_depends_on_moves_is_asked_without_moves() {
    let rules = "(role w) (legal w a) (<= terminal (does w a)) (<= (next f) (does w a))
        (<= idle (not moved)) (<= moved (does w ?m)) (<= (goal w 40) idle)";
    let mut play = play(rules);
    assert!(!play.machine.is_terminal());
    assert_eq!(play.goals("w"), [40]);
    play.step(&["a"]);
    assert_eq!(play.state(), ["f"]);
    assert!(!play.machine.is_terminal());
    assert_eq!(play.goals("w"), [40]);
}

#[test]
fn asking_for_percepts_does_not_make_the_move() {
    let rules = "(role w) (legal w a) (<= terminal (does w a)) (<= (sees w (did ?m)) (does w ?m)) (init f)";
    let mut play = play(rules);
    assert_eq!(play.percepts("w", &["a"]), ["(did a)"]);
    assert!(!play.machine.is_terminal());
    assert_eq!(play.state(), ["f"]);
    assert_eq!(play.legal("w"), ["a"]);
}

// Conditions

#[test]
fn the_order_of_conditions_does_not_matter() {
    let base = "(cell 1) (cell 2) (cell 3) (taken 2)";
    let orders = [
        "(<= (legal w (go ?x ?y)) (cell ?x) (cell ?y) (distinct ?x ?y) (not (taken ?x)))",
        "(<= (legal w (go ?x ?y)) (distinct ?x ?y) (not (taken ?x)) (cell ?x) (cell ?y))",
        "(<= (legal w (go ?x ?y)) (not (taken ?x)) (cell ?y) (distinct ?x ?y) (cell ?x))",
        "(<= (legal w (go ?x ?y)) (cell ?y) (not (taken ?x)) (cell ?x) (distinct ?x ?y))",
    ];
    for rule in orders {
        let moves = answers(&format!("{base} {rule}"));
        assert_eq!(moves, ["(go 1 2)", "(go 1 3)", "(go 3 1)", "(go 3 2)"], "{rule}");
    }
}

#[test]
fn distinct_first_in_a_rule_waits_for_its_variables() {
    // The test `test_distinct_beginning_rule` of ggp-base: two moves, not four.
    let moves = answers("(c 1) (c 2) (<= (legal w (do ?a ?b)) (distinct ?a ?b) (c ?a) (c ?b))");
    assert_eq!(moves, ["(do 1 2)", "(do 2 1)"]);
}

#[test]
fn or_holds_if_one_of_its_parts_does() {
    let base = "(p 1) (p 2) (q 2) (q 3) (all 1) (all 2) (all 3) (all 4)";
    assert_eq!(
        answers(&format!("{base} (<= (legal w ?x) (or (p ?x) (q ?x)))")),
        ["1", "2", "3"]
    );
    let tests = format!("{base} (<= (legal w ?x) (or (not (p ?x)) (not (q ?x))) (all ?x))");
    assert_eq!(answers(&tests), ["1", "3", "4"]);
    assert_eq!(
        answers(&format!("{base} (<= (legal w ?x) (all ?x) (or (q ?x)))")),
        ["2", "3"]
    );
    assert_eq!(answers(&format!("{base} (<= (legal w ?x) (all ?x) (or))")), [""; 0]);
}

#[test]
fn and_inside_or_is_a_conjunction() {
    let rules = "(p 1) (p 2) (q 2) (r 3) (<= (legal w ?x) (or (and (p ?x) (q ?x)) (r ?x)))";
    assert_eq!(answers(rules), ["2", "3"]);
}

#[test]
fn not_of_or_excludes_all_parts() {
    let base = "(all 1) (all 2) (all 3) (all 4) (p 1) (q 2) (q 1)";
    let rules = format!("{base} (<= (legal w ?x) (all ?x) (not (or (p ?x) (q ?x))))");
    assert_eq!(answers(&rules), ["3", "4"]);
    let rules = format!("{base} (<= (legal w ?x) (all ?x) (not (and (p ?x) (q ?x))))");
    assert_eq!(answers(&rules), ["2", "3", "4"]);
}

#[test]
fn not_not_is_the_literal_itself() {
    assert_eq!(answers("(p 1) (p 2) (<= (legal w ?x) (not (not (p ?x))))"), ["1", "2"]);
    let rules = "(all 1) (all 2) (p 1) (<= (legal w ?x) (all ?x) (not (not (not (p ?x)))))";
    assert_eq!(answers(rules), ["2"]);
    let rules = "(all 1) (all 2) (all 3) (p 1) (q 2)
        (<= (legal w ?x) (all ?x) (not (and (not (p ?x)) (not (q ?x)))))";
    assert_eq!(answers(rules), ["1", "2"]);
}

#[test]
fn not_distinct_is_equality() {
    let base = "(p 1) (p 2) (q 2) (q 3)";
    let rules = format!("{base} (<= (legal w (pair ?x ?y)) (p ?x) (q ?y) (not (distinct ?x ?y)))");
    assert_eq!(answers(&rules), ["(pair 2 2)"]);
    // It binds a variable that nothing else binds.
    let rules = format!("{base} (<= (legal w ?y) (p ?x) (not (distinct (f ?x) ?y)))");
    assert_eq!(answers(&rules), ["(f 1)", "(f 2)"]);
    let rules = "(at (f 1 a)) (at (f 2 b)) (<= (legal w ?y) (at ?z) (not (distinct (f 2 ?y) ?z)))";
    assert_eq!(answers(rules), ["b"]);
    assert_eq!(answers("(p 1) (<= (legal w ?x) (p ?x) (not (distinct a b)))"), [""; 0]);
    assert_eq!(answers("(p 1) (<= (legal w ?x) (p ?x) (not (distinct a a)))"), ["1"]);
}

#[test]
fn distinct_compares_whole_terms() {
    let base = "(p (f 1)) (p (f 2)) (p 1)";
    let rules = format!("{base} (<= (legal w ?x) (p ?x) (distinct ?x (f 1)))");
    assert_eq!(answers(&rules), ["(f 2)", "1"]);
    assert_eq!(answers("(p 1) (<= (legal w ?x) (p ?x) (distinct ?x ?x))"), [""; 0]);
    assert_eq!(
        answers("(p 1) (<= (legal w ?x) (p ?x) (distinct (f ?x) (g ?x)))"),
        ["1"]
    );
    assert_eq!(answers("(p 1) (p 01) (<= (legal w ?x) (p ?x) (distinct ?x 1))"), ["01"]);
}

#[test]
fn distinct_of_a_variable_that_nothing_binds_is_true() {
    let rules = "(p 1) (p 2) (<= (legal w ?x) (p ?x) (distinct ?x ?nobody))";
    assert_eq!(answers(rules), ["1", "2"]);
}

#[test]
fn a_variable_under_not_alone_means_for_no_value() {
    let base = "(all 1) (all 2) (all 3) (edge 1 a) (edge 1 b) (edge 3 c)";
    let rules = format!("{base} (<= (legal w ?x) (all ?x) (not (edge ?x ?y)))");
    assert_eq!(answers(&rules), ["2"]);
    let rules = format!("{base} (<= (legal w ?x) (not (edge ?x ?y)) (all ?x))");
    assert_eq!(answers(&rules), ["2"]);
    // The same variable twice in one literal must match the same value twice.
    let loops = "(all 1) (all 2) (e 1 a a) (e 2 a b) (<= (legal w ?x) (all ?x) (not (e ?x ?y ?y)))";
    assert_eq!(answers(loops), ["2"]);
    let nested = "(all 1) (all 2) (init (cell 1 x)) (<= (legal w ?x) (all ?x) (not (true (cell ?x ?any))))";
    assert_eq!(answers(nested), ["2"]);
    let nothing = "(<= (legal w a) (not (true ?any)))";
    assert_eq!(answers(nothing), ["a"]);
    assert_eq!(answers(&format!("(init f) {nothing}")), [""; 0]);
}

#[test]
fn an_undefined_relation_is_false() {
    assert_eq!(
        answers("(p 1) (<= (legal w ?x) (p ?x) (nowhere ?x)) (<= (legal w a) nothing)"),
        [""; 0]
    );
    assert_eq!(answers("(p 1) (<= (legal w ?x) (p ?x) (not (nowhere ?x)))"), ["1"]);
    // As `test_case_3c` of ggp-base: exactly one move.
    assert_eq!(
        answers("(<= (legal w lose) undefined) (<= (legal w win) (not undefined))"),
        ["win"]
    );
}

#[test]
fn a_repeated_variable_must_match_the_same_term() {
    let rules = "(e 1 1) (e 1 2) (e (f 1) (f 1)) (<= (legal w ?x) (e ?x ?x))";
    assert_eq!(answers(rules), ["(f 1)", "1"]);
    let rules = "(init (cell 1 1)) (init (cell 1 2)) (<= (legal w ?x) (true (cell ?x ?x)))";
    assert_eq!(answers(rules), ["1"]);
}

#[test]
fn equal_rules_and_facts_count_once() {
    assert_eq!(
        answers("(p 1) (p 1) (<= (legal w ?x) (p ?x)) (<= (legal w ?y) (p ?y)) (legal w 1)"),
        ["1"]
    );
}

#[test]
fn a_rule_without_conditions_is_a_fact() {
    let mut play = play("(<= (role w)) (<= (legal w a)) (<= (init f)) (<= terminal) (<= (goal w 70))");
    assert_eq!(play.state(), ["f"]);
    assert_eq!(play.legal("w"), ["a"]);
    assert!(play.machine.is_terminal());
    assert_eq!(play.goals("w"), [70]);
}

// Recursion

#[test]
fn transitive_closure() {
    let edges = "(edge a b) (edge b c) (edge c d) (edge d b) (edge x y)";
    let forms = [
        "(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (edge ?x ?y) (path ?y ?z))",
        "(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))",
        "(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))",
    ];
    for form in forms {
        let rules = format!("{edges} {form} (<= (legal w ?y) (path a ?y))");
        assert_eq!(answers(&rules), ["b", "c", "d"], "{form}");
        let backwards = format!("{edges} {form} (<= (legal w ?x) (path ?x b))");
        assert_eq!(answers(&backwards), ["a", "b", "c", "d"], "{form}");
    }
}

#[test]
fn transitive_closure_over_the_state() {
    let rules = "(init (edge 1 2)) (init (edge 2 3)) (init (edge 4 5))
        (<= (path ?x ?y) (true (edge ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (true (edge ?y ?z)))
        (<= (legal w ?y) (path 1 ?y))";
    assert_eq!(answers(rules), ["2", "3"]);
}

#[test]
fn mutual_recursion() {
    let rules = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (even 0)
        (<= (even ?y) (succ ?x ?y) (odd ?x)) (<= (odd ?y) (succ ?x ?y) (even ?x))
        (<= (legal w (even ?x)) (even ?x)) (<= (legal w (odd ?x)) (odd ?x))";
    assert_eq!(
        answers(rules),
        ["(even 0)", "(even 2)", "(even 4)", "(odd 1)", "(odd 3)", "(odd 5)"]
    );
}

#[test]
fn mutual_recursion_with_swapped_arguments() {
    let rules = "(p a b) (<= (q ?y ?x) (p ?x ?y)) (<= (p ?y ?x) (q ?y ?x)) (<= (legal w (p ?x ?y)) (p ?x ?y))";
    assert_eq!(answers(rules), ["(p a b)", "(p b a)"]);
}

#[test]
fn recursion_without_support_stays_false() {
    let rules = "(<= p p) (<= q r) (<= r q) (<= (s ?x) (s ?x) (all ?x)) (all 1)
        (<= (legal w p) p) (<= (legal w q) q) (<= (legal w ?x) (s ?x))
        (<= (legal w not-p) (not p)) (<= (legal w not-q) (not q)) (<= (legal w (not-s ?x)) (all ?x) (not (s ?x)))";
    assert_eq!(answers(rules), ["(not-s 1)", "not-p", "not-q"]);
}

#[test]
fn recursion_below_negation() {
    let rules = "(node 1) (node 2) (node 3) (edge 1 2)
        (<= (reached 1) (node 1)) (<= (reached ?y) (reached ?x) (edge ?x ?y))
        (<= (lost ?x) (node ?x) (not (reached ?x))) (<= (legal w ?x) (lost ?x))";
    assert_eq!(answers(rules), ["3"]);
}

#[test]
fn recursion_over_lists_is_bounded_by_the_relation_that_lists_them() {
    let rules = "(list nil) (list (cons a nil)) (list (cons b (cons a nil))) (list (cons c (cons b (cons a nil))))
        (<= (member ?x (cons ?x ?l)) (list (cons ?x ?l)))
        (<= (member ?x (cons ?y ?l)) (list (cons ?y ?l)) (member ?x ?l))
        (<= (legal w ?x) (member ?x (cons b (cons a nil))))
        (<= (legal w (in ?l)) (member c ?l))";
    assert_eq!(answers(rules), ["(in (cons c (cons b (cons a nil))))", "a", "b"]);
}

#[test]
fn recursion_builds_terms_as_far_as_the_rules_allow() {
    let rules = "(size 0 zero) (less 0 1) (less 1 2) (less 2 3)
        (<= (size ?m (s ?t)) (less ?n ?m) (size ?n ?t)) (<= (legal w ?t) (size ?n ?t))";
    assert_eq!(answers(rules), ["(s (s (s zero)))", "(s (s zero))", "(s zero)", "zero"]);
}

#[test]
fn legal_may_be_recursive() {
    let rules = "(legal w 1) (succ 1 2) (succ 2 3) (<= (legal w ?y) (legal w ?x) (succ ?x ?y))";
    assert_eq!(answers(rules), ["1", "2", "3"]);
}

// Terms and names

#[test]
fn function_terms_nest() {
    let mut play = play(
        "(role w) (init (board (row (cell 1 x) (cell 2 b)))) (init (plain 1))
         (<= (legal w (take ?a (of ?b))) (true (board (row (cell 1 ?a) (cell 2 ?b)))))
         (<= (next (got (pair ?a ?b))) (does w (take ?a (of ?b))))",
    );
    assert_eq!(play.state(), ["(board (row (cell 1 x) (cell 2 b)))", "(plain 1)"]);
    assert_eq!(play.legal("w"), ["(take x (of b))"]);
    assert_eq!(play.step(&["(take x (of b))"]).state(), ["(got (pair x b))"]);
}

#[test]
fn a_variable_may_stand_for_a_function_term() {
    let mut play = play("(role w) (legal w a) (init (keep (f (g 1)))) (<= (next ?x) (true (keep ?x)))");
    assert_eq!(play.step(&["a"]).state(), ["(f (g 1))"]);
}

#[test]
fn functions_differ_by_name_and_number_of_arguments() {
    let rules = "(p (f 1)) (p (f 1 1)) (p (g 1)) (p f) (<= (legal w ?x) (p (f ?x)))";
    assert_eq!(answers(rules), ["1"]);
}

#[test]
fn parentheses_around_a_name_change_nothing() {
    let rules = "(p (f)) (q f) (r) (<= (legal w a) (p f)) (<= (legal w b) (q (f))) (<= (legal w c) r)
        (<= (legal w d) (p ?x) (q ?x)) (<= (legal w e) (p ?x) (q ?y) (distinct ?x ?y))";
    assert_eq!(answers(rules), ["a", "b", "c", "d"]);
    let mut play = play("(role w) (legal w (noop)) (init (f)) (<= (terminal) (true f)) (<= (goal w 100) (terminal))");
    assert!(play.machine.is_terminal());
    assert_eq!(play.goals("w"), [100]);
}

#[test]
fn a_constant_prints_as_the_author_writes_it() {
    let mut wrapped = play("(role w) (legal w (noop)) (init (f)) (<= (next (did ?m)) (does w ?m))");
    assert_eq!(wrapped.legal("w"), ["(noop)"]);
    assert_eq!(wrapped.state(), ["(f)"]);
    assert_eq!(wrapped.step(&["noop"]).state(), ["(did (noop))"]);
    let mut bare = play("(role w) (legal w noop) (init f)");
    assert_eq!(bare.legal("w"), ["noop"]);
    assert_eq!(bare.state(), ["f"]);
    // Both forms are the same move.
    let role = bare.role("w");
    assert_eq!(bare.game.parse_move(role, "(noop)"), bare.game.parse_move(role, "noop"));
}

#[test]
fn case_is_folded() {
    let mut play = play(
        "(ROLE White) (role BLACK) (Init (Cell A)) (<= (LEGAL white (Mark ?X)) (True (CELL ?x)))
         (legal black NOOP) (<= (Next Done) (Does WHITE (mark a))) (<= Terminal (TRUE done)) (GOAL white 100)",
    );
    let names: Vec<&str> = play.game.roles().map(|role| play.game.role_name(role)).collect();
    assert_eq!(names, ["white", "black"]);
    assert_eq!(play.state(), ["(cell a)"]);
    assert_eq!(play.legal("White"), ["(mark a)"]);
    assert_eq!(play.legal("black"), ["noop"]);
    assert_eq!(play.step(&["(MARK A)", "Noop"]).state(), ["done"]);
    assert!(play.machine.is_terminal());
    assert_eq!(play.goals("white"), [100]);
}

#[test]
fn a_name_with_two_arities_is_two_relations() {
    let rules = "(p 1) (p 2 a) (p) (<= (legal w (one ?x)) (p ?x)) (<= (legal w (two ?x)) (p ?x ?y))
        (<= (legal w none) p) (<= (p ?x b) (p ?x)) (<= (legal w (b ?x)) (p ?x b))";
    assert_eq!(answers(rules), ["(b 1)", "(one 1)", "(two 1)", "(two 2)", "none"]);
}

#[test]
fn a_name_may_be_relation_function_and_constant() {
    let rules = "(cell 1) (init (cell 2)) (p cell) (<= (legal w (rel ?x)) (cell ?x))
        (<= (legal w (fluent ?x)) (true (cell ?x))) (<= (legal w ?x) (p ?x))";
    assert_eq!(answers(rules), ["(fluent 2)", "(rel 1)", "cell"]);
}

#[test]
fn a_keyword_inside_a_term_has_no_meaning() {
    let mut play = play(
        "(role w) (init (does w a)) (legal w (true x)) (<= (next (does ?r ?m)) (does ?r ?m)) (<= terminal (does w a))",
    );
    assert!(!play.machine.is_terminal());
    assert_eq!(play.step(&["(true x)"]).state(), ["(does w (true x))"]);
}

#[test]
fn base_and_input_do_not_change_play() {
    let mut play =
        play("(role w) (base (f 1)) (input w a) (base f x) (init (f 2)) (legal w b) (<= (next (g 1)) (does w b))");
    assert_eq!(play.state(), ["(f 2)"]);
    assert_eq!(play.legal("w"), ["b"]);
    assert_eq!(play.step(&["b"]).state(), ["(g 1)"]);
}

#[test]
fn legal_moves_come_in_the_order_of_their_texts() {
    let rules = "(legal w z) (legal w (b 2)) (legal w a) (legal w (b 10)) (legal w (a 1))";
    assert_eq!(answers(rules), ["(a 1)", "(b 10)", "(b 2)", "a", "z"]);
}

// Roles, goals and percepts

#[test]
fn roles_keep_the_order_of_the_text() {
    let play = play("(role z) (role a) (role m)");
    let names: Vec<&str> = play.game.roles().map(|role| play.game.role_name(role)).collect();
    assert_eq!(names, ["z", "a", "m"]);
    assert_eq!(play.machine.role_count(), 3);
}

#[test]
fn a_role_that_stands_twice_counts_once() {
    for rules in [
        "(role w) (role w) (role b)",
        "(role w) (role b) (role w)",
        "(role w) (role b) (role W) (role B)",
    ] {
        let play = play(&format!("{rules} (<= (legal ?r a) (role ?r))"));
        let names: Vec<&str> = play.game.roles().map(|role| play.game.role_name(role)).collect();
        assert_eq!(names, ["w", "b"], "{rules}");
    }
}

#[test]
fn a_free_role_variable_in_a_head_is_any_role() {
    let mut play = play(
        "(role w) (role b) (init f) (<= (legal ?r noop) (true f)) (<= (goal ?r 50) (true f))
         (<= (goal ?r 10) (not (true f))) (<= (sees ?r hello) (true f))",
    );
    assert_eq!(play.legal("w"), ["noop"]);
    assert_eq!(play.legal("b"), ["noop"]);
    assert_eq!(play.percepts("b", &["noop", "noop"]), ["hello"]);
    assert_eq!((play.goals("w"), play.goals("b")), (vec![50], vec![50]));
    play.step(&["noop", "noop"]);
    assert_eq!((play.goals("w"), play.goals("b")), (vec![10], vec![10]));
}

#[test]
fn moves_and_goals_of_strangers_are_ignored() {
    let mut play = play("(role w) (legal stranger a) (legal w b) (goal stranger 100) (goal w 30)");
    assert_eq!(play.legal("w"), ["b"]);
    assert_eq!(play.goals("w"), [30]);
    assert_eq!(play.machine.role_count(), 1);
}

#[test]
fn a_goal_may_be_defined_by_negating_another_goal_value() {
    let rules = "(role w) (role b) (init (won w)) (<= (goal ?r 100) (true (won ?r)))
        (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";
    let mut won = play(rules);
    assert_eq!((won.goals("w"), won.goals("b")), (vec![100], vec![0]));
    let chain = "(role w) (<= (goal w 0) (not (goal w 50)) (not (goal w 100))) (<= (goal w 50) (not (goal w 100)))
        (<= (goal w 100) (true won))";
    let mut lost = play(chain);
    assert_eq!(lost.goals("w"), [50]);
}

#[test]
fn no_goal_scores_zero_and_several_score_the_lowest() {
    let mut play = play(
        "(role none) (role one) (role two) (goal one 70) (goal two 100) (goal two 50)
         (goal one high) (goal one 101) (goal one (f 3))",
    );
    let values: Vec<_> = play.game.roles().collect();
    let [none, one, two] = values[..] else {
        panic!("three roles")
    };
    let machine = &mut play.machine;
    assert_eq!(machine.goal_values(none), [0; 0]);
    assert_eq!(machine.goal_values(one), [70]);
    assert_eq!(machine.goal_values(two), [50, 100]);
    assert_eq!([none, one, two].map(|role| machine.goal(role)), [None, Some(70), None]);
    assert_eq!([none, one, two].map(|role| machine.score(role)), [0, 70, 50]);
}

#[test]
fn which_of_several_goals_counts_can_be_chosen() {
    /// Collects the scores of one match.
    struct Scores(State, bool, Vec<u8>);
    impl PlayoutSource for Scores {
        fn start(&mut self) -> Option<(&State, u32)> {
            (!std::mem::replace(&mut self.1, true)).then_some((&self.0, 0))
        }
        fn finish(&mut self, _tag: u32, playout: &Playout) {
            self.2 = playout.scores.as_slice().to_vec();
        }
    }
    let rules = "(role w) (role b) (legal w go) (legal b go) (init (s 1)) (<= (next (s 2)) (true (s 1)))
        (<= terminal (true (s 2))) (goal w 100) (goal w 30) (goal w 50) (<= (goal b 70) (true (s 2))) (goal b 20)";
    for (several_goals, w, b) in [
        (SeveralGoals::Lowest, vec![30, 50, 100], vec![20, 70]),
        (SeveralGoals::Highest, vec![100, 50, 30], vec![70, 20]),
        (SeveralGoals::Error, vec![30, 50, 100], vec![20, 70]),
    ] {
        let options = Options {
            several_goals,
            ..options(Limits::default())
        };
        let game = Game::new(Description::read(Source::new("test", rules)), options).expect("a game");
        let mut machine = game.machine();
        let joint: Vec<MoveId> = game.roles().map(|role| machine.legal(role)[0]).collect();
        machine.step(&joint);
        assert_eq!(machine.goal_values(Role(0)), w, "{several_goals:?}");
        assert_eq!(machine.goal_values(Role(1)), b, "{several_goals:?}");
        assert_eq!((machine.score(Role(0)), machine.score(Role(1))), (w[0], b[0]));
        let sorted = [(Role(0), vec![30, 50, 100]), (Role(1), vec![20, 70])];
        assert_eq!(game.ambiguous_goals(&mut *machine), sorted);
        let mut scores = Scores(game.initial().clone(), false, Vec::new());
        game.engine().playouts().run(&mut Rng::with_seed(1), 10, &mut scores);
        assert_eq!(scores.2, [w[0], b[0]], "{several_goals:?}");
        game.engine()
            .successors()
            .look(&[machine.state()], &mut |_, successor| {
                assert_eq!(successor.scores.as_slice(), [w[0], b[0]], "{several_goals:?}");
            });
    }
}

#[test]
fn goals_may_be_read_and_legal_and_terminal_too() {
    let mut play = play(
        "(role w) (goal w 80) (legal w a) (<= good (goal w ?v) (distinct ?v 0)) (<= terminal good (legal w a))
         (<= (legal w b) terminal)",
    );
    assert!(play.machine.is_terminal());
    assert_eq!(play.legal("w"), ["a", "b"]);
}

#[test]
fn goals_are_asked_in_every_state() {
    let mut play = play(
        "(role w) (legal w a) (init (s 1)) (<= (next (s 2)) (true (s 1))) (<= (goal w 10) (true (s 1)))
         (<= (goal w 20) (true (s 2)))",
    );
    assert_eq!(play.goals("w"), [10]);
    assert_eq!(play.step(&["a"]).goals("w"), [20]);
    assert_eq!(play.step(&["a"]).goals("w"), [0; 0]);
}

#[test]
fn percepts_depend_on_state_and_moves() {
    let mut play = play(
        "(role random) (role w) (init (hidden 1)) (<= (legal random (deal ?c)) (card ?c)) (card k) (card q)
         (legal w look) (legal w sleep)
         (<= (sees w (card ?c)) (does random (deal ?c)) (does w look))
         (<= (sees w (old ?n)) (true (hidden ?n)) (does w look)) (sees w always)
         (<= (next (dealt ?c)) (does random (deal ?c)))",
    );
    assert!(play.game.is_random(play.role("random")) && !play.game.is_random(play.role("w")));
    assert_eq!(
        play.percepts("w", &["(deal k)", "look"]),
        ["(card k)", "(old 1)", "always"]
    );
    assert_eq!(
        play.percepts("w", &["(deal q)", "look"]),
        ["(card q)", "(old 1)", "always"]
    );
    assert_eq!(play.percepts("w", &["(deal q)", "sleep"]), ["always"]);
    assert_eq!(play.percepts("random", &["(deal q)", "look"]), [""; 0]);
    assert_eq!(play.state(), ["(hidden 1)"]);
    assert_eq!(play.step(&["(deal q)", "look"]).state(), ["(dealt q)"]);
}

#[test]
fn a_role_without_a_legal_move_is_no_error() {
    let mut play = play("(role w) (role b) (legal w a)");
    assert_eq!(play.legal("w"), ["a"]);
    assert_eq!(play.legal("b"), [""; 0]);
    assert_eq!(play.machine.fault(), None);
}

// Reading moves

#[test]
fn moves_are_read_in_any_spacing_case_and_notation() {
    let play = play("(role w) (legal w (move (cell 1 2) king-side)) (legal w noop)");
    let role = play.role("w");
    let expected = play.game.parse_move(role, "(move (cell 1 2) king-side)");
    assert!(expected.is_some());
    for text in [
        "( move ( cell 1   2 ) king-side )",
        "(MOVE(CELL 1 2)KING-SIDE)",
        "\t(Move\n(cell\t1 2)\r\nKing-Side)\n",
        "move(cell(1,2),king-side)",
        "move( cell(1, 2) , king-side )",
        "(move (cell 1 2) king-side) ; a comment",
    ] {
        assert_eq!(play.game.parse_move(role, text), expected, "{text:?}");
    }
    let id = expected.expect("checked above");
    assert_eq!(play.game.move_text(role, id), "(move (cell 1 2) king-side)");
}

#[test]
fn texts_that_are_no_move_of_the_rules_are_not_read() {
    let play = play("(role w) (legal w (move 1 2)) (legal w noop)");
    let role = play.role("w");
    for text in [
        "",
        " ",
        "(",
        ")",
        "()",
        "(move 1 2",
        "(move 1 2))",
        "(move 1 ?x)",
        "?x",
        "unknown",
        "(move 1 unknown)",
        "noop noop",
        "(move 1 2) noop",
        "((move 1 2))",
        "(<= move 1)",
        "(not noop)",
        "\u{0}",
        "(move \u{e9})",
    ] {
        assert_eq!(play.game.parse_move(role, text), None, "{text:?}");
    }
}

#[test]
fn a_use_under_another_name_that_makes_no_difference_leaves_the_other_use_alone() {
    let rules = "(role w) (legal w a) (legal w b) (init f)
        (<= (next f) (true f) (does w a)) (<= (next g) (does w a)) (<= (next h) (does w a)) (<= (next i) (does w b))
        (<= both (true f) (true g)) (<= both (true h) (true i)) (<= renamed both)
        (<= (goal w 100) both (true h)) (<= (goal w 0) (not (true h)))
        (<= terminal (true h)) (<= terminal (true h) renamed)";
    let mut play = play(rules);
    assert_eq!(play.goals("w"), [0]);
    assert_eq!(play.step(&["a"]).goals("w"), [100]);
}
