//! Regret minimisation on the graph of the game, which goes along with the match.
//!
//! Where the whole graph fits into the time there is before the match, it is solved as a whole, and every move goes on
//! from what was learnt. Elsewhere the graph goes as deep as there is time for, leaves are valued by playouts, and it grows
//! anew after every move. The move to make is drawn from the average strategy.

use super::graph::{GraphSettings, JOINT_MOVES_A_SECOND, NODES_A_SECOND, affordable_iterations};
use super::support::{Fallback, hidden_or_chance, mixture, only_move, threads};
use super::{AgentKind, AgentSettings};
use crate::agent::{Agent, Place};
use crate::settings::{NoneAt, OneOf, choice, settings};
use crate::view::Position;
use ludens_budget::{Budget, StopReason};
use ludens_engine::{Game, MoveId, Rng, State};
use ludens_equilibrium::{EquilibriumError, Estimation, Settings, Solver, SolverSettings, Variant, draw};
use ludens_search::Decision;
use std::time::{Duration, Instant};

pub(super) const AGENT: AgentKind = AgentKind {
    name: "cfr",
    summary: "counterfactual regret minimisation on the game graph, whole or to some depth; plays a mixed strategy",
    default: || Box::<CfrSettings>::default(),
};

settings! {
    /// Settings of regret minimisation.
    pub(super) struct CfrSettings {
        /// variant of regret minimisation
        algorithm: Variant = Variant::Plus, OneOf;
        /// depth of the game graph in steps (0 = to the end if that fits, else as deep as time allows)
        depth: Option<usize> = None, NoneAt(0, 0..=10_000);
        /// maximum number of playouts per leaf, where the graph does not reach the end
        playouts: u32 = 1000, 1..=10_000;
        ..graph: GraphSettings;
    }
}

choice! {
    impl Variant {
        /// CFR as first published: all iterations weigh the same
        "cfr" = Variant::Vanilla;
        /// CFR+: regrets never fall below zero, later iterations weigh more
        "plus" = Variant::Plus;
        /// predictive CFR+: guesses the next regrets
        "predictive" = Variant::Predictive;
        /// linear CFR: an iteration weighs as much as its number
        "linear" = Variant::Linear;
        /// discounted CFR: old regrets fade
        "discounted" = Variant::DISCOUNTED;
    }
}

impl AgentSettings for CfrSettings {
    fn create(&self, place: &Place) -> Box<dyn Agent> {
        Box::new(CfrAgent::new(place, self.clone()))
    }

    fn accepts(&self, game: &Game) -> Result<(), String> {
        hidden_or_chance(game).map_err(|why| format!("{why}, so that it searches as uct(simultaneous=regret) does"))
    }
}

/// The shares of the time that may go into growing the whole graph, into growing one of some depth if that failed, and
/// into playouts; the rest is for iterations.
const WHOLE_SHARE: f64 = 0.3;
const DEPTH_SHARE: f64 = 0.2;
const PLAYOUT_SHARE: f64 = 0.3;
/// Minimum number of playouts for each leaf at which a greater depth pays.
const WORTHWHILE: f64 = 50.0;
/// Playouts for all leaves together where no clock limits the time.
const UNTIMED_PLAYOUTS: u32 = 100_000;
/// Joint moves that are looked at before the clock is.
const LOOKS: u64 = 200_000;
/// Iterations that a graph should get within the time, for its depth to be worth it, and joint moves that they look at in
/// a second at least.
const WORTHWHILE_ITERATIONS: f64 = 50.0;
const LOOKS_A_SECOND: f64 = 150_000_000.0;
/// Minimum time for growing a graph.
const LEAST: Duration = Duration::from_millis(4);

pub(super) struct CfrAgent {
    place: Place,
    settings: CfrSettings,
    solver: Option<Solver>,
    /// The state that the graph of the solver begins with.
    root: Option<State>,
    /// Matches can come back to states, or there are too many of them for the time, so that a whole graph is not tried
    /// for again. Looking ahead from later states may find all that is left all the same.
    has_no_whole: bool,
    /// Why there cannot be a graph at all.
    obstacle: Option<String>,
    search: Fallback,
    /// Longest time of an iteration, if iterations take long.
    slowest: Duration,
    rng: Rng,
}

