//! Symbolic solving: sets of states as decision diagrams.
//!
//! States are encoded as bits (`encoding`, in the order of `ordering`), moves as relations between states (`relation`,
//! from the gates of the game: `gates`). `forward` finds the reachable states layer by layer, and need not keep them if
//! `growth` shows that none recurs; `backward` computes their values. In games with structure, sets of millions of
//! states take thousands of nodes. The result is copied into a [`SymbolicSolution`], which is independent of the
//! diagram library.

mod backward;
mod counting;
mod diagram;
mod encoding;
pub mod endgame;
mod forward;
mod frozen;
mod gates;
mod growth;
mod lists;
mod operators;
pub mod ordering;
mod relation;

pub use frozen::SymbolicSolution;

use crate::{Bucket, Method, Options, Phase, Report, SolveError, Status};
use backward::{Buckets, Players};
use diagram::{Capacity, Diagrams, Set, obtainable};
use encoding::Encoding;
use frozen::Part;
use growth::Growth;
use ludens_analysis::{Analysis, analyse};
use ludens_budget::{Budget, StopReason, Stopped};
use ludens_engine::{Circuit, Game};
use num_bigint::BigUint;
use relation::{Goals, Model, Refusal, Turns};
use std::sync::Arc;
use std::time::Duration;

/// Time for proofs about the game.
const ANALYSIS_TIME: Duration = Duration::from_secs(60);

/// Number of nodes above which, if only counts are wanted, states that cannot recur are dropped.
const MOST_NODES: u64 = 50_000_000;

/// Reports the progress of one phase after the other.
pub(crate) struct Reporter<'a> {
    budget: &'a Budget,
    phase: Phase,
}

impl<'a> Reporter<'a> {
    /// Reports that work has begun: in large games it takes minutes until there are states to report.
    fn new(budget: &'a Budget) -> Reporter<'a> {
        let phase = Phase::Preparation;
        budget.report(|| Status::new(phase, 0u32));
        Reporter { budget, phase }
    }

    fn begin(&mut self, phase: Phase) {
        self.phase = phase;
    }

    fn report(&self, diagrams: &Diagrams, step: usize, states: &BigUint) {
        self.budget.report(|| Status {
            step,
            nodes: Some(diagrams.held_nodes()),
            memory: Some(diagrams.bytes()),
            ..Status::new(self.phase, states.clone())
        });
    }
}

/// Solves a game.
pub fn solve(
    game: &Game,
    options: &Options,
    budget: &Budget,
) -> Result<(Report, Option<SymbolicSolution>), SolveError> {
    solve_ordered(game, options, ordering::Heuristic::default(), budget)
}

fn unsuitable(game: &Game, cause: String) -> SolveError {
    SolveError::Unsuitable {
        game: game.name().to_string(),
        method: "symbolic",
        cause,
    }
}

/// Why work ended early. Operations on diagrams see only that the budget is spent, not why.
fn stopped(reason: StopReason, memory: usize, budget: &Budget) -> Stopped {
    match reason {
        StopReason::Memory => Stopped::memory(memory as u64),
        reason => budget.interruption().unwrap_or(reason).into(),
    }
}

/// What has to be known of a game before sets are built.
struct Prepared<'a> {
    circuit: &'a Circuit,
    analysis: Arc<Analysis>,
    encoding: Encoding,
}

/// Analyses a game; an error if the method does not support it.
fn prepare<'a>(game: &'a Game, heuristic: ordering::Heuristic, budget: &Budget) -> Result<Prepared<'a>, SolveError> {
    crate::check(game)?;
    let not_compiled = || {
        let cause = game.fallback().unwrap_or("it was loaded that way");
        unsuitable(game, format!("its rules are not compiled: {cause}"))
    };
    let circuit = game.engine().circuit().ok_or_else(not_compiled)?;
    let analysis = analyse(game, &budget.within(ANALYSIS_TIME)).ok_or_else(not_compiled)?;
    let encoding = Encoding::new(game, circuit, &analysis, heuristic);
    Ok(Prepared {
        circuit,
        analysis,
        encoding,
    })
}

/// Solves a game with a given heuristic for the order of bits, to compare heuristics.
pub fn solve_ordered(
    game: &Game,
    options: &Options,
    heuristic: ordering::Heuristic,
    budget: &Budget,
) -> Result<(Report, Option<SymbolicSolution>), SolveError> {
    let mut reporter = Reporter::new(budget);
    let prepared = prepare(game, heuristic, budget)?;
    let memory = obtainable(crate::memory(budget));
    let large = Capacity::within(memory);
    let mut capacity = large.first_try();
    loop {
        let mut report = Report::new(Method::Symbolic);
        let diagrams = Diagrams::new(prepared.encoding.bits, capacity, options.threads, budget);
        let solver = Solver {
            game,
            options,
            prepared: &prepared,
            diagrams: &diagrams,
        };
        let (solution, stop) = match solver.run(&mut report, &mut reporter) {
            Ok(outcome) => outcome,
            Err(Refusal::Unsuitable(cause)) => return Err(unsuitable(game, cause)),
            Err(Refusal::Stop(stop)) => (None, Some(stop)),
        };
        if stop == Some(StopReason::Memory) && capacity != large {
            capacity = large;
            continue;
        }
        report.stop = stop.map(|reason| stopped(reason, memory, budget));
        report.unclassified = &report.reachable - &report.classified;
        report.peak_nodes = Some(diagrams.peak_nodes());
        report.peak_memory = Some(diagrams.peak_bytes());
        return Ok((report, solution));
    }
}

