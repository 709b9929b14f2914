//! Endgame databases: exact values of all states within a number of steps of a terminal state.
//!
//! There is no forward search. The work starts from all encodable states that are terminal by the rules, reachable or
//! not, and propagates values back for a number of rounds or until the budget is spent (Edelkamp and Kissmann,
//! "Symbolic Classification of General Two-Player Games", Algorithm 3). Searches look the values up as
//! [`Known`](ludens_engine::knowledge::Known).

use super::backward::{self, Buckets, Players};
use super::diagram::{Capacity, Diagrams, obtainable};
use super::frozen::{Part, SymbolicSolution};
use super::relation::{Goals, Model, Refusal, Turns};
use super::{Prepared, Reporter, ordering, prepare, stopped, unsuitable};
use crate::{Options, Order, Phase, SolveError};
use ludens_budget::{Budget, StopReason, Stopped};
use ludens_engine::Game;
use num_bigint::BigUint;

/// Values of states within some steps of a terminal state.
pub struct Endgame {
    /// The values. States of the same value are in as few parts as possible, which makes look-ups fast.
    pub values: SymbolicSolution,
    /// Number of states settled in each round; round 0 are the terminal states. Not all of them are reachable.
    pub rounds: Vec<BigUint>,
    /// The limit that was hit, if any. There are also fewer rounds than asked for if no more states can be settled.
    pub stop: Option<Stopped>,
}

/// Computes values for a number of rounds back from the terminal states.
pub fn endgame(game: &Game, rounds: usize, options: &Options, budget: &Budget) -> Result<Endgame, SolveError> {
    let mut reporter = Reporter::new(budget);
    let prepared = prepare(game, ordering::Heuristic::default(), budget)?;
    let memory = obtainable(crate::memory(budget));
    let large = Capacity::within(memory);
    let mut capacity = large.first_try();
    loop {
        let diagrams = Diagrams::new(prepared.encoding.bits, capacity, options.threads, budget);
        let mut found = Found::default();
        let stop = match found.fill(game, rounds, options.order, &prepared, &diagrams, &mut reporter) {
            Ok(()) => None,
            Err(Refusal::Unsuitable(cause)) => return Err(unsuitable(game, cause)),
            Err(Refusal::Stop(StopReason::Memory)) if capacity != large => {
                capacity = large;
                continue;
            }
            Err(Refusal::Stop(reason)) => Some(stopped(reason, memory, budget)),
        };
        return Ok(Endgame {
            values: SymbolicSolution {
                order: options.order,
                parts: vec![Part::new(&diagrams, &found.known, None)],
                encoding: prepared.encoding,
            },
            rounds: found.counts,
            stop,
        });
    }
}

/// The values so far.
#[derive(Default)]
struct Found {
    known: Buckets,
    /// By round.
    counts: Vec<BigUint>,
}

impl Found {
    fn fill(
        &mut self,
        game: &Game,
        rounds: usize,
        order: Order,
        prepared: &Prepared<'_>,
        diagrams: &Diagrams,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Refusal> {
        let Prepared {
            circuit,
            analysis,
            encoding,
        } = prepared;
        let model = Model::new(diagrams, circuit, analysis, encoding)?;
        // Without the reachable states it cannot be checked whether roles take turns, so it must be proved.
        if matches!(model.turns, Turns::Counted(_)) && !analysis.facts.turn_taking.is_yes() {
            return Err(Refusal::Unsuitable(
                "it is not proved that roles take turns".to_string(),
            ));
        }
        let players = Players::new(diagrams, &model, order)?;
        let over = diagrams.minus(&model.valid, &model.live(diagrams, &model.valid)?)?;
        let goals = Goals::new(diagrams, circuit, encoding)?;
        let ends: Buckets = goals.outcomes(diagrams, &over)?.into_iter().collect();
        reporter.begin(Phase::Backward);
        let mut sum = BigUint::ZERO;
        let mut settled = |round: usize, fresh: &Buckets| {
            sum += self.add(diagrams, round, fresh)?;
            reporter.report(diagrams, round, &sum);
            Ok(round < rounds)
        };
        match game.roles().len() {
            // Worse outcomes count only if better ones are out of reach, so with few rounds only the best is followed.
            1 => backward::for_one(&players, &model.valid, ends, &mut settled),
            _ => backward::by_rounds(&players, &model.valid, ends, &mut settled),
        }?;
        Ok(())
    }

    /// Adds the states settled in a round and returns their number.
    fn add(&mut self, diagrams: &Diagrams, round: usize, fresh: &Buckets) -> Result<BigUint, StopReason> {
        for (value, set) in fresh {
            let before = self.known.get(value).cloned().unwrap_or_else(|| diagrams.none());
            self.known.insert(value.clone(), diagrams.or(&before, set)?);
        }
        let states = fresh.values().map(|set| diagrams.count(set));
        let states = states.sum::<Result<BigUint, StopReason>>()?;
        if self.counts.len() <= round {
            self.counts.resize(round + 1, BigUint::ZERO);
        }
        self.counts[round] += &states;
        Ok(states)
    }
}
