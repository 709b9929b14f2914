//! One thread of a search: rounds of playouts until the budget is spent or the root is solved.

use super::parallel::shared::{Shared, lock};
use super::playout::TreePlayouts;
use super::policy::Policies;
use super::{Settings, statistics};
use crate::batch_size::BatchSize;
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Advisor, Evaluator, Known};
use ludens_engine::playout::Choice;
use ludens_engine::{Game, Machine, MoveId, Playouts, Rng, Role, RoleMap};
use std::sync::Mutex;
use std::time::Instant;

/// State that a thread keeps from one search to the next.
pub(super) struct Worker {
    machine: Box<dyn Machine>,
    playouts: Box<dyn Playouts>,
    batch_size: BatchSize,
    pub(super) policies: Policies,
    pub(super) evaluator: Option<Box<dyn Evaluator>>,
    pub(super) advisor: Option<Box<dyn Advisor>>,
    rng: Rng,
}

impl Worker {
    pub(super) fn new(game: &Game, settings: &Settings, rng: Rng) -> Worker {
        let playouts = game.engine().playouts();
        Worker {
            machine: game.machine(),
            batch_size: BatchSize::new(playouts.sizes()),
            playouts,
            policies: Policies::new(game, settings),
            evaluator: None,
            advisor: None,
            rng,
        }
    }
}

/// Context of the phases of a search, beside the tree.
pub(super) struct Context<'a> {
    pub(super) machine: &'a mut dyn Machine,
    pub(super) policies: &'a mut Policies,
    pub(super) evaluator: Option<&'a mut Box<dyn Evaluator>>,
    pub(super) advisor: Option<&'a mut Box<dyn Advisor>>,
    pub(super) known: Option<&'a dyn Known>,
    pub(super) settings: &'a Settings,
    pub(super) is_chance: &'a RoleMap<bool>,
    /// The role that searches.
    pub(super) role: Role,
    pub(super) budget: &'a Budget,
    pub(super) rng: Rng,
    /// Buffers of the phases: a joint move, the choices of a playout, and the sums of goals at one step of a path.
    pub(super) joint: Vec<MoveId>,
    pub(super) choices: Vec<Choice>,
    pub(super) totals: Vec<f64>,
}

impl Context<'_> {
    /// Whether the game has one role and no chance.
    pub(super) fn is_single_player(&self) -> bool {
        self.is_chance.as_slice() == [false]
    }
}

/// A search, as all its threads see it.
pub(super) struct Search<'a> {
    pub(super) shared: &'a Mutex<Shared>,
    pub(super) settings: &'a Settings,
    pub(super) known: Option<&'a dyn Known>,
    pub(super) is_chance: &'a RoleMap<bool>,
    pub(super) role: Role,
    /// Playouts of the first rounds.
    pub(super) first_round: u64,
    pub(super) budget: &'a Budget,
}

impl Search<'_> {
    /// Runs one thread.
    pub(super) fn run(&self, worker: &mut Worker) {
        let context = Context {
            machine: &mut *worker.machine,
            policies: &mut worker.policies,
            evaluator: worker.evaluator.as_mut(),
            advisor: worker.advisor.as_mut(),
            known: self.known,
            settings: self.settings,
            is_chance: self.is_chance,
            role: self.role,
            budget: self.budget,
            rng: worker.rng.fork(),
            joint: Vec::new(),
            choices: Vec::new(),
            totals: Vec::new(),
        };
        let mut source = TreePlayouts::new(self.shared, context);
        let max_steps = self.settings.playout.max_steps;
        while let Some(round) = self.next_round(&worker.batch_size) {
            let start = Instant::now();
            source.begin_round(round);
            worker.playouts.run(&mut worker.rng, max_steps, &mut source);
            let outcome = source.end_round();
            if outcome.has_playouts {
                worker.batch_size.note(round, start.elapsed(), outcome.in_flight > 0);
            }
            self.budget
                .report(|| statistics::snapshot(&lock(self.shared), self.role));
        }
    }

    /// Number of playouts that a thread may start before it uses their results; `None` if the search is over.
    fn next_round(&self, batch_size: &BatchSize) -> Option<u64> {
        let mut shared = lock(self.shared);
        if self.budget.is_spent() && shared.stop.is_none() {
            shared.stop = self.budget.stop(shared.iterations).or(Some(StopReason::Deadline));
        }
        // Early rounds are small: they start on what little is known.
        let most = self.settings.playout.in_flight;
        let mut round = (shared.finished / 2).max(self.first_round).clamp(1, most);
        if let Some(left) = self.budget.time_left() {
            round = batch_size.fitting(round, left);
        }
        if let Some(mut halving) = shared.halving.take() {
            if halving.is_round_over(shared.iterations) {
                let stats = &shared.tree.get(shared.root).legal[self.role].stats;
                let value = |index: u32| stats[index as usize].mean().unwrap_or(-1.0);
                if halving.end_round(value) && shared.stop.is_none() {
                    shared.stop = self.budget.stop(shared.iterations).or(Some(StopReason::Iterations));
                }
            }
            let open = halving.open(shared.iterations);
            round = open.map_or(round, |open| round.min(open.max(1)));
            shared.halving = Some(halving);
        }
        shared.stop.is_none().then_some(round)
    }
}
