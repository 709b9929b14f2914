//! A cursor through a game of one role, with its source of chance and its count of playouts.

use crate::line::{BEST, Line};
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};
use std::fmt;

/// The only role.
const ROLE: Role = Role(0);

/// Steps after which a playout is cut off. Rules whose matches can go on for ever exist.
const MOST_STEPS: usize = 10_000;

/// Why a game has no plan of one role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotForOne {
    /// It has several roles.
    Roles(usize),
    /// Its only role is `random`.
    Chance,
}

impl fmt::Display for NotForOne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotForOne::Roles(count) => write!(f, "plans are for games with one role, and this game has {count}"),
            NotForOne::Chance => f.write_str("plans are for games with a player, and this game has chance alone"),
        }
    }
}

impl std::error::Error for NotForOne {}

/// Walks through a game of one role.
pub(crate) struct Walk {
    machine: Box<dyn Machine>,
    pub(crate) rng: Rng,
    playouts: u64,
}

impl Walk {
    pub(crate) fn new(game: &Game, seed: u64) -> Result<Walk, NotForOne> {
        match game.roles().len() {
            1 if game.is_random(ROLE) => Err(NotForOne::Chance),
            1 => Ok(Walk {
                machine: game.machine(),
                rng: Rng::with_seed(seed),
                playouts: 0,
            }),
            count => Err(NotForOne::Roles(count)),
        }
    }

    /// Starts counting anew.
    pub(crate) fn restart(&mut self) {
        self.playouts = 0;
    }

    pub(crate) fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Why the search has to stop now, if it has to and at least one playout was run.
    pub(crate) fn stop(&self, budget: &Budget) -> Option<StopReason> {
        match self.playouts {
            0 => None,
            playouts => budget.stop(playouts),
        }
    }

    /// Goes to a state and returns the legal moves there; `None` if the match is over.
    pub(crate) fn legal(&mut self, state: &State) -> Option<Vec<MoveId>> {
        self.machine.load(state);
        self.legal_here()
    }

    fn legal_here(&mut self) -> Option<Vec<MoveId>> {
        if self.machine.is_terminal() {
            return None;
        }
        match self.machine.legal(ROLE) {
            [] => None,
            moves => Some(moves.to_vec()),
        }
    }

    /// Returns the successor of a state.
    pub(crate) fn after(&mut self, state: &State, move_id: MoveId) -> State {
        self.machine.load(state);
        self.machine.step(&[move_id]);
        self.machine.state().clone()
    }

    /// Plays from a state to the end with the moves that `choose` picks by their place among the legal ones.
    pub(crate) fn playout(&mut self, state: &State, mut choose: impl FnMut(&[MoveId], &mut Rng) -> usize) -> Line {
        self.playouts += 1;
        self.machine.load(state);
        let mut moves = Vec::new();
        while let Some(legal) = self.legal_here() {
            if moves.len() == MOST_STEPS {
                return Line { score: 0, moves };
            }
            let chosen = legal[choose(&legal, &mut self.rng)];
            self.machine.step(&[chosen]);
            moves.push(chosen);
        }
        let score = self.machine.score(ROLE).min(BEST);
        Line { score, moves }
    }
}
