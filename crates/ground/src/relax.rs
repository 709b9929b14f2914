//! The relaxed rules: an over-approximation of what can hold or be done, derived bottom-up.
//!
//! The rules are relaxed: whatever `init` or `next` yields may be true, whatever is legal may be done, and negated
//! conditions on things that change are taken as satisfied. Relations that never change are derived exactly. The
//! *instances* of the rules that matter to play, the values of their variables, are not collected: there can be tens of
//! millions. They are enumerated when they are needed.

use crate::GroundError;
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use ludens_datalog::{
    Charge, Demand, Expectations, Limits, Meter, OnDemand, Overflow, Phase, Program, Purpose, rule_bytes,
};
use ludens_gdl::depend::Dependencies;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};
use ludens_gdl::{Relation, Symbols, keyword};

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

/// Everything that can ever be.
pub(crate) struct Relaxed {
    pub(crate) program: Program,
    /// The rules whose truth depends on state or moves. The program enumerates their instances, by the same numbers.
    pub(crate) live: Vec<NormalRule>,
    /// Relations that depend on state or moves.
    pub(crate) changing: HashSet<Relation, RandomState>,
    /// Relations that only guide the derivation and are no conditions of play: questions and guards.
    pub(crate) questions: HashSet<Relation, RandomState>,
    /// The rules that the instances belong to, after splitting.
    pub(crate) rules: NormalRules,
    /// The memory that the rules take.
    _charge: Charge,
}

/// Derives everything that can ever be, rewriting rules where a helper relation is too large.
pub(crate) fn relax(rules: &NormalRules, limits: Limits, meter: &mut Meter) -> Result<Relaxed, GroundError> {
    meter.look()?;
    let strata = rules
        .strata()
        .map_err(|_| GroundError::Unsuitable("the rules are not stratified".to_string()))?;
    let mut demand = Demand::new(rules, &PLAY);
    loop {
        let rewritten = demand.rewrite(rules, &strata, meter)?;
        let mut part = meter.part();
        let attempt = attempt(&rewritten, limits, |relation| demand.is_watched(relation), &mut part);
        meter.join(&part);
        meter.give_back(rewritten.bytes);
        match attempt {
            Err(Overflow::Large(relation)) => demand.note_large(relation, &rewritten),
            Err(Overflow::Limit(cause)) => return Err(GroundError::Limit(cause)),
            Ok(relaxed) => {
                return Ok(Relaxed {
                    _charge: part.take_charge(),
                    ..relaxed
                });
            }
        }
    }
}

fn attempt(
    rewritten: &OnDemand,
    limits: Limits,
    is_watched: impl Fn(Relation) -> bool,
    meter: &mut Meter,
) -> Result<Relaxed, Overflow> {
    meter.look()?;
    let split = crate::split::split(&close_local_variables(&rewritten.rules), meter)?;
    meter.look()?;
    let rules = split.rules;
    let questions: HashSet<Relation, RandomState> = rewritten.questions.iter().chain(&split.guards).copied().collect();
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
    let mut enumerated = Vec::new();
    for rule in rules.rules.iter().filter(|rule| is_needed(rule.head.relation())) {
        meter.spend(1 + rule.body.len() as u64)?;
        let head = rule.head.relation();
        if !changing.contains(&head) || rule.body.is_empty() {
            relaxed.push(rule.clone());
            continue;
        }
        // The rule, its generator and the rule that enumerates its instances.
        meter.take(3 * rule_bytes(&rule.head, &rule.body))?;
        let generator = generator(rule, &changing);
        if !questions.contains(&head) {
            live.push(rule.clone());
            enumerated.push(instances(&generator, &mut symbols));
        }
        relaxed.push(generator);
    }
    for (from, to) in [(INIT, TRUE), (NEXT, TRUE), (LEGAL, DOES)] {
        relaxed.push(copy_rule(from, to));
    }
    // Heads are asked for too: one that is only read under `not` is reached by no relaxed rule.
    let mut asked: Vec<Relation> = live
        .iter()
        .map(|rule| rule.head.relation())
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
    meter.look()?;
    let strata = relaxed
        .strata()
        .map_err(|_| Overflow::Limit("the relaxed rules are not stratified".to_string()))?;
    let purpose = Purpose {
        asked: &asked,
        given: &[] as &[(Relation, Phase)],
        enumerated: &enumerated,
        limits,
    };
    let expectations = Expectations::from_facts(&relaxed);
    let program = Program::within(&relaxed, &strata, purpose, expectations, is_watched, meter)?;
    Ok(Relaxed {
        program,
        live,
        changing,
        questions,
        rules,
        _charge: Charge::default(),
    })
}

/// The rule without the conditions that are taken as satisfied.
pub(crate) fn generator(rule: &NormalRule, changing: &HashSet<Relation, RandomState>) -> NormalRule {
    let is_kept = |literal: &&Literal| match literal {
        Literal::Negative(atom) => !changing.contains(&atom.relation()),
        Literal::Positive(_) | Literal::Distinct(..) => true,
    };
    NormalRule {
        head: rule.head.clone(),
        body: rule.body.iter().filter(is_kept).cloned().collect(),
        variables: rule.variables,
        source: rule.source,
    }
}

/// The rule that enumerates the instances of a rule: the values of the variables in its body, in order.
fn instances(generator: &NormalRule, symbols: &mut Symbols) -> NormalRule {
    NormalRule {
        head: Atom {
            name: symbols.fresh("instance"),
            args: body_variables(generator).into_iter().map(Term::Variable).collect(),
        },
        ..generator.clone()
    }
}

/// The variables in the body of a rule, in increasing order.
pub(crate) fn body_variables(rule: &NormalRule) -> Vec<u32> {
    let mut variables = Vec::new();
    for literal in &rule.body {
        literal.variables(&mut |variable| variables.push(variable));
    }
    variables.sort_unstable();
    variables.dedup();
    variables
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
