//! Explicit solving: every state is stored by itself.
//!
//! `ludens_reach` enumerates the states, the compiled engine expanding them in batches, and `nodes` says what is noted
//! about each. Values are computed from the terminal states back (`backward`, or `simultaneous` if several roles choose
//! at once). Where most codes are reachable states, the code itself is the number of a state, and only its value is
//! stored (`dense`).

mod backward;
mod dense;
mod graph;
mod nodes;
mod outcomes;
mod saved;
mod simultaneous;
mod table;

pub use table::ExplicitSolution;

use crate::{Bucket, Method, Options, Report, SolveError};
use backward::Values;
use dense::Dense;
use graph::{Graph, Listed};
use ludens_budget::{Budget, Stopped};
use ludens_engine::Game;
use ludens_reach::{
    Coding, Edges, Enumeration, Limits, Monitor, Pause, Phase, ReachError, StateGraph, expand, in_pool,
};
use nodes::{Classifier, Nodes, Workers};
use num_bigint::BigUint;
use outcomes::{Outcomes, Preferences, UNKNOWN};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use table::{Content, Numbering};

/// Time for proofs about the game, from which codes are made.
const PROOFS: Duration = Duration::from_secs(10);
/// States are numbered with 32 bits.
const MOST_STATES: u64 = u32::MAX as u64 - 1;
/// Number of states that are found before the choice between `StateGraph` and `Dense`.
const SMALL: usize = 200_000;
/// States expanded before their successors are inserted.
const BATCH: usize = 1 << 15;
/// States expanded at once where edges are not stored.
const AT_ONCE: usize = 512;

/// Solves a game.
pub fn solve(
    game: &Game,
    options: &Options,
    budget: &Budget,
) -> Result<(Report, Option<ExplicitSolution>), SolveError> {
    in_pool(options.threads, || {
        let mut search = Search::begin(game, options, budget)?;
        search.go_on()?;
        Ok(search.end())
    })?
}

/// Solving under way.
pub(crate) struct Search<'a> {
    solver: Solver<'a>,
    found: Found,
    dense: Option<Dense>,
}

/// The states found so far.
struct Found {
    graph: StateGraph,
    nodes: Nodes,
    /// The bound that was met before all states were found, if any.
    stop: Option<Stopped>,
    /// Why values cannot be computed, if they cannot.
    unsolvable: Option<String>,
}

impl<'a> Search<'a> {
    /// Finds states until there are too many for a short trial.
    pub(crate) fn begin(game: &'a Game, options: &'a Options, budget: &'a Budget) -> Result<Search<'a>, SolveError> {
        crate::check(game)?;
        let solver = Solver {
            game,
            options,
            workers: Workers::new(game),
            limits: Limits {
                batch: BATCH,
                needs_edges: false,
                ..Limits::of(budget, crate::MEMORY, MOST_STATES)
            },
            monitor: Monitor::new(budget),
        };
        let mut found = Found {
            graph: StateGraph::new(solver.coding(), game.initial()),
            nodes: Nodes::default(),
            stop: None,
            unsolvable: None,
        };
        solver.find(&mut found, Some(SMALL))?;
        let dense = None;
        Ok(Search { solver, found, dense })
    }

    /// Finds the rest of the states.
    pub(crate) fn go_on(&mut self) -> Result<(), SolveError> {
        if !self.is_over() {
            let Solver {
                game, workers, monitor, ..
            } = &self.solver;
            self.dense = match self.is_dense() {
                true => dense::find(game, self.found.graph.states.coding(), workers, monitor)?,
                false => None,
            };
            if self.dense.is_none() {
                self.solver.find(&mut self.found, None)?;
            }
        }
        Ok(())
    }

    /// Computes the values of the states.
    pub(crate) fn end(self) -> (Report, Option<ExplicitSolution>) {
        match self.dense {
            Some(dense) => self.solver.classify_dense(dense),
            None => self.solver.classify(self.found),
        }
    }

    /// Whether no more states will be found.
    pub(crate) fn is_over(&self) -> bool {
        self.found.stop.is_some() || self.found.unsolvable.is_some() || self.found.graph.is_complete()
    }

    /// Whether all codes fit into memory.
    pub(crate) fn is_dense(&self) -> bool {
        let bytes = (dense::BYTES + Values::BYTES_MEANWHILE + 4) as u64;
        let Limits {
            bytes: memory, states, ..
        } = self.solver.limits;
        let fits = |size: u64| size <= dense::MOST_CODES && size <= states && size * bytes <= memory as u64;
        self.found.graph.states.coding().size().is_some_and(fits) && !self.has_several()
    }

    /// Whether several roles have a choice in some state.
    pub(crate) fn has_several(&self) -> bool {
        self.found.nodes.has_several
    }

    /// Number of states in each layer so far.
    pub(crate) fn layers(&self) -> Vec<usize> {
        self.found.graph.layer_sizes()
    }

    /// Bytes per state, roughly.
    pub(crate) fn bytes_per_state(&self) -> usize {
        let graph = &self.found.graph;
        let steps = usize::try_from(graph.transitions).unwrap_or(usize::MAX) / graph.expanded.max(1);
        let lists = if graph.is_layered { 0 } else { steps * 8 };
        graph.states.coding().width() * 8 + 6 + 8 + Values::BYTES_MEANWHILE + lists
    }
}

struct Solver<'a> {
    game: &'a Game,
    options: &'a Options,
    workers: Workers<'a>,
    limits: Limits,
    monitor: Monitor<'a>,
}

