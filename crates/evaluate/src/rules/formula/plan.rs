//! Formulas made ready to be evaluated many times: one step after the other, every shared part once.
//!
//! Joins of many parts often have most of them in common: after a move that takes one of sixteen pieces, the other fifteen
//! are left. So joins are cut into *runs* of parts, and runs that occur in several joins are steps of their own. Where a run
//! ends depends on nothing but its last part; so joins that differ in one part differ in one run or two.

use super::{Atom, Formula, Formulas, View, vector};
use std::collections::HashMap;

/// What is known of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It may hold or not.
    Unknown,
    /// It holds.
    True,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        match value {
            true => Truth::True,
            false => Truth::False,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;

    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

/// How degrees of truth between 0 and 1 are joined. The negation of `x` is `1 - x`, and disjunction follows from
/// conjunction by De Morgan's laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// `a ∧ b = a · b`, `a ∨ b = a + b - a · b`.
    Product,
    /// `a ∧ b` is the lesser, `a ∨ b` the greater.
    Minimum,
    /// `a ∨ b = min(1, (a^q + b^q)^(1/q))`, with this exponent `q`: the greater it is, the nearer to the greatest.
    Yager(f32),
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Constant(f32),
    Unknown,
    Leaf(Atom, bool),
    All(u32, u32),
    Any(u32, u32),
}

impl Step {
    fn join(is_all: bool, start: u32, end: u32) -> Step {
        match is_all {
            true => Step::All(start, end),
            false => Step::Any(start, end),
        }
    }
}

fn is_all(view: &View<'_>) -> bool {
    matches!(view, View::All(_))
}

/// Parts of a run, on average.
const RUN: u32 = 8;

/// The runs that the parts of a join are cut into.
fn runs(parts: &[Formula]) -> impl Iterator<Item = &[Formula]> {
    // Multiplied so that neighbours do not all end runs, nor none of them.
    let ends_run = |part: &Formula| (part.index() as u32).wrapping_mul(0x9e37_79b9) >> 16 & (RUN - 1) == 0;
    parts.split_inclusive(ends_run)
}

/// The runs that occur in several joins of the same kind, with room for their steps.
fn shared_runs<'s>(store: &'s Formulas, cone: &[Formula]) -> HashMap<(bool, &'s [Formula]), Option<u32>> {
    let mut counts: HashMap<(bool, &[Formula]), usize> = HashMap::new();
    for &formula in cone {
        let is_all = is_all(&store.view(formula));
        for run in runs(store.parts_of(formula)).filter(|run| run.len() > 1) {
            *counts.entry((is_all, run)).or_default() += 1;
        }
    }
    let repeated = counts.into_iter().filter(|&(_, count)| count > 1);
    repeated.map(|(run, _)| (run, None)).collect()
}

/// Some formulas of a store, their *outputs*, as steps that need no store any more.
#[derive(Clone, Debug)]
pub struct Plan {
    steps: Vec<Step>,
    operands: Vec<u32>,
    outputs: Vec<u32>,
}

impl Plan {
    /// For these formulas.
    pub fn new(store: &Formulas, outputs: &[Formula]) -> Plan {
        let cone = store.cone(outputs);
        let mut place = vec![u32::MAX; cone.last().map_or(0, |last| last.index() + 1)];
        let mut plan = Plan {
            steps: Vec::with_capacity(cone.len()),
            operands: Vec::new(),
            outputs: Vec::new(),
        };
        let mut shared = shared_runs(store, &cone);
        for formula in cone {
            let view = store.view(formula);
            let mut operands = Vec::new();
            for run in runs(store.parts_of(formula)) {
                let of_run = run.iter().map(|part| place[part.index()]);
                match shared.get_mut(&(is_all(&view), run)) {
                    None => operands.extend(of_run),
                    Some(step) => operands.push(*step.get_or_insert_with(|| {
                        let (start, end) = plan.add_operands(of_run);
                        plan.steps.push(Step::join(is_all(&view), start, end));
                        plan.steps.len() as u32 - 1
                    })),
                }
            }
            let (start, end) = plan.add_operands(operands);
            place[formula.index()] = plan.steps.len() as u32;
            plan.steps.push(match view {
                View::Constant(value) => Step::Constant(f32::from(u8::from(value))),
                View::Unknown => Step::Unknown,
                View::Leaf { atom, negated } => Step::Leaf(atom, negated),
                View::All(_) | View::Any(_) => Step::join(is_all(&view), start, end),
            });
        }
        plan.outputs = outputs.iter().map(|output| place[output.index()]).collect();
        plan
    }

    fn add_operands(&mut self, operands: impl IntoIterator<Item = u32>) -> (u32, u32) {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        (start, self.operands.len() as u32)
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many steps it takes to evaluate everything.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// How many operands these steps have.
    pub fn operands(&self) -> usize {
        self.operands.len()
    }

    /// What is known of every output, by what is known of the atoms.
    pub fn truths(&self, known: impl Fn(Atom) -> Truth) -> Vec<Truth> {
        let mut values: Vec<Truth> = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            let of = |start: u32, end: u32| {
                let operands = self.operands[start as usize..end as usize].iter();
                operands.map(|&operand| values[operand as usize])
            };
            let value = match step {
                Step::Constant(value) => Truth::from(value > 0.5),
                Step::Unknown => Truth::Unknown,
                Step::Leaf(atom, false) => known(atom),
                Step::Leaf(atom, true) => !known(atom),
                Step::All(start, end) => of(start, end).min().unwrap_or(Truth::True),
                Step::Any(start, end) => of(start, end).max().unwrap_or(Truth::False),
            };
            values.push(value);
        }
        self.outputs.iter().map(|&output| values[output as usize]).collect()
    }

