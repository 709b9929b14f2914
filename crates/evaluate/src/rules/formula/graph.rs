//! Some formulas of a store as a flat AND/OR graph, ready to be evaluated many times: every node after its operands,
//! and every shared part once.

use super::incremental::Dependents;
use super::{Atom, Formula, Formulas, View};
use ludens_engine::Fluent;
use std::collections::HashMap;

/// Maximum number of operands that [`Graph::merged`] copies for one join.
const MOST_COPIES: usize = 2_000;

/// Mean length of a run.
const RUN: u32 = 8;

/// A node of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// True or false in every state.
    Constant(bool),
    /// Unknown in every state.
    Unknown,
    /// An atom, negated if the flag is set.
    Leaf(Atom, bool),
    /// The conjunction of a range of operands.
    All(u32, u32),
    /// The disjunction of a range of operands.
    Any(u32, u32),
}

/// Formulas as flat arrays, without their store.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// The operands of all joins, as numbers of nodes.
    pub(crate) operands: Vec<u32>,
    /// The nodes of the formulas that the graph was made for.
    pub(crate) outputs: Vec<u32>,
}

impl Graph {
    /// Makes a graph with as few layers as possible: a join that is only an operand of joins of its own kind is merged
    /// into them, unless that makes very many copies. Every layer between a condition and a goal blurs degrees of
    /// truth.
    pub(crate) fn merged(store: &Formulas, outputs: &[Formula]) -> Graph {
        let cone = store.cone(outputs);
        let number = |formula: &Formula| cone.binary_search(formula).unwrap_or(0);
        // For each formula how many others it is part of, and how many of these are of its kind.
        let mut uses = vec![(0, 0); cone.len()];
        for &formula in &cone {
            for part in store.parts_of(formula) {
                let is_alike = matches!(
                    (store.view(formula), store.view(*part)),
                    (View::All(_), View::All(_)) | (View::Any(_), View::Any(_))
                );
                let (all, alike) = &mut uses[number(part)];
                *all += 1;
                *alike += usize::from(is_alike);
            }
        }
        let mut is_merged = vec![false; cone.len()];
        for (place, (&formula, &(all, alike))) in cone.iter().zip(&uses).enumerate() {
            let copies = all * store.parts_of(formula).len();
            is_merged[place] = alike > 0 && alike == all && copies <= MOST_COPIES && !outputs.contains(&formula);
        }
        let left: Vec<Formula> = cone.iter().copied().filter(|part| !is_merged[number(part)]).collect();
        let place = |formula: &Formula| left.binary_search(formula).unwrap_or(0) as u32;
        let mut graph = Graph::default();
        for &formula in &left {
            let mut operands = Vec::new();
            let mut open: Vec<Formula> = store.parts_of(formula).iter().rev().copied().collect();
            while let Some(part) = open.pop() {
                match is_merged[number(&part)] {
                    true => open.extend(store.parts_of(part).iter().rev()),
                    false => operands.push(place(&part)),
                }
            }
            graph.push(store.view(formula), operands);
        }
        graph.outputs = outputs.iter().map(place).collect();
        graph
    }

    /// Makes a graph with as few operands as possible, for many formulas that differ little.
    ///
    /// Joins of many parts often have most of them in common: after a move that takes one of sixteen pieces, the other
    /// fifteen are left. So joins are cut into *runs* of parts, and a run that occurs in several joins becomes a node
    /// of its own. Where a run ends depends only on its last part, so joins that differ in one part differ in one or
    /// two runs.
    pub(crate) fn with_shared_runs(store: &Formulas, outputs: &[Formula]) -> Graph {
        let cone = store.cone(outputs);
        let mut place = vec![u32::MAX; cone.last().map_or(0, |last| last.index() + 1)];
        let mut graph = Graph::default();
        let mut shared = shared_runs(store, &cone);
        for formula in cone {
            let view = store.view(formula);
            let mut operands = Vec::new();
            for run in runs(store.parts_of(formula)) {
                let of_run = run.iter().map(|part| place[part.index()]);
                match shared.get_mut(&(is_all(&view), run)) {
                    None => operands.extend(of_run),
                    Some(node) => operands.push(*node.get_or_insert_with(|| graph.push(view, of_run))),
                }
            }
            place[formula.index()] = graph.push(view, operands);
        }
        graph.outputs = outputs.iter().map(|output| place[output.index()]).collect();
        graph
    }

