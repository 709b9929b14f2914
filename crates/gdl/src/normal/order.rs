//! The order of a body: what binds variables first, what tests them as soon as they are bound.

use super::{Atom, Literal};

/// Puts negation and `distinct` behind the positive literals that bind their variables; positive literals keep their
/// order. `None` if a variable of the head is bound by nothing: such a rule has no finite reading. A variable under
/// `not` alone is local to the negation, so those literals come last; a `distinct` with a variable that nothing binds
/// is dropped, because the variable is not the same as any term.
pub(super) fn order_body(head: &Atom, body: Vec<Literal>) -> Option<Vec<Literal>> {
    let mut bound = Vec::new();
    let mut ordered = Vec::new();
    let (positive, mut tests): (Vec<_>, Vec<_>) = body
        .into_iter()
        .partition(|literal| matches!(literal, Literal::Positive(_)));
    release(&mut tests, &bound, &mut ordered);
    for literal in positive {
        literal.variables(&mut |variable| bound.push(variable));
        ordered.push(literal);
        release(&mut tests, &bound, &mut ordered);
    }
    let mut safe = true;
    head.variables(&mut |variable| safe &= bound.contains(&variable));
    ordered.extend(tests.into_iter().filter(|test| matches!(test, Literal::Negative(_))));
    safe.then_some(ordered)
}

fn release(tests: &mut Vec<Literal>, bound: &[u32], ordered: &mut Vec<Literal>) {
    let mut waiting = Vec::new();
    for test in tests.drain(..) {
        let mut ready = true;
        test.variables(&mut |variable| ready &= bound.contains(&variable));
        match ready {
            true => ordered.push(test),
            false => waiting.push(test),
        }
    }
    *tests = waiting;
}
