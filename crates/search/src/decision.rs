//! What a search comes to: a move, what is known about all moves, and why the search ended.

use ludens_budget::StopReason;
use ludens_engine::MoveId;

/// The result of a search for one role in one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move to make.
    pub choice: MoveId,
    /// The goal that the role expects if it makes this move, from 0 to 100, where the searcher has an opinion.
    pub value: Option<f64>,
    /// What is known about each legal move of the role, in the order of the legal moves. Empty if nothing was looked at.
    pub moves: Vec<MoveStatistics>,
    /// How the match is expected to go on, as joint moves; the first one begins here.
    pub line: Vec<Vec<MoveId>>,
    /// Nodes of the search tree, where there is one.
    pub nodes: u64,
    /// The memory that the search tree takes, in bytes, as an estimate.
    pub memory: u64,
    /// Matches played to their end, or states evaluated, within the search.
    pub playouts: u64,
    /// What ended the search.
    pub stop: StopReason,
    /// What else there is to say about how the move was found, in words; such as why it was not found in the usual way.
    pub note: Option<String>,
}

/// What a search found out about a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics {
    /// The move.
    pub move_id: MoveId,
    /// How likely the searcher was to choose it. The probabilities of all moves add up to one.
    pub probability: f64,
    /// The goal that the role expects after it, from 0 to 100.
    pub value: Option<f64>,
    /// Whether `value` is proved: exact, however the search would go on.
    pub proved: bool,
    /// How often it was tried.
    pub visits: u64,
}

impl Decision {
    /// A move that needed no search.
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

    /// The same with a note.
    pub fn with_note(self, note: Option<String>) -> Decision {
        Decision { note, ..self }
    }
}
