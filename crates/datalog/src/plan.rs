//! How to apply a rule: its conditions in a good order, each with the index it uses.
//!
//! The order is greedy: tests as soon as their variables are known, then the condition with the fewest expected
//! matches. When all variables of the head are known, one way to satisfy the remaining conditions is enough, so a plan
//! knows to which step to go back after deriving a fact.

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

/// How to make a term whose variables are known.
#[derive(Clone, Debug)]
pub(crate) enum Builder {
    Constant(TermId),
    Slot(u32),
    Call(Symbol, Vec<Builder>),
}

/// What a row's argument must look like; binds variables on their first occurrence.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Constant(TermId),
    Bind(u32),
    Same(u32),
    Call(Symbol, Vec<Pattern>),
}

/// Where the candidates for a condition come from.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) relation: RelationId,
    /// Which index, and how to make its key; without one, all rows.
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

/// A rule made ready to be applied.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) head: RelationId,
    pub(crate) row: Vec<Builder>,
    pub(crate) slots: u32,
    /// How many steps from the front are worth repeating for further facts.
    pub(crate) repeat: usize,
}

/// What the planner needs to know about the program.
pub(crate) trait Catalogue {
    fn pool(&mut self) -> &mut TermPool;
    fn relation(&self, literal: &Literal) -> RelationId;
    fn head(&self, rule: &NormalRule) -> RelationId;
    /// The number of an index of a relation, created if needed.
    fn index(&mut self, relation: RelationId, shape: Vec<Shape>) -> usize;
    /// How many rows are to be expected that fit the functions and constants of a literal.
    fn expected_rows(&self, literal: &Literal) -> f64;
}

/// Plans a rule; `new` is the condition that is matched against new rows only, if any.
pub(crate) fn plan(rule: &NormalRule, new: Option<usize>, catalogue: &mut impl Catalogue) -> Plan {
    let order = best_order(rule, new, catalogue);
    let mut planner = Planner {
        catalogue,
        bound: vec![false; rule.variables as usize],
        steps: Vec::new(),
    };
    let mut waiting: Vec<usize> = (0..rule.body.len()).collect();
    for number in order {
        waiting.retain(|&other| Some(number) == new || !planner.try_test(&rule.body[other]));
        if waiting.contains(&number) {
            waiting.retain(|&other| other != number);
            planner.each(&rule.body[number], Some(number) == new);
        }
    }
    waiting.retain(|&number| !planner.try_test(&rule.body[number]));
    for number in waiting {
        planner.none(&rule.body[number]);
    }
    let row = rule.head.args.iter().map(|arg| planner.builder(arg)).collect();
    let steps = planner.steps;
    let mut head_slots = Vec::new();
    rule.head.variables(&mut |variable| head_slots.push(variable));
    let repeat = steps
        .iter()
        .rposition(|step| binds_any(step, &head_slots))
        .map_or(0, |last| last + 1);
    Plan {
        steps,
        head: catalogue.head(rule),
        row,
        slots: rule.variables,
        repeat,
    }
}

/// The order in which to take the positive conditions: greedy, but with the best beginning. The smallest relation need
/// not be it. When all variables of the head are known, one way to satisfy the rest is enough; so it can even pay to
/// begin with a large relation that knows them all.
fn best_order(rule: &NormalRule, new: Option<usize>, catalogue: &impl Catalogue) -> Vec<usize> {
    let beginnings: Vec<usize> = match new {
        Some(number) => vec![number],
        None => (0..rule.body.len()).collect(),
    };
    beginnings
        .into_iter()
        .filter(|&number| matches!(rule.body[number], Literal::Positive(_)))
        .map(|number| greedy_order(rule, number, catalogue))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map(|(order, _)| order)
        .unwrap_or_default()
}

/// A given condition, then always the one with the fewest expected matches; and how much work that is expected to be.
fn greedy_order(rule: &NormalRule, first: usize, catalogue: &impl Catalogue) -> (Vec<usize>, f64) {
    let mut bound = vec![false; rule.variables as usize];
    let mut order = Vec::new();
    let (mut ways, mut work) = (1.0, 0.0);
    let mut waiting: Vec<usize> = (0..rule.body.len())
        .filter(|&number| matches!(rule.body[number], Literal::Positive(_)))
        .collect();
    let mut next = Some(first);
    while let Some(number) = next {
        let mut is_head_known = true;
        rule.head
            .variables(&mut |variable| is_head_known &= bound[variable as usize]);
        if !is_head_known || order.is_empty() {
            ways *= expected_matches(&rule.body[number], &bound, catalogue);
        }
        work += ways;
        rule.body[number].variables(&mut |variable| bound[variable as usize] = true);
        waiting.retain(|&other| other != number);
        order.push(number);
        next = waiting
            .iter()
            .map(|&number| (expected_matches(&rule.body[number], &bound, catalogue), number))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, number)| number);
    }
    (order, work)
}

/// How many matches of a condition are to be expected for each way to get to it.
fn expected_matches(literal: &Literal, bound: &[bool], catalogue: &impl Catalogue) -> f64 {
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
    let rows = catalogue.expected_rows(literal).max(1.0);
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

fn binds_any(step: &Step, slots: &[u32]) -> bool {
    fn pattern_binds(pattern: &Pattern, slots: &[u32]) -> bool {
        match pattern {
            Pattern::Bind(slot) => slots.contains(slot),
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

    /// Adds the literal as a test if everything in it is known.
    fn try_test(&mut self, literal: &Literal) -> bool {
        let mut ready = true;
        literal.variables(&mut |variable| ready &= self.bound[variable as usize]);
        if !ready {
            return false;
        }
        let step = match literal {
            Literal::Distinct(a, b) => Step::Distinct(self.builder(a), self.builder(b)),
            Literal::Positive(atom) | Literal::Negative(atom) => Step::Test {
                relation: self.catalogue.relation(literal),
                row: atom.args.iter().map(|arg| self.builder(arg)).collect(),
                expected: matches!(literal, Literal::Positive(_)),
            },
        };
        self.steps.push(step);
        true
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
