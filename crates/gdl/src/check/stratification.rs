//! Stratified negation: nothing may depend on its own negation.
//!
//! Asked of the relations first and, where they form a cycle, of the rules (see [`crate::normal::Strata`]), because
//! one goal value defined by negating another is harmless.

use super::Context;
use crate::diagnostic::{Diagnostic, codes};

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let normal = context.normal;
    let Err(cycle) = normal.strata() else {
        return;
    };
    let graph = &context.dependencies;
    let sources: Vec<usize> = cycle.rules.iter().map(|&rule| normal.rules[rule].source).collect();
    let start = sources.iter().find_map(|&rule| {
        let relation = graph.find(context.rules.rules[rule].head.relation())?;
        let negative = |edge: &crate::depend::Edge| edge.negative && edge.rule == rule;
        graph.path(relation, relation, negative).map(|path| (relation, path))
    });
    let Some((relation, path)) = start else {
        return;
    };
    let name = |index: usize| context.name(graph.relations[index].name).to_string();
    let mut chain = name(relation);
    for edge in &path {
        let arrow = if edge.negative { " -> not " } else { " -> " };
        chain += arrow;
        chain += &name(edge.to);
    }
    let first = &context.rules.rules[path[0].rule];
    let mut span = first.span;
    first.body_atoms(&mut |atom, negative| {
        if negative && graph.find(atom.relation()) == Some(path[0].to) {
            span = atom.span;
        }
    });
    let mut diagnostic = Diagnostic::new(
        &codes::UNSTRATIFIED,
        span,
        format!("`{}` depends on its own negation", name(relation)),
    )
    .label("negated here")
    .note(format!("the cycle: {chain}"))
    .help("break the cycle: define the negated case from facts of the state instead");
    for edge in path.iter().skip(1).take(4) {
        diagnostic = diagnostic.related(
            context.rules.rules[edge.rule].head.span,
            "the cycle goes on through this rule",
        );
    }
    diagnostics.push(diagnostic);
}
