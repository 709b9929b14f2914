//! Regret minimisation on the graph of the game, which goes along with the match.
//!
//! Where the whole graph fits into the time there is before the match, it is solved as a whole, and every move goes on
//! from what was learnt. Elsewhere the graph goes as deep as there is time for, leaves are valued by playouts, and it grows
//! anew after every move. The move to make is drawn from the average strategy.

use super::AgentKind;
use super::against::{JOINT_MOVES_A_SECOND, MEMORY, NODES_A_SECOND, STATES, affordable_states, fallback};
use super::uct::{THREADS, threads};
use crate::agent::{Agent, Place};
use crate::settings::{Alternative, Kind, Setting, Values};
use crate::view::View;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Rng, State};
use ludens_equilibrium::{
    EquilibriumError, Estimation, Graph, GraphOptions, Settings, Solver, SolverSettings, Variant, draw,
};
use ludens_search::mcts::Mcts;
use ludens_search::{Decision, MoveStatistics, Searcher};
use std::time::{Duration, Instant};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "cfr",
    summary: "counterfactual regret minimisation on the graph of the game, whole or some steps deep; mixes its moves",
    settings: &[ALGORITHM, DEPTH, PLAYOUTS, STATES, MEMORY, THREADS],
    create: |place, values| Box::new(CfrAgent::new(place, values)),
};

const ALGORITHM: Setting = Setting {
    name: "algorithm",
    help: "how regrets are minimised",
    kind: Kind::Choice {
        options: &[
            Alternative {
                name: "cfr",
                help: "as first published: all iterations count alike",
                settings: &[],
            },
            Alternative {
                name: "plus",
                help: "CFR+: regrets never fall below zero, later iterations count more",
                settings: &[],
            },
            Alternative {
                name: "predictive",
                help: "CFR+ that guesses the next regrets",
                settings: &[],
            },
            Alternative {
                name: "linear",
                help: "iterations count as much as their number",
                settings: &[],
            },
            Alternative {
                name: "discounted",
                help: "old regrets fade",
                settings: &[],
            },
        ],
        default: "plus",
    },
};

const DEPTH: Setting = Setting {
    name: "depth",
    help: "steps that the graph goes ahead; 0: to the ends if that fits, else as far as there is time for",
    kind: Kind::Integer {
        min: 0,
        max: 10_000,
        default: 0,
    },
};

const PLAYOUTS: Setting = Setting {
    name: "playouts",
    help: "playouts for each leaf at most, where the graph does not go to the ends",
    kind: Kind::Integer {
        min: 1,
        max: 10_000,
        default: 1000,
    },
};

/// The shares of the time that may go into growing the whole graph, into growing one of some depth if that failed, and
/// into playouts; what is left is for iterations.
const WHOLE_SHARE: f64 = 0.3;
const DEPTH_SHARE: f64 = 0.2;
const PLAYOUT_SHARE: f64 = 0.3;
/// Playouts that a leaf should get at least, for the depth to be worth it.
const WORTHWHILE: f64 = 50.0;
/// Playouts for all leaves together where no clock limits the time.
const UNTIMED_PLAYOUTS: usize = 100_000;
/// Joint moves that are looked at for a move where no clock limits the time: an iteration looks at all of the graph, while
/// with other agents it plays about one match.
const UNTIMED_WORK: u64 = 1_000_000_000;
/// Joint moves that are looked at before the clock is.
const LOOKS: u64 = 200_000;
/// Iterations that a graph should get within the time, for its depth to be worth it, and joint moves that they look at in
/// a second at least.
const WORTHWHILE_ITERATIONS: f64 = 50.0;
const LOOKS_A_SECOND: f64 = 150_000_000.0;
/// Less time than this is not worth growing a graph in.
const LEAST: Duration = Duration::from_millis(4);

pub(super) struct CfrAgent {
    place: Place,
    values: Values,
    solver: Option<Solver>,
    /// The state that the graph of the solver begins with.
    root: Option<State>,
    /// Matches can come back to states, or there are too many of them for the time, so that a whole graph is not tried
    /// for again. Looking ahead from later states may find all that is left all the same.
    has_no_whole: bool,
    /// Why there cannot be a graph at all.
    obstacle: Option<String>,
    search: Option<Mcts>,
    /// What an iteration took at most, where it takes long.
    slowest: Duration,
    rng: Rng,
}

