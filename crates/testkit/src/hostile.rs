//! Hostile rule sets: small texts with huge consequences, and huge texts.
//!
//! Each is a function of a size, so that tests can count the cost of a small one, and `scripts/attack-limits` of a
//! large one. [`SHEETS`] lists them at full size.

use std::fmt::Write;

/// A game of one step for two roles, to which hostile rules are added.
const BASE: &str = "(role w) (role b) (init (step 0)) (succ 0 1)
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 1)))
(<= (legal ?r go) (role ?r)) (goal w 100) (goal b 0)
";

/// A game that never ends, for two roles.
const ENDLESS: &str = "(role w) (role b) (<= (legal ?r go) (role ?r)) (goal w 100) (goal b 0)
(<= terminal (true never))
";

/// A hostile rule set.
pub struct Sheet {
    /// Name, also of its file.
    pub name: &'static str,
    /// Generates the text.
    pub text: fn() -> String,
}

/// All hostile rule sets at full size.
pub const SHEETS: &[Sheet] = &[
    sheet("shared-terms", || shared_terms(40)),
    sheet("shared-terms-in-a-move", || shared_terms_in_a_move(40)),
    sheet("terms-that-double-in-play", terms_that_double_in_play),
    sheet("terms-that-grow-in-play", terms_that_grow_in_play),
    sheet("facts-that-multiply-in-play", facts_that_multiply_in_play),
    sheet("terms-by-unification", || terms_by_unification(40)),
    sheet("pigeons-21-in-20", || pigeons(21, 20, "next hit")),
    sheet("pigeons-13-in-10", || pigeons(13, 10, "next hit")),
    sheet("pigeons-12-in-11-for-a-goal", || pigeons(12, 11, "goal w 50")),
    sheet("late-pigeons", || late_pigeons(21, 20)),
    sheet("rule-of-5000-variables", || many_variables(5_000)),
    sheet("rule-of-5000-negated-pairs", || negated_pairs(5_000)),
    sheet("body-of-10000-conditions", || long_body(10_000)),
    sheet("recursive-body-of-2000", || recursive_body(2_000)),
    sheet("choices-multiplied-out", || choices(2_000, 12)),
    sheet("chain-of-50000-rules", || chain(50_000)),
    sheet("chain-of-200000-rules", || chain(200_000)),
    sheet("chain-of-50000-negations", || negations(50_000)),
    sheet("roles-100000", || roles(100_000)),
    sheet("rules-1000000", || rules(1_000_000)),
    sheet("facts-of-100-megabytes", || facts(2_500_000)),
    sheet("wide-product", || product(10, 100)),
    sheet("roles-20-with-100-moves", || roles_with_moves(20, 100)),
    sheet("moves-1000000", || moves("w", 1_000)),
    sheet("moves-1000000-of-chance", || moves("random", 1_000)),
    sheet("fluents-1000000", || fluents(1_000)),
];

const fn sheet(name: &'static str, text: fn() -> String) -> Sheet {
    Sheet { name, text }
}

/// Finds a rule set by name.
pub fn find(name: &str) -> Option<&'static Sheet> {
    SHEETS.iter().find(|sheet| sheet.name == name)
}

/// Relations `t0`, `t1`, ...: each holds of a term twice as large as the one before.
fn doubling(depth: usize) -> String {
    let mut text = "(t0 z) ".to_string();
    for number in 1..=depth {
        let _ = writeln!(text, "(<= (t{number} (f ?x ?x)) (t{} ?x))", number - 1);
    }
    text
}

/// A term in the initial state that shares subterms: `2^depth` symbols when written out.
pub fn shared_terms(depth: usize) -> String {
    format!("{BASE}{}(<= (init (big ?x)) (t{depth} ?x))\n", doubling(depth))
}

/// The same term in a legal move.
pub fn shared_terms_in_a_move(depth: usize) -> String {
    format!("{BASE}{}(<= (legal w (big ?x)) (t{depth} ?x))\n", doubling(depth))
}

/// A term that doubles in every step, without end, in fewer than 274 bytes.
pub fn terms_that_double_in_play() -> String {
    format!("{ENDLESS}(init (t z)) (<= (next (t (f ?x ?x))) (true (t ?x)))\n")
}

