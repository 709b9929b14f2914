//! Tree search with knowledge that is acquired before the match.
//!
//! Building knowledge takes a share of the start clock; the rest goes into the search. Under a count of iterations there is
//! no start clock, and knowledge that takes a fixed amount of work is built before the first move. The search does without
//! knowledge that cannot be built.

use crate::advisors::{AdvisorSettings, Heuristic, Lookahead};
use crate::agent::{Agent, Place};
use crate::evaluators::{Context, EvaluatorSpec};
use crate::view::Position;
use ludens_budget::Budget;
use ludens_engine::knowledge::{Knowledge, Known};
use ludens_search::mcts::Mcts;
use ludens_search::{Decision, Searcher};
use ludens_solve::Options;
use ludens_solve::symbolic::endgame::endgame;
use std::sync::Arc;
use std::time::Duration;

/// Memory for an endgame database, in bytes.
const ENDGAME_MEMORY: u64 = 1 << 30;
/// The share of the start clock that may go into it.
const ENDGAME_SHARE: f64 = 0.5;
/// Time for proofs about the rules that an evaluator needs.
const PROOFS: Duration = Duration::from_secs(2);
/// Random play that evaluators learn from differs from the playouts of the search.
const LEARNING_SEED: u64 = 0x5eed_f00d;

/// The knowledge to build.
pub(super) struct Wanted {
    /// Backward steps of an endgame database; 0 for none.
    pub(super) endgame: usize,
    /// State evaluator.
    pub(super) evaluator: Option<EvaluatorSpec>,
    /// Move heuristic.
    pub(super) heuristic: Option<Heuristic>,
    /// Whether the evaluator advises on moves too, by their successors, where there is no heuristic.
    pub(super) lookahead: bool,
    /// Maximum length of playouts.
    pub(super) max_steps: usize,
}

/// Builds knowledge, and searches with it.
pub(super) struct Knowing {
    place: Place,
    wanted: Wanted,
    is_ready: bool,
    /// Note on the evaluator, until a decision carries it.
    report: Option<String>,
    /// Always there except while knowledge is added.
    search: Option<Mcts>,
}

impl Knowing {
    /// With a search that knows nothing yet.
    pub(super) fn new(place: &Place, wanted: Wanted, search: Mcts) -> Knowing {
        Knowing {
            place: place.clone(),
            wanted,
            is_ready: false,
            report: None,
            search: Some(search),
        }
    }

    fn make_ready(&mut self, budget: &Budget, has_start_clock: bool) {
        self.is_ready = true;
        // Endgame databases are built on the start clock only: nothing bounds them under a count of iterations.
        let known = match self.wanted.endgame {
            rounds if rounds > 0 && has_start_clock => self.endgame(rounds, &budget.share(ENDGAME_SHARE)),
            _ => None,
        };
        let context = Context {
            game: &self.place.game,
            seed: self.place.seed ^ LEARNING_SEED,
            max_steps: self.wanted.max_steps,
            budget,
        };
        let evaluator = self.wanted.evaluator.as_ref().and_then(|evaluator| {
            let budget = match evaluator.share() {
                Some(share) => budget.share(share),
                None => budget.within(PROOFS),
            };
            evaluator
                .build(&Context {
                    budget: &budget,
                    ..context
                })
                .map_err(|cause| self.report = Some(format!("no evaluator: {cause}")))
                .ok()
        });
        let evaluator = evaluator.map(|built| {
            self.report = built.report.map(|report| format!("evaluator: {report}"));
            built.evaluator
        });
        let heuristic = self.wanted.heuristic.as_ref().and_then(|heuristic| {
            let budget = budget.share(heuristic.share);
            heuristic
                .build(
                    &Context {
                        budget: &budget,
                        ..context
                    },
                    None,
                )
                .ok()
        });
        let advisor = match self.wanted.lookahead && heuristic.is_none() {
            true => Lookahead::default().build(&context, evaluator.as_deref()).ok(),
            false => heuristic,
        };
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
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        if !self.is_ready {
            self.make_ready(budget, true);
        }
        if let Some(search) = &mut self.search {
            search.prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        if !self.is_ready {
            self.make_ready(budget, false);
        }
        match &mut self.search {
            Some(search) => {
                let decision = search.decide(view.state(), budget);
                match self.report.take() {
                    None => decision,
                    report => decision.with_note(report),
                }
            }
            None => unreachable!("the search is put back whenever it is taken"),
        }
    }
}
