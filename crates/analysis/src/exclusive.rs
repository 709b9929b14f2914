//! Groups of fluents of which at most one holds, or exactly one.
//!
//! Candidates come from the terms: fluents that agree in all arguments but some, like the contents of a square or the
//! places of a piece, and of which no two held at once in random matches. They are proved together by induction: assume
//! all of them of a state, make any step, look for one that fails afterwards, drop it, and begin again with what is
//! left ("Houdini"). What no step can break, and what holds at the start, holds always.

use crate::cnf::Step;
use crate::formula::Literal;
use crate::sample::{Sample, sample};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Circuit, Fluent, Game, State};
use ludens_gdl::Symbol;
use ludens_gdl::normal::Term;

/// Fluents that exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExclusiveGroup {
    /// The fluents, in increasing order.
    pub fluents: Vec<Fluent>,
    /// Whether one of them holds in every state; else it can be that none does.
    pub exactly_one: bool,
}

/// More candidates than this are not followed up.
const MOST_GROUPS: usize = 5_000;
/// Terms with more arguments than this are only grouped by all arguments but one.
const MANY_ARGUMENTS: usize = 6;
/// Maximum number of states visited while groupings are tried.
const FEW_STATES: usize = 400;

/// Groups with more fluents than this are checked against fewer states.
const LARGE_GROUP: usize = 1_000;
/// Groups between two readings of the clock.
const BETWEEN_LOOKS: usize = 64;

/// Fluents by the arguments that they share.
type Grouping = Vec<Vec<Fluent>>;

/// Proves groups of exclusive fluents; `None` if the game is not compiled or the budget is spent before the end. This
/// is a part of [`analyse`](crate::analyse).
pub fn exclusive_groups(game: &Game, budget: &Budget) -> Option<Vec<ExclusiveGroup>> {
    let circuit = game.engine().circuit()?;
    let sample = sample(game, budget);
    let candidates = candidates(circuit, &sample, &|| budget.is_spent());
    if candidates.is_empty() || budget.is_spent() {
        return (!budget.is_spent()).then(Vec::new);
    }
    let mut step = Step::new(circuit, budget).ok()?;
    prove(&mut step, candidates, &circuit.program.initial)
}

/// Groups that no sampled state speaks against, as far as the time goes.
pub(crate) fn candidates(circuit: &Circuit, sample: &Sample, is_late: &dyn Fn() -> bool) -> Vec<ExclusiveGroup> {
    let fluents: Vec<(Fluent, &Term)> = (0..)
        .map(Fluent)
        .zip(circuit.program.names.fluents.iter().map(|named| &named.term))
        .filter(|(fluent, _)| circuit.constant_fluents[fluent.0 as usize].is_none())
        .collect();
    let parts = || (fluents.iter()).filter_map(|&(fluent, term)| Some((fluent, term.parts()?)));
    let mut functors: Vec<(Symbol, usize)> = parts().map(|(_, (functor, _))| functor).collect();
    functors.sort_unstable();
    functors.dedup();
    let mut groups: Grouping = Vec::new();
    for functor in functors.into_iter().take_while(|_| !is_late()) {
        let members: Vec<(Fluent, &[Term])> = parts()
            .filter(|&(_, (other, _))| other == functor)
            .map(|(fluent, (_, args))| (fluent, args))
            .collect();
        groups.extend(groupings(&members, functor.1, sample, is_late));
    }
    // The same arguments under different names, like `(white 1 2)` and `(black 1 2)`.
    let by_args = group_by(parts().map(|(fluent, (_, args))| (fluent, args.iter().collect())));
    groups.extend(
        by_args
            .into_iter()
            .take_while(|_| !is_late())
            .filter(|group| is_exclusive(group, &sample.states, is_late)),
    );
    groups.retain(|group| group.len() > 1);
    groups.sort_unstable();
    groups.dedup();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups.truncate(MOST_GROUPS);
    if is_late() {
        return Vec::new();
    }
    groups
        .into_iter()
        .map(|fluents| ExclusiveGroup {
            exactly_one: sample.states.iter().all(|state| count(&fluents, state) == 1),
            fluents,
        })
        .collect()
}

fn count(fluents: &[Fluent], state: &State) -> usize {
    fluents.iter().filter(|&&fluent| state.holds(fluent)).count()
}

/// Whether no state has two of a group; `false` if the time is over before all states were visited.
fn is_exclusive(group: &[Fluent], states: &[State], is_late: &dyn Fn() -> bool) -> bool {
    let is_large = group.len() > LARGE_GROUP;
    states
        .iter()
        .all(|state| count(group, state) <= 1 && !(is_large && is_late()))
}

/// The same for several groups.
fn are_exclusive(groups: &Grouping, states: &[State], is_late: &dyn Fn() -> bool) -> bool {
    groups
        .iter()
        .enumerate()
        .all(|(number, group)| is_exclusive(group, states, is_late) && !(number % BETWEEN_LOOKS == 0 && is_late()))
}

