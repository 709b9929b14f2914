//! Monte Carlo tree search.
//!
//! One searcher for all games: any number of roles, in turns or at the same time. Every role keeps its own statistics
//! and chooses by UCB, without regard to what the others choose at the same time ("decoupled"); where only one role has a
//! choice that is ordinary UCT (Kocsis and Szepesvári, 2006). States that are reached in several ways share a node, what
//! is proved by the solver (Winands and others, 2008, here for goals of any kind) is not explored any more, and the tree
//! is kept from one move to the next.
//!
//! Everything beyond that is a part that can be switched on by the [`Settings`] and combined with the others: how moves
//! are chosen in playouts (`policy`), statistics over all moves of a playout (`amaf`), halving at the root (`root`),
//! regret matching where several roles choose (`regret`), plans in games with one role (`plan`), and [`Knowledge`] from
//! outside.

mod amaf;
mod credit;
mod final_move;
mod findings;
mod hope;
mod matches;
mod plan;
mod policy;
mod prove;
mod regret;
mod root;
mod select;
mod settings;
mod shared;
mod tree;
mod twins;
mod walk;

use crate::bandit::first_round;
use crate::decision::{Decision, MoveStatistics};
use crate::pace::Pace;
use crate::searcher::Searcher;
use findings::Findings;
use hope::{Hope, Prospects};
use ludens_budget::{Budget, StopReason};
use ludens_engine::knowledge::{Advisor, Evaluator, Knowledge, Known};
use ludens_engine::{Game, Machine, MoveId, Playouts, Rng, Role, State};
use plan::Plan;
use policy::Policy;
use root::Halving;
pub use settings::{
    BackupSettings, Draw, ExpansionSettings, PLAYOUT_POLICIES, ParallelSettings, PlayoutPolicy, PlayoutSettings,
    PolicyEntry, PriorSettings, Rave, SelectionSettings, Settings, Simultaneous, SimultaneousSettings,
    SinglePlayerSettings,
};
use shared::{Parts, Shared, lock};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tree::{NodeId, Tree};
use walk::Walk;

/// The share of the time for a move that may go into keeping what is known from the moves before, and what a node takes, in
/// seconds.
const KEEPING_SHARE: f64 = 0.25;
const KEEPING: f64 = 5e-7;

/// Monte Carlo tree search for one role.
pub struct Mcts {
    game: Game,
    role: Role,
    settings: Settings,
    is_chance: Vec<bool>,
    machine: Box<dyn Machine>,
    known: Option<Arc<dyn Known>>,
    workers: Vec<Worker>,
    tree: Tree,
    /// The best line, where there is one role.
    plan: Option<Plan>,
    /// What was left of the moves at the root after the last search by rounds.
    winner: Option<u32>,
    /// Made when it is needed first.
    hope: Option<Hope>,
    /// Searchers of the same kind for the other threads, where each has a tree of its own.
    twins: Vec<Mcts>,
    rng: Rng,
}

/// What each thread of a search needs for itself.
struct Worker {
    machine: Box<dyn Machine>,
    playouts: Box<dyn Playouts>,
    pace: Pace,
    policy: Policy,
    evaluator: Option<Box<dyn Evaluator>>,
    advisor: Option<Box<dyn Advisor>>,
    rng: Rng,
}

impl Mcts {
    /// For a role.
    pub fn new(game: &Game, role: Role, settings: Settings, seed: u64) -> Mcts {
        let mut rng = Rng::with_seed(seed);
        let threads = settings.parallel.threads.max(1);
        let (workers, trees) = match settings.parallel.shared_tree {
            true => (threads, 1),
            false => (1, threads),
        };
        let mut alone = settings;
        alone.parallel.threads = 1;
        alone.expansion.max_nodes = (alone.expansion.max_nodes / trees).max(1);
        let twins = (1..trees)
            .map(|_| Mcts::new(game, role, alone.clone(), rng.u64(..)))
            .collect();
        let mut settings = alone;
        settings.parallel.threads = threads;
        let worker = |_| {
            let playouts = game.engine().playouts();
            Worker {
                machine: game.machine(),
                pace: Pace::new(playouts.sizes()),
                playouts,
                policy: Policy::new(game, &settings),
                evaluator: None,
                advisor: None,
                rng: rng.fork(),
            }
        };
        Mcts {
            workers: (0..workers).map(worker).collect(),
            machine: game.machine(),
            known: None,
            is_chance: game.roles().map(|role| game.is_random(role)).collect(),
            game: game.clone(),
            role,
            settings,
            tree: Tree::default(),
            plan: None,
            winner: None,
            hope: None,
            twins,
            rng,
        }
    }

