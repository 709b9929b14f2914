//! Goal values are whole numbers from 0 to 100, and a `distinct` should be able to go either way.

use super::{Context, relation};
use crate::diagnostic::{Diagnostic, codes};
use crate::rule::{Rule, Term, TermKind, goal_value};

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for rule in context.defining(relation::GOAL) {
        check_goal(context, &rule.head.args[1], diagnostics);
    }
    for rule in &context.rules.rules {
        distincts(rule, diagnostics);
    }
}

fn check_goal(context: &Context<'_>, value: &Term, diagnostics: &mut Vec<Diagnostic>) {
    let text = match value.kind {
        TermKind::Constant(name) => context.name(name),
        TermKind::Variable(_) => return,
        TermKind::Function(name, _) => context.name(name),
    };
    let in_range = matches!(value.kind, TermKind::Constant(_)) && goal_value(text).is_some();
    if !in_range {
        diagnostics.push(
            Diagnostic::new(
                &codes::GOAL_VALUE,
                value.span,
                format!("the goal value `{text}` is not a whole number from 0 to 100"),
            )
            .label("not a goal value")
            .help("use 100 for a win, 0 for a loss, and numbers between for everything else"),
        );
    }
}

fn distincts(rule: &Rule, diagnostics: &mut Vec<Diagnostic>) {
    for formula in &rule.body {
        formula.distincts(&mut |a, b, span| {
            let verdict = match (a.same(b), a.is_ground() && b.is_ground()) {
                (true, _) => "never holds: both terms are the same",
                (false, true) => "always holds: the terms are different",
                _ => return,
            };
            diagnostics.push(
                Diagnostic::new(&codes::CONSTANT_DISTINCT, span, format!("this `distinct` {verdict}"))
                    .label("does not depend on anything")
                    .help("remove it, or use a variable"),
            );
        });
    }
}
