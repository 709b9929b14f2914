//! Solving with every state kept by itself.
//!
//! States are small numbers (`coding`), found layer by layer with the batches of the compiled engine (`expand`, `forward`),
//! and valued from the ends back (`backward`, or `simultaneous` where roles choose at the same time). Where most codes are
//! states, the code itself is the index of a state, and nothing but its value is stored (`dense`).

mod backward;
mod coding;
mod dense;
mod expand;
mod forward;
mod graph;
mod outcomes;
mod saved;
mod simultaneous;
mod store;
mod table;
mod watched;

use ludens_budget::{Budget, Stopped};
pub use table::ExplicitSolution;

use crate::{Bucket, Method, Options, Phase, Report, SolveError};
use backward::Values;
use coding::Coding;
use dense::Dense;
use expand::Workers;
use forward::{Found, Limits, find};
use graph::{Graph, Listed};
use ludens_engine::Game;
use num_bigint::BigUint;
use outcomes::{Outcomes, Tastes, UNKNOWN};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use table::Numbering;
use watched::Watched;

/// The time for proofs about the game, from which codes are made.
const PROOFS: Duration = Duration::from_secs(10);
/// States are numbered with 32 bits.
const MOST_STATES: u64 = u32::MAX as u64 - 1;
/// Games with no more states than this are not worth a second thought about how to store them.
const SMALL: usize = 200_000;

/// Solves a game.
pub fn solve(
    game: &Game,
    options: &Options,
    budget: &Budget,
) -> Result<(Report, Option<ExplicitSolution>), SolveError> {
    with_pool(game, options, || {
        let mut search = Search::begin(game, options, budget)?;
        search.go_on()?;
        Ok(search.end())
    })
}

/// Does something with as many threads as are allowed.
pub(crate) fn with_pool<T: Send>(
    game: &Game,
    options: &Options,
    work: impl FnOnce() -> Result<T, SolveError> + Send,
) -> Result<T, SolveError> {
    ludens_reach::in_pool(options.threads, work).map_err(|cause| SolveError::Fault {
        game: game.name().to_string(),
        cause,
    })?
}

/// Solving under way.
pub(crate) struct Search<'a> {
    solver: Solver<'a>,
    found: Found,
    dense: Option<Dense>,
}

impl<'a> Search<'a> {
    /// Looks for states until there are too many for a short trial.
    pub(crate) fn begin(game: &'a Game, options: &'a Options, budget: &'a Budget) -> Result<Search<'a>, SolveError> {
        crate::check(game)?;
        let solver = Solver {
            game,
            options,
            workers: Workers::new(game),
            memory: crate::memory(budget),
            states: budget.most_nodes().unwrap_or(MOST_STATES),
            watched: Watched::new(budget),
        };
        let mut found = Found::new(game, solver.coding(budget));
        solver.find(&mut found, SMALL)?;
        let dense = None;
        Ok(Search { solver, found, dense })
    }

    /// Finds the rest of the states.
    pub(crate) fn go_on(&mut self) -> Result<(), SolveError> {
        if !self.is_over() {
            self.dense = match self.is_dense() {
                true => self.solver.dense(&self.found)?,
                false => None,
            };
            if self.dense.is_none() {
                self.solver.find(&mut self.found, usize::MAX)?;
            }
        }
        Ok(())
    }

    /// Values the states.
    pub(crate) fn end(self) -> (Report, Option<ExplicitSolution>) {
        match self.dense {
            Some(dense) => self.solver.classify_dense(dense),
            None => self.solver.classify(self.found),
        }
    }

    /// Whether nothing is left to find.
    pub(crate) fn is_over(&self) -> bool {
        self.found.is_stopped() || self.found.is_whole()
    }

    /// Whether all codes fit into memory.
    pub(crate) fn is_dense(&self) -> bool {
        let bytes = (dense::BYTES + Values::BYTES_MEANWHILE + 4) as u64;
        let fits = |size: u64| {
            let is_allowed = size <= self.solver.states && size * bytes <= self.solver.memory as u64;
            size <= dense::MOST_CODES && is_allowed
        };
        self.found.coding.size().is_some_and(fits) && !self.found.has_several
    }

    /// Whether somewhere several roles choose.
    pub(crate) fn has_several(&self) -> bool {
        self.found.has_several
    }

    /// How many states each layer has so far.
    pub(crate) fn layers(&self) -> Vec<usize> {
        self.found.layer_sizes()
    }

    /// Bytes for each state, roughly.
    pub(crate) fn bytes_per_state(&self) -> usize {
        let looked_at = self.found.kinds.len().max(1);
        let steps = usize::try_from(self.found.transitions).unwrap_or(usize::MAX) / looked_at;
        let lists = if self.found.is_layered { 0 } else { steps * 8 };
        self.found.store.width() * 8 + 6 + 8 + Values::BYTES_MEANWHILE + lists
    }
}

struct Solver<'a> {
    game: &'a Game,
    options: &'a Options,
    workers: Workers<'a>,
    /// Bytes that may be held.
    memory: usize,
    /// States that may be found.
    states: u64,
    watched: Watched<'a>,
}

