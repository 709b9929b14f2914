//! The result of solving.

use crate::Method;
use ludens_budget::Stopped;
use ludens_engine::MoveId;
use num_bigint::BigUint;

/// What was found out about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The method that was used.
    pub method: Method,
    /// Why this method, if it was chosen for the caller.
    pub reason: Option<String>,
    /// The goals of all roles under best play from the start; nothing if they are not known. They are whole numbers
    /// unless roles choose at the same time.
    pub values: Option<Vec<f64>>,
    /// States that play can reach, as far as they were found.
    pub reachable: BigUint,
    /// How many of them are terminal.
    pub terminal: BigUint,
    /// How many of them are dead ends: not terminal, but some role has no legal move.
    pub stuck: BigUint,
    /// The states by the least number of steps from the start: element `n` counts those that need `n`.
    pub layers: Vec<BigUint>,
    /// States whose value is known, terminal ones included.
    pub classified: BigUint,
    /// States whose value is not known.
    pub unclassified: BigUint,
    /// The classified states by value, in the order of their goals.
    pub buckets: Vec<Bucket>,
    /// The classified states by their distance from the end: element `n` counts those from which best play takes `n`
    /// more steps. Empty if distances were not found.
    pub distances: Vec<BigUint>,
    /// A line of best play from the start to an end; the shortest one in games of a single role. Empty if not known.
    pub line: Vec<Vec<MoveId>>,
    /// Nodes of the decision diagram of the reachable states.
    pub nodes: Option<u64>,
    /// The greatest number of nodes held at any time.
    pub peak_nodes: Option<u64>,
    /// The greatest number of bytes held for states at any time, as far as it is known.
    pub peak_memory: Option<u64>,
    /// Whether everything that was asked for was found.
    pub complete: bool,
    /// The bound that was met, if one was.
    pub stop: Option<Stopped>,
    /// Why the states can be found but not their values, if the game is of such a kind.
    pub unsolvable: Option<String>,
}

impl Report {
    /// A report of nothing found yet.
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
    /// The goals of all roles. Where roles choose at the same time, values are rounded to whole goals here.
    pub goals: Vec<u8>,
    /// How many states have them.
    pub states: BigUint,
}
