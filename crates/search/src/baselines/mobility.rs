//! One-step lookahead by mobility: own legal moves minus those of the others.
//!
//! A terminal successor is better or worse than any mobility, as its goal is above or below 50.

use super::{SAMPLES, one_step};
use crate::{Decision, Lookahead, Searcher};
use ludens_budget::Budget;
use ludens_engine::{Game, Machine, Rng, Role, State};

/// Greater than the number of legal moves in any game that can be run.
const BEYOND_MOVES: f64 = 1e9;

/// Mobility-greedy play.
pub struct Mobility {
    lookahead: Lookahead,
    role: Role,
    /// The other roles without chance.
    others: Vec<Role>,
    samples: usize,
    rng: Rng,
}

impl Mobility {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Mobility {
        let others = game.roles().filter(|&other| other != role && !game.is_random(other));
        Mobility {
            lookahead: Lookahead::new(game, role),
            role,
            others: others.collect(),
            samples: SAMPLES,
            rng: Rng::with_seed(seed),
        }
    }

    /// Sets the maximum number of the others' joint moves that are tried for each own move.
    pub fn with_samples(self, samples: usize) -> Mobility {
        Mobility { samples, ..self }
    }
}

impl Searcher for Mobility {
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        self.lookahead.go_to(state);
        let (role, others) = (self.role, &self.others);
        let mut value = |machine: &mut dyn Machine| {
            if machine.is_terminal() {
                return (f64::from(machine.score(role)) - 50.0) * BEYOND_MOVES;
            }
            let own = machine.legal(role).len() as f64;
            let theirs: f64 = others.iter().map(|&other| machine.legal(other).len() as f64).sum();
            own - theirs
        };
        let mut decision = one_step::decide(&mut self.lookahead, self.samples, budget, &mut self.rng, &mut value);
        // Mobility is no goal, so no value is reported.
        for known in &mut decision.moves {
            known.value = None;
        }
        decision
    }
}