impl CfrAgent {
    pub(super) fn new(place: &Place, settings: CfrSettings) -> CfrAgent {
        CfrAgent {
            place: place.clone(),
            settings,
            solver: None,
            root: None,
            has_no_whole: false,
            obstacle: None,
            search: Fallback::mixing(place),
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

    fn solver_settings(&self) -> SolverSettings {
        let threads = threads(self.settings.graph.threads);
        SolverSettings {
            cfr: Settings {
                variant: self.settings.algorithm,
                threads,
                ..Settings::default()
            },
            estimation: Estimation {
                most: self.settings.playouts,
                seed: self.place.seed,
                threads,
                ..Estimation::default()
            },
            ..SolverSettings::default()
        }
    }

    /// Returns the number of states that are affordable within the `whole` budget of the decision.
    fn affordable(&self, state: &State, whole: &Budget) -> u64 {
        self.settings.graph.affordable_states(&self.place.game, state, whole)
    }

    /// Grows the graph from a state on to a depth, or to the ends; what was learned before is kept. What goes wrong leaves
    /// the graph as it is.
    fn grow(
        &mut self,
        state: &State,
        depth: Option<usize>,
        nodes: u64,
        budget: &Budget,
    ) -> Result<(), EquilibriumError> {
        let budget = &self.settings.graph.bounded(budget, nodes);
        let options = self.settings.graph.options(depth);
        match &mut self.solver {
            Some(solver) => {
                let before = solver.graph().transitions().max(1);
                solver.regrow(state, &options, budget)?;
                let ratio = solver.graph().transitions() as f64 / before as f64;
                self.slowest = self.slowest.mul_f64(ratio.min(100.0));
            }
            None => {
                let settings = self.solver_settings();
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
        let [whole, deep] = [WHOLE_SHARE, WHOLE_SHARE + DEPTH_SHARE].map(|part| budget.share(part));
        let wanted = self.settings.depth;
        if wanted.is_none() && !self.has_no_whole {
            let nodes = self.affordable(state, budget);
            match self.grow(state, None, nodes, &whole) {
                Err(EquilibriumError::Cycles { .. }) => {}
                Err(other) => return Err(other),
                Ok(()) if self.is_whole() && self.is_worthwhile(time) => return Ok(()),
                Ok(()) => {}
            }
        }
        self.has_no_whole = true;
        self.deepen(state, wanted, budget, &deep)?;
        if let Some(solver) = &mut self.solver {
            let left = PLAYOUT_SHARE / (1.0 - WHOLE_SHARE - DEPTH_SHARE);
            solver.estimate(&budget.share(left))?;
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
        // The graph from the previous state covers this one already.
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
                _ => f64::from(UNTIMED_PLAYOUTS / self.settings.playouts.min(100)),
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
            // The graph from an earlier state may cover this one.
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

    /// Returns a move drawn from the average strategy in a state; `None` if the graph does not have it.
    fn drawn(&mut self, state: &State, iterations: u64, budget: &Budget) -> Option<Decision> {
        let solver = self.solver.as_ref()?;
        let (graph, role) = (solver.graph(), self.place.role.index());
        let node = graph.find(state).filter(|&node| !graph.moves(node, role).is_empty())?;
        let strategy = solver.cfr().average(graph).mixture(graph, node, role);
        let (moves, probabilities): (Vec<MoveId>, Vec<f64>) = strategy.into_iter().unzip();
        let choice = moves[draw(&probabilities, &mut self.rng)];
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
            moves: mixture(&moves, &probabilities),
            nodes: graph.len() as u64,
            memory: graph.bytes() as u64,
            playouts: solver.leaves().playouts(),
            note: Some(note),
            ..Decision::without_search(choice, stop)
        })
    }
}

impl Agent for CfrAgent {
    fn prepare(&mut self, start: &Position, budget: &Budget) {
        self.think(start.state(), budget);
        if self.solver.is_none() {
            self.search.prepare(start.state(), budget);
        }
    }

    fn choose(&mut self, view: &Position, budget: &Budget) -> Decision {
        if let Some(decision) = only_move(&self.place, view.state()) {
            return decision;
        }
        let iterations = self.think(view.state(), budget);
        self.drawn(view.state(), iterations, budget).unwrap_or_else(|| {
            let why = self.obstacle.as_deref().unwrap_or("there was no time to grow a graph");
            self.search.decide(view.state(), budget, why)
        })
    }
}
