//! Roles stand once, and only roles move, score and see.

use super::{Context, relation, role_argument};
use crate::diagnostic::{Diagnostic, closest, codes};
use crate::rule::{Atom, TermKind};
use crate::source::Span;
use crate::symbol::Symbol;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let mut roles: Vec<(Symbol, Span)> = Vec::new();
    for rule in context.defining(relation::ROLE) {
        let TermKind::Constant(role) = rule.head.args[0].kind else {
            continue;
        };
        match roles.iter().find(|&&(known, _)| known == role) {
            None => roles.push((role, rule.head.span)),
            Some(&(_, first)) => findings.push(
                Diagnostic::new(
                    &codes::DUPLICATE_ROLE,
                    rule.head.span,
                    format!("the role `{}` stands twice", context.name(role)),
                )
                .label("again here")
                .related(first, "first here")
                .note("Ludens counts it once")
                .help("delete one of them"),
            ),
        }
    }
    let fixed = context.defining(relation::ROLE).all(|rule| rule.body.is_empty());
    if roles.is_empty() || !fixed {
        return;
    }
    let mut look = |atom: &Atom| {
        let Some(role) = role_argument(atom.name, &atom.args) else {
            return;
        };
        let Some((name, arity)) = role.shape() else {
            return;
        };
        if arity == 0 && roles.iter().any(|&(known, _)| known == name) {
            return;
        }
        let text = context.name(name);
        let names: Vec<&str> = roles.iter().map(|&(role, _)| context.name(role)).collect();
        let suggestion = closest(text, names.iter().copied());
        findings.push(
            Diagnostic::new(
                &codes::NOT_A_ROLE,
                role.span,
                format!("`{text}` is not a role, so this has no effect"),
            )
            .label("not a role")
            .note(format!("the roles are: {}", names.join(", ")))
            .help(match suggestion {
                Some(suggestion) => format!("did you mean `{suggestion}`?"),
                None => "use one of the roles".to_string(),
            }),
        );
    };
    for rule in &context.rules.rules {
        look(&rule.head);
        rule.body_atoms(&mut |atom, _| look(atom));
    }
}
