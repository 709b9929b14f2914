//! Fluents that are read but can never become true, and moves that are read but never legal.
//!
//! Compared by shape: `(true (cell ?x ?y x))` can match the head `(next (cell ?m ?n ?w))`, not `(next (score ?n))`.

use super::{Context, Relation, relation};
use crate::diagnostic::{Code, Diagnostic, Suggestions, codes};
use crate::rule::{Atom, Term, TermKind};
use crate::symbol::Symbol;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// Maximum number of terms of one shape, and of diagnostics, that are compared pair by pair; larger sets are skipped.
const MOST_COMPARED: usize = 500;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let states = [relation::INIT, relation::NEXT];
    look(context, &states, relation::TRUE, &codes::FLUENT_NEVER_TRUE, diagnostics);
    look(
        context,
        &[relation::LEGAL],
        relation::DOES,
        &codes::MOVE_NEVER_LEGAL,
        diagnostics,
    );
}

fn look(
    context: &Context<'_>,
    producers: &[Relation],
    reader: Relation,
    code: &'static Code,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let produced = context
        .rules
        .rules
        .iter()
        .filter(|rule| producers.contains(&rule.head.relation()))
        .filter_map(|rule| rule.head.args.last());
    let mut by_shape: HashMap<(Symbol, usize), Vec<&Term>, RandomState> = HashMap::default();
    let mut count = 0;
    let mut anything = false;
    for term in produced {
        count += 1;
        match term.shape() {
            Some(shape) => by_shape.entry(shape).or_default().push(term),
            None => anything = true,
        }
    }
    if count == 0 || anything {
        return;
    }
    let is_produced = |wanted: &Term| match wanted.shape() {
        None => true,
        Some(shape) => by_shape
            .get(&shape)
            .is_some_and(|terms| terms.len() > MOST_COMPARED || terms.iter().any(|term| can_match(term, wanted))),
    };
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
            if misses.len() < MOST_COMPARED && !is_produced(wanted) && !again() {
                misses.push(atom);
            }
        });
    }
    let names: BTreeSet<&str> = by_shape.keys().map(|&(name, _)| context.name(name)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut suggestions = Suggestions::default();
    for atom in misses {
        diagnostics.push(report(context, atom, code, &names, &mut suggestions));
    }
}

fn report(
    context: &Context<'_>,
    atom: &Atom,
    code: &'static Code,
    names: &[&str],
    suggestions: &mut Suggestions,
) -> Diagnostic {
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
    let known = names.binary_search(&name).is_ok();
    Diagnostic::new(code, atom.span, message)
        .label("so this never holds")
        .help(match suggestions.closest(name, names) {
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
