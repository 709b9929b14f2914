//! What can ever hold or be done: an over-approximation, derived bottom-up.
//!
//! The rules are relaxed: whatever `init` or `next` yields may be true, whatever is legal may be done, and negated
//! conditions on things that change are taken as satisfied. Relations that never change are derived exactly. Every
//! rule that matters to play gets a relation of its own that collects its *instances*, the values of its variables.

use crate::GroundError;
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use ludens_datalog::{Demand, Expectations, Limits, OnDemand, Overflow, Phase, Program, Purpose};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};
use ludens_gdl::{Relation, Symbols, keyword};
use std::time::Instant;

pub(crate) const TRUE: Relation = Relation::new(keyword::TRUE, 1);
pub(crate) const DOES: Relation = Relation::new(keyword::DOES, 2);
pub(crate) const INIT: Relation = Relation::new(keyword::INIT, 1);
pub(crate) const NEXT: Relation = Relation::new(keyword::NEXT, 1);
pub(crate) const LEGAL: Relation = Relation::new(keyword::LEGAL, 2);
pub(crate) const GOAL: Relation = Relation::new(keyword::GOAL, 2);
pub(crate) const TERMINAL: Relation = Relation::new(keyword::TERMINAL, 0);
pub(crate) const SEES: Relation = Relation::new(keyword::SEES, 2);
const ROLE: Relation = Relation::new(keyword::ROLE, 1);

const PLAY: [Relation; 7] = [INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES, ROLE];

/// A rule whose truth depends on state or moves, with the relation of its instances.
pub(crate) struct LiveRule {
    pub(crate) rule: NormalRule,
    pub(crate) instances: Relation,
}

/// Everything that can ever be.
pub(crate) struct Relaxed {
    pub(crate) program: Program,
    pub(crate) live: Vec<LiveRule>,
    /// Relations that depend on state or moves.
    pub(crate) changing: HashSet<Relation, RandomState>,
    /// Relations that only guide the derivation and are no conditions of play.
    pub(crate) questions: HashSet<Relation, RandomState>,
    /// The rules that the instances belong to, after splitting.
    pub(crate) rules: NormalRules,
}

/// Derives everything that can ever be, rewriting rules where a helper relation is too large.
pub(crate) fn relax(rules: &NormalRules, limits: Limits) -> Result<Relaxed, GroundError> {
    let strata = rules
        .strata()
        .map_err(|_| GroundError::Unsuitable("the rules are not stratified".to_string()))?;
    let start = Instant::now();
    let mut demand = Demand::new(rules, &PLAY);
    loop {
        let rewritten = demand.rewrite(rules, &strata);
        let limits = Limits {
            setup: limits.setup.saturating_sub(start.elapsed()),
            ..limits
        };
        match attempt(&rewritten, limits, |relation| demand.is_watched(relation)) {
            Err(Overflow::Large(relation)) => demand.note_large(relation, &rewritten),
            Err(Overflow::Limit(cause)) => return Err(GroundError::Limit(cause)),
            Ok(relaxed) => return Ok(relaxed),
        }
    }
}

