//! Endgame databases: what is worth what, a few steps before the end.
//!
//! Nothing is searched forward. All states that the encoding allows and that are terminal by their rule are the start, be
//! they reachable or not, and values are carried back from there for a number of rounds or until the budget is spent
//! (Edelkamp and Kissmann, "Symbolic Classification of General Two-Player Games", Algorithm 3). What comes out is
//! [`Known`](ludens_engine::Known), for searchers to look up.

use super::backward::{self, Buckets, Players};
use super::diagram::{Capacity, Diagrams, Halt};
use super::encoding::Encoding;
use super::frozen::{Part, SymbolicSolution};
use super::relation::{Goals, Model, Refusal, Turns};
use super::{ANALYSIS_TIME, Observer, check, ordering};
use crate::{Options, Phase, SolveError, Stop, Watch};
use ludens_analysis::{Verdict, analyse};
use ludens_engine::{Budget, Game};
use num_bigint::BigUint;

/// What is known about the last steps of matches.
pub struct Endgame {
    /// The values. States that are worth the same are in as few parts as can be, so that looking them up is quick.
    pub values: SymbolicSolution,
    /// For each round how many states were settled in it, round 0 being the ends. Not all of them can be reached.
    pub rounds: Vec<BigUint>,
    /// Why there are fewer rounds than were asked for, if a limit was hit; there are also fewer if nothing is left to be
    /// settled.
    pub stop: Option<Stop>,
}

/// Finds values a number of rounds back from the ends.
pub fn endgame(
    game: &Game,
    rounds: usize,
    options: &Options,
    budget: &Budget,
    watch: Watch<'_>,
) -> Result<Endgame, SolveError> {
    let circuit = check(game)?;
    let unsuitable = |cause: &str| SolveError::Unsuitable {
        game: game.name().to_string(),
        method: "symbolic",
        cause: cause.to_string(),
    };
    let mut observer = Observer::new(watch);
    observer.prepare();
    let analysis =
        analyse(game, &budget.within(ANALYSIS_TIME)).ok_or_else(|| unsuitable("its rules are not compiled"))?;
    let encoding = Encoding::new(game, circuit, &analysis, ordering::Heuristic::default());
    let capacity = Capacity::within(options.memory);
    let diagrams = Diagrams::new(encoding.bits, capacity, options.threads, budget);
    let mut counts = Vec::new();
    let mut known = Buckets::new();
    let mut build = || -> Result<(), Refusal> {
        let (model, gates) = Model::new(&diagrams, circuit, &analysis, &encoding)?;
        // Without the reachable states it cannot be checked whether roles take turns, so it must be proved.
        if matches!(model.turns, Turns::Counted(_)) && analysis.turn_taking != Verdict::Proved {
            return Err(Refusal::Unsuitable(
                "it is not proved that roles take turns".to_string(),
            ));
        }
        let players = Players::new(&diagrams, &model, options.order)?;
        let over = diagrams.minus(&model.valid, &model.live(&diagrams, &model.valid)?)?;
        let goals = Goals::new(&diagrams, circuit, gates)?;
        let ends: Buckets = goals.outcomes(&diagrams, &over)?.into_iter().collect();
        observer.begin(Phase::Backward);
        let mut sum = BigUint::ZERO;
        let mut settled = |round: usize, fresh: &Buckets| {
            for (value, set) in fresh {
                let before = known.get(value).cloned().unwrap_or_else(|| diagrams.none());
                known.insert(value.clone(), diagrams.or(&before, set)?);
            }
            let states = fresh
                .values()
                .map(|set| diagrams.count(set))
                .sum::<Result<BigUint, Halt>>()?;
            sum += &states;
            if counts.len() <= round {
                counts.resize(round + 1, BigUint::ZERO);
            }
            counts[round] += states;
            observer.tell(&diagrams, round, &sum);
            Ok(round < rounds)
        };
        match game.roles().len() {
            // Lesser ends count only where better ones are out of reach, so only the best are followed if rounds are few.
            1 => backward::for_one(&players, &model.valid, ends, &mut settled),
            _ => backward::by_rounds(&players, &model.valid, ends, &mut settled),
        }?;
        Ok(())
    };
    let stop = match build() {
        Ok(()) => None,
        Err(Refusal::Unsuitable(cause)) => return Err(unsuitable(&cause)),
        Err(Refusal::Halt(Halt::Memory)) => Some(Stop::Memory {
            allowed: options.memory,
        }),
        Err(Refusal::Halt(Halt::Time)) if budget.is_cancelled() => Some(Stop::Interrupted),
        Err(Refusal::Halt(Halt::Time)) => Some(Stop::Time),
    };
    Ok(Endgame {
        values: SymbolicSolution {
            order: options.order,
            parts: vec![Part::new(&diagrams, &known, None)],
            encoding,
        },
        rounds: counts,
        stop,
    })
}
