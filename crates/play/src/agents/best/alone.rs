//! `best` in games with one role: the exact solver runs beside the search during the start clock.
//!
//! Nobody interferes with a line of play in such a game, so a solution is a plan that cannot be improved, and many puzzles
//! are small enough to be solved while the tree search misses their one full score. Whichever is done first, the solver
//! with a solution or the search with a line to the full score, ends the other.

use crate::agent::{Agent, Place};
use crate::agents::solution::by_solution;
use crate::agents::support::only_move;
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::Rng;
use ludens_search::mcts::{Mcts, Settings};
use ludens_search::{Decision, Searcher};
use ludens_solve::{Method, Options, Solution};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that the solver may take for states.
const MEMORY: u64 = 1 << 30;

/// Plays by a solution if there is one, and searches otherwise.
pub(super) struct Alone {
    place: Place,
    search: Mcts,
    solution: Option<Arc<Solution>>,
    rng: Rng,
}

impl Alone {
    pub(super) fn new(place: &Place, settings: Settings) -> Alone {
        Alone {
            place: place.clone(),
            search: Mcts::new(&place.game, place.role, settings, place.seed),
            solution: None,
            rng: Rng::with_seed(place.seed),
        }
    }
}

impl Agent for Alone {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        if budget.time_left().is_none() {
            return;
        }
        let options = Options {
            method: Method::Explicit,
            threads: 1,
            ..Options::default()
        };
        let is_done = Arc::new(AtomicBool::new(false));
        let budget = budget.or_cancelled(is_done.clone());
        let (game, search) = (&self.place.game, &mut self.search);
        self.solution = std::thread::scope(|scope| {
            let solver = scope.spawn(|| {
                let (_, solution) = ludens_solve::solve(game, &options, &budget.uncounted().with_bytes(MEMORY)).ok()?;
                let solution = solution.filter(|solution| solution.values(start.state()).is_some())?;
                is_done.store(true, Ordering::Relaxed);
                Some(Arc::new(solution))
            });
            search.prepare(start.state(), &budget);
            if search.is_solved(start.state()) {
                is_done.store(true, Ordering::Relaxed);
            }
            // A solver that panicked has no solution.
            solver.join().ok().flatten()
        });
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        if let Some(decision) = only_move(&self.place, view.state()) {
            return decision;
        }
        let solution = self.solution.as_ref();
        let known = solution.and_then(|solution| by_solution(&self.place, solution, view, &mut self.rng));
        known.unwrap_or_else(|| self.search.decide(view.state(), budget))
    }
}
