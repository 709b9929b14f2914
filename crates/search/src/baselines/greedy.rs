//! One-step lookahead by goals.
//!
//! A terminal successor counts by its goal. Another one counts by its current goal, if exactly one holds, moved a
//! little towards the middle: a sure win is better than a likely one, and a likely loss better than a sure one.

use super::{SAMPLES, one_step};
use crate::{Decision, Lookahead, Searcher};
use ludens_budget::Budget;
use ludens_engine::{Game, Machine, Rng, Role, State};

/// One-step greedy play.
pub struct Greedy {
    lookahead: Lookahead,
    role: Role,
    samples: usize,
    rng: Rng,
}

impl Greedy {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, seed: u64) -> Greedy {
        Greedy {
            lookahead: Lookahead::new(game, role),
            role,
            samples: SAMPLES,
            rng: Rng::with_seed(seed),
        }
    }

    /// Sets the maximum number of the others' joint moves that are tried for each own move.
    pub fn with_samples(self, samples: usize) -> Greedy {
        Greedy { samples, ..self }
    }
}

impl Searcher for Greedy {
    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        let role = self.role;
        self.lookahead.go_to(state);
        let mut value = |machine: &mut dyn Machine| value(machine, role);
        let mut decision = one_step::decide(&mut self.lookahead, self.samples, budget, &mut self.rng, &mut value);
        decision.value = decision
            .moves
            .iter()
            .find(|known| known.move_id == decision.choice)
            .and_then(|known| known.value);
        decision
    }
}

fn value(machine: &mut dyn Machine, role: Role) -> f64 {
    if machine.is_terminal() {
        return f64::from(machine.score(role));
    }
    1.0 + 0.98 * machine.goal(role).map_or(50.0, f64::from)
}