    /// Evaluates some outputs by degrees, in `N` states at once: `leaf` tells the degree of an atom in each of them, and
    /// `unknown` is the degree of what nobody knows. Results are in `lanes` afterwards, which must not be used for other
    /// plans.
    pub fn degrees<const N: usize>(
        &self,
        wanted: impl IntoIterator<Item = usize>,
        norm: Norm,
        unknown: f32,
        lanes: &mut LaneDegrees<N>,
        leaf: impl FnMut(Atom) -> [f32; N],
    ) {
        lanes.values.resize(self.steps.len(), [0.0; N]);
        lanes.open.clear();
        lanes.open.extend(wanted.into_iter().map(|output| self.outputs[output]));
        // States that follow each other often have questions in common.
        if lanes.open != lanes.wanted || lanes.order.is_empty() {
            self.find_needed(lanes);
        }
        vector::widest(Evaluation {
            plan: self,
            norm,
            unknown,
            order: &lanes.order,
            values: &mut lanes.values,
            leaf,
        });
    }

    /// Finds the steps that the open outputs are made of, in order.
    fn find_needed<const N: usize>(&self, lanes: &mut LaneDegrees<N>) {
        let LaneDegrees {
            open,
            wanted,
            order,
            seen,
            search,
            ..
        } = lanes;
        wanted.clone_from(open);
        seen.resize(self.steps.len(), 0);
        *search = search.wrapping_add(1);
        if *search == 0 {
            seen.fill(0);
            *search = 1;
        }
        order.clear();
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut seen[step as usize], *search) != *search {
                order.push(step);
                if let Step::All(start, end) | Step::Any(start, end) = self.steps[step as usize] {
                    open.extend_from_slice(&self.operands[start as usize..end as usize]);
                }
            }
        }
        order.sort_unstable();
    }

    /// The degrees of an output that was evaluated last.
    pub fn output<'l, const N: usize>(&self, number: usize, lanes: &'l LaneDegrees<N>) -> &'l [f32; N] {
        &lanes.values[self.outputs[number] as usize]
    }
}

/// Room for the evaluation of a [`Plan`] in `N` states at once.
#[derive(Clone, Debug)]
pub struct LaneDegrees<const N: usize> {
    values: Vec<[f32; N]>,
    /// The steps whose values were wanted last, and all that they are made of.
    wanted: Vec<u32>,
    order: Vec<u32>,
    /// The search that saw each step last, and its number: a search costs no more than what it finds.
    seen: Vec<u32>,
    search: u32,
    open: Vec<u32>,
}

impl<const N: usize> Default for LaneDegrees<N> {
    fn default() -> LaneDegrees<N> {
        LaneDegrees {
            values: Vec::new(),
            wanted: Vec::new(),
            order: Vec::new(),
            seen: Vec::new(),
            search: 0,
            open: Vec::new(),
        }
    }
}

/// One evaluation, ready to run.
struct Evaluation<'a, const N: usize, L> {
    plan: &'a Plan,
    norm: Norm,
    unknown: f32,
    order: &'a [u32],
    values: &'a mut [[f32; N]],
    leaf: L,
}

impl<const N: usize, L: FnMut(Atom) -> [f32; N]> vector::Work for Evaluation<'_, N, L> {
    #[inline(always)]
    fn run(self) {
        let Evaluation {
            plan,
            norm,
            unknown,
            order,
            values,
            mut leaf,
        } = self;
        for &number in order {
            let (before, after) = values.split_at_mut(number as usize);
            after[0] = match plan.steps[number as usize] {
                Step::Constant(value) => [value; N],
                Step::Unknown => [unknown; N],
                Step::Leaf(atom, false) => leaf(atom),
                Step::Leaf(atom, true) => leaf(atom).map(|degree| 1.0 - degree),
                Step::All(start, end) => norm.all(before, &plan.operands[start as usize..end as usize]),
                Step::Any(start, end) => norm.any(before, &plan.operands[start as usize..end as usize]),
            };
        }
    }
}

impl Norm {
    #[inline(always)]
    fn all<const N: usize>(self, values: &[[f32; N]], operands: &[u32]) -> [f32; N] {
        match self {
            Norm::Product => fold(values, operands, 1.0, |all, value| all * value),
            Norm::Minimum => fold(values, operands, 1.0, f32::min),
            Norm::Yager(q) => {
                let sum = fold(values, operands, 0.0, |sum, value| sum + (1.0 - value).powf(q));
                sum.map(|sum| 1.0 - sum.powf(1.0 / q).min(1.0))
            }
        }
    }

    #[inline(always)]
    fn any<const N: usize>(self, values: &[[f32; N]], operands: &[u32]) -> [f32; N] {
        match self {
            Norm::Product => {
                let none = fold(values, operands, 1.0, |none, value| none * (1.0 - value));
                none.map(|none| 1.0 - none)
            }
            Norm::Minimum => fold(values, operands, 0.0, f32::max),
            Norm::Yager(q) => {
                let sum = fold(values, operands, 0.0, |sum, value| sum + value.powf(q));
                sum.map(|sum| sum.powf(1.0 / q).min(1.0))
            }
        }
    }
}

#[inline(always)]
fn fold<const N: usize>(values: &[[f32; N]], operands: &[u32], start: f32, join: impl Fn(f32, f32) -> f32) -> [f32; N] {
    let mut joined = [start; N];
    for &operand in operands {
        for (joined, &value) in joined.iter_mut().zip(&values[operand as usize]) {
            *joined = join(*joined, value);
        }
    }
    joined
}
