//! The ground program: the game without variables.

use ludens_gdl::normal::Term;

/// Something that can be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// The fluent of this number holds.
    Fluent(u32),
    /// The role plays its move of this number.
    Move(u8, u32),
    /// The derived proposition of this number holds.
    Derived(u32),
}

/// A signal or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Condition {
    /// What.
    pub signal: Signal,
    /// Whether it must be false.
    pub negated: bool,
}

/// A game without variables. Everything is numbered in the order of the terms' texts.
#[derive(Clone, Debug, Default)]
pub struct GroundProgram {
    /// All fluents that can ever hold.
    pub fluents: Vec<Term>,
    /// All moves that each role can ever make.
    pub moves: Vec<Vec<Term>>,
    /// The fluents that hold at the start.
    pub initial: Vec<u32>,
    /// For each derived proposition its instances: it holds where all conditions of one of them do.
    pub derived: Vec<Vec<Vec<Condition>>>,
    /// The proposition for the end of the match.
    pub terminal: Option<u32>,
    /// For each role the propositions for its legal moves, by number of the move.
    pub legal: Vec<Vec<(u32, u32)>>,
    /// For each role the propositions for its goal values.
    pub goals: Vec<Vec<(u8, u32)>>,
    /// For each fluent that can come to hold the proposition that it does next.
    pub next: Vec<(u32, u32)>,
    /// For each role the propositions for what it perceives.
    pub percepts: Vec<Vec<(Term, u32)>>,
}

impl GroundProgram {
    /// How many rule instances there are.
    pub fn instances(&self) -> usize {
        self.derived.iter().map(Vec::len).sum()
    }
}
