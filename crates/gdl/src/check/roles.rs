//! Roles stand once, and only roles move, score and see.

use super::{Context, relation, role_argument};
use crate::diagnostic::{Diagnostic, Suggestions, codes};
use crate::rule::{Atom, TermKind};
use crate::source::Span;
use crate::symbol::Symbol;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

/// Roles that a message lists.
const MOST_LISTED: usize = 20;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut roles: Vec<Symbol> = Vec::new();
    let mut places: HashMap<Symbol, Span, RandomState> = HashMap::default();
    for rule in context.defining(relation::ROLE) {
        let TermKind::Constant(role) = rule.head.args[0].kind else {
            continue;
        };
        match places.get(&role).copied() {
            None => {
                places.insert(role, rule.head.span);
                roles.push(role);
            }
            Some(first) => diagnostics.push(
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
    let names: Vec<&str> = roles.iter().map(|&role| context.name(role)).collect();
    let listed = match &names[..] {
        [first @ .., _] if first.len() >= MOST_LISTED => format!("{}, ...", names[..MOST_LISTED].join(", ")),
        all => all.join(", "),
    };
    let mut suggestions = Suggestions::default();
    let mut look = |atom: &Atom| {
        let Some(role) = role_argument(atom.name, &atom.args) else {
            return;
        };
        let Some((name, arity)) = role.shape() else {
            return;
        };
        if arity == 0 && places.contains_key(&name) {
            return;
        }
        let text = context.name(name);
        let suggestion = suggestions.closest(text, &names);
        diagnostics.push(
            Diagnostic::new(
                &codes::NOT_A_ROLE,
                role.span,
                format!("`{text}` is not a role, so this has no effect"),
            )
            .label("not a role")
            .note(format!("the roles are: {listed}"))
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