type Solved = (Report, Option<ExplicitSolution>);

impl Solver<'_> {
    /// Finds states, at most to the end of the layer with which more than `pause` are known.
    fn find(&self, found: &mut Found, pause: Option<usize>) -> Result<(), SolveError> {
        let classifier = self.classifier();
        let enumeration = Enumeration {
            workers: &self.workers,
            observer: &classifier,
            monitor: &self.monitor,
            limits: self.limits,
        };
        let pause = Pause {
            states: pause,
            layers: None,
        };
        match enumeration.grow(&mut found.graph, &mut found.nodes, pause) {
            Ok(stop) => found.stop = stop,
            Err(error @ ReachError::TooWide { .. }) => found.unsolvable = Some(error.to_string()),
            Err(error) => return Err(error.into()),
        }
        if ludens_reach::Observer::is_enough(&classifier, &found.nodes) {
            found.unsolvable = Some(no_value());
        }
        Ok(())
    }

    fn classifier(&self) -> Classifier {
        Classifier {
            roles: self.game.roles().len(),
            needs_values: !self.options.reachable_only,
        }
    }

    fn coding(&self) -> Coding {
        self.monitor.report(Phase::Preparation, 0, 0, 0);
        let analysis = ludens_analysis::analyse(self.game, &self.monitor.budget().within(PROOFS));
        let packed = analysis.and_then(|analysis| Coding::of_groups(self.game, &analysis));
        packed.unwrap_or_else(|| Coding::of_bits(self.game.initial().words().len().max(1)))
    }

    fn classify_dense(&self, dense: Dense) -> Solved {
        let mut report = self.report(&dense.layers, dense.terminal, dense.stuck);
        report.stop = dense.stop;
        if report.stop.is_some() || self.options.reachable_only {
            return self.ended(report, None);
        }
        let preferences = self.preferences(&dense.outcomes);
        let (values, stop) = backward::retrograde(&dense, &preferences, &self.monitor);
        report.stop = stop;
        let outcomes = dense.outcomes.goals.clone();
        let states = (0..dense.size()).filter(|&code| dense.is_state(code));
        count(&mut report, &outcomes, &values, states);
        let table = ExplicitSolution::new(Numbering::Codes(dense.coding), self.options.order, outcomes, values);
        self.ended(report, Some(table))
    }

    fn classify(&self, mut found: Found) -> Solved {
        let mut report = self.report(&found.graph.layer_sizes(), found.nodes.terminal, found.nodes.stuck);
        (report.stop, report.unsolvable) = (found.stop, found.unsolvable.take());
        if report.obstacle().is_some() || self.options.reachable_only {
            return self.ended(report, None);
        }
        if found.nodes.has_several {
            return self.classify_simultaneous(report, found);
        }
        let Found { graph, nodes, .. } = &found;
        let preferences = self.preferences(&nodes.outcomes);
        let states = graph.states.len();
        let (values, stop) = match &graph.edges {
            _ if graph.is_layered => self.by_layers(graph, nodes, &preferences),
            Some(edges) if self.has_room(&found, edges, Values::BYTES_MEANWHILE) => {
                backward::retrograde(&listed(nodes, edges), &preferences, &self.monitor)
            }
            _ => return self.out_of_memory(report),
        };
        report.stop = stop;
        let outcomes = found.nodes.outcomes.goals;
        count(&mut report, &outcomes, &values, 0..states);
        let numbering = Numbering::Listed(found.graph.states);
        let table = ExplicitSolution::new(numbering, self.options.order, outcomes, values);
        self.ended(report, Some(table))
    }

    /// Whether lists of predecessors and `more` bytes per state fit into memory.
    fn has_room(&self, found: &Found, edges: &Edges, more: usize) -> bool {
        let held = found.graph.bytes() + found.nodes.bytes() + found.graph.states.len() * more;
        held + edges.reversed_bytes() <= self.limits.bytes
    }

    fn out_of_memory(&self, mut report: Report) -> Solved {
        report.stop = Some(Stopped::memory(self.limits.bytes as u64));
        self.ended(report, None)
    }

    /// Values layers from the last to the first, along the edges if they are stored, otherwise by expanding states
    /// again.
    fn by_layers(&self, graph: &StateGraph, nodes: &Nodes, preferences: &Preferences) -> (Values, Option<Stopped>) {
        let classifier = self.classifier();
        let follow = |states: Range<usize>, visit: &mut dyn FnMut(usize, &[u32])| match &graph.edges {
            Some(edges) => states.for_each(|state| visit(state, edges.of(state))),
            None => self.workers.with(|worker| {
                let (coding, most) = (graph.states.coding(), self.limits.joint_moves);
                for first in states.clone().step_by(AT_ONCE) {
                    let states = first..(first + AT_ONCE).min(states.end);
                    let expansion = expand(
                        &mut *worker.successors,
                        &classifier,
                        coding,
                        graph.states.codes_of(states.clone()),
                        most,
                    );
                    let mut codes = expansion.codes.chunks(coding.width());
                    for (state, &degree) in states.zip(&expansion.degrees) {
                        let codes = codes.by_ref().take(degree as usize);
                        let successors: Vec<u32> = codes.filter_map(|code| graph.states.find_code(code)).collect();
                        visit(state, &successors);
                    }
                }
            }),
        };
        backward::layer_by_layer(nodes, &graph.layers, &follow, preferences, &self.monitor)
    }

    fn classify_simultaneous(&self, mut report: Report, found: Found) -> Solved {
        let (Some(sum), 2) = (found.nodes.outcomes.sum(), self.game.roles().len()) else {
            report.unsolvable = Some(no_value());
            return self.ended(report, None);
        };
        let edges = found.graph.edges.as_ref();
        let Some(edges) = edges.filter(|edges| self.has_room(&found, edges, 16)) else {
            return self.out_of_memory(report);
        };
        let nodes = &found.nodes;
        let graph = listed(nodes, edges);
        let (values, stop) = simultaneous::backward_induction(&graph, &nodes.outcomes, &nodes.rows, &self.monitor);
        report.stop = stop;
        let mut buckets: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for value in values.iter().filter(|value| !value.is_nan()) {
            let first = value.round().clamp(0.0, 255.0) as u8;
            *buckets
                .entry(vec![first, (sum as u8).saturating_sub(first)])
                .or_default() += 1;
        }
        fill(&mut report, buckets);
        report.values = values
            .first()
            .filter(|value| !value.is_nan())
            .map(|&value| vec![value, f64::from(sum) - value]);
        let table = ExplicitSolution {
            numbering: Numbering::Listed(found.graph.states),
            order: self.options.order,
            content: Content::Shares { values, sum },
        };
        self.ended(report, Some(table))
    }

    fn preferences(&self, outcomes: &Outcomes) -> Preferences {
        Preferences::new(outcomes, self.options.order, self.game.roles().len())
    }

    /// Returns a report on states without values.
    fn report(&self, layers: &[usize], terminal: usize, stuck: usize) -> Report {
        let reachable: usize = layers.iter().sum();
        Report {
            reachable: BigUint::from(reachable),
            unclassified: BigUint::from(reachable),
            terminal: BigUint::from(terminal),
            stuck: BigUint::from(stuck),
            layers: layers.iter().map(|&states| BigUint::from(states)).collect(),
            ..Report::new(Method::Explicit)
        }
    }

    fn ended(&self, mut report: Report, solution: Option<ExplicitSolution>) -> Solved {
        report.complete = report.obstacle().is_none();
        report.peak_memory = Some(self.monitor.peak() as u64);
        if report.complete
            && let Some(table) = &solution
        {
            report.values = report.values.or_else(|| table.values(self.game.initial()));
        }
        (report, solution)
    }
}

