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

pub use table::ExplicitSolution;

use crate::{Bucket, Method, Options, Phase, Report, SolveError, Stop, Watch};
use backward::Values;
use coding::Coding;
use dense::Dense;
use expand::Workers;
use forward::{Found, find};
use graph::{Graph, Listed};
use ludens_engine::{Budget, Game};
use num_bigint::BigUint;
use outcomes::{Outcomes, Tastes, UNKNOWN};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use table::Numbering;
use watched::Watched;

/// The time for proofs about the game, from which codes are made.
const PROOFS: Duration = Duration::from_secs(10);
/// Games with no more states than this are not worth a second thought about how to store them.
const SMALL: usize = 200_000;

/// Solves a game.
pub fn solve(
    game: &Game,
    options: &Options,
    budget: &Budget,
    watch: Watch<'_>,
) -> Result<(Report, Option<ExplicitSolution>), SolveError> {
    crate::check(game)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads.max(1))
        .build();
    let pool = pool.map_err(|error| SolveError::Fault {
        game: game.name().to_string(),
        cause: format!("no threads can be started: {error}"),
    })?;
    let solver = Solver {
        game,
        options,
        workers: Workers::new(game),
        watched: Watched::new(budget, watch),
    };
    pool.install(|| solver.run(budget))
}

struct Solver<'a> {
    game: &'a Game,
    options: &'a Options,
    workers: Workers<'a>,
    watched: Watched<'a>,
}

type Solved = (Report, Option<ExplicitSolution>);

impl Solver<'_> {
    fn run(&self, budget: &Budget) -> Result<Solved, SolveError> {
        let memory = self.options.memory;
        let mut found = Found::new(self.game, self.coding(budget));
        find(self.game, &mut found, &self.workers, memory, SMALL, &self.watched)?;
        if found.stop.is_none() && !found.is_whole() {
            if let Some(dense) = self.dense(&found)? {
                return Ok(self.classify_dense(dense));
            }
            find(self.game, &mut found, &self.workers, memory, usize::MAX, &self.watched)?;
        }
        Ok(self.classify(found))
    }

    fn coding(&self, budget: &Budget) -> Coding {
        self.watched.tell(Phase::Preparation, 0, 0, 0);
        let deadline = budget
            .deadline()
            .map(|end| end.saturating_duration_since(std::time::Instant::now()));
        let time = deadline.map_or(PROOFS, |left| left.min(PROOFS));
        let analysis = ludens_analysis::analyse(self.game, &budget.within(time));
        let packed = analysis.and_then(|analysis| Coding::of_groups(self.game, &analysis));
        packed.unwrap_or_else(|| Coding::of_bits(self.game.initial().words().len().max(1)))
    }

    /// All states by their codes, if the game is made for that.
    fn dense(&self, found: &Found) -> Result<Option<Dense>, SolveError> {
        let bytes = (dense::BYTES + Values::BYTES_MEANWHILE + 4) as u64;
        let fits = |size: u64| size <= dense::MOST_CODES && size * bytes <= self.options.memory as u64;
        match found.coding.size().is_some_and(fits) && !found.has_several {
            true => dense::find(self.game, &found.coding, &self.workers, &self.watched),
            false => Ok(None),
        }
    }

    fn classify_dense(&self, dense: Dense) -> Solved {
        let mut report = self.report(&dense.layers, dense.terminal, dense.stuck);
        report.stop = dense.stop.clone();
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
        report.stop = found.stop.clone();
        if report.stop.is_some() || self.options.reachable_only {
            return self.ended(report, None);
        }
        let edges = found.edges.take();
        if found.has_several {
            return self.classify_simultaneous(report, found, edges);
        }
        let tastes = self.tastes(&found.outcomes);
        let states = found.store.len();
        let held = found.bytes() + edges.as_ref().map_or(0, forward::Edges::bytes) + states * Values::BYTES_MEANWHILE;
        let out_of_memory = Stop::Memory {
            allowed: self.options.memory,
        };
        let (values, stop) = match &edges {
            _ if found.is_layered => self.by_layers(&found, edges.as_ref(), &tastes),
            Some(edges) if held + graph::bytes_of_reversed(edges) <= self.options.memory => {
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
    fn by_layers(&self, found: &Found, edges: Option<&forward::Edges>, tastes: &Tastes) -> (Values, Option<Stop>) {
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
                    let expansion = worker.expand(&found.coding, &codes);
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
            let cause = "several roles choose at the same time, and only two whose goals always have the same sum have \
                         a value; `--reachable-only` counts the states";
            report.stop = Some(Stop::Unsolvable(cause.to_string()));
            return self.ended(report, None);
        };
        let states = found.store.len();
        let Some(edges) = edges.filter(|edges| {
            let held = found.bytes() + edges.bytes() + states * 16 + graph::bytes_of_reversed(edges);
            held <= self.options.memory
        }) else {
            report.stop = Some(Stop::Memory {
                allowed: self.options.memory,
            });
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
        report.complete = report.stop.is_none();
        report.peak_memory = Some(self.watched.peak() as u64);
        if report.complete
            && let Some(table) = &solution
        {
            report.values = report.values.or_else(|| table.values(self.game.initial()));
        }
        (report, solution)
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