/// A solution, and why it is not complete, if so.
type Outcome = (Option<SymbolicSolution>, Option<StopReason>);

struct Solver<'a> {
    game: &'a Game,
    options: &'a Options,
    prepared: &'a Prepared<'a>,
    diagrams: &'a Diagrams,
}

impl Solver<'_> {
    fn run(&self, report: &mut Report, reporter: &mut Reporter<'_>) -> Result<Outcome, Refusal> {
        let diagrams = self.diagrams;
        let Prepared {
            circuit,
            analysis,
            encoding,
        } = self.prepared;
        let model = Model::new(diagrams, circuit, analysis, encoding)?;
        if self.options.reachable_only {
            let growth = Growth::new(diagrams, analysis, encoding)?;
            forward::count(diagrams, &model, growth, MOST_NODES, report, reporter)?;
            report.complete = true;
            return Ok((None, None));
        }
        if matches!(model.turns, Turns::Counted(_)) && analysis.facts.turn_taking.is_no() {
            return Err(Refusal::Unsuitable("roles choose at the same time".to_string()));
        }
        let found = forward::forward(diagrams, &model, report, reporter)?;
        self.check_turns(&model, &found.reached)?;
        let goals = Goals::new(diagrams, circuit, encoding)?;
        let players = Players::new(diagrams, &model, self.options.order)?;
        let mut parts = Vec::new();
        let mut counts = Counts::default();
        let is_alone = self.game.roles().len() == 1;
        let result = if found.is_layered && !is_alone {
            backward::by_layers(&players, &model, &goals, &found, reporter, &mut |buckets| {
                let states = counts.add(diagrams, buckets)?;
                parts.push(Part::new(diagrams, buckets, None));
                Ok(states)
            })
        } else {
            reporter.begin(Phase::Backward);
            let over = diagrams.minus(&found.reached, &model.live(diagrams, &found.reached)?)?;
            let ends: Buckets = goals.outcomes(diagrams, &over)?.into_iter().collect();
            let mut sum = BigUint::ZERO;
            let mut settled = |round: usize, fresh: &Buckets| {
                let states = counts.add(diagrams, fresh)?;
                parts.push(Part::new(diagrams, fresh, Some(round as u32)));
                if is_alone {
                    report
                        .distances
                        .resize(report.distances.len().max(round + 1), BigUint::ZERO);
                    report.distances[round] += &states;
                }
                sum += states;
                reporter.report(diagrams, round, &sum);
                Ok(true)
            };
            match is_alone {
                true => backward::for_one(&players, &found.reached, ends, &mut settled),
                false => backward::by_rounds(&players, &found.reached, ends, &mut settled),
            }
        };
        report.buckets = counts.buckets();
        report.classified = report.buckets.iter().map(|bucket| &bucket.states).sum();
        let solution = SymbolicSolution {
            order: self.options.order,
            encoding: encoding.clone(),
            parts,
        };
        if let Err(stop) = result {
            return Ok((Some(solution), Some(stop)));
        }
        report.values = solution.values(self.game.initial());
        report.complete = true;
        Ok((Some(solution), None))
    }

    /// Whether at most one role has a choice in every state.
    fn check_turns(&self, model: &Model, reached: &Set) -> Result<(), Refusal> {
        let Turns::Counted(several) = &model.turns else {
            return Ok(());
        };
        let diagrams = self.diagrams;
        let live = model.live(diagrams, reached)?;
        let mut before = diagrams.none();
        for (role, choosing) in self.game.roles().zip(several) {
            let choosing = diagrams.and(&live, choosing)?;
            if !diagrams.is_empty(&diagrams.and(&before, &choosing)?) {
                return Err(Refusal::Unsuitable(format!(
                    "roles choose at the same time: {} and another role in some state",
                    self.game.role_name(role)
                )));
            }
            before = diagrams.or(&before, &choosing)?;
        }
        Ok(())
    }
}

/// Numbers of states by value.
#[derive(Default)]
struct Counts(std::collections::BTreeMap<Vec<u8>, BigUint>);

impl Counts {
    /// Counts states, all or none, and returns their number.
    fn add(&mut self, diagrams: &Diagrams, buckets: &Buckets) -> Result<BigUint, StopReason> {
        let counted = buckets.values().map(|set| diagrams.count(set));
        let counted = counted.collect::<Result<Vec<BigUint>, StopReason>>()?;
        let sum = counted.iter().sum();
        for (value, states) in buckets.keys().zip(counted) {
            *self.0.entry(value.clone()).or_default() += states;
        }
        Ok(sum)
    }

    fn buckets(&self) -> Vec<Bucket> {
        let counts = self.0.iter();
        counts
            .map(|(goals, states)| Bucket {
                goals: goals.clone(),
                states: states.clone(),
            })
            .collect()
    }
}
