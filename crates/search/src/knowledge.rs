//! What a search may know beyond the rules: values that are certain, and judgements that are not.

use ludens_engine::{CROWD, Crowd, Game, Known, Machine, MoveId, Role, State};
use std::sync::Arc;

/// Judges states: what goals the roles can expect.
pub trait Evaluator: Send {
    /// Writes the goal that each role can expect, from 0 to 100, in a state that is not terminal.
    fn evaluate(&mut self, state: &State, goals: &mut [f64]);

    /// Another one of the same kind, for another thread.
    fn another(&self) -> Box<dyn Evaluator>;
}

/// Judges moves: what goals roles can expect after them.
pub trait Advisor: Send {
    /// Writes the goal, from 0 to 100, that a role can expect after each of its legal moves in a state that is not
    /// terminal. The others choose at the same time; what they may choose is averaged over.
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]);

    /// Whether many states can be judged at once, which is faster.
    fn judges_crowds(&self) -> bool {
        false
    }

    /// The same for many states at once: writes for each move the goal in each state. Where a move is not legal, what is
    /// written means nothing. Only asked of those who say that they can.
    fn advise_crowd(&mut self, _crowd: &Crowd<'_>, _role: Role, _moves: &[MoveId], goals: &mut [[f32; CROWD]]) {
        goals.fill([50.0; CROWD]);
    }

    /// Another one of the same kind, for another thread.
    fn another(&self) -> Box<dyn Advisor>;
}

/// What a search knows about its game.
#[derive(Default)]
pub struct Knowledge {
    /// Values that are certain. They end lines in the tree, and playouts.
    pub known: Option<Arc<dyn Known>>,
    /// A judgement of states.
    pub evaluator: Option<Box<dyn Evaluator>>,
    /// A judgement of moves.
    pub advisor: Option<Box<dyn Advisor>>,
}

impl Knowledge {
    /// The same for another thread.
    pub fn another(&self) -> Knowledge {
        Knowledge {
            known: self.known.clone(),
            evaluator: self.evaluator.as_ref().map(|evaluator| evaluator.another()),
            advisor: self.advisor.as_ref().map(|advisor| advisor.another()),
        }
    }
}

/// Judges by the goals as they stand: as if the match were over now. A role without a goal, or with several, can expect
/// half.
pub struct Standing {
    game: Game,
    machine: Box<dyn Machine>,
}

impl Standing {
    /// For a game.
    pub fn new(game: &Game) -> Standing {
        Standing {
            machine: game.machine(),
            game: game.clone(),
        }
    }
}

impl Evaluator for Standing {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.machine.load(state);
        for (role, goal) in goals.iter_mut().enumerate() {
            *goal = self.machine.goal(Role(role as u8)).map_or(50.0, f64::from);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Standing::new(&self.game))
    }
}
