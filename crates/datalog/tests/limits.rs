//! Limits on preparing rules are kept even where nothing new follows from them.

use ludens_datalog::{Expectations, Limits, Overflow, Program, Purpose};
use ludens_gdl::normal::NormalRules;
use ludens_gdl::{Description, Relation, Source};
use std::time::Duration;

/// Looks for a way round where all ways lead from each of five layers to the next: millions of steps, and no fact.
fn fruitless() -> NormalRules {
    let mut text = "(<= found (way ?a ?b) (way ?b ?c) (way ?c ?d) (way ?d ?a)) ".to_string();
    for (layer, from, to) in (0..4).flat_map(|layer| (0..900).map(move |pair| (layer, pair / 30, pair % 30))) {
        text += &format!("(way {layer}-{from} {}-{to}) ", layer + 1);
    }
    Description::read(Source::new("test", &text)).normal()
}

fn prepare(limits: Limits) -> Result<Program, Overflow> {
    let rules = fruitless();
    let asked: Vec<Relation> = rules.rules.iter().map(|rule| rule.head.relation()).collect();
    let strata = rules.strata().expect("nothing is negated");
    let purpose = Purpose {
        asked: &asked,
        given: &[],
        enumerated: &[],
        limits,
    };
    Program::new(&rules, &strata, purpose, Expectations::default(), |_| false)
}

fn cause(limits: Limits) -> Option<String> {
    match prepare(limits) {
        Err(Overflow::Limit(cause)) => Some(cause),
        Err(Overflow::Large(_)) | Ok(_) => None,
    }
}

#[test]
fn steps_without_facts_count() {
    let few = Limits {
        steps: 100_000,
        ..Limits::default()
    };
    assert_eq!(cause(few).as_deref(), Some("preparing the rules takes too many steps"));
    assert!(prepare(Limits::default()).is_ok());
}

#[test]
fn time_without_facts_counts() {
    let none = Limits {
        setup: Duration::ZERO,
        ..Limits::default()
    };
    assert_eq!(cause(none).as_deref(), Some("preparing the rules takes too long"));
}
