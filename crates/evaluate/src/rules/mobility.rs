//! Mobility: evaluates states by a role's share of all legal moves.

use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, Machine, Role, State};

/// Evaluates by the number of legal moves: `100 · own / (own + mean of the others)`, without chance.
pub struct Mobility {
    game: Game,
    machine: Box<dyn Machine>,
    counts: Vec<f64>,
}

impl Mobility {
    /// For a game.
    pub fn new(game: &Game) -> Mobility {
        Mobility {
            machine: game.machine(),
            counts: vec![0.0; game.roles().len()],
            game: game.clone(),
        }
    }
}

impl Evaluator for Mobility {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.machine.load(state);
        for (role, count) in self.counts.iter_mut().enumerate() {
            let role = Role(role as u8);
            *count = match self.game.is_random(role) {
                true => 0.0,
                false => self.machine.legal(role).len() as f64,
            };
        }
        let total: f64 = self.counts.iter().sum();
        let players = self.counts.iter().filter(|&&count| count > 0.0).count();
        for (goal, &own) in goals.iter_mut().zip(&self.counts) {
            // In a single-player game, ten moves count as half.
            let others = match players {
                0 | 1 => 10.0,
                players => (total - own) / (players - 1) as f64,
            };
            *goal = if own > 0.0 { 100.0 * own / (own + others) } else { 0.0 };
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(Mobility::new(&self.game))
    }
}
