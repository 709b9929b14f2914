//! Monte Carlo tree search.
//!
//! One searcher for all games: any number of roles, in turns or at the same time. Every role keeps its own statistics
//! and selects by UCB1, whatever the others select at the same time (decoupled UCT); where only one role has a choice
//! this is UCT (Kocsis and Szepesvári, 2006). States that are reached on several paths share a node, proved moves are
//! not explored any more (MCTS-Solver; Winands and others, 2008, here for goals of any kind), and the tree is kept from
//! one move to the next.
//!
//! An iteration goes through four phases, each a module with its own [`Settings`] and its own data in the nodes:
//! `selection` descends to a leaf, `expansion` adds a node, `playout` plays to the end, and `backup` brings the result
//! to the root. A `path` carries an iteration from one phase to the next. `single_player` and `simultaneous` are about
//! special games, `parallel` about threads, and `final_move`, `tie_break` and `statistics` about the decision at the
//! end.

mod backup;
mod expansion;
mod final_move;
mod parallel;
mod path;
mod playout;
mod policy;
mod proof;
mod selection;
mod simultaneous;
mod single_player;
mod statistics;
mod tie_break;
mod tree;
mod worker;

use crate::decision::Decision;
use crate::flat::{FlatPlayouts, first_round};
use crate::searcher::Searcher;
pub use backup::BackupSettings;
pub use expansion::ExpansionSettings;
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Knowledge, Known};
use ludens_engine::{Game, Machine, MoveId, Rng, Role, RoleMap, State};
pub use parallel::ParallelSettings;
use parallel::shared::Shared;
pub use playout::PlayoutSettings;
pub use policy::{Draw, PLAYOUT_POLICIES, PlayoutPolicy, PolicyEntry};
use selection::halving::Halving;
pub use selection::{PriorSettings, Rave, SelectionSettings};
pub use simultaneous::{Simultaneous, SimultaneousSettings};
use single_player::Plan;
pub use single_player::SinglePlayerSettings;
use statistics::RoleView;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tree::{NodeId, Tree};
use worker::{Search, Worker};

/// Share of the time for a move that may go into keeping the tree, and the seconds that a node takes.
const KEEPING_SHARE: f64 = 0.25;
const KEEPING: f64 = 5e-7;

/// Settings of [`Mcts`], one struct per phase. The default is UCT with the solver and nothing that costs time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Selection of the next move to try in the tree.
    pub selection: SelectionSettings,
    /// Growth of the tree and values of new nodes.
    pub expansion: ExpansionSettings,
    /// Playouts.
    pub playout: PlayoutSettings,
    /// Backup of results.
    pub backup: BackupSettings,
    /// Threads and trees.
    pub parallel: ParallelSettings,
    /// Games with one role.
    pub single_player: SinglePlayerSettings,
    /// Nodes where several roles choose at the same time.
    pub simultaneous: SimultaneousSettings,
}

impl Settings {
    /// Returns the default settings after a change.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Settings {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    }
}

/// Monte Carlo tree search for one role.
pub struct Mcts {
    game: Game,
    role: Role,
    settings: Settings,
    is_chance: RoleMap<bool>,
    machine: Box<dyn Machine>,
    known: Option<Arc<dyn Known>>,
    workers: Vec<Worker>,
    tree: Tree,
    /// The best line of a single-player game.
    plan: Option<Plan>,
    /// The move that sequential halving left in the last search.
    winner: Option<u32>,
    /// Playouts of tie-breaks; made on first use.
    flat: Option<FlatPlayouts>,
    /// With root parallelisation: the searchers of the other threads.
    others: Vec<Mcts>,
    rng: Rng,
}

impl Mcts {
    /// Creates a searcher for a role.
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> Mcts {
        let mut rng = Rng::with_seed(seed);
        let threads = settings.parallel.threads.max(1);
        let (workers, trees) = match settings.parallel.shared_tree {
            true => (threads, 1),
            false => (1, threads),
        };
        let mut settings = settings;
        settings.parallel.threads = 1;
        settings.expansion.max_nodes = (settings.expansion.max_nodes / trees).max(1);
        let others = (1..trees).map(|_| Mcts::new(game, role, settings.clone(), rng.u64(..)));
        let others = others.collect();
        settings.parallel.threads = threads;
        Mcts {
            workers: (0..workers).map(|_| Worker::new(game, &settings, rng.fork())).collect(),
            machine: game.machine(),
            known: None,
            is_chance: game.roles().map(|role| game.is_random(role)).collect(),
            game: game.clone(),
            role,
            settings,
            tree: Tree::default(),
            plan: None,
            winner: None,
            flat: None,
            others,
            rng,
        }
    }

