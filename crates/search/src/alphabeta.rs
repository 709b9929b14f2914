//! Depth-first search: alpha-beta, paranoid search and max-n with iterative deepening.
//!
//! One searcher for all games: any number of roles, in turns or at the same time, with chance. An [`Evaluator`] values
//! states at the maximum depth. Terminal states have their goals, and a value that follows from terminal states alone
//! is proved, whatever the depth. The search deepens until the budget is spent or the value of the root is proved.
//!
//! The [`Settings`] can switch off everything that makes it faster, and none of that changes the value of a search to a
//! fixed depth, which tests show. `paranoid` is alpha-beta over the value of the searching role, `max_n` searches the
//! values of all roles, `root` keeps the moves of the root, `transposition` has the tables, `ordering` the move
//! ordering, and `context` what they share.

mod context;
mod max_n;
mod ordering;
mod paranoid;
mod root;
mod settings;
mod transposition;

use crate::decision::Decision;
use crate::searcher::Searcher;
use context::SearchContext;
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Evaluator, Knowledge, Standing};
use ludens_engine::{Game, Rng, Role, State};
use root::Root;
pub use settings::{History, Likelihood, Model, MultiCut, Quiescence, Settings};

/// Depth-first search for one role.
pub struct AlphaBeta {
    context: SearchContext,
    rng: Rng,
}

impl AlphaBeta {
    /// Creates a searcher for a role that evaluates states by their current goals, unless there is other
    /// [knowledge](Self::with_knowledge).
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> AlphaBeta {
        AlphaBeta::with_evaluator(Box::new(Standing::new(game)), game, role, settings, seed)
    }

    /// Creates a searcher for a role with this evaluator.
    pub fn with_evaluator(
        evaluator: Box<dyn Evaluator>,
        game: &Game,
        role: Role,
        settings: Settings,
        seed: u64,
    ) -> AlphaBeta {
        AlphaBeta {
            context: SearchContext::new(game, role, settings, evaluator),
            rng: Rng::with_seed(seed),
        }
    }

    /// Adds knowledge beyond the rules.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> AlphaBeta {
        self.context.known = knowledge.known;
        if let Some(evaluator) = knowledge.evaluator {
            self.context.set_evaluator(evaluator);
        }
        self
    }

    /// Deepens iteratively; returns why it stopped.
    fn search(&mut self, root: &mut Root, budget: &Budget) -> StopReason {
        self.context.begin(budget);
        while root.depth < self.context.settings.most_depth {
            match root.deepen(&mut self.context) {
                Ok(true) => return StopReason::Solved,
                Ok(false) => budget.report(|| self.decision(root, StopReason::Interrupted)),
                Err(_) => return self.context.stop.unwrap_or(StopReason::Interrupted),
            }
        }
        StopReason::Solved
    }

    fn decision(&self, root: &Root, stop: StopReason) -> Decision {
        Decision {
            value: root.value,
            moves: root.statistics(self.context.role),
            line: root.line.clone(),
            nodes: self.context.nodes,
            memory: (self.context.table.bytes() + self.context.cache.bytes()) as u64,
            playouts: self.context.evaluated,
            ..Decision::without_search(root.choice, stop)
        }
    }
}

impl Searcher for AlphaBeta {
    fn prepare(&mut self, state: &State, budget: &Budget) {
        // Skip pre-game search under an iteration budget, so that results stay reproducible.
        if budget.deadline().is_some()
            && let Some(mut root) = Root::new(&mut self.context, state, &mut self.rng)
        {
            self.search(&mut root, budget);
        }
    }

    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        let Some(mut root) = Root::new(&mut self.context, state, &mut self.rng) else {
            // Unreachable by contract: every role has a legal move.
            self.context.machine.load(state);
            let first = self.context.machine.legal(self.context.role).first().copied();
            return Decision::without_search(first.unwrap_or(ludens_engine::MoveId(0)), StopReason::OnlyMove);
        };
        if root.len() == 1 {
            return Decision::without_search(root.choice, StopReason::OnlyMove);
        }
        let stop = self.search(&mut root, budget);
        self.decision(&root, stop)
    }
}
