//! Comparing arguments: generalised specificity, priorities of rules, or not at all.
//!
//! An argument is more specific than another if every set of literals that activates it also activates the other, but
//! not the other way round (García and Simari, 2004, after Poole, 1985, and Simari and Loui, 1992). A set activates an
//! argument if it derives the conclusion with the strict rules and the rules of the argument, but not with the strict
//! rules alone; facts do not help. Activation is monotone, so it is enough to look at the sets that are met when the
//! conclusion is replaced, step by step, by the conditions of rules.

use crate::argue::{Arguments, SetId};
use crate::ground::Lit;
use crate::meter::{Limit, Meter, Phase};
use crate::theory::Basis;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

/// An argument: a set of defeasible instances and the literal that it concludes.
pub(crate) type Argument = (SetId, Lit);

/// How arguments in conflict are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Criterion {
    /// Generalised specificity.
    #[default]
    Specificity,
    /// Priorities of rules: an argument is better if one of its rules is preferred to one of the other argument, and none
    /// the other way round.
    Priorities,
    /// Priorities first, and specificity where they do not decide.
    PrioritiesThenSpecificity,
    /// No argument is better than another: every attack blocks.
    None,
}

impl Criterion {
    /// Every criterion with its name.
    pub const ALL: [(&'static str, Criterion); 4] = [
        ("specificity", Criterion::Specificity),
        ("priorities", Criterion::Priorities),
        ("priorities-then-specificity", Criterion::PrioritiesThenSpecificity),
        ("none", Criterion::None),
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Criterion::ALL
            .iter()
            .find(|(_, criterion)| *criterion == self)
            .map_or("", |(name, _)| name)
    }

    /// The criterion with this name.
    pub fn find(name: &str) -> Option<Criterion> {
        Criterion::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, criterion)| criterion)
    }
}

/// The result of a comparison of an attacker with what it attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Better(Preference),
    Worse,
    Unrelated,
}

/// Why an argument is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// It is more specific.
    Specificity,
    /// Its rules have priority.
    Priority,
}

/// Compares arguments and remembers the results.
pub(crate) struct Comparer {
    criterion: Criterion,
    /// Rules of the program that each rule is preferred to, not counting those that follow.
    priorities: HashMap<usize, Vec<usize>>,
    /// All rules that a rule is preferred to, as far as they were asked for.
    lower: HashMap<usize, HashSet<usize>>,
    known: HashMap<(Argument, Argument), Comparison>,
    activations: HashMap<Argument, Vec<Vec<Lit>>>,
}

impl Comparer {
    pub(crate) fn new(criterion: Criterion, priorities: &[(usize, usize)]) -> Comparer {
        let mut direct: HashMap<usize, Vec<usize>> = HashMap::new();
        for &(above, under) in priorities {
            direct.entry(above).or_default().push(under);
        }
        Comparer {
            criterion,
            priorities: direct,
            lower: HashMap::new(),
            known: HashMap::new(),
            activations: HashMap::new(),
        }
    }

    /// Compares an argument with one that it attacks.
    pub(crate) fn compare(
        &mut self,
        arguments: &mut Arguments,
        one: Argument,
        other: Argument,
        meter: &mut Meter,
    ) -> Result<Comparison, Limit> {
        if let Some(&known) = self.known.get(&(one, other)) {
            return Ok(known);
        }
        let before = std::mem::replace(&mut meter.phase, Phase::Comparing);
        let by_priority = match self.criterion {
            Criterion::Priorities | Criterion::PrioritiesThenSpecificity => {
                self.by_priority(arguments, one, other, meter)?
            }
            _ => Comparison::Unrelated,
        };
        let result = match (self.criterion, by_priority) {
            (Criterion::None | Criterion::Priorities, decided) => decided,
            (_, Comparison::Unrelated) => self.by_specificity(arguments, one, other, meter)?,
            (_, decided) => decided,
        };
        meter.phase = before;
        self.known.insert((one, other), result);
        Ok(result)
    }

