//! Plans of rules: the conditions in a good order, each with the index it uses.
//!
//! The order is greedy: tests as soon as their variables are known, then the condition with the fewest expected
//! matches. When all variables of the head are known, one way to satisfy the remaining conditions is enough, so a plan
//! knows to which step to go back after deriving a fact.

use crate::meter::{LimitHit, Meter, rule_bytes};
use crate::order::{Readers, Waiting};
use crate::table::Shape;
use crate::term::{TermId, TermPool};
use ludens_gdl::Symbol;
use ludens_gdl::normal::{Literal, NormalRule, Term};

/// A relation of the program, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub(crate) u32);

impl RelationId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Recipe for a term whose variables are known.
#[derive(Clone, Debug)]
pub(crate) enum Builder {
    Constant(TermId),
    Slot(u32),
    Call(Symbol, Vec<Builder>),
}

/// Pattern that an argument of a row must match; binds variables on their first occurrence.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Constant(TermId),
    Bind(u32),
    Same(u32),
    Call(Symbol, Vec<Pattern>),
}

/// Source of the candidate rows of a condition.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) relation: RelationId,
    /// The index and the recipe of its key; `None` visits all rows.
    pub(crate) index: Option<(usize, Vec<Builder>)>,
    pub(crate) patterns: Vec<Pattern>,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// For every matching row.
    Each(Access),
    /// For every matching row that is new since the last round.
    EachNew(Access),
    /// Go on if no row matches.
    None(Access),
    /// Go on if this row exists, or does not.
    Test {
        relation: RelationId,
        row: Vec<Builder>,
        expected: bool,
    },
    /// Go on if the terms differ.
    Distinct(Builder, Builder),
}

/// A rule ready to be applied.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) head: RelationId,
    pub(crate) row: Vec<Builder>,
    pub(crate) slots: u32,
    /// Number of leading steps to repeat for further facts.
    pub(crate) repeat: usize,
    /// Memory that was taken for the plan.
    pub(crate) bytes: usize,
}

/// Facts about the program that the planner needs.
pub(crate) trait Catalogue {
    fn pool(&mut self) -> &mut TermPool;
    fn meter(&mut self) -> &mut Meter;
    fn relation(&self, literal: &Literal) -> RelationId;
    fn head(&self, rule: &NormalRule) -> RelationId;
    /// The number of an index of a relation, created if needed.
    fn index(&mut self, relation: RelationId, shape: Vec<Shape>) -> usize;
    /// Expected number of rows that fit the functions and constants of a literal.
    fn expected_rows(&self, literal: &Literal) -> f64;
}

/// Plans a rule; `new` is the condition that is matched against new rows only, if any.
pub(crate) fn plan(rule: &NormalRule, new: Option<usize>, catalogue: &mut impl Catalogue) -> Result<Plan, LimitHit> {
    let bytes = 2 * rule_bytes(&rule.head, &rule.body);
    catalogue.meter().take(bytes)?;
    catalogue.meter().spend(1 + rule.body.len() as u64)?;
    let order = best_order(rule, new, catalogue)?;
    let readers = Readers::new(rule.variables, rule.body.iter().enumerate());
    let mut tests = Tests::new(rule, &readers);
    let mut planner = Planner {
        catalogue,
        bound: vec![false; rule.variables as usize],
        steps: Vec::new(),
    };
    for number in order {
        if Some(number) != new {
            tests.take_ready(|place| planner.test(&rule.body[place]));
        }
        if tests.take(number) {
            planner.each(&rule.body[number], Some(number) == new);
            rule.body[number].variables(&mut |variable| tests.bind(variable, &readers));
        }
    }
    tests.take_ready(|place| planner.test(&rule.body[place]));
    for number in tests.rest() {
        planner.none(&rule.body[number]);
    }
    let row = rule.head.args.iter().map(|arg| planner.builder(arg)).collect();
    let steps = planner.steps;
    let mut is_head_slot = vec![false; rule.variables as usize];
    rule.head
        .variables(&mut |variable| is_head_slot[variable as usize] = true);
    let repeat = steps
        .iter()
        .rposition(|step| binds_any(step, &is_head_slot))
        .map_or(0, |last| last + 1);
    Ok(Plan {
        steps,
        head: catalogue.head(rule),
        row,
        slots: rule.variables,
        repeat,
        bytes,
    })
}

/// The conditions of a rule that are not planned yet. One can be tested when all its variables are known.
struct Tests {
    is_waiting: Vec<bool>,
    is_bound: Vec<bool>,
    /// Variables of each condition that are not known.
    unbound: Vec<u32>,
    ready: Vec<usize>,
}

impl Tests {
    fn new(rule: &NormalRule, readers: &Readers) -> Tests {
        let mut unbound = vec![0; rule.body.len()];
        for &place in (0..rule.variables).flat_map(|variable| readers.of(variable)) {
            unbound[place as usize] += 1;
        }
        Tests {
            ready: (0..rule.body.len()).filter(|&place| unbound[place] == 0).collect(),
            is_waiting: vec![true; rule.body.len()],
            is_bound: vec![false; rule.variables as usize],
            unbound,
        }
    }

