//! Rules with many variables, split into rules with few.
//!
//! A rule of eight variables has as many instances as there are combinations of their values. Most variables only link
//! two or three conditions: such a variable is eliminated by moving the conditions that mention it into a helper
//! relation over the other variables they mention, until nothing is gained any more.

use ludens_gdl::Symbols;
use ludens_gdl::normal::{Atom, Literal, NormalRule, NormalRules, Term};

/// Rules with at most this many variables are left alone.
const FEW_VARIABLES: usize = 3;

/// Splits all rules.
pub(crate) fn split(rules: &NormalRules) -> NormalRules {
    let mut out = Vec::new();
    let mut symbols = rules.symbols.clone();
    for rule in &rules.rules {
        split_rule(rule.clone(), &mut symbols, &mut out);
    }
    NormalRules {
        symbols,
        rules: out,
        left_out: rules.left_out.clone(),
    }
}

fn split_rule(mut rule: NormalRule, symbols: &mut Symbols, out: &mut Vec<NormalRule>) {
    while let Some((members, scope)) = best_group(&rule) {
        let atom = Atom {
            name: symbols.fresh("part"),
            args: scope.iter().map(|&variable| Term::Variable(variable)).collect(),
        };
        let mut moved = Vec::new();
        let mut kept = Vec::new();
        for (number, literal) in rule.body.into_iter().enumerate() {
            match members.contains(&number) {
                true => moved.push(literal),
                false => kept.push(literal),
            }
        }
        kept.insert(0, Literal::Positive(atom.clone()));
        out.push(NormalRule {
            head: atom,
            body: moved,
            variables: rule.variables,
            source: rule.source,
        });
        rule.body = kept;
    }
    out.push(rule);
}

/// The conditions to move into a helper, and the variables it needs; nothing if no helper is worth it.
fn best_group(rule: &NormalRule) -> Option<(Vec<usize>, Vec<u32>)> {
    let mut in_head = vec![false; rule.variables as usize];
    rule.head.variables(&mut |variable| in_head[variable as usize] = true);
    let of_literals: Vec<Vec<u32>> = rule.body.iter().map(variables).collect();
    let mut used: Vec<u32> = of_literals.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    if used.len() <= FEW_VARIABLES {
        return None;
    }
    let mut best: Option<(Vec<usize>, Vec<u32>)> = None;
    for &variable in used.iter().filter(|&&variable| !in_head[variable as usize]) {
        let members: Vec<usize> = (0..of_literals.len())
            .filter(|&number| of_literals[number].contains(&variable))
            .collect();
        if members.len() == rule.body.len() {
            continue;
        }
        let mut scope: Vec<u32> = members
            .iter()
            .flat_map(|&number| of_literals[number].iter().copied())
            .collect();
        scope.sort_unstable();
        scope.dedup();
        let all = scope.len();
        scope.retain(|&other| other != variable);
        let bound: Vec<u32> = members
            .iter()
            .filter(|&&number| matches!(rule.body[number], Literal::Positive(_)))
            .flat_map(|&number| of_literals[number].iter().copied())
            .collect();
        let is_safe = scope.iter().chain([&variable]).all(|other| bound.contains(other));
        // A helper with as many variables as the rule gains nothing.
        let is_better = best.as_ref().is_none_or(|(_, known)| scope.len() < known.len());
        if is_safe && all < used.len() && is_better {
            best = Some((members, scope));
        }
    }
    best
}

fn variables(literal: &Literal) -> Vec<u32> {
    let mut variables = Vec::new();
    literal.variables(&mut |variable| variables.push(variable));
    variables.sort_unstable();
    variables.dedup();
    variables
}