    /// With knowledge beyond the rules.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> Mcts {
        let twins = self
            .twins
            .drain(..)
            .map(|twin| twin.with_knowledge(knowledge.another()));
        self.twins = twins.collect();
        for worker in &mut self.workers {
            let own = knowledge.another();
            (worker.evaluator, worker.advisor) = (own.evaluator, own.advisor);
        }
        self.known = knowledge.known;
        self
    }

    /// Whether more search from a state would change nothing: its goals are proved, or, in a game with one role, a line
    /// to the full goal is known.
    pub fn is_solved(&self, state: &State) -> bool {
        let is_proved = |root| self.tree.get(root).proved.is_some();
        self.plan.as_ref().is_some_and(|plan| plan.score == 100) || self.tree.find(state).is_some_and(is_proved)
    }

    /// The node of a state; what cannot be reached from it any more is dropped.
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

    /// Searches; gives the number of playouts and what ended it.
    fn search(&mut self, root: NodeId, budget: &Budget) -> (u64, StopReason) {
        let mut shared = Shared::new(std::mem::take(&mut self.tree), root);
        shared.plan = self.plan.take();
        let node = shared.tree.get(root);
        let moves = node.choices.get(self.role.index());
        let moves = moves.map_or(0, |choice| choice.moves.len());
        // What is to be mixed must not be dropped.
        let is_mixed = matches!(self.settings.simultaneous.rule, Simultaneous::Regret { .. })
            && node.is_contested(&self.is_chance);
        if self.settings.selection.halving && moves > 1 && !is_mixed {
            shared.halving = Some(Halving::new(moves, budget, &mut self.rng));
        }
        let shared = Mutex::new(shared);
        let job = Job {
            shared: &shared,
            settings: &self.settings,
            known: self.known.as_deref(),
            is_chance: &self.is_chance,
            role: self.role.index(),
            first: first_round(&self.game),
            budget,
        };
        match &mut self.workers[..] {
            [worker] => job.run(worker),
            workers => std::thread::scope(|scope| {
                for worker in workers {
                    scope.spawn(|| job.run(worker));
                }
            }),
        }
        let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.tree = shared.tree;
        self.plan = shared.plan;
        self.winner = shared.halving.and_then(|halving| halving.winner());
        (shared.finished, shared.stop.unwrap_or(StopReason::Iterations))
    }

    /// What the tree says about a node.
    fn findings(&self, root: NodeId) -> Findings<'_> {
        Findings {
            tree: &self.tree,
            root,
            role: self.role.index(),
        }
    }

    /// Index of the move to make, and the playouts it took to break a tie: the proved best if the root is solved,
    /// otherwise the final move selection. With regret matching the move is drawn from the average strategy.
    fn best(&mut self, root: NodeId, moves: &[MoveStatistics], budget: &Budget, spent: u64) -> (usize, u64) {
        if self.findings(root).average().is_some() {
            let place = regret::draw(moves.iter().map(|known| known.probability), &mut self.rng);
            return (place.unwrap_or(0), 0);
        }
        let proved = self.tree.get(root).proved.as_ref();
        let proved = proved.map(|scores| scores[self.role.index()]);
        if let Some(goal) = proved {
            let findings = self.findings(root);
            // A mean can look as good as a proof.
            let mut equal: Vec<usize> = (0..moves.len()).collect();
            equal.retain(|&place| findings.certain(place) == Some(goal));
            match equal[..] {
                [] => {}
                [only] => return (only, 0),
                _ => return self.most_hopeful(root, moves, &equal, goal, budget, spent),
            }
        }
        // A planned line reaches its score; a winner of halving is what its rounds left. Neither outweighs a proof.
        let place_of = |id: MoveId| moves.iter().position(|known| known.move_id == id);
        let plan = self.plan.as_ref().filter(|_| proved.is_none());
        let planned = plan.and_then(|plan| Some((place_of(plan.first()?)?, f64::from(plan.score))));
        let best_proved = moves.iter().filter_map(|known| known.value.filter(|_| known.proved));
        let best_proved = best_proved.fold(f64::NEG_INFINITY, f64::max);
        if let Some((place, _)) = planned.filter(|&(_, score)| score >= best_proved) {
            return (place, 0);
        }
        let winner = self.winner.map(|place| place as usize).filter(|_| proved.is_none());
        if let Some(place) = winner.filter(|&place| !final_move::is_refuted(moves, place)) {
            return (place, 0);
        }
        let equal = final_move::candidates(moves);
        let chosen = self.rng.usize(..equal.len().max(1));
        (equal.get(chosen).copied().unwrap_or(0), 0)
    }

    /// One of several moves that are all proved to bring the same goal; and how many playouts it took to choose it.
    fn most_hopeful(
        &mut self,
        root: NodeId,
        moves: &[MoveStatistics],
        equal: &[usize],
        goal: u8,
        budget: &Budget,
        spent: u64,
    ) -> (usize, u64) {
        if goal == 100 {
            return (equal[0], 0);
        }
        let root = self.tree.get(root);
        let mut prospects = Prospects::new(&self.tree, self.role.index());
        let hopes = equal.iter().map(|&place| prospects.of(root.child(place as u64)?));
        if let Some(hopes) = hopes.collect::<Option<Vec<f64>>>() {
            return (equal[crate::bandit::best(hopes.into_iter(), &mut self.rng)], 0);
        }
        if budget.stop(spent).is_none() {
            let hope = self.hope.get_or_insert_with(|| Hope::new(&self.game, self.role));
            let steps = self.settings.playout.max_steps;
            let (means, playouts) = hope.compare(&root.state, equal, steps, budget, spent, &mut self.rng);
            return (equal[crate::bandit::best(means.into_iter(), &mut self.rng)], playouts);
        }
        let visits = equal.iter().map(|&place| moves[place].visits as f64);
        (equal[crate::bandit::best(visits, &mut self.rng)], 0)
    }
}