    /// Adds knowledge beyond the rules.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> Mcts {
        let others = self.others.into_iter();
        self.others = others.map(|other| other.with_knowledge(knowledge.another())).collect();
        for worker in &mut self.workers {
            let own = knowledge.another();
            (worker.evaluator, worker.advisor) = (own.evaluator, own.advisor);
        }
        self.known = knowledge.known;
        self
    }

    /// Whether more search from a state would change nothing: its goals are proved, or, in a single-player game, a line
    /// to the full goal is known.
    pub fn is_solved(&self, state: &State) -> bool {
        let is_proved = |root| self.tree.get(root).proved.is_some();
        self.plan.as_ref().is_some_and(|plan| plan.score == 100) || self.tree.find(state).is_some_and(is_proved)
    }

    /// Makes a state the root. Drops the nodes that cannot be reached from it.
    fn go_to(&mut self, state: &State, budget: &Budget) -> NodeId {
        self.plan = self.plan.take().and_then(|plan| plan.from(state, &mut *self.machine));
        match self.tree.find(state) {
            Some(known) => {
                let affordable = |left: Duration| (left.as_secs_f64() * KEEPING_SHARE / KEEPING) as usize;
                let most = budget.time_left().map_or(usize::MAX, affordable);
                self.tree.keep(known, most.max(1))
            }
            None => {
                std::mem::take(&mut self.tree).discard();
                self.machine.load(state);
                self.tree.add(&mut *self.machine)
            }
        }
    }

    /// Searches; returns the number of playouts and why it stopped.
    fn search(&mut self, root: NodeId, budget: &Budget) -> (u64, StopReason) {
        let mut shared = Shared::new(std::mem::take(&mut self.tree), root);
        shared.plan = self.plan.take();
        let node = shared.tree.get(root);
        let moves = node.legal.get(self.role);
        let moves = moves.map_or(0, |legal| legal.moves.len());
        // Halving drops moves, which a mixed strategy needs.
        let simultaneous = &self.settings.simultaneous;
        let is_mixed = simultaneous.regret_at(node, &self.is_chance).is_some();
        if self.settings.selection.halving && moves > 1 && !is_mixed {
            shared.halving = Some(Halving::new(moves, budget, &mut self.rng));
        }
        let shared = Mutex::new(shared);
        let search = Search {
            shared: &shared,
            settings: &self.settings,
            known: self.known.as_deref(),
            is_chance: &self.is_chance,
            role: self.role,
            first_round: first_round(&self.game),
            budget,
        };
        match &mut self.workers[..] {
            [worker] => search.run(worker),
            workers => std::thread::scope(|scope| {
                for worker in workers {
                    scope.spawn(|| search.run(worker));
                }
            }),
        }
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.tree = shared.tree;
        self.plan = shared.plan;
        self.winner = shared.halving.and_then(|halving| halving.winner());
        (shared.finished, shared.stop.unwrap_or(StopReason::Iterations))
    }

    /// A node as the searching role sees it.
    fn view(&self, root: NodeId) -> RoleView<'_> {
        RoleView {
            tree: &self.tree,
            root,
            role: self.role,
        }
    }

    /// Decides with this tree alone.
    fn decide_alone(&mut self, state: &State, budget: &Budget) -> Decision {
        let root = self.go_to(state, budget);
        let legal = self.tree.get(root).legal.get(self.role);
        if let Some([only]) = legal.map(|legal| &legal.moves[..]) {
            // Whatever the others choose, there is nothing to decide.
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        for worker in &mut self.workers {
            worker.policies.fade(self.settings.playout.keep);
        }
        let (playouts, stop) = self.search(root, budget);
        let moves = self.view(root).statistics();
        let (best, more) = self.final_move(root, &moves, budget, playouts);
        let choice = moves[best].move_id;
        let planned = self.plan.as_ref().filter(|plan| plan.first() == Some(choice));
        Decision {
            value: planned.map(|plan| f64::from(plan.score)).or(moves[best].value),
            line: self.view(root).line(choice),
            nodes: self.tree.len() as u64,
            memory: self.tree.bytes(),
            playouts: playouts + more,
            moves,
            ..Decision::without_search(choice, stop)
        }
    }
}

impl Searcher for Mcts {
    fn prepare(&mut self, state: &State, budget: &Budget) {
        // Skip pre-game search under an iteration budget, so that results stay reproducible.
        if budget.deadline().is_some() {
            self.on_all_trees(budget, |search, budget| {
                let root = search.go_to(state, budget);
                let (_, stop) = search.search(root, budget);
                Decision::without_search(MoveId(0), stop)
            });
        }
    }

    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        match self.others.is_empty() {
            true => self.decide_alone(state, budget),
            false => self.decide_together(state, budget),
        }
    }
}

#[cfg(test)]
mod tests;
