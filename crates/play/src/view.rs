//! The observations of a role in a match.
//!
//! Agents see a match only through a [`View`]. In games without hidden information, and in open matches, it is the whole
//! [`Position`]. Where the rules say what roles `see` (GDL-II), it is what the role has [`Observed`]: its own moves and its
//! percepts, never the state or the moves of the others.

use ludens_engine::{Game, MoveId, Observation, Role, State};
use std::sync::Arc;

/// The observations of a role so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum View {
    /// The state and all moves.
    Whole(Position),
    /// Own moves and percepts.
    Percepts(Observed),
}

impl View {
    /// Number of joint moves made so far.
    pub fn step(&self) -> usize {
        match self {
            View::Whole(position) => position.step(),
            View::Percepts(observed) => observed.step(),
        }
    }

    /// The whole position, if the role observes it.
    pub fn position(&self) -> Option<&Position> {
        match self {
            View::Whole(position) => Some(position),
            View::Percepts(_) => None,
        }
    }
}

/// A state of a match and the joint moves that led there. Cheap to clone but for the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    state: State,
    history: Arc<Vec<Vec<MoveId>>>,
}

impl Position {
    /// The position before the first move of a match.
    pub fn start(game: &Game) -> Position {
        Position::of(game.initial().clone())
    }

    /// A state whose history is unknown.
    pub fn of(state: State) -> Position {
        let history = Arc::default();
        Position { state, history }
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The joint moves from the initial state to the current one.
    pub fn history(&self) -> &[Vec<MoveId>] {
        &self.history
    }

    /// Number of joint moves made so far.
    pub fn step(&self) -> usize {
        self.history.len()
    }

    /// Adds a joint move and the state it leads to.
    pub fn observe(&mut self, joint: Vec<MoveId>, state: &State) {
        Arc::make_mut(&mut self.history).push(joint);
        self.state.clone_from(state);
    }
}

/// What a role knows of a match with hidden information. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    role: Role,
    observations: Arc<Vec<Observation>>,
}

impl Observed {
    /// Before the first move: everybody knows the rules, and nobody anything else.
    pub fn start(role: Role) -> Observed {
        let observations = Arc::default();
        Observed { role, observations }
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its own move and its percepts in every step so far.
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Number of joint moves made so far.
    pub fn step(&self) -> usize {
        self.observations.len()
    }

    /// Adds what the role observes of one more step.
    pub fn observe(&mut self, observation: Observation) {
        Arc::make_mut(&mut self.observations).push(observation);
    }
}
