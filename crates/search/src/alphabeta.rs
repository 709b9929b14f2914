//! Depth-first search: alpha-beta, paranoid search and MaxN with iterative deepening.
//!
//! One searcher for all games: any number of roles, in turns or at the same time, with chance. States at the end of the
//! depth are judged by an [`Evaluator`]; ends of the match are worth exactly their goals, and what follows from ends alone
//! is certain, whatever the depth. The search goes one step deeper again and again, until the budget is spent or the value
//! of the state is certain.
//!
//! Everything that makes it faster can be switched off by the [`Settings`], and none of that changes the value of a search
//! to a fixed depth, which tests show. `opposed` searches one number, the own role's; `several` one for each role; `root`
//! has the moves at hand; `table` remembers states, `ordering` moves; `stage` is what they share.

mod opposed;
mod ordering;
mod root;
mod settings;
mod several;
mod stage;
mod table;

use crate::decision::Decision;
use crate::searcher::Searcher;
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Evaluator, Knowledge, Standing};
use ludens_engine::{Game, Rng, Role, State};
use root::Root;
pub use settings::{History, Likelihood, Model, MultiCut, Quiescence, Settings};
use stage::Stage;

/// Depth-first search for one role.
pub struct AlphaBeta {
    stage: Stage,
    rng: Rng,
}

impl AlphaBeta {
    /// For a role. States are judged by the goals as they stand, unless there is other [knowledge](Self::with_knowledge).
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> AlphaBeta {
        AlphaBeta::judged_by(Box::new(Standing::new(game)), game, role, settings, seed)
    }

    /// The same with another judgement of states.
    pub fn judged_by(
        evaluator: Box<dyn Evaluator>,
        game: &Game,
        role: Role,
        settings: Settings,
        seed: u64,
    ) -> AlphaBeta {
        AlphaBeta {
            stage: Stage::new(game, role, settings, evaluator),
            rng: Rng::with_seed(seed),
        }
    }

    /// With knowledge beyond the rules.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> AlphaBeta {
        self.stage.known = knowledge.known;
        if let Some(evaluator) = knowledge.evaluator {
            self.stage.set_evaluator(evaluator);
        }
        self
    }

    /// Searches deeper and deeper; says why it ended.
    fn search(&mut self, root: &mut Root, budget: &Budget) -> StopReason {
        self.stage.begin(budget);
        while root.depth < self.stage.settings.most_depth {
            match root.deepen(&mut self.stage) {
                Ok(true) => return StopReason::Solved,
                Ok(false) => budget.report(|| self.decision(root, StopReason::Interrupted)),
                Err(_) => return self.stage.stop.unwrap_or(StopReason::Interrupted),
            }
        }
        StopReason::Solved
    }

    fn decision(&self, root: &Root, stop: StopReason) -> Decision {
        Decision {
            value: root.value,
            moves: root.statistics(self.stage.role.index()),
            line: root.line.clone(),
            nodes: self.stage.nodes,
            memory: (self.stage.table.bytes() + self.stage.cache.bytes()) as u64,
            playouts: self.stage.judged,
            ..Decision::without_search(root.choice, stop)
        }
    }
}

impl Searcher for AlphaBeta {
    fn prepare(&mut self, state: &State, budget: &Budget) {
        // Without a deadline the start is no gift of time.
        if budget.deadline().is_some()
            && let Some(mut root) = Root::new(&mut self.stage, state, &mut self.rng)
        {
            self.search(&mut root, budget);
        }
    }

    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        let Some(mut root) = Root::new(&mut self.stage, state, &mut self.rng) else {
            // Nobody asks where somebody cannot move; whatever is answered does not matter.
            self.stage.machine.load(state);
            let first = self.stage.machine.legal(self.stage.role).first().copied();
            return Decision::without_search(first.unwrap_or(ludens_engine::MoveId(0)), StopReason::OnlyMove);
        };
        if root.len() == 1 {
            return Decision::without_search(root.choice, StopReason::OnlyMove);
        }
        let stop = self.search(&mut root, budget);
        self.decision(&root, stop)
    }
}
