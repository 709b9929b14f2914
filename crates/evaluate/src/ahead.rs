//! Moves judged by the states behind them.
//!
//! An evaluator judges states, a search often asks about moves. Where only one role has a choice, a move is worth what the
//! state behind it is worth. Where others choose at the same time, it is worth the average over what they may choose, or
//! over a sample of it where that is too much.

use ludens_engine::{Game, Machine, MoveId, Rng, Role, State};
use ludens_search::{Advisor, Evaluator};

/// Ways in which the others may move that are looked at for each move, where they choose at the same time.
const MOST_REPLIES: usize = 16;

/// Judges moves by an evaluator's judgement of what follows them; ends of matches count with their goals.
pub struct Ahead {
    game: Game,
    machine: Box<dyn Machine>,
    evaluator: Box<dyn Evaluator>,
    legal: Vec<Vec<MoveId>>,
    joint: Vec<MoveId>,
    goals: Vec<f64>,
    /// Chooses for the others where they have too many ways to move.
    rng: Rng,
}

impl Ahead {
    /// With an evaluator for a game.
    pub fn new(game: &Game, evaluator: Box<dyn Evaluator>) -> Ahead {
        Ahead {
            machine: game.machine(),
            legal: Vec::new(),
            joint: Vec::new(),
            goals: vec![0.0; game.roles().len()],
            rng: Rng::with_seed(0),
            game: game.clone(),
            evaluator,
        }
    }

    /// What the role can expect after the joint move at hand.
    fn behind(&mut self, state: &State, role: Role) -> f64 {
        self.machine.load(state);
        self.machine.step(&self.joint);
        match self.machine.is_terminal() {
            true => f64::from(self.machine.score(role)),
            false => {
                self.evaluator.evaluate(self.machine.state(), &mut self.goals);
                self.goals[role.index()]
            }
        }
    }
}

impl Advisor for Ahead {
    fn advise(&mut self, state: &State, role: Role, legal: &[MoveId], goals: &mut [f32]) {
        self.machine.load(state);
        let roles: Vec<Role> = self.game.roles().collect();
        self.legal.clear();
        self.legal
            .extend(roles.iter().map(|&role| self.machine.legal(role).to_vec()));
        let others = |number: &usize| *number != role.index();
        let ways = (0..roles.len())
            .filter(others)
            .try_fold(1usize, |ways, number| ways.checked_mul(self.legal[number].len()));
        let (replies, is_sampled) = match ways {
            Some(ways) if ways <= MOST_REPLIES => (ways, false),
            _ => (MOST_REPLIES, true),
        };
        goals.fill(0.0);
        for reply in 0..replies {
            let mut rest = reply;
            self.joint.clear();
            for (number, moves) in self.legal.iter().enumerate() {
                let place = match (moves.len(), is_sampled) {
                    (0 | 1, _) => 0,
                    // Put in below.
                    _ if number == role.index() => 0,
                    (several, true) => self.rng.usize(..several),
                    (several, false) => {
                        let place = rest % several;
                        rest /= several;
                        place
                    }
                };
                self.joint.extend(moves.get(place));
            }
            if self.joint.len() < roles.len() {
                goals.fill(50.0);
                return;
            }
            for (&own, goal) in legal.iter().zip(goals.iter_mut()) {
                self.joint[role.index()] = own;
                *goal += (self.behind(state, role) / replies as f64) as f32;
            }
        }
    }

    fn another(&self) -> Box<dyn Advisor> {
        Box::new(Ahead::new(&self.game, self.evaluator.another()))
    }
}
