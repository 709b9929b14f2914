//! Playouts from the leaves of the tree, as the engine asks for them: where each starts, which moves are made in it,
//! when it stops, and what its result changes.

use super::backup;
use super::parallel::shared::{Shared, lock};
use super::path::Path;
use super::policy::{Draw, PlayoutPolicy, Query};
use super::selection::halving::Halving;
use super::worker::Context;
use super::{expansion, selection, single_player};
use ludens_engine::playout::{Choice, End, Playout};
use ludens_engine::{Lanes, MoveId, PlayoutOptions, PlayoutSource, Rng, Role, RoleMap, State};
use std::sync::{Mutex, MutexGuard};

/// Settings of the playout phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayoutSettings {
    /// Policy that chooses the moves.
    pub policy: PlayoutPolicy,
    /// Sampling rule by the values that the policy gives to the legal moves.
    pub draw: Draw,
    /// Share of what the policy learnt that is kept from one decision to the next.
    pub keep: f64,
    /// Whether the advisor's evaluations are rescaled so that the worst legal move has 0 and the best 100.
    pub rescaled: bool,
    /// Playouts from each leaf.
    pub per_leaf: u32,
    /// Maximum number of playouts in flight. With 1 every result is backed up before the next leaf is selected.
    pub in_flight: u64,
    /// Maximum length of a playout.
    pub max_steps: usize,
    /// Length at which playouts are cut off and their last state is evaluated, if any.
    pub cut: Option<usize>,
    /// Probability of stopping a playout in each of its states, which the evaluator then values.
    pub stop: f64,
}

impl Default for PlayoutSettings {
    fn default() -> PlayoutSettings {
        PlayoutSettings {
            policy: PlayoutPolicy::Uniform,
            draw: Draw::Gibbs { temperature: 10.0 },
            keep: 0.25,
            rescaled: false,
            per_leaf: 1,
            in_flight: 4096,
            max_steps: crate::baselines::MOST_STEPS,
            cut: None,
            stop: 0.0,
        }
    }
}

/// Source of playouts that start at leaves of the tree, for one thread.
pub(super) struct TreePlayouts<'a> {
    tree: TreeAccess<'a>,
    context: Context<'a>,
    round: Round,
    paths: PathPool,
    /// The goals of the current result.
    goals: RoleMap<f64>,
    /// Whether the playout that is being watched stops here.
    stops: bool,
}

/// Holds the lock on the tree from the first use in a step of the batch to the end of the step.
struct TreeAccess<'a> {
    shared: &'a Mutex<Shared>,
    guard: Option<MutexGuard<'a, Shared>>,
}

impl TreeAccess<'_> {
    fn get(&mut self) -> &mut Shared {
        self.guard.get_or_insert_with(|| lock(self.shared))
    }

    fn release(&mut self) {
        self.guard = None;
    }
}

/// A round of playouts.
#[derive(Default)]
pub(super) struct Round {
    /// Number of playouts, and of those that may still be started.
    size: u64,
    left: u64,
    /// Whether any leaf needed a playout.
    pub(super) has_playouts: bool,
    /// Playouts that have started but not finished.
    pub(super) in_flight: u64,
}

/// Paths by tag. Those whose playouts have all finished are used again.
#[derive(Default)]
struct PathPool {
    paths: Vec<Path>,
    free: Vec<u32>,
    /// The path whose leaf is to be played out, and how often.
    pending: Option<(u32, u32)>,
}

impl PathPool {
    /// Takes out a free path.
    fn take(&mut self) -> (u32, Path) {
        let tag = self.free.pop().unwrap_or_else(|| {
            self.paths.push(Path::default());
            self.paths.len() as u32 - 1
        });
        (tag, std::mem::take(&mut self.paths[tag as usize]))
    }
}

impl<'a> TreePlayouts<'a> {
    pub(super) fn new(shared: &'a Mutex<Shared>, context: Context<'a>) -> TreePlayouts<'a> {
        TreePlayouts {
            tree: TreeAccess { shared, guard: None },
            goals: RoleMap::filled(context.is_chance.len(), 0.0),
            context,
            round: Round::default(),
            paths: PathPool::default(),
            stops: false,
        }
    }

    /// Starts a round of `size` playouts.
    pub(super) fn begin_round(&mut self, size: u64) {
        self.round = Round {
            size,
            left: size,
            ..Round::default()
        };
        self.context.policies.refresh();
    }

    /// Releases the tree and returns how the round went.
    pub(super) fn end_round(&mut self) -> &Round {
        self.tree.release();
        &self.round
    }

    /// Selects a leaf. One that needs no playout is backed up at once; otherwise its playouts are pending afterwards.
    fn iterate(&mut self) {
        let (tag, mut path) = self.paths.take();
        let shared = self.tree.get();
        let context = &mut self.context;
        selection::descend(shared, context, &mut path);
        path.totals.resize(self.goals.len(), 0.0);
        if expansion::value_leaf(&shared.tree, &mut path, context, &mut self.goals) {
            path.playouts = 1;
            backup::start(&mut shared.tree, &path, context);
            backup::learn(shared, &path, context, &self.goals, None);
            add_goals(&mut path, context, &self.goals, 0);
            backup::back_up(shared, &path, context);
            self.paths.free.push(tag);
        } else {
            path.playouts = playouts_per_leaf(shared, context, self.round.left);
            path.in_flight = path.playouts;
            backup::start(&mut shared.tree, &path, context);
            self.paths.pending = Some((tag, path.playouts));
        }
        let playouts = u64::from(path.playouts);
        shared.iterations += playouts;
        self.round.left -= playouts;
        self.paths.paths[tag as usize] = path;
    }

    /// Puts the goals of a state at which a playout was stopped into `self.goals`.
    fn evaluate_end(&mut self, state: &State) {
        let mut scores = [0; 256];
        let scores = &mut scores[..self.goals.len()];
        if self.context.known.is_some_and(|known| known.goals(state, scores)) {
            for (goal, &score) in self.goals.values_mut().zip(&*scores) {
                *goal = f64::from(score);
            }
        } else if let Some(evaluator) = &mut self.context.evaluator {
            evaluator.evaluate(state, self.goals.as_mut_slice());
        }
    }
}

