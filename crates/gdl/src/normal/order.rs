//! The order of a body: what binds variables first, what tests them as soon as they are bound.

use super::{Atom, Literal};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

/// Puts negation and `distinct` after the positive literals that bind their variables; positive literals keep their
/// order. `None` if a variable of the head is bound by nothing: such a rule has no finite reading. A variable under
/// `not` alone is local to the negation, so those literals come last; a `distinct` with a variable that nothing binds
/// is dropped, because the variable is not the same as any term.
pub(super) fn order_body(head: &Atom, body: Vec<Literal>) -> Option<Vec<Literal>> {
    let (positive, tests): (Vec<_>, Vec<_>) = body
        .into_iter()
        .partition(|literal| matches!(literal, Literal::Positive(_)));
    let mut waiting = Waiting::new(tests);
    let mut ordered = waiting.take_ready();
    for literal in positive {
        literal.variables(&mut |variable| waiting.bind(variable));
        ordered.push(literal);
        ordered.extend(waiting.take_ready());
    }
    let mut safe = true;
    head.variables(&mut |variable| safe &= waiting.bound.contains(&variable));
    let rest = waiting.tests.into_iter().flatten();
    ordered.extend(rest.filter(|test| matches!(test, Literal::Negative(_))));
    safe.then_some(ordered)
}

/// Tests whose variables are not all bound yet. A body may have many thousands, so each is looked at only when one of
/// its variables becomes bound.
struct Waiting {
    /// The tests by place; `None` once taken.
    tests: Vec<Option<Literal>>,
    /// Number of distinct unbound variables of each test.
    unbound: Vec<usize>,
    /// The tests that mention a variable.
    readers: HashMap<u32, Vec<usize>, RandomState>,
    bound: HashSet<u32, RandomState>,
    /// Tests without unbound variables that were not taken yet.
    ready: Vec<usize>,
}

impl Waiting {
    fn new(tests: Vec<Literal>) -> Waiting {
        let mut readers: HashMap<u32, Vec<usize>, RandomState> = HashMap::default();
        let mut unbound = Vec::new();
        for (place, test) in tests.iter().enumerate() {
            let mut count = 0;
            test.variables(&mut |variable| {
                let list = readers.entry(variable).or_default();
                if list.last() != Some(&place) {
                    list.push(place);
                    count += 1;
                }
            });
            unbound.push(count);
        }
        Waiting {
            ready: (0..tests.len()).filter(|&place| unbound[place] == 0).collect(),
            tests: tests.into_iter().map(Some).collect(),
            unbound,
            readers,
            bound: HashSet::default(),
        }
    }

    fn bind(&mut self, variable: u32) {
        if !self.bound.insert(variable) {
            return;
        }
        for &place in self.readers.get(&variable).into_iter().flatten() {
            self.unbound[place] -= 1;
            if self.unbound[place] == 0 {
                self.ready.push(place);
            }
        }
    }

    /// The tests that became ready, in the order of the body.
    fn take_ready(&mut self) -> Vec<Literal> {
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_unstable();
        ready.into_iter().filter_map(|place| self.tests[place].take()).collect()
    }
}
