//! Fluents that are read but can never become true, and moves that are read but never legal.
//!
//! Compared by shape: `(true (cell ?x ?y x))` can match the head `(next (cell ?m ?n ?w))`, not `(next (score ?n))`.

use super::{Context, Relation, relation};
use crate::diagnostic::{Code, Diagnostic, closest, codes};
use crate::rule::{Atom, Term, TermKind};
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let states = [relation::INIT, relation::NEXT];
    look(context, &states, relation::TRUE, &codes::FLUENT_NEVER_TRUE, findings);
    look(
        context,
        &[relation::LEGAL],
        relation::DOES,
        &codes::MOVE_NEVER_LEGAL,
        findings,
    );
}

fn look(
    context: &Context<'_>,
    producers: &[Relation],
    reader: Relation,
    code: &'static Code,
    findings: &mut Vec<Diagnostic>,
) {
    let produced: Vec<&Term> = context
        .rules
        .rules
        .iter()
        .filter(|rule| producers.contains(&rule.head.relation()))
        .filter_map(|rule| rule.head.args.last())
        .collect();
    if produced.is_empty() {
        return;
    }
    let mut misses: Vec<&Atom> = Vec::new();
    for rule in &context.rules.rules {
        rule.body_atoms(&mut |atom, _| {
            let Some(wanted) = atom.args.last().filter(|_| atom.relation() == reader) else {
                return;
            };
            let again = || {
                misses
                    .iter()
                    .any(|miss| miss.args.last().is_some_and(|arg| arg.same(wanted)))
            };
            if !produced.iter().any(|term| can_match(term, wanted)) && !again() {
                misses.push(atom);
            }
        });
    }
    let names: BTreeSet<&str> = produced
        .iter()
        .filter_map(|term| term.shape())
        .map(|(name, _)| context.name(name))
        .collect();
    for atom in misses {
        findings.push(report(context, atom, code, &names));
    }
}

fn report(context: &Context<'_>, atom: &Atom, code: &'static Code, names: &BTreeSet<&str>) -> Diagnostic {
    let name = atom
        .args
        .last()
        .and_then(Term::shape)
        .map_or("", |(name, _)| context.name(name));
    let (message, default) = match code.id {
        "W322" => (
            format!("no `init` or `next` ever makes this `{name}` true"),
            "check name, arguments and the rules for `next`",
        ),
        _ => (
            format!("no rule ever makes this move `{name}` legal"),
            "check name, arguments and the rules for `legal`",
        ),
    };
    let known = names.contains(name);
    Diagnostic::new(code, atom.span, message)
        .label("so this never holds")
        .help(match closest(name, names.iter().copied()) {
            Some(near) if !known => format!("did you mean `{near}`?"),
            _ => default.to_string(),
        })
}

/// Whether two terms of different rules can be the same, taking every variable as free.
fn can_match(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Variable(_), _) | (_, TermKind::Variable(_)) => true,
        (TermKind::Constant(x), TermKind::Constant(y)) => x == y,
        (TermKind::Function(f, xs), TermKind::Function(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| can_match(x, y))
        }
        _ => false,
    }
}
