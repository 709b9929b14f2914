//! Facts that can hold if given fluents can: the relaxation of [`relax`](crate::relax), without play.
//!
//! Grounding derives the fluents and moves of a game along with everything else. Once the fluents are known, the facts
//! of any relation follow from them alone: every fluent is assumed to hold, negated conditions on the state are assumed
//! to be satisfied, and relations that never change are derived exactly. Only what is asked for is derived, which is
//! little compared with grounding.

use crate::names::Named;
use crate::relax::{DOES, TRUE, generator};
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use ludens_datalog::{Expectations, Facts, Limits, Program, Purpose, TermPool};
use ludens_gdl::Relation;
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, NormalRule, NormalRules, Term};
use std::sync::Arc;

/// Facts that can hold.
pub struct PossibleFacts {
    /// The numbers of all ground terms.
    pub pool: Arc<TermPool>,
    /// For each relation that was asked for, its facts.
    pub relations: Vec<(Relation, Facts)>,
}

/// Derives the facts of the relations `asked` that can hold if any of the `fluents` can. The relations must not depend
/// on moves. `None` if the rules are not stratified or a limit is hit.
pub fn possible_facts(
    rules: &NormalRules,
    fluents: &[Arc<Named>],
    asked: &[Relation],
    limits: Limits,
) -> Option<PossibleFacts> {
    // A rule that adds up four fluents has as many instances as they have combinations: it must be split.
    let rules = &crate::split_rules(&relaxed(rules, fluents, asked));
    let strata = rules.strata().ok()?;
    let purpose = Purpose {
        asked,
        given: &[],
        enumerated: &[],
        limits,
    };
    let program = Program::new(rules, &strata, purpose, Expectations::from_facts(rules), |_| false).ok()?;
    let facts_of = |&relation: &Relation| {
        let mut facts = Facts::new(relation.arity);
        if let Some(id) = program.find(relation) {
            program.fixed_rows(id).for_each(|row| facts.push(row));
        }
        (relation, facts)
    };
    Some(PossibleFacts {
        relations: asked.iter().map(facts_of).collect(),
        pool: program.pool,
    })
}

/// The rules for these relations, with the fluents as facts.
fn relaxed(rules: &NormalRules, fluents: &[Arc<Named>], asked: &[Relation]) -> NormalRules {
    let dependencies = Dependencies::of_normal(rules);
    let needed = dependencies.needed_by(asked);
    let dependent = dependencies.dependents(&[TRUE, DOES]);
    let changing: HashSet<Relation, RandomState> = (dependencies.relations.iter().zip(&dependent))
        .filter(|(_, dependent)| **dependent)
        .map(|(&relation, _)| relation)
        .collect();
    let is_needed = |rule: &&NormalRule| {
        let number = dependencies.find(rule.head.relation());
        number.is_some_and(|number| needed[number])
    };
    let needed = rules.rules.iter().filter(is_needed);
    let generators = needed.map(|rule| generator(rule, &changing));
    NormalRules {
        symbols: rules.symbols.clone(),
        rules: generators
            .chain(fluents.iter().map(|fluent| fact(TRUE, &fluent.term)))
            .collect(),
        left_out: Vec::new(),
    }
}

/// Returns a fact about one term.
pub fn fact(relation: Relation, term: &Term) -> NormalRule {
    NormalRule {
        head: Atom {
            name: relation.name,
            args: vec![term.clone()],
        },
        body: Vec::new(),
        variables: 0,
        source: 0,
    }
}
