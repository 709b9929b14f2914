//! Forbidden dependencies: of the start on the state, and of a state's properties on the moves.

use super::{Context, Relation, relation};
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::rule::Atom;

const STATE: [Relation; 6] = [
    relation::TRUE,
    relation::DOES,
    relation::NEXT,
    relation::LEGAL,
    relation::GOAL,
    relation::TERMINAL,
];

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for start in [relation::INIT, relation::BASE, relation::INPUT] {
        for target in STATE {
            forbid(context, start, target, &codes::STATE_DEPENDENT_START, diagnostics);
        }
    }
    for property in [relation::TERMINAL, relation::LEGAL, relation::GOAL] {
        forbid(
            context,
            property,
            relation::DOES,
            &codes::MOVE_DEPENDENT_STATE,
            diagnostics,
        );
    }
}

/// Reports a shortest chain from one relation to another, at its first step.
fn forbid(
    context: &Context<'_>,
    from: Relation,
    target: Relation,
    code: &'static Code,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let graph = &context.dependencies;
    let (Some(start), Some(end)) = (graph.find(from), graph.find(target)) else {
        return;
    };
    let Some(path) = graph.path(start, end, |_| true) else {
        return;
    };
    let name = |relation: Relation| context.name(relation.name).to_string();
    let mut chain = name(from);
    for edge in &path {
        chain += " -> ";
        chain += &name(graph.relations[edge.to]);
    }
    let place = |edge: &crate::depend::Edge| {
        let rule = &context.rules.rules[edge.rule];
        let mut span = rule.span;
        rule.body_atoms(&mut |atom: &Atom, _| {
            if graph.find(atom.relation()) == Some(edge.to) {
                span = atom.span;
            }
        });
        span
    };
    let (what, why) = match code.id {
        "E306" => ("must not depend on the state", "it is asked before there is a state"),
        _ => ("must not depend on moves", "it is asked before anybody has moved"),
    };
    let mut diagnostic = Diagnostic::new(
        code,
        place(&path[0]),
        format!("`{}` depends on `{}` and {what}", name(from), name(target)),
    )
    .label("the dependency starts here")
    .note(format!("the chain: {chain}; {why}"))
    .help(match code.id {
        "E306" => "define the start by facts and by relations that never change",
        _ => "record what the moves did in a fluent with `next`, and read that with `true`",
    });
    for edge in path.iter().skip(1).take(4) {
        diagnostic = diagnostic.related(place(edge), "and goes on here");
    }
    diagnostics.push(diagnostic);
}
