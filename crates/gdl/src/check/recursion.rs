//! The recursion restriction, which keeps derivations finite although terms can grow.
//!
//! In a rule for `p` with a positive condition on `q`, where `p` and `q` lie on a common cycle, each argument of that
//! condition is ground, or is an argument of the head, or is an argument of another positive condition whose
//! relation is not on a cycle with `p`.

use super::Context;
use crate::diagnostic::{Diagnostic, codes};
use crate::rule::{Atom, Term, TermKind};
use foldhash::fast::RandomState;
use hashbrown::HashSet;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let graph = &context.dependencies;
    let growing = growing(context);
    for rule in &context.rules.rules {
        let Some(head) = graph.find(rule.head.relation()) else {
            continue;
        };
        if !graph.is_recursive(head) || !growing.contains(&graph.component(head)) {
            continue;
        }
        let on_cycle = |atom: &Atom| {
            graph
                .find(atom.relation())
                .is_some_and(|relation| graph.on_common_cycle(head, relation))
        };
        let mut positive: Vec<&Atom> = Vec::new();
        rule.body_atoms(&mut |atom, negated| {
            if !negated {
                positive.push(atom);
            }
        });
        for atom in positive.iter().filter(|atom| on_cycle(atom)) {
            for arg in &atom.args {
                let harmless = arg.is_ground()
                    || rule.head.args.iter().any(|head| head.same(arg))
                    || positive
                        .iter()
                        .any(|other| !on_cycle(other) && other.args.iter().any(|found| found.same(arg)));
                if !harmless {
                    diagnostics.push(
                        Diagnostic::new(
                            &codes::RECURSION_RESTRICTION,
                            arg.span,
                            format!(
                                "the recursion over `{}` can build terms without end",
                                context.name(rule.head.name)
                            ),
                        )
                        .label("not limited by the head or by a condition outside the recursion")
                        .related(rule.head.span, "this head grows from it")
                        .help("add a condition that lists the values this argument can take"),
                    );
                }
            }
        }
    }
}

/// The cycles of relations that build terms: growth needs a function term in some head of the cycle. Without one, the
/// recursion only rearranges terms that exist already, and Ludens runs it; the letter of the restriction is broken by
/// many published games in this way.
fn growing(context: &Context<'_>) -> HashSet<usize, RandomState> {
    let graph = &context.dependencies;
    let grows = |term: &Term| matches!(term.kind, TermKind::Function(..)) && !term.is_ground();
    let rules = context.rules.rules.iter();
    rules
        .filter(|rule| rule.head.args.iter().any(grows))
        .filter_map(|rule| graph.find(rule.head.relation()))
        .filter(|&relation| graph.is_recursive(relation))
        .map(|relation| graph.component(relation))
        .collect()
}
