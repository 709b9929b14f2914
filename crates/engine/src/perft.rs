//! Counting joint-move sequences: the classic test of a rule engine.
//!
//! Sequences are counted layer by layer with equal states merged, each with the number of ways to reach it, which
//! is far less work than walking the tree. A layer that would take too much memory is walked depth-first instead.

use crate::Game;
use crate::joint::JointMoves;
use crate::machine::Machine;
use crate::state::State;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;

/// Numbers of joint-move sequences by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Number of sequences of each length.
    pub nodes: Vec<u128>,
    /// Number of those that end in a terminal state.
    pub terminals: Vec<u128>,
    /// Number of those that end in a non-terminal state in which some role has no legal move.
    pub stuck: Vec<u128>,
    /// Whether all lengths asked for were counted.
    pub complete: bool,
    /// Fault of the engine, if any.
    pub fault: Option<String>,
}

/// Counts the sequences of length 0 to `depth`. Calls `progress` after each length.
pub fn perft(
    game: &Game,
    depth: usize,
    most_states: usize,
    budget: &Budget,
    mut progress: impl FnMut(usize, &Perft),
) -> Perft {
    let mut counter = Counter {
        machine: game.machine(),
        result: Perft::default(),
        budget,
        most_states,
        made: 0,
    };
    counter.machine.set_deadline(budget.deadline());
    let mut layer: HashMap<State, u128, FixedState> = HashMap::default();
    layer.insert(game.initial().clone(), 1);
    for length in 0..=depth {
        counter.open(length);
        let Some(next) = counter.layer(layer, length, depth) else {
            break;
        };
        progress(length, &counter.result);
        layer = next;
        if counter.result.nodes.len() > length + 1 {
            // The rest was walked depth-first.
            break;
        }
    }
    let mut result = counter.result;
    let spent = budget.is_spent();
    // An answer that came too late is no fault of the rules.
    let fault = counter.machine.fault().filter(|_| !spent);
    result.fault = fault.map(str::to_string);
    result.complete = result.nodes.len() == depth + 1 && !spent && result.fault.is_none();
    if spent {
        // The last length was not finished.
        result.nodes.pop();
        result.terminals.pop();
        result.stuck.pop();
    }
    result
}

struct Counter<'a> {
    machine: Box<dyn Machine>,
    result: Perft,
    budget: &'a Budget,
    most_states: usize,
    /// Joint moves made so far.
    made: u64,
}

/// Joint moves between two readings of the clock.
const BETWEEN_LOOKS: u64 = 16;

impl Counter<'_> {
    fn open(&mut self, length: usize) {
        for list in [
            &mut self.result.nodes,
            &mut self.result.terminals,
            &mut self.result.stuck,
        ] {
            list.resize(length + 1, 0);
        }
    }

    /// Counts one layer and returns the next one; `None` if the budget is spent.
    fn layer(
        &mut self,
        layer: HashMap<State, u128, FixedState>,
        length: usize,
        depth: usize,
    ) -> Option<HashMap<State, u128, FixedState>> {
        let mut next: HashMap<State, u128, FixedState> = HashMap::default();
        let walk_down = length < depth && layer.len() > self.most_states;
        let mut layer: Vec<(State, u128)> = layer.into_iter().collect();
        // Hash order is no order: engines that number things on first sight must see the same sequence every time.
        layer.sort_unstable();
        for (state, ways) in &layer {
            if self.budget.is_spent() || self.machine.fault().is_some() {
                return None;
            }
            self.machine.load(state);
            if walk_down {
                self.walk(length, depth, *ways);
                continue;
            }
            let Some(mut joints) = self.visit(length, *ways, length == depth) else {
                continue;
            };
            let mut joint = Vec::new();
            while joints.next_into(&mut joint) {
                if self.is_over() {
                    return None;
                }
                self.machine.load(state);
                self.machine.step(&joint);
                *next.entry(self.machine.state().clone()).or_insert(0) += ways;
            }
        }
        Some(next)
    }

    /// Whether the budget is spent or the engine at fault. Reads the clock once in some joint moves.
    fn is_over(&mut self) -> bool {
        self.made += 1;
        self.machine.fault().is_some() || self.made.is_multiple_of(BETWEEN_LOOKS) && self.budget.is_spent()
    }

    /// Counts the machine's state; returns its joint moves unless the sequence ends here.
    fn visit(&mut self, length: usize, ways: u128, is_last: bool) -> Option<JointMoves> {
        self.result.nodes[length] += ways;
        if self.machine.is_terminal() {
            self.result.terminals[length] += ways;
            return None;
        }
        if is_last {
            return None;
        }
        let joints = JointMoves::of(&mut *self.machine);
        if joints.stuck().is_some() {
            self.result.stuck[length] += ways;
            return None;
        }
        Some(joints)
    }

    fn walk(&mut self, length: usize, depth: usize, ways: u128) {
        if self.result.nodes.len() <= length {
            self.open(length);
        }
        let Some(mut joints) = self.visit(length, ways, length == depth) else {
            return;
        };
        let state = self.machine.state().clone();
        let mut joint = Vec::new();
        while joints.next_into(&mut joint) && !self.is_over() {
            self.machine.load(&state);
            self.machine.step(&joint);
            self.walk(length + 1, depth, ways);
        }
    }
}
