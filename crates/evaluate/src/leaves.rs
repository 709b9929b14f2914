//! The leaves of formulas in a state, for functions that are computed from formulas.

use crate::formula::{Atom, Formula, Formulas, View};
use crate::goals::{GoalFormulas, Opaque};
use ludens_engine::{Game, State};

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
}

impl Leaves {
    pub(crate) fn new(game: &Game, formulas: &GoalFormulas) -> Leaves {
        Leaves {
            opaque: Opaque::new(game, &formulas.opaque, MOST_CONDITIONS),
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
}
