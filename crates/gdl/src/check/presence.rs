//! Every game needs roles, legal moves, goals and an end; most have a start and successors.

use super::{Context, relation};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let needed = [
        (relation::ROLE, &codes::NO_ROLE, "no role is defined", "(role white)"),
        (
            relation::LEGAL,
            &codes::NO_LEGAL,
            "no legal move is defined",
            "(<= (legal white noop) (true ...))",
        ),
        (
            relation::GOAL,
            &codes::NO_GOAL,
            "no goal is defined",
            "(<= (goal white 100) ...)",
        ),
        (
            relation::TERMINAL,
            &codes::NO_TERMINAL,
            "the end of the game is not defined",
            "(<= terminal ...)",
        ),
        (
            relation::INIT,
            &codes::NO_INIT,
            "nothing holds at the start: the initial state is empty",
            "(init (step 1))",
        ),
        (
            relation::NEXT,
            &codes::NO_NEXT,
            "nothing ever holds in a next state",
            "(<= (next ...) (does ...))",
        ),
    ];
    for (relation, code, message, example) in needed {
        if !context.is_defined(relation) {
            diagnostics.push(Diagnostic::new(code, Span::default(), message).help(format!("add e.g. `{example}`")));
        }
    }
}
