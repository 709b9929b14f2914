//! Flat Monte Carlo: the moves of one role in one state as a multi-armed bandit. Pulling an arm is a playout after a
//! move.
//!
//! All flat methods share this and differ only in the arm they pull next. Playouts run many at a time where the engine
//! can, so an arm is chosen while earlier playouts are in flight; those count as `started`.

use crate::batch_size::BatchSize;
use crate::decision::{Decision, MoveStatistics};
use crate::lookahead::Lookahead;
use ludens_budget::{Budget, StopReason};
use ludens_engine::playout::Playout;
use ludens_engine::{Game, MoveId, PlayoutOptions, PlayoutSource, Playouts, Rng, Role, State, StepCost, random_argmax};
use std::time::Instant;

/// A move and its playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    /// Playouts started, those in flight included.
    pub started: u64,
    /// Playouts that have finished.
    pub visits: u64,
    /// Sum of their goals for the role.
    pub total: f64,
}

impl Arm {
    /// Mean goal over finished playouts; `None` before the first one.
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.total / self.visits as f64)
    }

    /// The mean goal; less than any goal before the first playout has finished.
    pub fn rank(&self) -> f64 {
        self.mean().unwrap_or(-1.0)
    }
}

/// Runs playouts after the moves of one role, each with uniformly random first moves of the others.
pub struct FlatPlayouts {
    role: Role,
    lookahead: Lookahead,
    playouts: Box<dyn Playouts>,
    batch_size: BatchSize,
    arms: Vec<Arm>,
}

impl FlatPlayouts {
    /// Starts at the initial state.
    pub fn new(game: &Game, role: Role) -> FlatPlayouts {
        let lookahead = Lookahead::new(game, role);
        let playouts = game.engine().playouts();
        FlatPlayouts {
            role,
            arms: vec![Arm::default(); lookahead.moves().len()],
            batch_size: BatchSize::new(playouts.sizes()),
            playouts,
            lookahead,
        }
    }

    /// Restarts at another state.
    pub fn go_to(&mut self, state: &State) {
        self.lookahead.go_to(state);
        self.arms.clear();
        self.arms.resize(self.lookahead.moves().len(), Arm::default());
    }

    /// The arms, in the order of the legal moves.
    pub fn arms(&self) -> &[Arm] {
        &self.arms
    }

    /// Number of playouts that have finished.
    pub fn finished(&self) -> u64 {
        self.arms.iter().map(|arm| arm.visits).sum()
    }

    /// Runs a playout of at most `max_steps` steps for every arm that `next` returns, until it returns `None`, at most
    /// `most` of them. Playouts in flight when the budget is spent are dropped.
    pub fn run(
        &mut self,
        rng: &mut Rng,
        max_steps: usize,
        most: u64,
        budget: &Budget,
        next: &mut dyn FnMut(&[Arm]) -> Option<usize>,
    ) {
        let mut pulls = Pulls {
            role: self.role,
            arms: &mut self.arms,
            lookahead: &mut self.lookahead,
            others: rng.fork(),
            budget,
            next,
            left: most,
            round: 0,
            unstarted: 0,
            in_flight: 0,
        };
        while pulls.left > 0 && !budget.is_spent() {
            let start = Instant::now();
            let left = budget.time_left();
            let round = left.map_or(pulls.left, |left| self.batch_size.fitting(pulls.left, left));
            (pulls.round, pulls.unstarted) = (round, round);
            self.playouts.run(rng, max_steps, &mut pulls);
            if pulls.unstarted < round {
                self.batch_size.note(round, start.elapsed(), pulls.in_flight > 0);
            }
        }
        for arm in &mut self.arms {
            arm.started = arm.visits;
        }
    }

    /// The arm with the greatest rank, at random among equal ones.
    pub fn best(&self, rng: &mut Rng, rank: impl Fn(&Arm) -> f64) -> usize {
        random_argmax(self.arms.iter().map(rank), rng)
    }

    /// The decision for the move of an arm.
    pub fn decision(&self, chosen: usize, stop: StopReason) -> Decision {
        decision(self.lookahead.moves(), &self.arms, chosen, stop)
    }
}

fn decision(moves: &[MoveId], arms: &[Arm], chosen: usize, stop: StopReason) -> Decision {
    let pairs = moves.iter().zip(arms).enumerate();
    Decision {
        value: arms[chosen].mean(),
        moves: pairs
            .map(|(number, (&move_id, arm))| MoveStatistics {
                move_id,
                probability: if number == chosen { 1.0 } else { 0.0 },
                value: arm.mean(),
                proved: false,
                visits: arm.visits,
            })
            .collect(),
        playouts: arms.iter().map(|arm| arm.visits).sum(),
        ..Decision::without_search(moves[chosen], stop)
    }
}

/// The playouts of one run, tagged with their arms.
struct Pulls<'a> {
    role: Role,
    arms: &'a mut [Arm],
    lookahead: &'a mut Lookahead,
    /// Draws the first moves of the others.
    others: Rng,
    budget: &'a Budget,
    next: &'a mut dyn FnMut(&[Arm]) -> Option<usize>,
    /// Playouts that may still be started.
    left: u64,
    /// Playouts of this round, those that may still be started, and those that have not finished.
    round: u64,
    unstarted: u64,
    in_flight: u64,
}

impl PlayoutSource for Pulls<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        if self.unstarted == 0 || self.left == 0 {
            return None;
        }
        let Some(chosen) = (self.next)(self.arms) else {
            self.left = 0;
            return None;
        };
        self.left -= 1;
        self.unstarted -= 1;
        self.in_flight += 1;
        self.arms[chosen].started += 1;
        Some((self.lookahead.sample(chosen, &mut self.others), chosen as u32))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.in_flight -= 1;
        let arm = &mut self.arms[tag as usize];
        arm.visits += 1;
        arm.total += f64::from(playout.scores[self.role]);
        self.budget.report(|| {
            let ranks = self.arms.iter().map(Arm::rank).enumerate();
            let best = ranks.max_by(|(_, one), (_, other)| one.total_cmp(other));
            decision(
                self.lookahead.moves(),
                self.arms,
                best.map_or(0, |(index, _)| index),
                StopReason::Interrupted,
            )
        });
    }

    fn is_over(&mut self) -> bool {
        self.budget.is_spent()
    }

    fn options(&self) -> PlayoutOptions {
        PlayoutOptions {
            at_most: Some(self.round),
            ..PlayoutOptions::default()
        }
    }
}

/// Number of playouts that a search starts with. In large networks one playout takes not much less time than dozens at
/// once.
pub(crate) fn first_round(game: &Game) -> u64 {
    match game.engine().step_cost() {
        StepCost::Trivial | StepCost::VeryLow | StepCost::Interpreted => 1,
        StepCost::Low | StepCost::Moderate => 16,
        StepCost::High | StepCost::VeryHigh => 64,
    }
}