fn attempt(rewritten: &OnDemand, limits: Limits, is_watched: impl Fn(Relation) -> bool) -> Result<Relaxed, Overflow> {
    let rules = crate::split::split(&close_local_variables(&rewritten.rules));
    let dependencies = Dependencies::of_normal(&rules);
    let dependent = dependencies.dependents(&[TRUE, DOES]);
    let changing: HashSet<Relation, RandomState> = dependencies
        .relations
        .iter()
        .zip(&dependent)
        .filter(|(_, dependent)| **dependent)
        .map(|(&relation, _)| relation)
        .collect();
    let needed = dependencies.needed_by(&PLAY);
    let is_needed = |relation: Relation| dependencies.find(relation).is_some_and(|index| needed[index]);
    let mut symbols = rules.symbols.clone();
    let mut relaxed = Vec::new();
    let mut live = Vec::new();
    for rule in &rules.rules {
        if !is_needed(rule.head.relation()) {
            continue;
        }
        match changing.contains(&rule.head.relation()) && !rule.body.is_empty() {
            false => relaxed.push(rule.clone()),
            true => live.push(instances(rule, &changing, &mut symbols, &mut relaxed)),
        }
    }
    for (from, to) in [(INIT, TRUE), (NEXT, TRUE), (LEGAL, DOES)] {
        relaxed.push(copy_rule(from, to));
    }
    // Heads are asked for too: one that is only read under `not` is reached by no relaxed rule.
    let mut asked: Vec<Relation> = live
        .iter()
        .flat_map(|live| [live.instances, live.rule.head.relation()])
        .chain(PLAY)
        .chain([TRUE, DOES])
        .collect();
    asked.sort_unstable();
    asked.dedup();
    let relaxed = NormalRules {
        symbols,
        rules: relaxed,
        left_out: Vec::new(),
    };
    let strata = relaxed
        .strata()
        .map_err(|_| Overflow::Limit("the relaxed rules are not stratified".to_string()))?;
    let purpose = Purpose {
        asked: &asked,
        given: &[] as &[(Relation, Phase)],
        limits,
    };
    let expectations = Expectations::from_facts(&relaxed);
    let program = Program::new(&relaxed, &strata, purpose, expectations, is_watched)?;
    Ok(Relaxed {
        program,
        live,
        changing,
        questions: rewritten.questions.iter().copied().collect(),
        rules,
    })
}

/// Splits a rule in two: what gives an instance, and the head that follows from it.
fn instances(
    rule: &NormalRule,
    changing: &HashSet<Relation, RandomState>,
    symbols: &mut Symbols,
    out: &mut Vec<NormalRule>,
) -> LiveRule {
    let mut used = vec![false; rule.variables as usize];
    for literal in &rule.body {
        literal.variables(&mut |variable| used[variable as usize] = true);
    }
    let args: Vec<Term> = (0..rule.variables)
        .filter(|&variable| used[variable as usize])
        .map(Term::Variable)
        .collect();
    let atom = Atom {
        name: symbols.fresh("instance"),
        args,
    };
    let is_generator = |literal: &&Literal| match literal {
        Literal::Negative(atom) => !changing.contains(&atom.relation()),
        Literal::Positive(_) | Literal::Distinct(..) => true,
    };
    out.push(NormalRule {
        head: atom.clone(),
        body: rule.body.iter().filter(is_generator).cloned().collect(),
        variables: rule.variables,
        source: rule.source,
    });
    out.push(NormalRule {
        head: rule.head.clone(),
        body: vec![Literal::Positive(atom.clone())],
        variables: rule.variables,
        source: rule.source,
    });
    LiveRule {
        rule: rule.clone(),
        instances: atom.relation(),
    }
}

fn copy_rule(from: Relation, to: Relation) -> NormalRule {
    let args: Vec<Term> = (0..from.arity as u32).map(Term::Variable).collect();
    let atom = |relation: Relation| Atom {
        name: relation.name,
        args: args.clone(),
    };
    NormalRule {
        head: atom(to),
        body: vec![Literal::Positive(atom(from))],
        variables: from.arity as u32,
        source: 0,
    }
}

/// Gives negated conditions with variables of their own ("for no value") a helper without them.
fn close_local_variables(rules: &NormalRules) -> NormalRules {
    let mut out = NormalRules {
        symbols: rules.symbols.clone(),
        rules: Vec::new(),
        left_out: rules.left_out.clone(),
    };
    for rule in &rules.rules {
        let mut bound = vec![false; rule.variables as usize];
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                atom.variables(&mut |variable| bound[variable as usize] = true);
            }
        }
        let mut closed = rule.clone();
        for literal in &mut closed.body {
            let Literal::Negative(atom) = literal else {
                continue;
            };
            let mut shared = Vec::new();
            let mut has_local = false;
            atom.variables(&mut |variable| match bound[variable as usize] {
                true => shared.push(variable),
                false => has_local = true,
            });
            if has_local {
                shared.sort_unstable();
                shared.dedup();
                let helper = Atom {
                    name: out.symbols.fresh("some"),
                    args: shared.into_iter().map(Term::Variable).collect(),
                };
                out.rules.push(NormalRule {
                    head: helper.clone(),
                    body: vec![Literal::Positive(atom.clone())],
                    variables: rule.variables,
                    source: rule.source,
                });
                *literal = Literal::Negative(helper);
            }
        }
        out.rules.push(closed);
    }
    out
}