/// A search, as all its threads see it.
struct Job<'a> {
    shared: &'a Mutex<Shared>,
    settings: &'a Settings,
    known: Option<&'a dyn Known>,
    is_chance: &'a [bool],
    role: usize,
    /// Playouts of the first rounds.
    first: u64,
    budget: &'a Budget,
}

impl Job<'_> {
    /// What one thread does.
    fn run(&self, worker: &mut Worker) {
        let mut walk = Walk::new(
            self.shared,
            Parts {
                machine: &mut *worker.machine,
                policy: &mut worker.policy,
                evaluator: worker.evaluator.as_mut(),
                advisor: worker.advisor.as_mut(),
                known: self.known,
                settings: self.settings,
                is_chance: self.is_chance,
                role: self.role,
                budget: self.budget,
                rng: worker.rng.fork(),
            },
        );
        while let Some(quota) = self.quota(&worker.pace) {
            let start = Instant::now();
            walk.begin_round(quota);
            worker
                .playouts
                .run(&mut worker.rng, self.settings.playout.max_steps, &mut walk);
            walk.let_go();
            if walk.round_played {
                worker.pace.note(quota, start.elapsed(), walk.under_way > 0);
            }
            self.budget.report(|| findings::snapshot(&lock(self.shared), self.role));
        }
    }

    /// How many playouts a thread may start on what is known now; nothing if the search is over.
    fn quota(&self, pace: &Pace) -> Option<u64> {
        let mut shared = lock(self.shared);
        if self.budget.is_spent() && shared.stop.is_none() {
            shared.stop = self.budget.stop(shared.iterations).or(Some(StopReason::Deadline));
        }
        // At first results come back before much is started on what little is known.
        let mut quota = (shared.finished / 2)
            .max(self.first)
            .clamp(1, self.settings.playout.in_flight);
        if let Some(left) = self.budget.time_left() {
            quota = pace.fitting(quota, left);
        }
        if let Some(mut halving) = shared.halving.take() {
            if halving.is_round_over(shared.iterations) {
                let arms = &shared.tree.get(shared.root).choices[self.role].arms;
                let rank = |place: u32| arms[place as usize].mean().unwrap_or(-1.0);
                if halving.end_round(rank) && shared.stop.is_none() {
                    shared.stop = self.budget.stop(shared.iterations).or(Some(StopReason::Iterations));
                }
            }
            quota = halving
                .open(shared.iterations)
                .map_or(quota, |open| quota.min(open.max(1)));
            shared.halving = Some(halving);
        }
        shared.stop.is_none().then_some(quota)
    }
}