    fn bind(&mut self, variable: u32, readers: &Readers) {
        if std::mem::replace(&mut self.is_bound[variable as usize], true) {
            return;
        }
        for &place in readers.of(variable) {
            self.unbound[place as usize] -= 1;
            if self.unbound[place as usize] == 0 {
                self.ready.push(place as usize);
            }
        }
    }

    /// Takes a condition, unless it was taken before.
    fn take(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.is_waiting[place], false)
    }

    /// Takes the conditions that can be tested, in their order.
    fn take_ready(&mut self, mut test: impl FnMut(usize)) {
        let mut ready = std::mem::take(&mut self.ready);
        ready.sort_unstable();
        for place in ready {
            if self.take(place) {
                test(place);
            }
        }
    }

    /// The conditions that were not taken, in their order.
    fn rest(self) -> impl Iterator<Item = usize> {
        let places = self.is_waiting.into_iter().enumerate();
        places.filter(|(_, is_waiting)| *is_waiting).map(|(place, _)| place)
    }
}

/// Up to this many positive conditions each is tried as the beginning; of more, those that look cheapest.
const MOST_BEGINNINGS: usize = 40;

/// The order in which to take the positive conditions: greedy, but with the best beginning. The smallest relation need
/// not be it. When all variables of the head are known, one way to satisfy the rest is enough; so it can even pay to
/// begin with a large relation that knows them all.
fn best_order(rule: &NormalRule, new: Option<usize>, catalogue: &mut impl Catalogue) -> Result<Vec<usize>, LimitHit> {
    let is_positive = |number: &usize| matches!(rule.body[*number], Literal::Positive(_));
    let positive: Vec<usize> = (0..rule.body.len()).filter(is_positive).collect();
    let body = positive.iter().map(|&number| (number, &rule.body[number]));
    let mut greedy = Greedy {
        rule,
        rows: vec![1.0; rule.body.len()],
        readers: Readers::new(rule.variables, body.clone()),
        costs: vec![None; rule.body.len()],
    };
    let nothing = vec![false; rule.variables as usize];
    for (number, literal) in body {
        greedy.rows[number] = catalogue.expected_rows(literal).max(1.0);
        greedy.costs[number] = Some(greedy.matches(number, &nothing).to_bits());
    }
    let mut beginnings: Vec<usize> = match new {
        Some(number) => vec![number],
        None => positive,
    };
    if beginnings.len() > MOST_BEGINNINGS {
        beginnings.sort_by_key(|&number| greedy.costs[number]);
        beginnings.truncate(MOST_BEGINNINGS);
    }
    let mut best: Option<(Vec<usize>, f64)> = None;
    for first in beginnings {
        catalogue.meter().spend(1 + rule.body.len() as u64)?;
        let (order, work) = greedy.order(first);
        if best.as_ref().is_none_or(|(_, least)| work.total_cmp(least).is_lt()) {
            best = Some((order, work));
        }
    }
    Ok(best.map(|(order, _)| order).unwrap_or_default())
}

/// Puts the positive conditions of a rule in order.
struct Greedy<'a> {
    rule: &'a NormalRule,
    /// Expected number of rows of each condition.
    rows: Vec<f64>,
    readers: Readers,
    /// For each positive condition the matches to be expected when nothing is known. They are never negative, so their
    /// bits are in the same order.
    costs: Vec<Option<u64>>,
}

impl Greedy<'_> {
    /// A given condition, then always the one with the fewest expected matches; and how much work that is expected to
    /// be.
    fn order(&self, first: usize) -> (Vec<usize>, f64) {
        let rule = self.rule;
        let mut waiting = Waiting::new(&self.readers, vec![false; rule.variables as usize], self.costs.clone());
        let mut unknown_in_head = Vec::new();
        rule.head.variables(&mut |variable| unknown_in_head.push(variable));
        let mut order = Vec::new();
        let (mut ways, mut work) = (1.0, 0.0);
        let mut next = Some(first);
        while let Some(number) = next {
            // Each is visited until it is known, and then never again.
            while unknown_in_head
                .last()
                .is_some_and(|&variable| waiting.bound()[variable as usize])
            {
                unknown_in_head.pop();
            }
            if !unknown_in_head.is_empty() || order.is_empty() {
                ways *= self.matches(number, waiting.bound());
            }
            work += ways;
            order.push(number);
            waiting.take(number, &rule.body[number], |other, bound| {
                self.matches(other, bound).to_bits()
            });
            next = waiting.cheapest();
        }
        (order, work)
    }

    /// Expected number of matches of a condition for each way to get to it.
    fn matches(&self, number: usize, bound: &[bool]) -> f64 {
        expected_matches(&self.rule.body[number], bound, self.rows[number])
    }
}