    /// Adds a node of the kind of a formula, and returns its number.
    fn push(&mut self, view: View<'_>, operands: impl IntoIterator<Item = u32>) -> u32 {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        let end = self.operands.len() as u32;
        self.nodes.push(match view {
            View::Constant(value) => Node::Constant(value),
            View::Unknown => Node::Unknown,
            View::Leaf { atom, negated } => Node::Leaf(atom, negated),
            View::All(_) => Node::All(start, end),
            View::Any(_) => Node::Any(start, end),
        });
        self.nodes.len() as u32 - 1
    }

    /// Returns the fluents that occur, in order.
    pub(crate) fn fluents(&self) -> Vec<Fluent> {
        let nodes = self.nodes.iter();
        let mut fluents: Vec<Fluent> = nodes
            .filter_map(|node| match node {
                Node::Leaf(Atom::Fluent(fluent), _) => Some(*fluent),
                _ => None,
            })
            .collect();
        fluents.sort_unstable();
        fluents.dedup();
        fluents
    }

    /// Number of conjunctions and disjunctions.
    pub(crate) fn joins(&self) -> usize {
        let joins = self.nodes.iter();
        joins
            .filter(|node| matches!(node, Node::All(..) | Node::Any(..)))
            .count()
    }

    /// Returns the operands of a node; none for constants and leaves.
    pub(crate) fn operands_of(&self, node: Node) -> &[u32] {
        match node {
            Node::All(start, end) | Node::Any(start, end) => &self.operands[start as usize..end as usize],
            Node::Constant(_) | Node::Unknown | Node::Leaf(..) => &[],
        }
    }

    /// Returns the nodes that some nodes are made of, themselves included, in order.
    pub(crate) fn cone(&self, of: &[u32]) -> Vec<u32> {
        let mut is_needed = vec![false; self.nodes.len()];
        let mut open = of.to_vec();
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut is_needed[place as usize], true) {
                open.extend_from_slice(self.operands_of(self.nodes[place as usize]));
            }
        }
        let all = 0..self.nodes.len() as u32;
        all.filter(|&place| is_needed[place as usize]).collect()
    }

    /// Returns which nodes depend on which fluents and nodes. Leaves whose value does not follow from their own fluent
    /// alone, by `is_plain`, depend on the whole state.
    pub(crate) fn dependents(&self, is_plain: impl Fn(Fluent) -> bool) -> Dependents {
        let (mut by_fluent, mut by_node, mut on_all) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &node) in (0..).zip(&self.nodes) {
            match node {
                Node::Leaf(Atom::Fluent(fluent), _) if is_plain(fluent) => by_fluent.push((fluent.0, number)),
                Node::Leaf(..) => on_all.push(number),
                _ => by_node.extend(self.operands_of(node).iter().map(|&operand| (operand, number))),
            }
        }
        Dependents::new(self.nodes.len(), by_fluent, by_node, on_all)
    }
}

fn is_all(view: &View<'_>) -> bool {
    matches!(view, View::All(_))
}

/// Cuts the parts of a join into runs.
fn runs(parts: &[Formula]) -> impl Iterator<Item = &[Formula]> {
    // Multiplied so that neighbours do not all end runs, nor none of them.
    let ends_run = |part: &Formula| (part.index() as u32).wrapping_mul(0x9e37_79b9) >> 16 & (RUN - 1) == 0;
    parts.split_inclusive(ends_run)
}

/// Returns the runs that occur in several joins of the same kind, with room for their nodes.
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
