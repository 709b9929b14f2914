//! What the solver notes about each state of the graph: who chooses, the outcome of terminal states, and, for
//! simultaneous moves, the shape of the matrix.

use super::outcomes::{Outcomes, UNKNOWN};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_engine::Successor;
use ludens_reach::{NodeKind, Observer};

/// A terminal state. Kinds below [`SEVERAL`] are the number of the role that chooses.
pub(crate) const TERMINAL: u8 = 255;
/// Not terminal, but some role has no legal move.
pub(crate) const STUCK: u8 = 254;
/// Several roles have a choice.
pub(crate) const SEVERAL: u8 = 253;

/// Difference lists that a thread has met, with their numbers; see [`dense`](super::dense).
pub(crate) type Patterns = HashMap<Vec<i64>, u32, FixedState>;
pub(crate) type Workers<'a> = ludens_reach::Workers<'a, Patterns>;

/// Notes on some states.
#[derive(Default)]
pub(crate) struct Notes {
    /// For each state the role that chooses, or [`TERMINAL`], [`STUCK`] or [`SEVERAL`].
    pub(crate) kinds: Vec<u8>,
    /// Goals of the terminal states, one after the other.
    pub(crate) goals: Vec<u8>,
    /// Number of legal moves of the first role.
    rows: Vec<u32>,
}

/// Notes on all states that were expanded.
#[derive(Default)]
pub(crate) struct Nodes {
    pub(crate) kinds: Vec<u8>,
    /// Outcome of each terminal state; [`UNKNOWN`] for other states.
    pub(crate) ends: Vec<u16>,
    /// Number of legal moves of the first role.
    pub(crate) rows: Vec<u32>,
    pub(crate) outcomes: Outcomes,
    pub(crate) has_several: bool,
    pub(crate) terminal: usize,
    pub(crate) stuck: usize,
}

impl Nodes {
    pub(crate) fn bytes(&self) -> usize {
        self.kinds.capacity() + self.ends.capacity() * 2 + self.rows.capacity() * 4
    }
}

/// Makes the notes.
pub(crate) struct Classifier {
    pub(crate) roles: usize,
    /// Whether to stop at simultaneous moves unless there are two roles.
    pub(crate) needs_values: bool,
}

impl Observer for Classifier {
    type Notes = Notes;
    type Record = Nodes;

    fn observe(&self, notes: &mut Notes, state: &Successor, kind: NodeKind) {
        notes.rows.push(state.legal.values().next().map_or(0, Vec::len) as u32);
        notes.kinds.push(match kind {
            NodeKind::Terminal => {
                notes.goals.extend_from_slice(state.scores.as_slice());
                TERMINAL
            }
            NodeKind::Stuck => STUCK,
            NodeKind::Inner | NodeKind::Leaf => {
                let mut choosers = state.legal.values().enumerate().filter(|(_, moves)| moves.len() > 1);
                match (choosers.next(), choosers.next()) {
                    (_, Some(_)) => SEVERAL,
                    (Some((role, _)), None) => role as u8,
                    // Without a choice it does not matter which role is named.
                    (None, None) => 0,
                }
            }
        });
    }

    fn absorb(&self, nodes: &mut Nodes, notes: Notes) {
        let mut goals = notes.goals.chunks(self.roles);
        for &kind in &notes.kinds {
            nodes.ends.push(match kind {
                TERMINAL => goals.next().map_or(UNKNOWN, |goals| nodes.outcomes.number(goals)),
                _ => UNKNOWN,
            });
            nodes.terminal += usize::from(kind == TERMINAL);
            nodes.stuck += usize::from(kind == STUCK);
            nodes.has_several |= kind == SEVERAL;
        }
        nodes.kinds.extend_from_slice(&notes.kinds);
        nodes.rows.extend_from_slice(&notes.rows);
    }

    fn bytes(&self, nodes: &Nodes, graph: usize) -> usize {
        nodes.bytes() + graph
    }

    fn is_enough(&self, nodes: &Nodes) -> bool {
        self.needs_values && nodes.has_several && self.roles != 2
    }
}
