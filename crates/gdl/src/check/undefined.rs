//! Relations that are read but never defined, and defined but never used.

use super::{Context, Relation, relation};
use crate::diagnostic::{Diagnostic, closest, codes};
use crate::rule::Atom;
use foldhash::fast::RandomState;
use hashbrown::HashSet;
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let defined: HashSet<Relation, RandomState> = context.rules.rules.iter().map(|rule| rule.head.relation()).collect();
    let fluents = fluents(context);
    let mut reported = HashSet::<Relation, RandomState>::default();
    let mut look = |atom: &Atom| {
        let relation = atom.relation();
        let known =
            defined.contains(&relation) || relation::ASKED.contains(&relation) || relation::GIVEN.contains(&relation);
        if !known && reported.insert(relation) {
            findings.push(match fluents.contains(&relation) {
                true => missing_true(context, atom),
                false => undefined(context, atom, &defined, &fluents),
            });
        }
    };
    for rule in &context.rules.rules {
        rule.body_atoms(&mut |atom, _| look(atom));
    }
    unused(context, findings);
}

/// Names and arities of everything that `init`, `next` and `true` speak of.
fn fluents(context: &Context<'_>) -> HashSet<Relation, RandomState> {
    let mut fluents = HashSet::default();
    let mut look = |atom: &Atom| {
        let is_state = [relation::INIT, relation::NEXT, relation::TRUE].contains(&atom.relation());
        if let Some((name, arity)) = is_state.then(|| atom.args[0].shape()).flatten() {
            fluents.insert(Relation::new(name, arity));
        }
    };
    for rule in &context.rules.rules {
        look(&rule.head);
        rule.body_atoms(&mut |atom, _| look(atom));
    }
    fluents
}

fn missing_true(context: &Context<'_>, atom: &Atom) -> Diagnostic {
    let name = context.name(atom.name);
    let written = match atom.args.is_empty() {
        true => name.to_string(),
        false => format!("({name} ...)"),
    };
    Diagnostic::new(
        &codes::MISSING_TRUE,
        atom.span,
        format!("`{name}` is a fluent and is read without `true`, so this never holds"),
    )
    .label("no relation of this name is defined")
    .help(format!("write `(true {written})`"))
}

fn undefined(
    context: &Context<'_>,
    atom: &Atom,
    defined: &HashSet<Relation, RandomState>,
    fluents: &HashSet<Relation, RandomState>,
) -> Diagnostic {
    let name = context.name(atom.name);
    let candidates: BTreeSet<&str> = defined.iter().map(|relation| context.name(relation.name)).collect();
    let fluent_names: BTreeSet<&str> = fluents.iter().map(|fluent| context.name(fluent.name)).collect();
    let other_arity = defined
        .iter()
        .filter(|relation| relation.name == atom.name)
        .map(|relation| relation.arity)
        .min();
    let help = match (other_arity, closest(name, candidates)) {
        (Some(arity), _) => format!("`{name}` is defined with {arity} arguments: add or remove some here"),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => match closest(name, fluent_names) {
            Some(near) => format!("did you mean the fluent `{near}`, as in `(true ({near} ...))`?"),
            None => "define it, or remove the conditions that read it".to_string(),
        },
    };
    Diagnostic::new(
        &codes::UNDEFINED_RELATION,
        atom.span,
        format!("the relation `{name}` is never defined, so this never holds"),
    )
    .label("never defined")
    .help(help)
}

fn unused(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let graph = &context.dependencies;
    let needed = graph.needed_by(&relation::ASKED);
    let mut reported = HashSet::<Relation, RandomState>::default();
    for rule in &context.rules.rules {
        let relation = rule.head.relation();
        let is_used = graph.find(relation).is_none_or(|index| needed[index]);
        if !is_used && reported.insert(relation) {
            let name = context.name(relation.name);
            findings.push(
                Diagnostic::new(
                    &codes::UNUSED_RELATION,
                    rule.head.span,
                    format!("the relation `{name}` is defined but does not affect the game"),
                )
                .label("nothing that the game asks for depends on it")
                .help("delete its rules, or read it where it was meant to be read"),
            );
        }
    }
}