impl CfrAgent {
    pub(super) fn new(place: &Place, values: &Values) -> CfrAgent {
        CfrAgent {
            place: place.clone(),
            values: values.clone(),
            solver: None,
            root: None,
            has_no_whole: false,
            obstacle: None,
            search: None,
            slowest: Duration::ZERO,
            rng: Rng::with_seed(place.seed),
        }
    }

    /// Whether the whole graph from a state on can be had, and what one role gets the other does not: then it can be
    /// solved. If not, little of the time was used to find that out.
    pub(super) fn solves(&mut self, state: &State, budget: &Budget) -> bool {
        let nodes = self.affordable(state, budget);
        let is_grown = self.grow(state, None, nodes, &budget.share(WHOLE_SHARE)).is_ok();
        let sum = self.solver.as_ref().and_then(|solver| solver.graph().sum());
        is_grown && self.is_whole() && sum.is_some()
    }

    fn settings(&self) -> SolverSettings {
        let threads = threads(&self.values);
        SolverSettings {
            cfr: Settings {
                variant: match self.values.choice("algorithm").0 {
                    "cfr" => Variant::Vanilla,
                    "predictive" => Variant::Predictive,
                    "linear" => Variant::Linear,
                    "discounted" => Variant::DISCOUNTED,
                    _ => Variant::Plus,
                },
                threads,
                ..Settings::default()
            },
            estimation: Estimation {
                most: self.values.count("playouts") as u32,
                seed: self.place.seed,
                threads,
                ..Estimation::default()
            },
            ..SolverSettings::default()
        }
    }

    /// The states that are affordable within the `whole` budget of the decision.
    fn affordable(&self, state: &State, whole: &Budget) -> u64 {
        affordable_states(&self.place.game, state, &self.values, whole) as u64
    }

    /// Grows the graph from a state on to a depth, or to the ends; what was learnt before is kept. What goes wrong leaves
    /// the graph as it is.
    fn grow(
        &mut self,
        state: &State,
        depth: Option<usize>,
        nodes: u64,
        budget: &Budget,
    ) -> Result<(), EquilibriumError> {
        let memory = (self.values.count("memory") as u64) << 20;
        let budget = &budget.clone().with_nodes(nodes).with_bytes(memory);
        let options = GraphOptions {
            depth,
            threads: threads(&self.values),
            unroll: false,
        };
        match &mut self.solver {
            Some(solver) => {
                let before = solver.graph().transitions().max(1);
                solver.regrow(state, &options, budget)?;
                let ratio = solver.graph().transitions() as f64 / before as f64;
                self.slowest = self.slowest.mul_f64(ratio.min(100.0));
            }
            None => {
                let settings = self.settings();
                let solver = Solver::new(&self.place.game, state, &options, settings, budget)?;
                self.solver = Some(solver);
            }
        }
        self.root = Some(state.clone());
        Ok(())
    }

    /// Sees to a graph for a state: whole if that can be, else as deep as there is time for.
    fn prepare_graph(&mut self, state: &State, budget: &Budget) -> Result<(), EquilibriumError> {
        let time = budget.time_left();
        if time.is_some_and(|time| time < LEAST) {
            return Ok(());
        }
        if self.is_whole() {
            let graph = self.solver.as_ref().map(|solver| solver.graph());
            let (nodes, joint_moves) = graph.map_or((0, 0), |graph| (graph.len(), graph.transitions()));
            let cost = nodes as f64 / NODES_A_SECOND + joint_moves as f64 / JOINT_MOVES_A_SECOND;
            let cost = Duration::from_secs_f64(cost);
            if self.root.as_ref() == Some(state) {
                return Ok(());
            }
            if time.is_some_and(|time| cost > time.mul_f64(WHOLE_SHARE)) {
                if let Some(solver) = &mut self.solver {
                    solver.focus(state);
                }
                return Ok(());
            }
            // The part that is left is smaller, so that iterations are faster.
            return self.grow(state, None, u64::MAX, budget);
        }
        let within = |share: f64| match time {
            Some(time) => budget.within(time.mul_f64(share)),
            None => budget.clone(),
        };
        let wanted = Some(self.values.count("depth")).filter(|&depth| depth > 0);
        if wanted.is_none() && !self.has_no_whole {
            let nodes = self.affordable(state, budget);
            match self.grow(state, None, nodes, &within(WHOLE_SHARE)) {
                Err(EquilibriumError::Cycles { .. }) => {}
                Err(other) => return Err(other),
                Ok(()) if self.is_whole() && self.is_worthwhile(time) => return Ok(()),
                Ok(()) => {}
            }
        }
        self.has_no_whole = true;
        self.deepen(state, wanted, budget, &within(WHOLE_SHARE + DEPTH_SHARE))?;
        if let (Some(solver), Some(left)) = (&mut self.solver, budget.time_left()) {
            let share = PLAYOUT_SHARE / (1.0 - WHOLE_SHARE - DEPTH_SHARE);
            solver.estimate(&budget.within(left.mul_f64(share)))?;
        } else if let Some(solver) = &mut self.solver {
            solver.estimate(budget)?;
        }
        Ok(())
    }

