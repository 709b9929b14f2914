//! The result of a search: a move, statistics of all moves, and why the search stopped.

use ludens_budget::StopReason;
use ludens_engine::MoveId;

/// The result of a search for one role in one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move to make.
    pub choice: MoveId,
    /// Expected goal of the role after this move, from 0 to 100, if the searcher has an estimate.
    pub value: Option<f64>,
    /// Statistics of each legal move of the role, in the order of the legal moves. Empty if there was no search.
    pub moves: Vec<MoveStatistics>,
    /// Principal variation, as joint moves from this state on.
    pub line: Vec<Vec<MoveId>>,
    /// Nodes of the search tree, if there is one.
    pub nodes: u64,
    /// Estimated memory of the search tree in bytes.
    pub memory: u64,
    /// Finished playouts, or evaluated states.
    pub playouts: u64,
    /// Reason why the search stopped.
    pub stop: StopReason,
    /// A note on how the move was found, such as why it was not found in the usual way.
    pub note: Option<String>,
}

/// Statistics of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics {
    /// The move.
    pub move_id: MoveId,
    /// Probability that the searcher chooses it. The probabilities of all moves add up to one.
    pub probability: f64,
    /// Expected goal of the role after it, from 0 to 100.
    pub value: Option<f64>,
    /// Whether `value` is proved, so that more search cannot change it.
    pub proved: bool,
    /// Number of visits.
    pub visits: u64,
}

impl Decision {
    /// Returns a decision without statistics.
    pub fn without_search(choice: MoveId, stop: StopReason) -> Decision {
        Decision {
            choice,
            value: None,
            moves: Vec::new(),
            line: Vec::new(),
            nodes: 0,
            memory: 0,
            playouts: 0,
            stop,
            note: None,
        }
    }

    /// Adds a note.
    pub fn with_note(self, note: Option<String>) -> Decision {
        Decision { note, ..self }
    }
}
