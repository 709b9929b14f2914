//! The moves of one role in one state as a bandit with many arms: to pull one is to play a random match after that move.
//!
//! All flat methods share this and differ only in the arm they pull next. Matches run many at a time where the engine
//! can, so an arm is chosen while earlier matches are still under way; those count as `started`.

use crate::decision::{Decision, MoveStatistics};
use crate::outlook::Outlook;
use crate::pace::Pace;
use ludens_budget::{Budget, StopReason};
use ludens_engine::playout::Playout;
use ludens_engine::{Game, MoveId, PlayoutOptions, PlayoutSource, Playouts, Rng, Role, State, StepCost};
use std::time::Instant;

/// A move, tried by random matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arm {
    /// Matches started.
    pub started: u64,
    /// Matches that came to their end.
    pub finished: u64,
    /// The sum of their goals for the role.
    pub total: f64,
}

impl Arm {
    /// The mean goal; nothing before the first match has ended.
    pub fn mean(&self) -> Option<f64> {
        (self.finished > 0).then(|| self.total / self.finished as f64)
    }

    /// The mean goal, and less than any goal before the first match has ended.
    pub fn rank(&self) -> f64 {
        self.mean().unwrap_or(-1.0)
    }
}

/// Plays random matches after the moves of one role. A match begins with the own move and random moves of the others.
pub struct Bandit {
    role: Role,
    outlook: Outlook,
    playouts: Box<dyn Playouts>,
    pace: Pace,
    arms: Vec<Arm>,
}

impl Bandit {
    /// For the moves of a role in the initial state.
    pub fn new(game: &Game, role: Role) -> Bandit {
        let outlook = Outlook::new(game, role);
        let playouts = game.engine().playouts();
        Bandit {
            role,
            arms: vec![Arm::default(); outlook.moves().len()],
            pace: Pace::new(playouts.sizes()),
            playouts,
            outlook,
        }
    }

    /// Begins anew with another state.
    pub fn go_to(&mut self, state: &State) {
        self.outlook.go_to(state);
        self.arms.clear();
        self.arms.resize(self.outlook.moves().len(), Arm::default());
    }

    /// What is known about each move, in the order of the legal moves.
    pub fn arms(&self) -> &[Arm] {
        &self.arms
    }

    /// How many matches came to their end.
    pub fn finished(&self) -> u64 {
        self.arms.iter().map(|arm| arm.finished).sum()
    }

    /// Plays a match of at most so many steps for every arm that `next` names, until it names none, at most `most` of
    /// them. Matches that are under way when the budget is spent are dropped.
    pub fn run(
        &mut self,
        rng: &mut Rng,
        most_steps: usize,
        most: u64,
        budget: &Budget,
        next: &mut dyn FnMut(&[Arm]) -> Option<usize>,
    ) {
        let mut pulls = Pulls {
            role: self.role.index(),
            arms: &mut self.arms,
            outlook: &mut self.outlook,
            others: rng.fork(),
            budget,
            next,
            left: most,
            round: 0,
            quota: 0,
            under_way: 0,
        };
        while pulls.left > 0 && !budget.is_spent() {
            let start = Instant::now();
            let left = budget.time_left();
            let round = left.map_or(pulls.left, |left| self.pace.fitting(pulls.left, left));
            (pulls.round, pulls.quota) = (round, round);
            self.playouts.run(rng, most_steps, &mut pulls);
            if pulls.quota < round {
                self.pace.note(round, start.elapsed(), pulls.under_way > 0);
            }
        }
        for arm in &mut self.arms {
            arm.started = arm.finished;
        }
    }

    /// The arm with the greatest rank, a random one of several.
    pub fn best(&self, rng: &mut Rng, rank: impl Fn(&Arm) -> f64) -> usize {
        best(self.arms.iter().map(rank), rng)
    }

    /// The decision for an arm.
    pub fn decision(&self, chosen: usize, stop: StopReason) -> Decision {
        decision(self.outlook.moves(), &self.arms, chosen, stop)
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
                visits: arm.finished,
            })
            .collect(),
        playouts: arms.iter().map(|arm| arm.finished).sum(),
        ..Decision::without_search(moves[chosen], stop)
    }
}

/// The matches of one run, tagged with their arms.
struct Pulls<'a> {
    role: usize,
    arms: &'a mut [Arm],
    outlook: &'a mut Outlook,
    /// Draws the first moves of the others.
    others: Rng,
    budget: &'a Budget,
    next: &'a mut dyn FnMut(&[Arm]) -> Option<usize>,
    /// Matches that may still be started.
    left: u64,
    /// Matches of this round, those of them that may still be started, and those that have not ended.
    round: u64,
    quota: u64,
    under_way: u64,
}

impl PlayoutSource for Pulls<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        if self.quota == 0 || self.left == 0 {
            return None;
        }
        let Some(chosen) = (self.next)(self.arms) else {
            self.left = 0;
            return None;
        };
        self.left -= 1;
        self.quota -= 1;
        self.under_way += 1;
        self.arms[chosen].started += 1;
        Some((self.outlook.sample(chosen, &mut self.others), chosen as u32))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        self.under_way -= 1;
        let arm = &mut self.arms[tag as usize];
        arm.finished += 1;
        arm.total += f64::from(playout.scores[self.role]);
        self.budget.report(|| {
            let ranks = self.arms.iter().map(Arm::rank).enumerate();
            let best = ranks.max_by(|(_, one), (_, other)| one.total_cmp(other));
            decision(
                self.outlook.moves(),
                self.arms,
                best.map_or(0, |(place, _)| place),
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

/// How many playouts a search may start with before it knows anything. In large networks one playout takes not much less
/// time than dozens at once.
pub(crate) fn first_round(game: &Game) -> u64 {
    match game.engine().step_cost() {
        StepCost::Trivial | StepCost::VeryLow | StepCost::Interpreted => 1,
        StepCost::Low | StepCost::Moderate => 16,
        StepCost::High | StepCost::VeryHigh => 64,
    }
}

/// The place of the greatest value, a random one of several.
pub(crate) fn best(values: impl Iterator<Item = f64>, rng: &mut Rng) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    let mut equal = 0;
    for (place, value) in values.enumerate() {
        if value > best.0 {
            best = (value, place);
            equal = 1;
        } else if value == best.0 {
            // Each of n equal ones is kept with probability 1/n.
            equal += 1;
            if rng.usize(..equal) == 0 {
                best.1 = place;
            }
        }
    }
    best.1
}
