//! Rules with many variables, split into rules with few.
//!
//! A rule of eight variables has as many instances as there are combinations of their values. Most variables only link
//! two or three conditions: such a variable is eliminated by moving the conditions that mention it into a helper
//! relation over the other variables they mention, until nothing is gained any more.
//!
//! A negated condition may mention variables that nothing else in the group gives values to. Then the helper gets a
//! *guard*: a relation that collects the values which the rule as a whole gives them. A guard only guides the
//! derivation; it is no condition of play.

use ludens_datalog::{LimitHit, Meter, rule_bytes};
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
pub(crate) fn split(rules: &NormalRules, meter: &mut Meter) -> Result<Split, LimitHit> {
    let mut splitter = Splitter {
        meter,
        symbols: rules.symbols.clone(),
        out: Vec::new(),
        guards: Vec::new(),
    };
    for rule in &rules.rules {
        splitter.rule(rule.clone())?;
    }
    Ok(Split {
        rules: NormalRules {
            symbols: splitter.symbols,
            rules: splitter.out,
            left_out: rules.left_out.clone(),
        },
        guards: splitter.guards,
    })
}

struct Splitter<'m> {
    meter: &'m mut Meter,
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

impl Splitter<'_> {
    fn rule(&mut self, mut rule: NormalRule) -> Result<(), LimitHit> {
        while let Some(group) = best_group(&rule, self.meter)? {
            let helper = self.atom("part", &group.scope);
            let (mut moved, mut kept) = (Vec::new(), Vec::new());
            for (number, literal) in std::mem::take(&mut rule.body).into_iter().enumerate() {
                match group.members.binary_search(&number).is_ok() {
                    true => moved.push(literal),
                    false => kept.push(literal),
                }
            }
            if !group.guarded.is_empty() {
                let guard = self.atom("guard", &group.guarded);
                self.guards.push(guard.relation());
                let body = kept.iter().chain(&moved);
                let body = body.filter(|literal| is_positive(literal)).cloned().collect();
                self.push(&rule, guard.clone(), body)?;
                moved.insert(0, Literal::Positive(guard));
            }
            kept.insert(0, Literal::Positive(helper.clone()));
            self.push(&rule, helper, moved)?;
            rule.body = kept;
        }
        let (head, body) = (rule.head.clone(), std::mem::take(&mut rule.body));
        self.push(&rule, head, body)
    }

    /// Adds a rule that is a part of another.
    fn push(&mut self, whole: &NormalRule, head: Atom, body: Vec<Literal>) -> Result<(), LimitHit> {
        self.meter.take(rule_bytes(&head, &body))?;
        self.out.push(NormalRule {
            head,
            body,
            variables: whole.variables,
            source: whole.source,
        });
        Ok(())
    }

    fn atom(&mut self, name: &str, variables: &[u32]) -> Atom {
        Atom {
            name: self.symbols.fresh(name),
            args: variables.iter().map(|&variable| Term::Variable(variable)).collect(),
        }
    }
}

/// The best conditions to move into a helper; `None` if no helper pays off.
fn best_group(rule: &NormalRule, meter: &mut Meter) -> Result<Option<Group>, LimitHit> {
    let of_literals: Vec<Vec<u32>> = rule.body.iter().map(variables).collect();
    meter.spend(1 + of_literals.len() as u64)?;
    let used = union(of_literals.iter());
    if used.len() <= FEW_VARIABLES {
        return Ok(None);
    }
    let mut in_head = vec![false; rule.variables as usize];
    rule.head.variables(&mut |variable| in_head[variable as usize] = true);
    // For each variable the conditions that mention it, and how many of them give it values.
    let mut members_of: Vec<Vec<usize>> = vec![Vec::new(); rule.variables as usize];
    let mut binders = vec![0u32; rule.variables as usize];
    for (number, list) in of_literals.iter().enumerate() {
        for &variable in list {
            members_of[variable as usize].push(number);
            binders[variable as usize] += u32::from(is_positive(&rule.body[number]));
        }
    }
    // Number of members of a group that bind each variable; zero between groups.
    let mut binders_inside = vec![0u32; rule.variables as usize];
    let mut best: Option<Group> = None;
    for &variable in used.iter().filter(|&&variable| !in_head[variable as usize]) {
        let members = &members_of[variable as usize];
        let of_members = || members.iter().flat_map(|&number| &of_literals[number]);
        meter.spend(1 + of_members().count() as u64)?;
        if members.len() == of_literals.len() {
            continue;
        }
        let mut scope = union(members.iter().map(|&number| &of_literals[number]));
        let all = scope.len();
        scope.retain(|&other| other != variable);
        for &number in members.iter().filter(|&&number| is_positive(&rule.body[number])) {
            for &other in &of_literals[number] {
                binders_inside[other as usize] += 1;
            }
        }
        let is_bound_inside = |other: u32| binders_inside[other as usize] > 0;
        let is_bound_outside = |other: u32| binders[other as usize] > binders_inside[other as usize];
        let is_safe = scope.iter().chain([&variable]).all(|&other| is_bound_inside(other));
        let guarded: Vec<u32> = match is_safe {
            true => Vec::new(),
            false => scope.iter().copied().filter(|&other| is_bound_outside(other)).collect(),
        };
        let is_bound = |&other: &u32| is_bound_inside(other) || guarded.binary_search(&other).is_ok();
        // Guards cost as much as the rule as it stands: first it is made small without them.
        let rank = |guarded: &[u32], scope: &[u32]| (!guarded.is_empty(), scope.len());
        let is_better = best
            .as_ref()
            .is_none_or(|known| rank(&guarded, &scope) < rank(&known.guarded, &known.scope));
        // A helper with as many variables as the rule gains nothing.
        let pays_off = all < used.len() && is_better && scope.iter().chain([&variable]).all(is_bound);
        for &other in of_members() {
            binders_inside[other as usize] = 0;
        }
        if pays_off {
            best = Some(Group {
                members: members.clone(),
                scope,
                guarded,
            });
        }
    }
    Ok(best)
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