    /// Grows a graph step by step within `budget`, until it is as deep as is wanted or its leaves are too many for the
    /// playouts that fit into the `whole` budget of the decision.
    fn deepen(
        &mut self,
        state: &State,
        wanted: Option<usize>,
        whole: &Budget,
        budget: &Budget,
    ) -> Result<(), EquilibriumError> {
        let time = whole.time_left();
        // What was looked at from the state before is known already.
        let mut depth = self
            .solver
            .as_ref()
            .filter(|solver| !solver.leaves().is_empty() && solver.stop().is_none())
            .map_or(1, |solver| solver.depth().saturating_sub(1).max(1));
        let (mut was_good, mut is_going_back) = (false, false);
        let mut rate = None;
        loop {
            let nodes = self.affordable(state, whole);
            self.grow(state, Some(wanted.unwrap_or(depth)), nodes, budget)?;
            let Some(solver) = &mut self.solver else { return Ok(()) };
            let leaves = solver.leaves().len();
            if wanted.is_some() || leaves == 0 {
                return Ok(());
            }
            if let (None, Some(time)) = (rate, time) {
                // How fast playouts are is seen in the first ones.
                let (start, before) = (Instant::now(), solver.leaves().playouts());
                solver.estimate(&whole.within(time.mul_f64(0.05)))?;
                let made = (solver.leaves().playouts() - before) as f64;
                rate = Some(made / start.elapsed().as_secs_f64().max(1e-6));
            }
            let affordable = match (rate, time) {
                (Some(rate), Some(time)) => rate * PLAYOUT_SHARE * time.as_secs_f64() / WORTHWHILE,
                _ => (UNTIMED_PLAYOUTS / self.values.count("playouts").min(100)) as f64,
            };
            let is_too_far = solver.stop().is_some() || leaves as f64 > affordable || budget.is_spent();
            let is_too_far = is_too_far || !self.is_worthwhile(time);
            match (is_too_far, was_good) {
                (true, true) => {
                    // All of it is known, so it does not take long.
                    return self.grow(state, Some(depth - 1), u64::MAX, whole);
                }
                (true, false) if depth > 1 => {
                    depth -= 1;
                    is_going_back = true;
                }
                (true, false) => return Ok(()),
                (false, _) if is_going_back => return Ok(()),
                (false, _) => {
                    depth += 1;
                    was_good = true;
                }
            }
        }
    }

    /// Whether enough iterations on the graph fit into the time.
    fn is_worthwhile(&self, time: Option<Duration>) -> bool {
        let (Some(solver), Some(time)) = (&self.solver, time) else {
            return true;
        };
        let share = match solver.leaves().is_empty() {
            true => 1.0 - WHOLE_SHARE,
            false => 1.0 - WHOLE_SHARE - DEPTH_SHARE - PLAYOUT_SHARE,
        };
        let looks = solver.graph().transitions() as f64 * WORTHWHILE_ITERATIONS;
        looks <= time.as_secs_f64() * share * LOOKS_A_SECOND
    }

    fn is_whole(&self) -> bool {
        let solver = self.solver.as_ref();
        solver.is_some_and(|solver| solver.leaves().is_empty() && solver.stop().is_none())
    }

