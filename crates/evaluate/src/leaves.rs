//! The leaves of formulas in a state, for functions that are computed from formulas.

use crate::distance::{Choice, Distances};
use crate::formula::{Atom, Formula, Formulas, View};
use crate::goals::{GoalFormulas, Opaque};
use ludens_engine::{Fluent, Game, State};
use std::sync::Arc;

/// Conditions that may be computed for propositions that are not opened.
const MOST_CONDITIONS: usize = 20_000;

/// A formula in an order in which everything comes behind what it is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Node {
    /// True or false whatever the state.
    Constant(bool),
    /// Neither.
    Unknown,
    /// An atom that may be negated.
    Leaf(Atom, bool),
    /// All of the operands from the one number to the other.
    All(u32, u32),
    /// One of them.
    Any(u32, u32),
}

/// Formulas as flat arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Places of nodes.
    pub(crate) operands: Vec<u32>,
    /// The places of the formulas that were asked for.
    pub(crate) outputs: Vec<u32>,
}

impl Graph {
    pub(crate) fn new(store: &Formulas, outputs: &[Formula]) -> Graph {
        let cone = store.cone(outputs);
        let mut graph = Graph::default();
        let place = |formula: &Formula| cone.binary_search(formula).unwrap_or(0) as u32;
        for &formula in &cone {
            let start = graph.operands.len() as u32;
            graph.operands.extend(store.parts_of(formula).iter().map(place));
            let end = graph.operands.len() as u32;
            graph.nodes.push(match store.view(formula) {
                View::Constant(value) => Node::Constant(value),
                View::Unknown => Node::Unknown,
                View::Leaf { atom, negated } => Node::Leaf(atom, negated),
                View::All(_) => Node::All(start, end),
                View::Any(_) => Node::Any(start, end),
            });
        }
        graph.outputs = outputs.iter().map(place).collect();
        graph
    }

    /// The fluents that occur, in order.
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

    pub(crate) fn operands_of(&self, node: Node) -> &[u32] {
        match node {
            Node::All(start, end) | Node::Any(start, end) => &self.operands[start as usize..end as usize],
            Node::Constant(_) | Node::Unknown | Node::Leaf(..) => &[],
        }
    }
}

/// Finds out what leaves are in a state.
#[derive(Clone)]
pub(crate) struct Leaves {
    /// Nothing if it would take too long; then these leaves are neither true nor false.
    opaque: Option<Opaque>,
    near: Option<Near>,
}

/// How near fluents are that do not hold.
#[derive(Clone)]
struct Near {
    distances: Distances,
    /// For each fluent the number of its target, if its distance says anything.
    target: Arc<Vec<Option<u32>>>,
}

impl Leaves {
    /// For the leaves of a graph. With distances, fluents that do not hold are the truer the nearer they are.
    pub(crate) fn new(game: &Game, formulas: &GoalFormulas, graph: &Graph, distances: Option<Choice>) -> Leaves {
        Leaves {
            opaque: Opaque::new(game, &formulas.opaque, MOST_CONDITIONS),
            near: distances.and_then(|choice| Near::new(game, graph, choice)),
        }
    }

    /// The same, with what is missing for propositions that are not opened counted too; nothing if that takes too long.
    pub(crate) fn counting(mut self) -> Option<Leaves> {
        self.opaque = Some(self.opaque?.counting());
        Some(self)
    }

    /// How many conditions are missing for an atom that does not hold, if that is counted.
    pub(crate) fn missing(&self, atom: Atom) -> Option<u32> {
        match atom {
            Atom::Proposition(number) => self.opaque.as_ref()?.missing(number),
            Atom::Fluent(_) | Atom::Move(..) => None,
        }
    }

    pub(crate) fn go_to(&mut self, state: &State) {
        if let Some(opaque) = &mut self.opaque {
            opaque.compute(state);
        }
    }

    /// Whether an atom holds, if that is known.
    pub(crate) fn holds(&self, state: &State, atom: Atom) -> Option<bool> {
        match atom {
            Atom::Fluent(fluent) => Some(state.holds(fluent)),
            Atom::Proposition(number) => self.opaque.as_ref().map(|opaque| opaque.holds(number)),
            Atom::Move(..) => None,
        }
    }

    /// How true a leaf is, from 0 to 1: 1 if it holds, and less the more steps it is away.
    pub(crate) fn degree(&self, state: &State, atom: Atom) -> Option<f64> {
        match (self.holds(state, atom)?, atom, &self.near) {
            (true, ..) => Some(1.0),
            (false, Atom::Fluent(fluent), Some(near)) => Some(near.degree(state, fluent)),
            (false, ..) => Some(0.0),
        }
    }

    /// Whether a fluent can be anything between true and false.
    pub(crate) fn is_gradual(&self, fluent: Fluent) -> bool {
        self.near.as_ref().is_some_and(|near| near.target_of(fluent).is_some())
    }

    /// How many fluents can be.
    pub(crate) fn gradual(&self) -> usize {
        let near = self.near.iter();
        near.map(|near| near.target.iter().flatten().count()).sum()
    }
}

impl Near {
    fn new(game: &Game, graph: &Graph, choice: Choice) -> Option<Near> {
        let fluents = graph.fluents();
        let distances = Distances::new(game, &fluents, choice)?;
        let last = fluents.last()?.0 as usize;
        let mut target = vec![None; last + 1];
        for (number, fluent) in fluents.iter().enumerate() {
            // One step or never is what legal moves show anyway.
            if distances.greatest(number) > 1 && !distances.is_closed(number) {
                target[fluent.0 as usize] = Some(number as u32);
            }
        }
        Some(Near {
            distances,
            target: Arc::new(target),
        })
    }

    fn target_of(&self, fluent: Fluent) -> Option<usize> {
        let target = self.target.get(fluent.0 as usize).copied().flatten();
        target.map(|target| target as usize)
    }

    fn degree(&self, state: &State, fluent: Fluent) -> f64 {
        let Some(target) = self.target_of(fluent) else {
            return 0.0;
        };
        let most = self.distances.greatest(target) as f64;
        match self.distances.from_state(state, target) {
            Some(distance) => 1.0 - (distance as f64 / most).min(1.0),
            None => 0.0,
        }
    }
}