fn group_by<'t>(members: impl Iterator<Item = (Fluent, Vec<&'t Term>)>) -> Grouping {
    let mut numbers: HashMap<Vec<&Term>, usize, FixedState> = HashMap::default();
    let mut groups: Grouping = Vec::new();
    for (fluent, key) in members {
        let number = *numbers.entry(key).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(fluent);
    }
    groups
}

/// The coarsest ways to group fluents of one kind by some of their arguments so that all groups are exclusive; if there
/// are none, the single groups that are.
fn groupings(members: &[(Fluent, &[Term])], arity: usize, sample: &Sample, is_late: &dyn Fn() -> bool) -> Grouping {
    let few = &sample.states[..sample.states.len().min(FEW_STATES)];
    let mut masks: Vec<u32> = match arity {
        0 => Vec::new(),
        1..=MANY_ARGUMENTS => (1..1 << arity).collect(),
        _ => (0..arity).map(|free| 1 << free).collect(),
    };
    // Many free arguments first.
    masks.sort_by_key(|mask| std::cmp::Reverse(mask.count_ones()));
    let grouped = |free: u32| {
        group_by(members.iter().map(|&(fluent, args)| {
            let kept = args.iter().enumerate().filter(|(place, _)| free >> place & 1 == 0);
            (fluent, kept.map(|(_, arg)| arg).collect())
        }))
    };
    let mut accepted: Vec<u32> = Vec::new();
    let mut out: Grouping = Vec::new();
    for &mask in masks.iter().take_while(|_| !is_late()) {
        if accepted.iter().any(|&coarser| coarser & mask == mask) {
            continue;
        }
        let groups = grouped(mask);
        let holds = are_exclusive(&groups, few, is_late) && are_exclusive(&groups, &sample.states, is_late);
        if holds {
            accepted.push(mask);
            out.extend(groups);
        }
    }
    if accepted.is_empty() {
        for free in (0..arity.min(31)).take_while(|_| !is_late()) {
            let groups = grouped(1 << free).into_iter();
            out.extend(
                groups
                    .take_while(|_| !is_late())
                    .filter(|group| is_exclusive(group, &sample.states, is_late)),
            );
        }
    }
    out
}

/// A candidate in the formula.
struct Candidate {
    group: ExclusiveGroup,
    /// Assumes at most one now.
    at_most: Literal,
    /// Assumes at least one now.
    at_least: Literal,
}

/// Proves as many groups as possible and assumes them from then on; `None` if the time is over.
pub(crate) fn prove(step: &mut Step, groups: Vec<ExclusiveGroup>, initial: &[Fluent]) -> Option<Vec<ExclusiveGroup>> {
    let start = State::new(initial.iter().copied());
    let groups = groups.into_iter().filter(|group| count(&group.fluents, &start) <= 1);
    let mut candidates: Vec<Candidate> = groups
        .map_while(|mut group| {
            if step.is_late() {
                return None;
            }
            group.exactly_one &= count(&group.fluents, &start) == 1;
            let now: Vec<Literal> = group.fluents.iter().map(|fluent| step.fluent(fluent.0)).collect();
            let (at_most, at_least) = (step.fresh(), step.fresh());
            step.at_most_one(&now, at_most);
            let mut some = now;
            some.push(!at_least);
            step.clause(&some);
            Some(Candidate {
                group,
                at_most,
                at_least,
            })
        })
        .collect();
    let violations: Vec<(Literal, Literal)> = candidates.iter().map(|candidate| violation(step, candidate)).collect();
    let mut open: Vec<(Literal, Literal)> = violations;
    loop {
        let assumptions: Vec<Literal> = candidates
            .iter()
            .flat_map(|candidate| {
                [
                    Some(candidate.at_most),
                    candidate.group.exactly_one.then_some(candidate.at_least),
                ]
            })
            .flatten()
            .collect();
        let broken: Vec<Literal> = candidates
            .iter()
            .zip(&open)
            .flat_map(|(candidate, &(two, none))| [Some(two), candidate.group.exactly_one.then_some(none)])
            .flatten()
            .collect();
        let some_broken = step.some_of(&broken);
        let mut question = assumptions.clone();
        question.extend([step.play, some_broken]);
        if !step.is_possible(&question)? {
            step.assumed.extend(assumptions);
            return Some(candidates.into_iter().map(|candidate| candidate.group).collect());
        }
        let mut kept = Vec::new();
        let mut kept_open = Vec::new();
        for (mut candidate, violation) in candidates.into_iter().zip(open) {
            let next = candidate.group.fluents.iter();
            let holding = next.filter(|fluent| step.holds(step.next[fluent.0 as usize])).count();
            candidate.group.exactly_one &= holding == 1;
            if holding <= 1 {
                kept.push(candidate);
                kept_open.push(violation);
            }
        }
        (candidates, open) = (kept, kept_open);
    }
}

/// Literals that hold only where two of a group do next, and none.
fn violation(step: &mut Step, candidate: &Candidate) -> (Literal, Literal) {
    let fluents = candidate.group.fluents.iter();
    let next: Vec<Literal> = fluents.map(|fluent| step.next[fluent.0 as usize]).collect();
    let two = step.two_of(&next);
    let none = step.fresh();
    for literal in next {
        step.clause(&[!none, !literal]);
    }
    (two, none)
}