/// Expected number of matches of a condition whose relation has `rows` rows.
fn expected_matches(literal: &Literal, bound: &[bool], rows: f64) -> f64 {
    let Some((atom, _)) = literal.atom() else {
        return 0.0;
    };
    let mut known = 0.0;
    let mut unknown = 0.0;
    for arg in &atom.args {
        count_places(arg, bound, &mut known, &mut unknown);
    }
    if unknown == 0.0 {
        return 1.0;
    }
    rows.powf(unknown / (known + unknown))
}

fn count_places(term: &Term, bound: &[bool], known: &mut f64, unknown: &mut f64) {
    match term {
        // Constants are counted in the expected number of rows.
        Term::Constant(_) => {}
        Term::Variable(variable) if bound[*variable as usize] => *known += 1.0,
        Term::Variable(_) => *unknown += 1.0,
        Term::Function(_, args) => args.iter().for_each(|arg| count_places(arg, bound, known, unknown)),
    }
}

fn binds_any(step: &Step, slots: &[bool]) -> bool {
    fn pattern_binds(pattern: &Pattern, slots: &[bool]) -> bool {
        match pattern {
            Pattern::Bind(slot) => slots[*slot as usize],
            Pattern::Call(_, args) => args.iter().any(|arg| pattern_binds(arg, slots)),
            Pattern::Constant(_) | Pattern::Same(_) => false,
        }
    }
    match step {
        Step::Each(access) | Step::EachNew(access) => {
            access.patterns.iter().any(|pattern| pattern_binds(pattern, slots))
        }
        _ => false,
    }
}

struct Planner<'a, C> {
    catalogue: &'a mut C,
    bound: Vec<bool>,
    steps: Vec<Step>,
}

impl<C: Catalogue> Planner<'_, C> {
    fn is_bound(&self, term: &Term) -> bool {
        let mut bound = true;
        term.variables(&mut |variable| bound &= self.bound[variable as usize]);
        bound
    }

    /// Adds a literal as a test; everything in it is known.
    fn test(&mut self, literal: &Literal) {
        let step = match literal {
            Literal::Distinct(a, b) => Step::Distinct(self.builder(a), self.builder(b)),
            Literal::Positive(atom) | Literal::Negative(atom) => Step::Test {
                relation: self.catalogue.relation(literal),
                row: atom.args.iter().map(|arg| self.builder(arg)).collect(),
                expected: matches!(literal, Literal::Positive(_)),
            },
        };
        self.steps.push(step);
    }

    fn each(&mut self, literal: &Literal, only_new: bool) {
        let access = self.access(literal, !only_new);
        self.steps.push(match only_new {
            true => Step::EachNew(access),
            false => Step::Each(access),
        });
    }

    fn none(&mut self, literal: &Literal) {
        let before = self.bound.clone();
        let access = self.access(literal, true);
        self.bound = before;
        self.steps.push(Step::None(access));
    }

    fn access(&mut self, literal: &Literal, with_index: bool) -> Access {
        let relation = self.catalogue.relation(literal);
        let args = literal.atom().map_or(&[][..], |(atom, _)| &atom.args);
        let mut key = Vec::new();
        let shape: Vec<Shape> = args.iter().map(|arg| self.shape(arg, &mut key)).collect();
        let needs_index = with_index && shape.iter().any(|part| *part != Shape::Free);
        let index = needs_index.then(|| (self.catalogue.index(relation, shape), key));
        let patterns = args.iter().map(|arg| self.pattern(arg)).collect();
        Access {
            relation,
            index,
            patterns,
        }
    }

    fn shape(&mut self, term: &Term, key: &mut Vec<Builder>) -> Shape {
        if self.is_bound(term) {
            key.push(self.builder(term));
            return Shape::Key;
        }
        match term {
            Term::Function(name, args) => Shape::Call(*name, args.iter().map(|arg| self.shape(arg, key)).collect()),
            _ => Shape::Free,
        }
    }

    fn pattern(&mut self, term: &Term) -> Pattern {
        match term {
            _ if term.is_ground() => Pattern::Constant(self.catalogue.pool().import(term)),
            Term::Variable(variable) => {
                let known = std::mem::replace(&mut self.bound[*variable as usize], true);
                match known {
                    true => Pattern::Same(*variable),
                    false => Pattern::Bind(*variable),
                }
            }
            Term::Function(name, args) => Pattern::Call(*name, args.iter().map(|arg| self.pattern(arg)).collect()),
            Term::Constant(_) => unreachable!("constants are ground"),
        }
    }

    fn builder(&mut self, term: &Term) -> Builder {
        match term {
            _ if term.is_ground() => Builder::Constant(self.catalogue.pool().import(term)),
            Term::Variable(variable) => Builder::Slot(*variable),
            Term::Function(name, args) => Builder::Call(*name, args.iter().map(|arg| self.builder(arg)).collect()),
            Term::Constant(_) => unreachable!("constants are ground"),
        }
    }
}
