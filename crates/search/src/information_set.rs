//! Information-set Monte Carlo tree search, for games with hidden information (Cowling, Powley and Whitehouse, 2012).
//!
//! Every iteration draws a possible world and plays it out. Statistics belong to what a role has observed, not to states:
//! a node is an action–observation history, so the search cannot act on what the role does not know. With one observer
//! (SO-ISMCTS) the moves of all roles hang on what the *searching* role has observed; with several (MO-ISMCTS) every role
//! has a tree of its own histories. Iterations run side by side in lanes: a playout in flight counts as a visit in the
//! exploration term but not in the mean.
//!
//! The search does not converge to an equilibrium, and more time can make it easier to exploit.

mod halving;
mod node;
mod walk;

use crate::decision::{Decision, MoveStatistics};
pub use halving::rounds;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, HistoryHash, MoveId, Playouts, Rng, Role, RoleMap, State, Successors};
use node::Tree;
use std::time::Instant;

/// Possible worlds, as the searching role believes.
pub trait Worlds {
    /// Draws a world by its probability: its state, and what every role has observed on the way there.
    fn draw(&self, rng: &mut Rng) -> (&State, &RoleMap<HistoryHash>);

    /// Draws a world by what all roles know, in which the searching role may have other secrets; `None` if that is unknown.
    fn draw_public(&self, _rng: &mut Rng) -> Option<(&State, &RoleMap<HistoryHash>)> {
        None
    }
}

/// Whose observations the nodes of the tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observer {
    /// Those of the searching role, for the moves of all roles.
    Single,
    /// Those of the role that moves.
    Multiple,
}

/// How the searching role chooses at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// As everywhere else.
    Tree,
    /// Every move equally often.
    Uniform,
    /// By upper confidence bounds, whatever is used elsewhere.
    Ucb,
    /// By sequential halving (hybrid MCTS).
    Halving,
}

/// How roles choose in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// Upper confidence bounds, with the number of times that a move was available.
    Ucb,
    /// Smooth UCT (Heinrich and Silver, 2015): sometimes by upper confidence bounds, else in proportion to visits.
    Smooth,
    /// Regret matching.
    Regret,
}

/// Which move is made in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The most visited.
    Visits,
    /// The one with the best mean.
    Value,
    /// One drawn in proportion to visits; the average strategy with regret matching.
    Mixed,
}

/// Settings of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Whose observations the nodes are.
    pub observer: Observer,
    /// Choice at the root.
    pub root: Root,
    /// Choice elsewhere.
    pub select: Select,
    /// Choice of the move to make.
    pub policy: Policy,
    /// Exploration constant of upper confidence bounds, on the scale of goals.
    pub exploration: f64,
    /// Whether there is a tree below the root; without one the search is flat.
    pub tree: bool,
    /// Maximum number of nodes.
    pub max_nodes: usize,
    /// Maximum playout length.
    pub max_steps: usize,
    /// Share of iterations that start from a world by what all roles know, so that the others do not learn our secrets.
    pub public: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            observer: Observer::Multiple,
            root: Root::Tree,
            select: Select::Ucb,
            policy: Policy::Visits,
            exploration: 50.0,
            tree: true,
            max_nodes: 1_000_000,
            max_steps: 10_000,
            public: 0.0,
        }
    }
}

/// Iterations if the budget bounds neither iterations nor time.
const ITERATIONS: u64 = 10_000;

/// Iterations side by side at most.
const MOST_LANES: u64 = 512;

/// The search of one role.
pub struct InformationSetSearch {
    game: Game,
    role: Role,
    settings: Settings,
    rng: Rng,
    successors: Box<dyn Successors>,
    playouts: Box<dyn Playouts>,
    tree: Tree,
}

impl InformationSetSearch {
    /// Creates a search for a role.
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> InformationSetSearch {
        InformationSetSearch {
            game: game.clone(),
            role,
            settings,
            rng: Rng::with_seed(seed),
            successors: game.engine().successors(),
            playouts: game.engine().playouts(),
            tree: Tree::default(),
        }
    }

