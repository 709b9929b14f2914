//! Play that never gives anything away: from a solution of the game.

use super::solution::{by_solution, from_file};
use super::support::{Fallback, hidden_or_chance, only_move};
use super::{AgentKind, AgentSettings, Sight};
use crate::agent::{Agent, Place};
use crate::settings::{File, Megabytes, NamedFile, settings};
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::knowledge::{Knowledge, Known};
use ludens_engine::{Game, Rng};
use ludens_search::mcts::Mcts;
use ludens_search::{Decision, Searcher};
use ludens_solve::{Method, Options, Solution};
use std::sync::Arc;
use std::time::Duration;

pub(super) const AGENT: AgentKind = AgentKind {
    name: "perfect",
    summary: "plays from a solution of the game, its own or one from a file; without one it searches like uct",
    default: || Box::<PerfectSettings>::default(),
};

settings! {
    /// Settings of the solver.
    struct PerfectSettings {
        /// file written by `ludens solve --save`; without one the game is solved before the match
        solution: Option<NamedFile> = None, File;
        /// without a file: maximum number of states without a clock
        states: u64 = 200_000, 0..=1 << 32;
        /// without a file: memory for states in megabytes
        memory: usize = 1024 << 20, Megabytes(1..=1 << 20);
    }
}

impl AgentSettings for PerfectSettings {
    fn sight(&self) -> Sight {
        Sight::Refuses("it plays solutions of games of complete information")
    }

    fn create(&self, place: &Place) -> Box<dyn Agent> {
        Box::new(Perfect {
            // A file of another game is no help; the game is solved as if there were none.
            solution: self
                .solution
                .as_ref()
                .and_then(|file| from_file(&place.game, file).ok()),
            memory: self.memory as u64,
            states: self.states,
            search: Fallback::plain(place),
            is_prepared: false,
            rng: Rng::with_seed(place.seed),
            place: place.clone(),
        })
    }

    fn check(&self, game: &Game) -> Result<(), String> {
        match &self.solution {
            Some(file) => from_file(game, file).map(drop),
            None => Ok(()),
        }
    }

    fn accepts(&self, game: &Game) -> Result<(), String> {
        hidden_or_chance(game).map_err(|why| format!("{why} and cannot be solved, so that it searches as uct does"))
    }
}

/// The share of the start clock that goes into solving; if that fails, the rest goes into search.
const SHARE: f64 = 0.8;

struct Perfect {
    place: Place,
    /// Bytes and states that solving may take.
    memory: u64,
    states: u64,
    solution: Option<Arc<Solution>>,
    search: Fallback,
    /// Whether solving was tried.
    is_prepared: bool,
    rng: Rng,
}

impl Perfect {
    fn solve(&mut self, budget: &Budget) {
        if self.solution.is_some() || std::mem::replace(&mut self.is_prepared, true) {
            return;
        }
        let options = Options {
            method: Method::Explicit,
            threads: 1,
            ..Options::default()
        };
        let solving = budget.share(SHARE).uncounted().with_bytes(self.memory);
        // With a clock it is the clock that counts; without one, results must not depend on it.
        let solving = match budget.time_left() {
            Some(_) => solving,
            None => solving.with_nodes(self.states),
        };
        if budget.time_left().is_none_or(|left| left > Duration::from_millis(10))
            && let Ok((_, solution)) = ludens_solve::solve(&self.place.game, &options, &solving)
        {
            self.solution = solution.map(Arc::new);
        }
    }

    fn search(&mut self) -> &mut Mcts {
        let known = self.solution.clone().map(|solution| solution as Arc<dyn Known>);
        self.search.knowing(|| Knowledge {
            known,
            ..Knowledge::default()
        })
    }
}

impl Agent for Perfect {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.solve(budget);
        let start_is_known = self
            .solution
            .as_ref()
            .is_some_and(|solution| solution.values(start.state()).is_some());
        if !start_is_known {
            self.search().prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        if let Some(decision) = only_move(&self.place, view.state()) {
            return decision;
        }
        // Where iterations are counted there is no time to prepare.
        self.solve(budget);
        let Perfect { place, rng, .. } = self;
        let solution = self.solution.as_ref();
        let known = solution.and_then(|solution| by_solution(place, solution, view, rng));
        known.unwrap_or_else(|| self.search().decide(view.state(), budget))
    }
}