/// A term that grows in every step, without end.
pub fn terms_that_grow_in_play() -> String {
    format!("{ENDLESS}(init (t z)) (<= (next (t (s ?x))) (true (t ?x)))\n")
}

/// Every pair of terms makes a new one in every step.
pub fn facts_that_multiply_in_play() -> String {
    format!(
        "{ENDLESS}(init (t y)) (init (t z)) (<= (next (t (f ?x ?y))) (true (t ?x)) (true (t ?y)))\n\
         (<= (next (t ?x)) (true (t ?x)))\n"
    )
}

/// A term of `2^depth` symbols, made by unifying the conditions of one rule.
pub fn terms_by_unification(depth: usize) -> String {
    let mut text = format!("{BASE}(d z) (<= (init (big ?x0)) (d ?x{depth})");
    for number in 0..depth {
        let next = number + 1;
        let _ = write!(text, " (not (distinct ?x{number} (f ?x{next} ?x{next})))");
    }
    text + ")\n"
}

/// Conditions that give `variables` different values out of `values`.
fn all_different(variables: usize, values: usize) -> (String, String) {
    let mut facts = String::new();
    for value in 0..values {
        let _ = write!(facts, "(d {value}) ");
    }
    let mut body = String::new();
    for variable in 0..variables {
        let _ = write!(body, " (d ?x{variable})");
    }
    for variable in 0..variables {
        for other in 0..variable {
            let _ = write!(body, " (distinct ?x{variable} ?x{other})");
        }
    }
    (facts, body)
}

/// Gives `variables` different values out of `values`; if there are too few, a search notices very late.
pub fn pigeons(variables: usize, values: usize, head: &str) -> String {
    let (facts, body) = all_different(variables, values);
    format!("{BASE}{facts}\n(<= ({head}){body})\n")
}

/// The same after 50 steps, which a trial during preparation does not reach.
pub fn late_pigeons(variables: usize, values: usize) -> String {
    let (facts, body) = all_different(variables, values);
    let mut text = format!("{ENDLESS}{facts}\n(init (count 0))\n");
    for number in 0..100 {
        let _ = write!(text, "(after {number} {}) ", number + 1);
    }
    text + &format!(
        "\n(<= (next (count ?y)) (true (count ?x)) (after ?x ?y))\n(<= (next hit) (true (count 50)){body})\n"
    )
}

/// One rule with `variables` variables, each linked to the one before.
pub fn many_variables(variables: usize) -> String {
    let mut text = format!("{BASE}(e 0 0) (e 0 1) (e 1 0)\n(<= (next hit) (true (step ?x0))");
    for variable in 1..variables {
        let _ = write!(text, " (e ?x{} ?x{variable})", variable - 1);
    }
    text + ")\n"
}

/// One rule with `variables` variables, neighbours of which are compared under `not`.
pub fn negated_pairs(variables: usize) -> String {
    let mut text = format!("{BASE}(d 0) (d 1)\n(<= (same ?x ?x) (d ?x) (true (step 0)))\n(<= (next hit)");
    for variable in 0..variables {
        let _ = write!(text, " (d ?x{variable})");
    }
    for variable in 1..variables {
        let _ = write!(text, " (not (same ?x{} ?x{variable}))", variable - 1);
    }
    text + ")\n"
}

/// One rule with `conditions` conditions on the state.
pub fn long_body(conditions: usize) -> String {
    let mut text = format!("{BASE}(<= (next (c ?x)) (true (c ?x)))\n");
    for number in 0..conditions {
        let _ = write!(text, "(init (c {number})) ");
    }
    text += "\n(<= (next hit)";
    for number in 0..conditions {
        let _ = write!(text, " (true (c {number}))");
    }
    text + ")\n"
}

/// A recursive rule with `conditions` recursive conditions, each of which needs its own plan.
pub fn recursive_body(conditions: usize) -> String {
    let mut text = format!("{BASE}(<= (p ?x ?x) (true (step ?x)))\n(<= (p ?x0 ?x{conditions})");
    for number in 0..conditions {
        let _ = write!(text, " (p ?x{number} ?x{})", number + 1);
    }
    text + ")\n"
}