    /// Chooses among the legal moves of the role, which are those that it may make in all worlds.
    pub fn decide(&mut self, worlds: &dyn Worlds, legal: &[MoveId], budget: &Budget) -> Decision {
        self.tree.clear();
        if let [only] = legal {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        let root = self.tree.root(legal);
        let done = match self.settings.root {
            Root::Halving => self.halve(worlds, root, budget),
            _ => self.run(worlds, root, &mut RootChoice::Free, ITERATIONS, budget),
        };
        let stop = budget.stop(done).unwrap_or(StopReason::Iterations);
        self.decision(root, stop)
    }

    /// Runs at most `most` iterations, fewer if the budget bounds them, and returns their number.
    fn run(
        &mut self,
        worlds: &dyn Worlds,
        root: usize,
        choice: &mut RootChoice<'_>,
        most: u64,
        budget: &Budget,
    ) -> u64 {
        let most = match (choice.is_free(), budget.most_iterations(), budget.deadline()) {
            (true, Some(bound), _) => bound.max(1),
            (true, None, Some(_)) => u64::MAX,
            _ => most,
        };
        let mut done = 0;
        while done < most {
            // Few at first, so that the first results guide the next choices.
            let lanes = (done / 4).clamp(1, MOST_LANES).min(most - done);
            let walked = self.walk_all(worlds, root, lanes as usize, choice, budget);
            done += lanes;
            if !walked || budget.is_spent() || choice.is_over() {
                break;
            }
            budget.report(|| self.decision_without_chance(root, StopReason::Interrupted));
        }
        done
    }

    /// Sequential halving over the moves at the root.
    fn halve(&mut self, worlds: &dyn Worlds, root: usize, budget: &Budget) -> u64 {
        let mut left: Vec<usize> = (0..self.tree.arms(root).len()).collect();
        self.rng.shuffle(&mut left);
        let total = budget
            .most_iterations()
            .or(budget.deadline().is_none().then_some(ITERATIONS));
        let plan = rounds(left.len(), total.unwrap_or(0));
        let count = plan.len() as u32;
        let (start, time) = (Instant::now(), budget.time_left());
        let mut done = 0;
        for (number, &(_, each)) in plan.iter().enumerate() {
            let is_last = number + 1 == plan.len();
            let (most, end) = match (total, time) {
                (None, Some(time)) => (u64::MAX, Some(start + time * (number as u32 + 1) / count)),
                // What divisions leave over goes to the last two.
                _ if is_last => (total.unwrap_or(0).saturating_sub(done).max(1), None),
                _ => (each * left.len() as u64, None),
            };
            let mut choice = RootChoice::InTurn {
                moves: &left,
                next: 0,
                end,
            };
            done += self.run(worlds, root, &mut choice, most, budget);
            let arms = self.tree.arms(root);
            let rank = |arm: usize| arms[arm].mean().unwrap_or(-1.0);
            left.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)));
            left.truncate(left.len().div_ceil(2));
            if budget.is_spent() {
                break;
            }
        }
        self.tree.survivor = left.first().copied();
        done
    }

    fn decision_without_chance(&self, root: usize, stop: StopReason) -> Decision {
        let arms = self.tree.arms(root);
        let best = |key: &dyn Fn(usize) -> (f64, f64)| {
            let order = |a: &usize, b: &usize| {
                let (a, b) = (key(*a), key(*b));
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            };
            (0..arms.len()).rev().max_by(order).unwrap_or(0)
        };
        let mean = |arm: usize| arms[arm].mean().unwrap_or(-1.0);
        let chosen = match (self.tree.survivor, self.settings.policy) {
            (Some(survivor), _) => survivor,
            (None, _) if self.settings.root == Root::Uniform => best(&|arm| (mean(arm), 0.0)),
            (None, Policy::Value) => best(&|arm| (mean(arm), arms[arm].visits as f64)),
            (None, Policy::Visits | Policy::Mixed) => best(&|arm| (arms[arm].visits as f64, mean(arm))),
        };
        self.made(root, chosen, |arm| f64::from(u8::from(arm == chosen)), stop)
    }

    /// The decision for the move of an arm, chosen with these probabilities.
    fn made(&self, root: usize, chosen: usize, probability: impl Fn(usize) -> f64, stop: StopReason) -> Decision {
        let arms = self.tree.arms(root);
        let statistics = arms.iter().enumerate().map(|(number, arm)| MoveStatistics {
            move_id: arm.move_id,
            probability: probability(number),
            value: arm.mean(),
            proved: false,
            visits: arm.visits,
        });
        Decision {
            value: arms[chosen].mean(),
            moves: statistics.collect(),
            nodes: self.tree.len() as u64,
            memory: self.tree.bytes(),
            playouts: arms.iter().map(|arm| arm.visits).sum(),
            ..Decision::without_search(arms[chosen].move_id, stop)
        }
    }

    fn decision(&mut self, root: usize, stop: StopReason) -> Decision {
        if self.settings.policy != Policy::Mixed || self.tree.survivor.is_some() {
            return self.decision_without_chance(root, stop);
        }
        let weights: Vec<f64> = match self.settings.select {
            Select::Regret => self.tree.arms(root).iter().map(|arm| arm.average).collect(),
            Select::Ucb | Select::Smooth => self.tree.arms(root).iter().map(|arm| arm.visits as f64).collect(),
        };
        let total: f64 = weights.iter().sum();
        match ludens_engine::weighted_index(weights.iter().copied(), &mut self.rng) {
            Some(chosen) => self.made(root, chosen, |arm| weights[arm] / total, stop),
            None => self.decision_without_chance(root, stop),
        }
    }
}

/// Which move the searching role makes at the root of the next iteration.
enum RootChoice<'a> {
    /// As the settings say.
    Free,
    /// These moves in turn, until some moment.
    InTurn {
        moves: &'a [usize],
        next: usize,
        end: Option<Instant>,
    },
}

impl RootChoice<'_> {
    fn is_free(&self) -> bool {
        matches!(self, RootChoice::Free)
    }

    fn is_over(&self) -> bool {
        matches!(self, RootChoice::InTurn { end: Some(end), .. } if Instant::now() >= *end)
    }

    /// The next move, if it is given.
    fn forced(&mut self) -> Option<usize> {
        match self {
            RootChoice::Free => None,
            RootChoice::InTurn { moves, next, .. } => {
                *next += 1;
                Some(moves[(*next - 1) % moves.len()])
            }
        }
    }
}