impl Mcts {
    /// Lets all twins do something at the same time, and gives what they come to, the own first.
    fn all_at_once(&mut self, budget: &Budget, work: impl Fn(&mut Mcts, &Budget) -> Decision + Sync) -> Vec<Decision> {
        let count = self.twins.len() as u64 + 1;
        let mut twins = std::mem::take(&mut self.twins);
        let is_solved = Arc::new(AtomicBool::new(false));
        let budget = match budget.deadline() {
            // What is proved in one tree need not be looked for in the others.
            Some(_) => budget.or_cancelled(is_solved.clone()),
            // Counts are to be spent alike every time.
            None => budget.clone(),
        };
        let run = |search: &mut Mcts, number: u64| {
            let share = budget.part(number, count);
            let share = if number == 0 { share } else { share.unobserved() };
            let decision = work(search, &share);
            if decision.stop == StopReason::Solved {
                is_solved.store(true, Ordering::Relaxed);
            }
            decision
        };
        let run = &run;
        let decisions = std::thread::scope(|scope| {
            let others: Vec<_> = (1..)
                .zip(&mut twins)
                .map(|(number, twin)| scope.spawn(move || run(twin, number)))
                .collect();
            let own = run(self, 0);
            // A thread that panicked has nothing to say.
            std::iter::once(own)
                .chain(others.into_iter().filter_map(|other| other.join().ok()))
                .collect()
        });
        self.twins = twins;
        decisions
    }

    /// Decides with the own tree.
    fn decide_alone(&mut self, state: &State, budget: &Budget) -> Decision {
        let root = self.go_to(state, budget);
        let node = self.tree.get(root);
        let moves = &node
            .choices
            .get(self.role.index())
            .map_or(&[][..], |choice| &choice.moves);
        if let [only] = moves[..] {
            // Others may think meanwhile; there is nothing to find out for this role that cannot wait.
            return Decision::without_search(only, StopReason::OnlyMove);
        }
        for worker in &mut self.workers {
            worker.policy.fade(self.settings.playout.keep);
        }
        let (playouts, stop) = self.search(root, budget);
        let moves = self.findings(root).statistics();
        let (best, more) = self.best(root, &moves, budget, playouts);
        let choice = moves[best].move_id;
        let planned = self.plan.as_ref().filter(|plan| plan.first() == Some(choice));
        Decision {
            value: planned.map(|plan| f64::from(plan.score)).or(moves[best].value),
            line: self.findings(root).line(choice),
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
        // Without a deadline the start is no gift of time.
        if budget.deadline().is_some() {
            self.all_at_once(budget, |search, budget| {
                let root = search.go_to(state, budget);
                let (_, stop) = search.search(root, budget);
                Decision::without_search(MoveId(0), stop)
            });
        }
    }

    fn decide(&mut self, state: &State, budget: &Budget) -> Decision {
        if self.twins.is_empty() {
            return self.decide_alone(state, budget);
        }
        let decisions = self.all_at_once(budget, |search, budget| search.decide_alone(state, budget));
        let root = self.tree.find(state);
        let is_mixed = root.is_some_and(|root| self.findings(root).average().is_some());
        twins::together(decisions, is_mixed, &mut self.rng)
    }
}

#[cfg(test)]
mod tests;