    fn by_priority(
        &mut self,
        arguments: &Arguments,
        one: Argument,
        other: Argument,
        meter: &mut Meter,
    ) -> Result<Comparison, Limit> {
        let rules = |argument: Argument| -> BTreeSet<usize> {
            let members = arguments.members(argument.0).iter();
            members
                .map(|&number| arguments.ground.origins[number as usize])
                .collect()
        };
        let (ours, theirs) = (rules(one), rules(other));
        let better = self.has_above(&ours, &theirs, meter)?;
        let worse = self.has_above(&theirs, &ours, meter)?;
        Ok(match (better, worse) {
            (true, false) => Comparison::Better(Preference::Priority),
            (false, true) => Comparison::Worse,
            _ => Comparison::Unrelated,
        })
    }

    /// Whether some rule of one set is preferred to some rule of another.
    fn has_above(
        &mut self,
        above: &BTreeSet<usize>,
        below: &BTreeSet<usize>,
        meter: &mut Meter,
    ) -> Result<bool, Limit> {
        for &rule in above {
            if !self.lower.contains_key(&rule) {
                let mut seen: HashSet<usize> = HashSet::new();
                let mut open = vec![rule];
                while let Some(at) = open.pop() {
                    for &under in self.priorities.get(&at).into_iter().flatten() {
                        meter.step(1)?;
                        if seen.insert(under) {
                            open.push(under);
                        }
                    }
                }
                meter.keep(1 + seen.len())?;
                self.lower.insert(rule, seen);
            }
            meter.step(below.len())?;
            let lower = self.lower.get(&rule);
            if lower.is_some_and(|lower| below.iter().any(|under| lower.contains(under))) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn by_specificity(
        &mut self,
        arguments: &mut Arguments,
        one: Argument,
        other: Argument,
        meter: &mut Meter,
    ) -> Result<Comparison, Limit> {
        let ours_in_theirs = self.all_activate(arguments, one, other, meter)?;
        let theirs_in_ours = self.all_activate(arguments, other, one, meter)?;
        Ok(match (ours_in_theirs, theirs_in_ours) {
            (true, false) => Comparison::Better(Preference::Specificity),
            (false, true) => Comparison::Worse,
            _ => Comparison::Unrelated,
        })
    }

    /// Whether every set that activates `one`, but not trivially, also activates `other`.
    fn all_activate(
        &mut self,
        arguments: &mut Arguments,
        one: Argument,
        other: Argument,
        meter: &mut Meter,
    ) -> Result<bool, Limit> {
        if let Entry::Vacant(place) = self.activations.entry(one) {
            place.insert(activations(arguments, one, meter)?);
        }
        for literals in self.activations.get(&one).into_iter().flatten() {
            if !derives(arguments, literals, Some(other.0), other.1, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a literal follows from literals, the strict rules without facts, and the rules of a set.
fn derives(
    arguments: &mut Arguments,
    literals: &[Lit],
    set: Option<SetId>,
    conclusion: Lit,
    meter: &mut Meter,
) -> Result<bool, Limit> {
    let members = set.map_or(Vec::new(), |set| arguments.members(set).to_vec());
    let Arguments { ground, theory, .. } = arguments;
    let closure = theory.closure(ground, Basis::Nothing, literals, &members, meter)?;
    Ok(closure.derived.contains(&conclusion))
}

/// The sets of literals that activate an argument and are not trivial: all minimal ones and perhaps some more.
fn activations(arguments: &mut Arguments, argument: Argument, meter: &mut Meter) -> Result<Vec<Vec<Lit>>, Limit> {
    let (set, conclusion) = argument;
    let members = arguments.members(set).to_vec();
    let start = vec![conclusion];
    let mut seen: HashSet<Vec<Lit>> = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut found = Vec::new();
    while let Some(cut) = open.pop() {
        if !derives(arguments, &cut, None, conclusion, meter)? {
            found.push(cut.clone());
        }
        for (at, &literal) in cut.iter().enumerate() {
            for &number in &arguments.ground.by_head[literal as usize] {
                let instance = &arguments.ground.instances[number as usize];
                meter.step(1)?;
                // Facts have no conditions to stand for them, and are no part of activation.
                let is_fact = instance.strict && instance.body.is_empty();
                if is_fact || (!instance.strict && members.binary_search(&number).is_err()) {
                    continue;
                }
                let mut next: Vec<Lit> = cut.clone();
                next.remove(at);
                next.extend(&instance.body);
                next.sort_unstable();
                next.dedup();
                meter.step(next.len())?;
                if !seen.contains(&next) {
                    meter.keep(1 + next.len())?;
                    seen.insert(next.clone());
                    open.push(next);
                }
            }
        }
    }
    Ok(found)
}
