//! Evaluation of formulas by degrees of truth, in many states side by side.

use super::graph::{Graph, Node};
use super::{Atom, vector};

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

impl Graph {
    /// Evaluates some outputs by degrees, in `N` states at once: `leaf` returns the degree of an atom in each of them,
    /// and `unknown` is the degree of [`Formula::UNKNOWN`](super::Formula::UNKNOWN). The results are in `lanes`
    /// afterwards; use one `lanes` per graph.
    pub fn degrees<const N: usize>(
        &self,
        wanted: impl IntoIterator<Item = usize>,
        norm: Norm,
        unknown: f32,
        lanes: &mut LaneDegrees<N>,
        leaf: impl FnMut(Atom) -> [f32; N],
    ) {
        lanes.values.resize(self.nodes.len(), [0.0; N]);
        lanes.open.clear();
        lanes.open.extend(wanted.into_iter().map(|output| self.outputs[output]));
        // States that follow each other often have questions in common.
        if lanes.open != lanes.wanted || lanes.order.is_empty() {
            self.find_needed(lanes);
        }
        vector::widest(Evaluation {
            graph: self,
            norm,
            unknown,
            order: &lanes.order,
            values: &mut lanes.values,
            leaf,
        });
    }

    /// Finds the nodes that the open outputs are made of, in order.
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
        seen.resize(self.nodes.len(), 0);
        *search = search.wrapping_add(1);
        if *search == 0 {
            seen.fill(0);
            *search = 1;
        }
        order.clear();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node as usize], *search) != *search {
                order.push(node);
                open.extend_from_slice(self.operands_of(self.nodes[node as usize]));
            }
        }
        order.sort_unstable();
    }

    /// Returns the degrees of an output from the last evaluation.
    pub fn output<'l, const N: usize>(&self, number: usize, lanes: &'l LaneDegrees<N>) -> &'l [f32; N] {
        &lanes.values[self.outputs[number] as usize]
    }
}

/// Buffers for the evaluation of one [`Graph`] in `N` states at once.
#[derive(Clone, Debug, Default)]
pub struct LaneDegrees<const N: usize> {
    values: Vec<[f32; N]>,
    /// The nodes wanted by the last evaluation, and the nodes that they are made of, in order.
    wanted: Vec<u32>,
    order: Vec<u32>,
    /// The last search that met each node, by its number, so that a search costs no more than what it finds.
    seen: Vec<u32>,
    search: u32,
    open: Vec<u32>,
}

/// One evaluation, ready to run.
struct Evaluation<'a, const N: usize, L> {
    graph: &'a Graph,
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
            graph,
            norm,
            unknown,
            order,
            values,
            mut leaf,
        } = self;
        for &number in order {
            let (before, after) = values.split_at_mut(number as usize);
            after[0] = match graph.nodes[number as usize] {
                Node::Constant(value) => [f32::from(u8::from(value)); N],
                Node::Unknown => [unknown; N],
                Node::Leaf(atom, false) => leaf(atom),
                Node::Leaf(atom, true) => leaf(atom).map(|degree| 1.0 - degree),
                Node::All(start, end) => norm.all(before, &graph.operands[start as usize..end as usize]),
                Node::Any(start, end) => norm.any(before, &graph.operands[start as usize..end as usize]),
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
