//! Evaluation of rules: recursion, negation, function terms, and relations derived on demand.

use ludens_datalog::{Demand, Evaluator, Expectations, Limits, Meter, Program, Purpose, TermPool};
use ludens_gdl::format::canonical_term;
use ludens_gdl::normal::{NormalRule, NormalRules};
use ludens_gdl::{Description, Relation, Source};

fn rules(text: &str) -> NormalRules {
    Description::read(Source::new("test", text)).normal()
}

/// All rows of a relation, as sorted texts.
fn rows(rules: &NormalRules, name: &str, arity: usize) -> Vec<String> {
    let relation = Relation::new(rules.symbols.find(name).expect("the relation is in the rules"), arity);
    let strata = rules.strata().expect("the rules are stratified");
    let purpose = Purpose {
        asked: &[relation],
        given: &[],
        enumerated: &[],
        limits: Limits::default(),
    };
    let program = Program::new(rules, &strata, purpose, Expectations::default(), |_| false);
    let program = program.unwrap_or_else(|_| panic!("the rules are small"));
    let mut evaluator = Evaluator::new(&program, TermPool::on(program.pool.clone()));
    let query = program.query(relation);
    evaluator.derive_all(&program, &query);
    assert_eq!(evaluator.fault(), None);
    let text = |row: &[_]| {
        let terms = row
            .iter()
            .map(|&term| canonical_term(&evaluator.pool.export(term), &rules.symbols));
        terms.collect::<Vec<_>>().join(" ")
    };
    let Some(relation) = query.relation else {
        return Vec::new();
    };
    let mut rows: Vec<String> = evaluator.rows(&program, relation).map(text).collect();
    rows.sort();
    rows
}

#[test]
fn a_transitive_relation_is_derived_over_cycles() {
    let rules = rules(
        "(way a b) (way b c) (way c a) (way c d) (<= (far ?x ?y) (way ?x ?y)) (<= (far ?x ?z) (far ?x ?y) (way ?y ?z))",
    );
    let far = rows(&rules, "far", 2);
    assert_eq!(far.len(), 12);
    assert!(far.contains(&"a a".to_string()) && !far.iter().any(|row| row.starts_with('d')));
}

#[test]
fn negation_sees_the_whole_stratum_below() {
    let rules = rules(
        "(way a b) (way b c) (place a) (place b) (place c)
        (<= (left ?x) (way ?x ?y)) (<= (end ?x) (place ?x) (not (left ?x))) (<= (inner ?x) (left ?x) (not (end ?x)))",
    );
    assert_eq!(rows(&rules, "end", 1), ["c"]);
    assert_eq!(rows(&rules, "inner", 1), ["a", "b"]);
}

#[test]
fn terms_are_matched_and_built() {
    let rules = rules(
        "(card (pair a b)) (card (pair b (box a))) (<= (turned (pair ?y ?x)) (card (pair ?x ?y)))
        (<= (boxed ?x) (card (pair ?y (box ?x)))) (<= (same ?x) (card ?x) (turned ?x))",
    );
    assert_eq!(rows(&rules, "turned", 1), ["(pair (box a) b)", "(pair b a)"]);
    assert_eq!(rows(&rules, "boxed", 1), ["a"]);
    assert_eq!(rows(&rules, "same", 1), [""; 0]);
}

#[test]
fn conditions_on_different_terms_are_decided_by_value() {
    let rules = rules("(number 1) (number 2) (number 3) (<= (pair ?x ?y) (number ?x) (number ?y) (distinct ?x ?y))");
    assert_eq!(rows(&rules, "pair", 2), ["1 2", "1 3", "2 1", "2 3", "3 1", "3 2"]);
}

#[test]
fn a_relation_on_demand_answers_what_is_asked() {
    let rules = rules(
        "(digit 0) (digit 1) (digit 2) (wanted 2 1)
        (<= (sum ?x ?y ?z) (digit ?x) (digit ?y) (digit ?z)) (<= (answer ?z) (wanted ?x ?y) (sum ?x ?y ?z))",
    );
    let relation = |name: &str, arity| Relation::new(rules.symbols.find(name).unwrap(), arity);
    let answer = [relation("answer", 1)];
    let strata = rules.strata().unwrap();
    let mut demand = Demand::new(&rules, &answer);
    let whole = demand.rewrite(&rules, &strata, &mut Meter::default()).unwrap();
    demand.note_large(relation("sum", 3), &whole);
    let rewritten = demand.rewrite(&rules, &strata, &mut Meter::default()).unwrap().rules;
    assert_eq!(rows(&rewritten, "answer", 1), rows(&rules, "answer", 1));
    assert_eq!(rows(&rules, "sum", 3).len(), 27);
    let names = |rule: &&NormalRule| rule.head.args.len() == 3 && rewritten.symbols.name(rule.head.name) != "sum";
    let copy = rewritten
        .rules
        .iter()
        .find(names)
        .expect("the copy derives what is asked for");
    assert_eq!(rows(&rewritten, rewritten.symbols.name(copy.head.name), 3).len(), 3);
}
