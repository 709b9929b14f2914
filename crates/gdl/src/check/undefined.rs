//! Relations that are read but never defined, and defined but never used.

use super::{Context, Relation, relation};
use crate::diagnostic::{Diagnostic, Suggestions, codes};
use crate::rule::Atom;
use crate::symbol::Symbol;
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let defined: HashSet<Relation, RandomState> = context.rules.rules.iter().map(|rule| rule.head.relation()).collect();
    let fluents = fluents(context);
    let mut near = Near {
        defined: sorted_names(context, &defined),
        arities: defined.iter().fold(HashMap::default(), |mut arities, relation| {
            let lowest = arities.entry(relation.name).or_insert(relation.arity);
            *lowest = relation.arity.min(*lowest);
            arities
        }),
        fluents: sorted_names(context, &fluents),
        suggestions: Suggestions::default(),
    };
    let mut reported = HashSet::<Relation, RandomState>::default();
    let mut look = |atom: &Atom| {
        let relation = atom.relation();
        let known =
            defined.contains(&relation) || relation::ASKED.contains(&relation) || relation::GIVEN.contains(&relation);
        if !known && reported.insert(relation) {
            diagnostics.push(match fluents.contains(&relation) {
                true => missing_true(context, atom),
                false => undefined(context, atom, &mut near),
            });
        }
    };
    for rule in &context.rules.rules {
        rule.body_atoms(&mut |atom, _| look(atom));
    }
    unused(context, diagnostics);
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

/// The names that may have been meant where a relation is undefined.
struct Near<'a> {
    defined: Vec<&'a str>,
    /// The lowest arity of each defined name.
    arities: HashMap<Symbol, usize, RandomState>,
    fluents: Vec<&'a str>,
    suggestions: Suggestions,
}

fn sorted_names<'a>(context: &'a Context<'a>, relations: &HashSet<Relation, RandomState>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = relations.iter().map(|relation| context.name(relation.name)).collect();
    names.into_iter().collect()
}

fn undefined(context: &Context<'_>, atom: &Atom, near: &mut Near<'_>) -> Diagnostic {
    let name = context.name(atom.name);
    let other_arity = near.arities.get(&atom.name);
    let help = match (other_arity, near.suggestions.closest(name, &near.defined)) {
        (Some(arity), _) => format!("`{name}` is defined with {arity} arguments: add or remove some here"),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => match near.suggestions.closest(name, &near.fluents) {
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

fn unused(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let graph = &context.dependencies;
    let needed = graph.needed_by(&relation::ASKED);
    let mut reported = HashSet::<Relation, RandomState>::default();
    for rule in &context.rules.rules {
        let relation = rule.head.relation();
        let is_used = graph.find(relation).is_none_or(|index| needed[index]);
        if !is_used && reported.insert(relation) {
            let name = context.name(relation.name);
            diagnostics.push(
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
