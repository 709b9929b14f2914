//! The result of solving.

use crate::Method;
use ludens_budget::Stopped;
use ludens_engine::MoveId;
use num_bigint::BigUint;

/// The result of solving a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that was used.
    pub method: Method,
    /// Why this method, if it was chosen for the caller.
    pub reason: Option<String>,
    /// Goals of all roles under best play from the initial state, if known. They are whole numbers unless moves are
    /// simultaneous.
    pub values: Option<Vec<f64>>,
    /// Number of reachable states found.
    pub reachable: BigUint,
    /// Number of terminal states among them.
    pub terminal: BigUint,
    /// Number of dead ends among them: not terminal, but some role has no legal move.
    pub stuck: BigUint,
    /// Number of states by the least number of steps from the initial state.
    pub layers: Vec<BigUint>,
    /// Number of states whose value is known, terminal ones included.
    pub classified: BigUint,
    /// Number of states whose value is not known.
    pub unclassified: BigUint,
    /// Numbers of classified states by value, sorted by goals.
    pub buckets: Vec<Bucket>,
    /// Number of classified states by the number of steps that best play takes to the end. Empty if distances are not
    /// known.
    pub distances: Vec<BigUint>,
    /// A line of best play from the initial to a terminal state; a shortest one in games with a single role. Empty if
    /// not known.
    pub line: Vec<Vec<MoveId>>,
    /// Nodes of the decision diagram of the reachable states.
    pub nodes: Option<u64>,
    /// Maximum number of nodes held at any time.
    pub peak_nodes: Option<u64>,
    /// Maximum number of bytes held for states at any time, if known.
    pub peak_memory: Option<u64>,
    /// Whether the result is complete.
    pub complete: bool,
    /// The bound that was met, if any.
    pub stop: Option<Stopped>,
    /// Why values cannot be computed, if only the states of such games can be found.
    pub unsolvable: Option<String>,
}

impl Report {
    /// An empty report.
    pub fn new(method: Method) -> Report {
        Report {
            method,
            reason: None,
            values: None,
            reachable: BigUint::ZERO,
            terminal: BigUint::ZERO,
            stuck: BigUint::ZERO,
            layers: Vec::new(),
            classified: BigUint::ZERO,
            unclassified: BigUint::ZERO,
            buckets: Vec::new(),
            distances: Vec::new(),
            line: Vec::new(),
            nodes: None,
            peak_nodes: None,
            peak_memory: None,
            complete: false,
            stop: None,
            unsolvable: None,
        }
    }

    /// Why the report is not complete, as a sentence.
    pub fn obstacle(&self) -> Option<String> {
        self.unsolvable
            .clone()
            .or_else(|| self.stop.map(|stop| stop.to_string()))
    }
}

/// States of the same value.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    /// Goals of all roles. Values of simultaneous moves are rounded to whole goals.
    pub goals: Vec<u8>,
    /// Number of states with these goals.
    pub states: BigUint,
}