    /// Sees to a graph and learns on it.
    fn think(&mut self, state: &State, budget: &Budget) -> u64 {
        if self.obstacle.is_some() {
            return 0;
        }
        if let Err(error) = self.prepare_graph(state, budget) {
            // What cannot be grown from here may have been grown from before.
            if self
                .solver
                .as_ref()
                .is_none_or(|solver| solver.graph().find(state).is_none())
            {
                self.obstacle = Some(error.to_string());
                self.solver = None;
            }
        }
        let Some(solver) = &mut self.solver else { return 0 };
        let Some(deadline) = budget.deadline() else {
            let most = budget.most_iterations().unwrap_or(u64::MAX);
            let most = most.min(affordable_iterations(solver.graph()));
            return solver.iterate(most, budget).unwrap_or(0);
        };
        // Reading the average off takes a moment too, and so does an iteration on a large graph.
        let reading = Duration::from_nanos(solver.graph().entry_count() as u64 * 60);
        let reserve = Duration::from_millis(2) + reading + self.slowest;
        let budget = budget.until(deadline.checked_sub(reserve).unwrap_or(deadline));
        let mut iterations = 0;
        while !budget.is_spent() {
            let start = Instant::now();
            let many = (LOOKS / solver.graph().transitions().max(1) as u64).max(1);
            match solver.iterate(many, &budget) {
                Ok(made) if made > 0 => iterations += made,
                _ => break,
            }
            if many == 1 {
                self.slowest = self.slowest.max(start.elapsed());
            }
            if deadline.saturating_duration_since(Instant::now()) < self.slowest.mul_f64(1.5) + reading {
                break;
            }
        }
        iterations
    }

    /// A move drawn from what was learnt about a state; nothing if it is not in the graph.
    fn drawn(&mut self, state: &State, iterations: u64, budget: &Budget) -> Option<Decision> {
        let solver = self.solver.as_ref()?;
        let (graph, role) = (solver.graph(), self.place.role.index());
        let node = graph.find(state).filter(|&node| !graph.moves(node, role).is_empty())?;
        let mixture = solver.cfr().average(graph).mixture(graph, node, role);
        let probabilities: Vec<f64> = mixture.iter().map(|(_, probability)| *probability).collect();
        let choice = mixture[draw(&probabilities, &mut self.rng)].0;
        let reach = match self.is_whole() {
            true => "to the ends".to_string(),
            false if solver.depth() == 1 => "1 step ahead".to_string(),
            false => format!("{} steps ahead", solver.depth()),
        };
        let note = format!("a graph of {} states {reach}, {iterations} iterations", graph.len());
        let stop = budget.stop(iterations).unwrap_or(StopReason::Deadline);
        Some(Decision {
            value: solver
                .cfr()
                .last_values()
                .get(role)
                .copied()
                .filter(|_| node == solver.cfr().root() && iterations > 0),
            moves: mixture
                .iter()
                .map(|&(move_id, probability)| MoveStatistics {
                    move_id,
                    probability,
                    value: None,
                    proved: false,
                    visits: 0,
                })
                .collect(),
            nodes: graph.len() as u64,
            memory: graph.bytes() as u64,
            playouts: solver.leaves().playouts(),
            note: Some(note),
            ..Decision::without_search(choice, stop)
        })
    }

    fn search(&mut self) -> &mut Mcts {
        let place = &self.place;
        self.search.get_or_insert_with(|| fallback(place))
    }
}

/// Iterations on a graph that are made for a move at most, however many are allowed, where no clock limits the time.
pub(super) fn affordable_iterations(graph: &Graph) -> u64 {
    (UNTIMED_WORK / graph.transitions().max(1) as u64).max(1)
}

impl Agent for CfrAgent {
    fn prepare(&mut self, start: &View, budget: &Budget) {
        self.think(start.state(), budget);
        if self.solver.is_none() {
            self.search().prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &View, budget: &Budget) -> Decision {
        let mut machine = self.place.game.machine();
        machine.load(view.state());
        if let [only] = machine.legal(self.place.role) {
            return Decision::without_search(*only, StopReason::OnlyMove);
        }
        let iterations = self.think(view.state(), budget);
        match self.drawn(view.state(), iterations, budget) {
            Some(decision) => decision,
            None => {
                let obstacle = self.obstacle.clone();
                let why = obstacle.unwrap_or_else(|| "there was no time to grow a graph".to_string());
                let decision = self.search().decide(view.state(), budget);
                decision.with_note(Some(format!("searched instead, because {why}")))
            }
        }
    }
}