/// Why a game with simultaneous moves has no value.
fn no_value() -> String {
    let cause = "several roles choose at the same time, and only two whose goals always have the same sum have a value; \
                 `--reachable-only` counts the states";
    cause.to_string()
}

/// Adds lists of predecessors.
fn listed<'a>(nodes: &'a Nodes, edges: &'a Edges) -> Listed<'a> {
    Listed {
        nodes,
        forward: edges,
        backward: edges.reversed(),
    }
}

/// Counts states by value and by distance.
fn count(report: &mut Report, outcomes: &[Vec<u8>], values: &Values, states: impl Iterator<Item = usize>) {
    let mut by_outcome = vec![0u64; outcomes.len()];
    let mut by_distance: Vec<u64> = Vec::new();
    for state in states {
        let (outcome, distance) = values.get(state);
        if outcome != UNKNOWN {
            by_outcome[usize::from(outcome)] += 1;
            let distance = usize::from(distance);
            if distance >= by_distance.len() {
                by_distance.resize(distance + 1, 0);
            }
            by_distance[distance] += 1;
        }
    }
    report.distances = by_distance.into_iter().map(BigUint::from).collect();
    fill(report, outcomes.iter().cloned().zip(by_outcome).collect());
}

fn fill(report: &mut Report, buckets: BTreeMap<Vec<u8>, u64>) {
    report.classified = BigUint::from(buckets.values().sum::<u64>());
    report.unclassified = &report.reachable - &report.classified;
    let buckets = buckets.into_iter().map(|(goals, states)| Bucket {
        goals,
        states: BigUint::from(states),
    });
    report.buckets = buckets.collect();
}

/// Turns a list that several threads wrote into a plain one.
fn plain(values: Vec<std::sync::atomic::AtomicU16>) -> Vec<u16> {
    values.into_iter().map(|value| value.load(Relaxed)).collect()
}
