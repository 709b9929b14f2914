//! Agents that find out about their game before they search it.
//!
//! What is found out takes a share of the start clock; the rest goes into the search. Where budgets are counts there is no
//! start clock, and knowledge that a fixed amount of random play gives is found out before the first move. Knowledge that
//! cannot be had is done without.

use crate::agent::{Agent, Place};
use crate::view::View;
use ludens_budget::Budget;
use ludens_engine::knowledge::{Advisor, Evaluator, Knowledge, Known};
use ludens_evaluate::ahead::Ahead;
use ludens_evaluate::learned::clune::{self, Clune};
use ludens_evaluate::learned::features::{Guided, Options as Features, build};
use ludens_evaluate::rules::regress::{MoveHeuristic, Options as Heuristic, Regressed};
use ludens_search::mcts::Mcts;
use ludens_search::{Decision, Searcher};
use ludens_solve::Options;
use ludens_solve::symbolic::endgame::endgame;
use std::sync::Arc;

/// Memory for an endgame database, in bytes.
const ENDGAME_MEMORY: u64 = 1 << 30;
/// The share of the start clock that may go into it.
const ENDGAME_SHARE: f64 = 0.5;

/// What to find out.
#[derive(Default)]
pub(super) struct Wanted {
    /// Rounds of an endgame database; 0 for none.
    pub(super) endgame: usize,
    /// A function of features, and the share of the time that it may take.
    pub(super) features: Option<(Features, f64)>,
    /// Payoff, control and termination, and the share of the time that these may take.
    pub(super) clune: Option<(clune::Options, f64)>,
    /// What judges states, if it is no function of features.
    pub(super) evaluator: Option<Box<dyn Evaluator>>,
    /// A heuristic for moves, and the share of the time that it may take.
    pub(super) heuristic: Option<(Heuristic, f64)>,
    /// Whether moves are judged too, by the states behind them, where there is no heuristic for them.
    pub(super) advice: bool,
}

/// Finds out what is wanted, and searches with it.
pub(super) struct Knowing {
    place: Place,
    wanted: Wanted,
    is_ready: bool,
    /// Always there but while knowledge is added.
    search: Option<Mcts>,
}

impl Knowing {
    /// With a search that knows nothing yet.
    pub(super) fn new(place: &Place, wanted: Wanted, search: Mcts) -> Knowing {
        Knowing {
            place: place.clone(),
            wanted,
            is_ready: false,
            search: Some(search),
        }
    }

    fn make_ready(&mut self, budget: &Budget, has_start_clock: bool) {
        self.is_ready = true;
        // Endgame databases are built on the start clock only: nothing bounds them where budgets are counts.
        let known = match self.wanted.endgame {
            rounds if rounds > 0 && has_start_clock => self.endgame(rounds, &budget.share(ENDGAME_SHARE)),
            _ => None,
        };
        let mut evaluator = self.wanted.evaluator.take();
        if let Some((features, share)) = &self.wanted.features {
            let seed = self.place.seed ^ 0x5eed_f00d;
            if let Ok(function) = build(&self.place.game, features, seed, &budget.share(*share)) {
                evaluator = Some(Box::new(Guided::new(&function)));
            }
        }
        if let Some((options, share)) = &self.wanted.clune
            && let Ok(function) = clune::build(&self.place.game, options, self.place.seed, &budget.share(*share))
        {
            evaluator = Some(Box::new(Clune::new(&function)));
        }
        let mut advisor: Option<Box<dyn Advisor>> = None;
        if let Some((heuristic, share)) = &self.wanted.heuristic
            && let Ok(heuristic) = MoveHeuristic::build(&self.place.game, heuristic, &budget.share(*share))
        {
            advisor = Some(Box::new(Regressed::new(Arc::new(heuristic))));
        }
        let ahead = evaluator.as_ref().filter(|_| self.wanted.advice && advisor.is_none());
        if let Some(evaluator) = ahead {
            advisor = Some(Box::new(Ahead::new(&self.place.game, evaluator.another())));
        }
        let knowledge = Knowledge {
            known,
            evaluator,
            advisor,
        };
        self.search = self.search.take().map(|search| search.with_knowledge(knowledge));
    }

    fn endgame(&self, rounds: usize, budget: &Budget) -> Option<Arc<dyn Known>> {
        let options = Options {
            threads: 1,
            ..Options::default()
        };
        // Where there can be no database, or only part of one, the search does with what there is.
        let database = endgame(
            &self.place.game,
            rounds,
            &options,
            &budget.clone().with_bytes(ENDGAME_MEMORY),
        )
        .ok()?;
        Some(Arc::new(database.values))
    }
}

impl Agent for Knowing {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        if !self.is_ready {
            self.make_ready(budget, true);
        }
        if let Some(search) = &mut self.search {
            search.prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        if !self.is_ready {
            self.make_ready(budget, false);
        }
        match &mut self.search {
            Some(search) => search.decide(view.state(), budget),
            None => unreachable!("the search is put back whenever it is taken"),
        }
    }
}
