//! The size of the game graph that agents build: how much of it fits into the time.

use super::support::threads;
use crate::settings::{Megabytes, settings};
use ludens_budget::Budget;
use ludens_engine::{Game, State};
use ludens_equilibrium::{Graph, GraphOptions};

/// Nodes that are found and put in order within a second, at least, and joint moves between them.
pub(super) const NODES_A_SECOND: f64 = 200_000.0;
pub(super) const JOINT_MOVES_A_SECOND: f64 = 2_000_000.0;

/// Where neither a clock nor a setting limits the graph: the number of joint moves, estimated from the first state, and
/// the number of states.
const UNTIMED_JOINT_MOVES: usize = 100_000;
const UNTIMED_STATES: usize = 20_000;

/// Joint moves that are visited for a move where no clock limits the time: an iteration visits all of the graph, while with
/// other agents it plays about one playout.
const UNTIMED_WORK: u64 = 1_000_000_000;

settings! {
    /// Limits of the graph.
    pub(super) struct GraphSettings {
        /// maximum number of states of the game graph without a clock (0 = by the number of joint moves)
        states: usize = 0, 0..=1 << 31;
        /// memory for the game graph in megabytes
        memory: usize = 1024 << 20, Megabytes(1..=1 << 20);
        /// number of search threads (0 = one per core)
        threads: usize = 1, 0..=256;
    }
}

impl GraphSettings {
    /// Returns the options of a graph to a depth, or to the ends.
    pub(super) fn options(&self, depth: Option<usize>) -> GraphOptions {
        GraphOptions {
            depth,
            threads: threads(self.threads),
            unroll: false,
        }
    }

    /// Returns a budget with the bounds of a graph.
    pub(super) fn bounded(&self, budget: &Budget, nodes: u64) -> Budget {
        budget.clone().with_nodes(nodes).with_bytes(self.memory as u64)
    }

    /// Returns the number of states that a graph may have from a state on.
    pub(super) fn affordable_states(&self, game: &Game, state: &State, budget: &Budget) -> u64 {
        let mut machine = game.machine();
        machine.load(state);
        let counts = game.roles().map(|role| machine.legal(role).len().max(1));
        let joint_moves = counts.fold(1usize, usize::saturating_mul);
        let states = match (budget.time_left(), self.states) {
            (Some(time), _) => {
                let joint = JOINT_MOVES_A_SECOND / joint_moves as f64;
                (time.as_secs_f64() * NODES_A_SECOND.min(joint)) as usize
            }
            (None, 0) => (UNTIMED_JOINT_MOVES / joint_moves).clamp(50, UNTIMED_STATES),
            (None, states) => states,
        };
        let most = budget.most_nodes().and_then(|most| usize::try_from(most).ok());
        states.min(most.unwrap_or(usize::MAX)) as u64
    }
}

/// Returns the maximum number of iterations on a graph for a move without a clock, however many are allowed.
pub(super) fn affordable_iterations(graph: &Graph) -> u64 {
    (UNTIMED_WORK / graph.transitions().max(1) as u64).max(1)
}