type Solved = (Report, Option<ExplicitSolution>);

impl Solver<'_> {
    fn find(&self, found: &mut Found, pause: usize) -> Result<(), SolveError> {
        let limits = Limits {
            memory: self.memory,
            states: self.states,
            few_roles: !self.options.reachable_only,
            pause,
        };
        find(self.game, found, &self.workers, limits, &self.watched)
    }

    fn coding(&self, budget: &Budget) -> Coding {
        self.watched.tell(Phase::Preparation, 0, 0, 0);
        let analysis = ludens_analysis::analyse(self.game, &budget.within(PROOFS));
        let packed = analysis.and_then(|analysis| Coding::of_groups(self.game, &analysis));
        packed.unwrap_or_else(|| Coding::of_bits(self.game.initial().words().len().max(1)))
    }

    /// All states by their codes, if the game is made for that.
    fn dense(&self, found: &Found) -> Result<Option<Dense>, SolveError> {
        dense::find(self.game, &found.coding, &self.workers, &self.watched)
    }

    fn classify_dense(&self, dense: Dense) -> Solved {
        let mut report = self.report(&dense.layers, dense.terminal, dense.stuck);
        report.stop = dense.stop;
        if report.stop.is_some() || self.options.reachable_only {
            return self.ended(report, None);
        }
        let tastes = self.tastes(&dense.outcomes);
        let (values, stop) = backward::retrograde(&dense, &tastes, &self.watched);
        report.stop = stop;
        let outcomes = dense.outcomes.goals.clone();
        let states = (0..dense.size()).filter(|&code| dense.is_state(code));
        count(&mut report, &outcomes, &values, states);
        let numbering = Numbering::Codes;
        let table = ExplicitSolution::new(dense.coding, numbering, self.options.order, outcomes, values);
        self.ended(report, Some(table))
    }

    fn classify(&self, mut found: Found) -> Solved {
        let mut report = self.report(&found.layer_sizes(), found.terminal, found.stuck);
        (report.stop, report.unsolvable) = (found.stop, found.unsolvable.take());
        if found.is_stopped() || report.unsolvable.is_some() || self.options.reachable_only {
            return self.ended(report, None);
        }
        let edges = found.edges.take();
        if found.has_several {
            return self.classify_simultaneous(report, found, edges);
        }
        let tastes = self.tastes(&found.outcomes);
        let states = found.store.len();
        let held = found.bytes() + edges.as_ref().map_or(0, forward::Edges::bytes) + states * Values::BYTES_MEANWHILE;
        let out_of_memory = Stopped::memory(self.memory as u64);
        let (values, stop) = match &edges {
            _ if found.is_layered => self.by_layers(&found, edges.as_ref(), &tastes),
            Some(edges) if held + graph::bytes_of_reversed(edges) <= self.memory => {
                let graph = Listed::new(&found, edges);
                backward::retrograde(&graph, &tastes, &self.watched)
            }
            _ => {
                report.stop = Some(out_of_memory);
                return self.ended(report, None);
            }
        };
        report.stop = stop;
        let outcomes = std::mem::take(&mut found.outcomes).goals;
        count(&mut report, &outcomes, &values, 0..states);
        let numbering = Numbering::Listed(found.store);
        let table = ExplicitSolution::new(found.coding, numbering, self.options.order, outcomes, values);
        self.ended(report, Some(table))
    }

    /// Layer by layer from the last, along the successors if they are listed, else by finding them again.
    fn by_layers(&self, found: &Found, edges: Option<&forward::Edges>, tastes: &Tastes) -> (Values, Option<Stopped>) {
        let follow = |states: std::ops::Range<usize>, visit: &mut dyn FnMut(usize, &[u32])| match edges {
            Some(edges) => states.for_each(|state| visit(state, edges.of(state))),
            None => self.workers.with(|worker| {
                let width = found.store.width();
                for first in states.clone().step_by(512) {
                    let states = first..(first + 512).min(states.end);
                    let codes: Vec<u64> = states
                        .clone()
                        .flat_map(|state| found.store.code(state))
                        .copied()
                        .collect();
                    let expansion = expand::expand(&mut *worker.successors, &found.coding, &codes);
                    let mut codes = expansion.codes.chunks(width);
                    for (state, &degree) in states.zip(&expansion.degrees) {
                        let codes = codes.by_ref().take(degree as usize);
                        let successors: Vec<u32> = codes.filter_map(|code| found.store.find(code)).collect();
                        visit(state, &successors);
                    }
                }
            }),
        };
        backward::layer_by_layer(&found.kinds, &found.ends, &found.layers, &follow, tastes, &self.watched)
    }

    fn classify_simultaneous(&self, mut report: Report, mut found: Found, edges: Option<forward::Edges>) -> Solved {
        let sum = found.outcomes.sum();
        let (Some(sum), 2) = (sum, self.game.roles().len()) else {
            report.unsolvable = Some(no_value());
            return self.ended(report, None);
        };
        let states = found.store.len();
        let Some(edges) = edges.filter(|edges| {
            let held = found.bytes() + edges.bytes() + states * 16 + graph::bytes_of_reversed(edges);
            held <= self.memory
        }) else {
            report.stop = Some(Stopped::memory(self.memory as u64));
            return self.ended(report, None);
        };
        let graph = Listed::new(&found, &edges);
        let (values, stop) = simultaneous::backward_induction(&graph, &found.outcomes, &found.rows, &self.watched);
        report.stop = stop;
        let mut buckets: std::collections::BTreeMap<Vec<u8>, u64> = Default::default();
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
        found.edges = None;
        let table = ExplicitSolution::of_values(
            found.coding,
            Numbering::Listed(found.store),
            self.options.order,
            values,
            sum,
        );
        self.ended(report, Some(table))
    }

    fn tastes(&self, outcomes: &Outcomes) -> Tastes {
        Tastes::new(outcomes, self.options.order, self.game.roles().len())
    }

    /// What is known when states were found.
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
        report.peak_memory = Some(self.watched.peak() as u64);
        if report.complete
            && let Some(table) = &solution
        {
            report.values = report.values.or_else(|| table.values(self.game.initial()));
        }
        (report, solution)
    }
}

/// Why a game in which several roles choose at the same time is not solved.
fn no_value() -> String {
    let cause = "several roles choose at the same time, and only two whose goals always have the same sum have a value; \
                 `--reachable-only` counts the states";
    cause.to_string()
}

/// Why a game with huge numbers of joint moves is not solved.
fn too_wide() -> String {
    let most = ludens_reach::MOST_JOINT_MOVES;
    format!("a state has more than {most} joint moves")
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

fn fill(report: &mut Report, buckets: std::collections::BTreeMap<Vec<u8>, u64>) {
    report.classified = BigUint::from(buckets.values().sum::<u64>());
    report.unclassified = &report.reachable - &report.classified;
    let buckets = buckets.into_iter().map(|(goals, states)| Bucket {
        goals,
        states: BigUint::from(states),
    });
    report.buckets = buckets.collect();
}

/// Lists that several threads wrote, as lists that are only read.
fn plain(values: Vec<std::sync::atomic::AtomicU16>) -> Vec<u16> {
    values.into_iter().map(|value| value.load(Relaxed)).collect()
}
