//! The dependency graph of relations.
//!
//! An edge runs from the relation in a rule's head to each relation in its body. Cycles, strata and the restrictions
//! on what `init`, `legal`, `goal` and `terminal` may look at are all questions about this graph.

use crate::normal::NormalRules;
use crate::rule::{Relation, Rules};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use std::collections::VecDeque;

/// One reason why a relation depends on another.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Index of the relation read.
    pub to: usize,
    /// Whether it is read under `not`.
    pub negative: bool,
    /// The rule that does so.
    pub rule: usize,
}

/// The dependency graph of a rule set.
#[derive(Debug)]
pub struct Dependencies {
    /// All relations that occur, by index.
    pub relations: Vec<Relation>,
    index: HashMap<Relation, usize, RandomState>,
    edges: Vec<Vec<Edge>>,
    component: Vec<usize>,
    cyclic: Vec<bool>,
    order: Vec<Vec<usize>>,
}

impl Dependencies {
    /// The graph of rules as written.
    pub fn of_rules(rules: &Rules) -> Dependencies {
        let mut graph = Builder::default();
        for (number, rule) in rules.rules.iter().enumerate() {
            let head = graph.node(rule.head.relation());
            rule.body_atoms(&mut |atom, negative| {
                let to = graph.node(atom.relation());
                graph.edges[head].push(Edge {
                    to,
                    negative,
                    rule: number,
                });
            });
        }
        graph.finish()
    }

    /// The graph of rules in normal form.
    pub fn of_normal(rules: &NormalRules) -> Dependencies {
        let mut graph = Builder::default();
        for (number, rule) in rules.rules.iter().enumerate() {
            let head = graph.node(rule.head.relation());
            for literal in &rule.body {
                if let Some((atom, negative)) = literal.atom() {
                    let to = graph.node(atom.relation());
                    graph.edges[head].push(Edge {
                        to,
                        negative,
                        rule: number,
                    });
                }
            }
        }
        graph.finish()
    }

    /// The index of a relation, if it occurs.
    pub fn find(&self, relation: Relation) -> Option<usize> {
        self.index.get(&relation).copied()
    }

    /// Relations that a relation reads directly.
    pub fn edges(&self, relation: usize) -> &[Edge] {
        &self.edges[relation]
    }

    /// Sets of relations that depend on each other, every set after the ones it depends on.
    pub fn components(&self) -> &[Vec<usize>] {
        &self.order
    }

    /// The number of the set of relations that depend on each other which a relation belongs to.
    pub fn component(&self, relation: usize) -> usize {
        self.component[relation]
    }

    /// Whether the relation depends on itself.
    pub fn is_recursive(&self, relation: usize) -> bool {
        self.cyclic[self.component[relation]]
    }

    /// Whether two relations lie on a common cycle.
    pub fn on_common_cycle(&self, a: usize, b: usize) -> bool {
        self.component[a] == self.component[b] && self.is_recursive(a)
    }

    /// For every relation whether it depends, directly or not, on one of `targets` (which count themselves).
    pub fn dependents(&self, targets: &[Relation]) -> Vec<bool> {
        let mut dependent = vec![false; self.relations.len()];
        for index in targets.iter().filter_map(|&target| self.find(target)) {
            dependent[index] = true;
        }
        for component in &self.order {
            let touched = component
                .iter()
                .any(|&relation| dependent[relation] || self.edges[relation].iter().any(|edge| dependent[edge.to]));
            if touched {
                for &relation in component {
                    dependent[relation] = true;
                }
            }
        }
        dependent
    }

    /// For every relation whether one of `roots` depends on it (roots count themselves).
    pub fn needed_by(&self, roots: &[Relation]) -> Vec<bool> {
        let mut needed = vec![false; self.relations.len()];
        let mut queue: Vec<usize> = roots.iter().filter_map(|&root| self.find(root)).collect();
        while let Some(relation) = queue.pop() {
            if !std::mem::replace(&mut needed[relation], true) {
                queue.extend(self.edges[relation].iter().map(|edge| edge.to));
            }
        }
        needed
    }

    /// A shortest chain of edges from `from` to `to`; its first edge satisfies `first`.
    pub fn path(&self, from: usize, to: usize, first: impl Fn(&Edge) -> bool) -> Option<Vec<Edge>> {
        let mut came: HashMap<usize, (usize, Edge), RandomState> = HashMap::default();
        let mut queue = VecDeque::new();
        for edge in self.edges[from].iter().filter(|edge| first(edge)) {
            if !came.contains_key(&edge.to) {
                came.insert(edge.to, (usize::MAX, *edge));
                queue.push_back(edge.to);
            }
        }
        while let Some(at) = queue.pop_front() {
            if at == to {
                let mut path = Vec::new();
                let mut node = at;
                loop {
                    let (before, edge) = came[&node];
                    path.push(edge);
                    if before == usize::MAX {
                        path.reverse();
                        return Some(path);
                    }
                    node = before;
                }
            }
            for edge in &self.edges[at] {
                if !came.contains_key(&edge.to) {
                    came.insert(edge.to, (at, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }
}

#[derive(Default)]
struct Builder {
    relations: Vec<Relation>,
    index: HashMap<Relation, usize, RandomState>,
    edges: Vec<Vec<Edge>>,
}

impl Builder {
    fn node(&mut self, relation: Relation) -> usize {
        let next = self.relations.len();
        let index = *self.index.entry(relation).or_insert(next);
        if index == next {
            self.relations.push(relation);
            self.edges.push(Vec::new());
        }
        index
    }

    fn finish(self) -> Dependencies {
        let pairs = self
            .edges
            .iter()
            .enumerate()
            .flat_map(|(from, edges)| edges.iter().map(move |edge| (from, edge.to)));
        let order = components(self.relations.len(), pairs);
        let mut component = vec![0; self.relations.len()];
        let mut cyclic = vec![false; order.len()];
        for (number, members) in order.iter().enumerate() {
            for &member in members {
                component[member] = number;
            }
            cyclic[number] = members.len() > 1 || self.edges[members[0]].iter().any(|edge| edge.to == members[0]);
        }
        Dependencies {
            relations: self.relations,
            index: self.index,
            edges: self.edges,
            component,
            cyclic,
            order,
        }
    }
}

/// Strongly connected components of a graph, each after those that it has edges to.
pub fn components(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph = DiGraph::<(), (), usize>::with_capacity(nodes, 0);
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(from.into(), to.into(), ());
    }
    kosaraju_scc(&graph)
        .into_iter()
        .map(|members| {
            let mut members: Vec<usize> = members.into_iter().map(|node| node.index()).collect();
            members.sort_unstable();
            members
        })
        .collect()
}