/// `rules` rules with `ors` disjunctions each, which can only be multiplied out.
pub fn choices(rules: usize, ors: usize) -> String {
    let mut text = BASE.to_string();
    for rule in 0..rules {
        let _ = write!(text, "(<= (q {rule}) (true (step ?z))");
        for number in 0..ors {
            let _ = write!(text, " (or (not (true (a{rule} ?x{number}))) (distinct ?x{number} ?z))");
        }
        text += ")\n";
    }
    text + "(<= (next hit) (q ?x))\n"
}

/// `rules` relations, each derived from the one before.
pub fn chain(rules: usize) -> String {
    let mut text = format!("{BASE}(<= (p0 ?x) (true (step ?x)))\n");
    for rule in 1..=rules {
        let _ = writeln!(text, "(<= (p{rule} ?x) (p{} ?x))", rule - 1);
    }
    let _ = writeln!(text, "(<= (next (hit ?x)) (p{rules} ?x))");
    text
}

/// `rules` relations, each the negation of the one before.
pub fn negations(rules: usize) -> String {
    let mut text = format!("{BASE}(<= p0 (true (step 0)))\n");
    for rule in 1..=rules {
        let _ = writeln!(text, "(<= p{rule} (not p{}))", rule - 1);
    }
    let _ = writeln!(text, "(<= (next hit) p{rules})");
    text
}

/// `count` roles.
pub fn roles(count: usize) -> String {
    let mut text = "(init (step 0)) (<= terminal (true (step 0))) (<= (legal ?r go) (role ?r)) \
                    (<= (goal ?r 50) (role ?r))\n"
        .to_string();
    for role in 0..count {
        let _ = writeln!(text, "(role r{role})");
    }
    text
}

/// `count` rules about the next state.
pub fn rules(count: usize) -> String {
    let mut text = BASE.to_string();
    for rule in 0..count {
        let _ = writeln!(text, "(<= (next (c {rule})) (true (step 0)))");
    }
    text
}

/// `count` facts of 40 bytes each.
pub fn facts(count: usize) -> String {
    let mut text = format!("{BASE}(<= (next (seen ?x)) (true (step ?x)) (fact ?x ?y))\n");
    for fact in 0..count {
        let _ = writeln!(text, "(fact constant-{fact:010} value-{:08})", fact / 3);
    }
    text
}

/// A relation over `columns` columns with `values` values each.
pub fn product(columns: usize, values: usize) -> String {
    let mut text = format!("{BASE}(<= (p");
    for column in 0..columns {
        let _ = write!(text, " ?x{column}");
    }
    text += ")";
    for column in 0..columns {
        let _ = write!(text, " (d ?x{column})");
    }
    text += ")\n(<= (next hit) (p";
    for column in 0..columns {
        let _ = write!(text, " ?x{column}");
    }
    text += "))\n";
    for value in 0..values {
        let _ = write!(text, "(d {value}) ");
    }
    text
}

/// `roles` roles with `moves` simultaneous moves each.
pub fn roles_with_moves(roles: usize, moves: usize) -> String {
    let mut text = "(init (step 0)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (succ 0 1) (succ 1 2)
(<= terminal (true (step 2))) (<= (legal ?r (m ?x)) (role ?r) (d ?x)) (<= (goal ?r 50) (role ?r))
(<= (next (made ?r ?x)) (does ?r (m ?x)))
"
    .to_string();
    for role in 0..roles {
        let _ = write!(text, "(role r{role}) ");
    }
    for number in 0..moves {
        let _ = write!(text, "(d {number}) ");
    }
    text
}

/// `side` squared moves for one role, and one for the other.
pub fn moves(role: &str, side: usize) -> String {
    let mut text = format!(
        "(role {role}) (role b) (init (step 0)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (succ 0 1) (succ 1 2)
(<= terminal (true (step 2))) (<= (legal {role} (m ?x ?y)) (d ?x) (d ?y)) (legal b go) (goal {role} 50) (goal b 50)
(<= (next (made ?x)) (does {role} (m ?x ?y)))
"
    );
    for number in 0..side {
        let _ = write!(text, "(d {number}) ");
    }
    text
}

/// `side` squared fluents in the initial state, and one more in every step.
pub fn fluents(side: usize) -> String {
    let mut text = format!("{BASE}(<= (init (f ?x ?y)) (d ?x) (d ?y))\n(<= (next (f ?x ?y)) (true (f ?x ?y)))\n");
    for number in 0..side {
        let _ = write!(text, "(d {number}) ");
    }
    text
}
