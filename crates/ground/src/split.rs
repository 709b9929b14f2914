//! Rules with many variables, split into rules with few.
//!
//! A rule of eight variables has as many instances as there are combinations of their values. Most variables only link
//! two or three conditions: such a variable is eliminated by moving the conditions that mention it into a helper
//! relation over the other variables they mention, until nothing is gained any more.
//!
//! A negated condition may mention variables that nothing else in the group gives values to. Then the helper gets a
//! *guard*: a relation that collects the values which the rule as a whole gives them. A guard only guides the
//! derivation; it is no condition of play.

use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};
use ludens_gdl::{Relation, Symbols};

/// Rules with at most this many variables are left alone.
const FEW_VARIABLES: usize = 3;

/// Split rules, and the guards among their relations.
pub(crate) struct Split {
    pub(crate) rules: NormalRules,
    pub(crate) guards: Vec<Relation>,
}

/// Splits all rules.
pub(crate) fn split(rules: &NormalRules) -> Split {
    let mut splitter = Splitter {
        symbols: rules.symbols.clone(),
        out: Vec::new(),
        guards: Vec::new(),
    };
    for rule in &rules.rules {
        splitter.rule(rule.clone());
    }
    Split {
        rules: NormalRules {
            symbols: splitter.symbols,
            rules: splitter.out,
            left_out: rules.left_out.clone(),
        },
        guards: splitter.guards,
    }
}

struct Splitter {
    symbols: Symbols,
    out: Vec<NormalRule>,
    guards: Vec<Relation>,
}

/// Conditions to move into a helper.
struct Group {
    members: Vec<usize>,
    /// The variables that the helper needs.
    scope: Vec<u32>,
    /// Variables that it needs a guard for.
    guarded: Vec<u32>,
}

impl Splitter {
    fn rule(&mut self, mut rule: NormalRule) {
        while let Some(group) = best_group(&rule) {
            let helper = self.atom("part", &group.scope);
            let (mut moved, mut kept) = (Vec::new(), Vec::new());
            for (number, literal) in std::mem::take(&mut rule.body).into_iter().enumerate() {
                match group.members.contains(&number) {
                    true => moved.push(literal),
                    false => kept.push(literal),
                }
            }
            if !group.guarded.is_empty() {
                let guard = self.atom("guard", &group.guarded);
                self.guards.push(guard.relation());
                self.out.push(NormalRule {
                    head: guard.clone(),
                    body: kept
                        .iter()
                        .chain(&moved)
                        .filter(|literal| is_positive(literal))
                        .cloned()
                        .collect(),
                    ..rule.clone()
                });
                moved.insert(0, Literal::Positive(guard));
            }
            kept.insert(0, Literal::Positive(helper.clone()));
            self.out.push(NormalRule {
                head: helper,
                body: moved,
                ..rule.clone()
            });
            rule.body = kept;
        }
        self.out.push(rule);
    }

    fn atom(&mut self, name: &str, variables: &[u32]) -> Atom {
        Atom {
            name: self.symbols.fresh(name),
            args: variables.iter().map(|&variable| Term::Variable(variable)).collect(),
        }
    }
}

/// The best conditions to move into a helper; nothing if no helper is worth it.
fn best_group(rule: &NormalRule) -> Option<Group> {
    let mut in_head = vec![false; rule.variables as usize];
    rule.head.variables(&mut |variable| in_head[variable as usize] = true);
    let of_literals: Vec<Vec<u32>> = rule.body.iter().map(variables).collect();
    let used = union(of_literals.iter());
    if used.len() <= FEW_VARIABLES {
        return None;
    }
    let mut best: Option<Group> = None;
    for &variable in used.iter().filter(|&&variable| !in_head[variable as usize]) {
        let (members, others): (Vec<usize>, Vec<usize>) =
            (0..of_literals.len()).partition(|&number| of_literals[number].contains(&variable));
        if others.is_empty() {
            continue;
        }
        let mut scope = union(members.iter().map(|&number| &of_literals[number]));
        let all = scope.len();
        scope.retain(|&other| other != variable);
        let bound_by = |numbers: &[usize]| {
            let positive = numbers.iter().filter(|&&number| is_positive(&rule.body[number]));
            union(positive.map(|&number| &of_literals[number]))
        };
        let (bound, bound_outside) = (bound_by(&members), bound_by(&others));
        let is_safe = scope.iter().chain([&variable]).all(|other| bound.contains(other));
        let guarded: Vec<u32> = match is_safe {
            true => Vec::new(),
            false => scope
                .iter()
                .copied()
                .filter(|other| bound_outside.contains(other))
                .collect(),
        };
        let is_bound = |other: &u32| bound.contains(other) || guarded.contains(other);
        // Guards cost as much as the rule as it stands: first it is made small without them.
        let rank = |guarded: &[u32], scope: &[u32]| (!guarded.is_empty(), scope.len());
        let is_better = best
            .as_ref()
            .is_none_or(|known| rank(&guarded, &scope) < rank(&known.guarded, &known.scope));
        // A helper with as many variables as the rule gains nothing.
        if all < used.len() && is_better && scope.iter().chain([&variable]).all(is_bound) {
            best = Some(Group {
                members,
                scope,
                guarded,
            });
        }
    }
    best
}

fn is_positive(literal: &Literal) -> bool {
    matches!(literal, Literal::Positive(_))
}

fn variables(literal: &Literal) -> Vec<u32> {
    let mut variables = Vec::new();
    literal.variables(&mut |variable| variables.push(variable));
    union([&variables].into_iter())
}

/// All of these variables, in increasing order.
fn union<'a>(lists: impl Iterator<Item = &'a Vec<u32>>) -> Vec<u32> {
    let mut all: Vec<u32> = lists.flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
