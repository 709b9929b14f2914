//! Strata: groups of rules in an order such that everything a rule negates is complete before it runs.
//!
//! Usually a group is the set of rules of relations that depend on each other. Many published games define one goal
//! value by negating another (`(goal ?r 0)` from `(not (goal ?r 100))`), a cycle of the relation `goal` through
//! negation that is harmless, because the atoms involved differ. Where relations form such a cycle, the rules
//! themselves are ordered instead: a rule depends on another one only if a literal of its body can match the other's
//! head. A cycle through negation among rules is an error.

use super::unify::can_match;
use super::{NormalRules, Term};
use crate::depend::{Dependencies, components};
use crate::rule::Relation;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Rules to be applied together, until nothing new follows.
#[derive(Clone, Debug)]
pub struct Stratum {
    /// Indices of the rules (facts are not listed).
    pub rules: Vec<usize>,
    /// Whether some of them read what others in here derive.
    pub recursive: bool,
}

/// All rules with a body, in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Strata {
    /// The groups; each reads only what facts, earlier groups and itself derive.
    pub list: Vec<Stratum>,
}

/// A cycle through negation.
#[derive(Clone, Debug)]
pub struct Unstratified {
    /// Indices of the normal rules on the cycle.
    pub rules: Vec<usize>,
}

pub(super) fn strata(rules: &NormalRules) -> Result<Strata, Unstratified> {
    let dependencies = Dependencies::of_normal(rules);
    let mut defining = vec![Vec::new(); dependencies.relations.len()];
    for (number, rule) in rules.rules.iter().enumerate() {
        if let Some(relation) = dependencies.find(rule.head.relation())
            && !rule.body.is_empty()
        {
            defining[relation].push(number);
        }
    }
    let mut list = Vec::new();
    for component in dependencies.components() {
        let mut members: Vec<usize> = component
            .iter()
            .flat_map(|&relation| defining[relation].iter().copied())
            .collect();
        members.sort_unstable();
        if members.is_empty() {
            continue;
        }
        let recursive = dependencies.is_recursive(component[0]);
        let negative_cycle = component.iter().any(|&relation| {
            dependencies
                .edges(relation)
                .iter()
                .any(|edge| edge.negative && dependencies.on_common_cycle(relation, edge.to))
        });
        match negative_cycle {
            false => list.push(Stratum {
                rules: members,
                recursive,
            }),
            true => list.extend(order_rules(rules, &members)?),
        }
    }
    Ok(Strata { list })
}

/// Conditions and heads on a cycle through negation that are compared. A rule set with more counts as unstratified.
const MOST_COMPARED: usize = 100_000_000;
/// The same for pairs of rules of which one reads the other.
const MOST_EDGES: usize = 5_000_000;

/// Whether arguments differ in a constant or function, so that no values of variables make them the same.
fn clash(a: &[Term], b: &[Term]) -> bool {
    let differ = |pair: (&Term, &Term)| match pair {
        (Term::Variable(_), _) | (_, Term::Variable(_)) => false,
        (Term::Constant(a), Term::Constant(b)) => a != b,
        (Term::Function(f, xs), Term::Function(g, ys)) => f != g || xs.len() != ys.len(),
        _ => true,
    };
    a.iter().zip(b).any(differ)
}

/// Orders rules one by one, by which literal can match which head.
fn order_rules(rules: &NormalRules, members: &[usize]) -> Result<Vec<Stratum>, Unstratified> {
    let mut definers: HashMap<Relation, Vec<usize>, RandomState> = HashMap::default();
    for (place, &member) in members.iter().enumerate() {
        definers
            .entry(rules.rules[member].head.relation())
            .or_default()
            .push(place);
    }
    let mut edges = Vec::new();
    let mut compared = 0;
    for (from, &reader) in members.iter().enumerate() {
        let reader = &rules.rules[reader];
        for literal in &reader.body {
            let Some((atom, negative)) = literal.atom() else {
                continue;
            };
            let definers = definers.get(&atom.relation()).map_or(&[][..], Vec::as_slice);
            compared += definers.len();
            if compared > MOST_COMPARED || edges.len() > MOST_EDGES {
                return Err(Unstratified {
                    rules: members.to_vec(),
                });
            }
            for &to in definers {
                let definer = &rules.rules[members[to]];
                if !clash(&atom.args, &definer.head.args)
                    && can_match(atom, reader.variables, &definer.head, definer.variables)
                {
                    edges.push((from, to, negative));
                }
            }
        }
    }
    let groups = components(members.len(), edges.iter().map(|&(from, to, _)| (from, to)));
    let mut group_of = vec![0; members.len()];
    for (number, group) in groups.iter().enumerate() {
        for &member in group {
            group_of[member] = number;
        }
    }
    if let Some(&(from, ..)) = edges
        .iter()
        .find(|&&(from, to, negative)| negative && group_of[from] == group_of[to])
    {
        let cycle = &groups[group_of[from]];
        return Err(Unstratified {
            rules: cycle.iter().map(|&member| members[member]).collect(),
        });
    }
    let mut recursive = vec![false; groups.len()];
    for &(from, to, _) in &edges {
        recursive[group_of[from]] |= group_of[from] == group_of[to];
    }
    let stratum = |(group, recursive): (&Vec<usize>, bool)| Stratum {
        rules: group.iter().map(|&member| members[member]).collect(),
        recursive,
    };
    Ok(groups.iter().zip(recursive).map(stratum).collect())
}
