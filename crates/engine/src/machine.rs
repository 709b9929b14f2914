//! The game interface: what every engine implements and every searcher uses.
//!
//! An [`Engine`] is the shared, immutable part of a game; a [`Machine`] is one thread's cursor with its scratch memory.
//! A machine stands at one state and answers questions about it; answers that need the same work share it.

use crate::Rng;
use crate::budget::Budget;
use crate::playout::{Playout, play_out_within};
use crate::state::{MoveId, Role, State};

/// A game made ready to run. Cheap to share between threads.
pub trait Engine: Send + Sync {
    /// `interpreted` or `compiled`.
    fn name(&self) -> &'static str;

    /// How many gates a state takes, for engines that compile the rules to gates.
    fn gates(&self) -> Option<usize> {
        None
    }

    /// A new machine, standing at the initial state.
    fn machine(&self) -> Box<dyn Machine>;

    /// The fastest way to run many random matches.
    fn playouts(&self) -> Box<dyn Playouts> {
        Box::new(OneByOne {
            machine: self.machine(),
            budget: Budget::default(),
        })
    }
}

/// Runs random matches, many at once where the engine can.
pub trait Playouts: Send {
    /// Plays a match from every state that `next` gives, until it gives no more, and tells each result to `done`.
    /// Every role chooses uniformly among its legal moves. Results come in no particular order; [`Playout::start`] says
    /// which state a result belongs to.
    fn run(
        &mut self,
        rng: &mut Rng,
        most_steps: usize,
        next: &mut dyn FnMut() -> Option<State>,
        done: &mut dyn FnMut(&Playout),
    );

    /// From now on, matches that are under way when this budget is spent are dropped without a result, so that no
    /// deadline is missed by the length of a match.
    fn stop_at(&mut self, budget: &Budget);
}

/// Playouts one after the other on a machine.
struct OneByOne {
    machine: Box<dyn Machine>,
    budget: Budget,
}

impl Playouts for OneByOne {
    fn run(
        &mut self,
        rng: &mut Rng,
        most_steps: usize,
        next: &mut dyn FnMut() -> Option<State>,
        done: &mut dyn FnMut(&Playout),
    ) {
        let mut start = 0;
        while let Some(state) = next() {
            self.machine.load(&state);
            match play_out_within(&mut *self.machine, rng, most_steps, &self.budget) {
                Some(playout) => done(&Playout { start, ..playout }),
                None => return,
            }
            start += 1;
        }
    }

    fn stop_at(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }
}

/// A cursor in the state graph of a game.
pub trait Machine: Send {
    /// How many roles the game has.
    fn role_count(&self) -> usize;

    /// Goes to a state.
    fn load(&mut self, state: &State);

    /// Where the machine stands.
    fn state(&self) -> &State;

    /// Whether the match is over here.
    fn is_terminal(&mut self) -> bool;

    /// The legal moves of a role, in the order of their terms. Not to be asked of terminal states.
    fn legal(&mut self, role: Role) -> &[MoveId];

    /// All goal values of a role that hold here, in increasing order. In a well-formed game exactly one does in every
    /// terminal state.
    fn goal_values(&mut self, role: Role) -> &[u8];

    /// Makes a joint move, one move a role, and stands at the successor. The moves need not be legal here; a move that
    /// is legal nowhere may have no effect.
    fn step(&mut self, joint: &[MoveId]);

    /// What a role would perceive if this joint move were made here (GDL-II), as canonical terms in order.
    fn percepts(&mut self, role: Role, joint: &[MoveId]) -> Vec<String>;

    /// Why answers of this machine cannot be trusted any more: some limit was hit while deriving them.
    fn fault(&self) -> Option<&str>;

    /// The goal value of a role, if exactly one holds.
    fn goal(&mut self, role: Role) -> Option<u8> {
        match *self.goal_values(role) {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The goal value that a match scores: the lowest if several hold, 0 if none does.
    fn score(&mut self, role: Role) -> u8 {
        self.goal_values(role).first().copied().unwrap_or(0)
    }
}