/// Number of playouts from the next leaf.
fn playouts_per_leaf(shared: &Shared, context: &Context<'_>, left: u64) -> u32 {
    /// The first leaves get one each: breadth matters more than speed then.
    const FIRST: u64 = 512;
    let most = context.budget.most_iterations();
    let most = most.map_or(u64::MAX, |most| most - shared.iterations);
    let wanted = match shared.finished < FIRST {
        true => 1,
        false => u64::from(context.settings.playout.per_leaf),
    };
    wanted.min(most).min(left).max(1) as u32
}

/// Adds goals, discounted by their distance from the root, to the totals of a path.
fn add_goals(path: &mut Path, context: &Context<'_>, goals: &RoleMap<f64>, steps: usize) {
    let steps = path.steps.len() + steps;
    let discount = single_player::discount(&context.settings.single_player, goals.len(), steps);
    for (total, &goal) in path.totals.iter_mut().zip(goals.values()) {
        *total += goal * discount;
    }
}

impl PlayoutSource for TreePlayouts<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        while self.paths.pending.is_none() {
            let shared = self.tree.get();
            let is_round_over = |halving: &Halving| halving.is_round_over(shared.iterations);
            if self.round.left == 0
                || shared.halving.as_ref().is_some_and(is_round_over)
                || shared.check(self.context.budget)
            {
                return None;
            }
            self.iterate();
        }
        let (tag, count) = self.paths.pending.take()?;
        self.paths.pending = (count > 1).then_some((tag, count - 1));
        self.round.has_playouts = true;
        self.round.in_flight += 1;
        let shared = self.tree.get();
        let leaf = self.paths.paths[tag as usize].leaf.unwrap_or(shared.root);
        Some((&shared.tree.get(leaf).state, tag))
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        let mut path = std::mem::take(&mut self.paths.paths[tag as usize]);
        for (goal, &score) in self.goals.values_mut().zip(playout.scores.values()) {
            *goal = f64::from(score);
        }
        if let (End::Stopped, Some(state)) = (playout.end, &playout.state) {
            self.evaluate_end(state);
        }
        let share = self.context.settings.expansion.evaluator_share;
        for (goal, evaluation) in self.goals.values_mut().zip(&path.evaluation) {
            *goal += share * (evaluation - *goal);
        }
        path.in_flight -= 1;
        self.round.in_flight -= 1;
        if playout.end != End::Fault {
            let shared = self.tree.get();
            backup::learn(shared, &path, &mut self.context, &self.goals, Some(playout));
            add_goals(&mut path, &self.context, &self.goals, playout.steps);
        }
        if path.in_flight == 0 {
            backup::back_up(self.tree.get(), &path, &mut self.context);
            self.paths.free.push(tag);
        }
        self.paths.paths[tag as usize] = path;
    }

    fn is_over(&mut self) -> bool {
        // Other threads use the tree while the batch makes its next step.
        self.tree.release();
        self.context.budget.is_spent()
    }

    fn options(&self) -> PlayoutOptions {
        let options = self.context.policies.options();
        let settings = &self.context.settings.playout;
        let is_watched_from_start = self.context.known.is_some() || settings.stop > 0.0;
        let watched_from = match is_watched_from_start {
            // The leaf itself was valued when it came into the tree.
            true => Some(1),
            false => settings.cut,
        };
        // If the advisor takes states in lanes, nothing else needs single ones.
        let advisor = self.context.advisor.as_ref().filter(|_| options.lanes);
        let lanes = advisor.is_some_and(|advisor| advisor.supports_lanes());
        PlayoutOptions {
            states: options.states && !lanes,
            lanes,
            choices: options.choices
                || self.context.is_single_player()
                || self.context.settings.selection.rave.is_some(),
            last_state: options.last_state || watched_from.is_some(),
            watched_from,
            at_most: Some(self.round.size),
            ..options
        }
    }

    fn choose(
        &mut self,
        _tag: u32,
        role: Role,
        legal: &[MoveId],
        before: &[Choice],
        state: Option<&State>,
        rng: &mut Rng,
    ) -> usize {
        if self.context.is_chance[role] {
            return rng.usize(..legal.len());
        }
        let advisor = self.context.advisor.as_mut().map(|advisor| &mut ***advisor);
        let query = Query {
            role,
            legal,
            before,
            state,
        };
        self.context.policies.choose(&query, advisor, rng)
    }

    fn survey(&mut self, role: Role, moves: &[MoveId], lanes: &Lanes<'_>) {
        if let Some(advisor) = &mut self.context.advisor
            && !self.context.is_chance[role]
        {
            self.context.policies.survey(role, moves, lanes, &mut ***advisor);
        }
    }

    fn is_watched(&mut self, _tag: u32, steps: usize) -> bool {
        let context = &mut self.context;
        let settings = &context.settings.playout;
        self.stops = settings.cut.is_some_and(|cut| steps >= cut)
            || settings.stop > 0.0 && context.evaluator.is_some() && context.rng.f64() < settings.stop;
        self.stops || context.known.is_some()
    }

    fn watch(&mut self, _tag: u32, _steps: usize, state: &State) -> bool {
        let mut goals = [0; 256];
        let known = self.context.known;
        self.stops || known.is_some_and(|known| known.goals(state, &mut goals[..self.goals.len()]))
    }
}
