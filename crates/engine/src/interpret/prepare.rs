//! From rules to a program whose relations all have a manageable size.
//!
//! A trial derives everything that never changes and makes a few random steps. If a helper relation turns out to be
//! large, the rules are rewritten to derive it on demand, and the trial starts again.

use super::InterpretError;
use super::machine::{ASKED, GIVEN, InterpreterMachine};
use crate::Rng;
use crate::goals::SeveralGoals;
use crate::machine::Machine;
use crate::playout::choose_joint;
use crate::state::Role;
use crate::vocabulary::Vocabulary;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_datalog::{Demand, Expectations, Limits, Meter, Overflow, Program, Purpose};
use ludens_gdl::normal::{NormalRules, Strata};
use ludens_gdl::{Relation, Symbol};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of steps of a trial.
const TRIAL_STEPS: usize = 30;
/// Maximum time of a trial, once the relations have a manageable size.
const TRIAL_TIME: Duration = Duration::from_millis(300);

pub(super) fn prepare(rules: &NormalRules, limits: Limits) -> Result<Program, InterpretError> {
    let mut meter = Meter::for_setup(&limits);
    let meter = &mut meter;
    let limit = |overflow| match overflow {
        Overflow::Limit(cause) => InterpretError::Limit(cause),
        Overflow::Large(_) => InterpretError::Limit("a relation is too large".to_string()),
    };
    meter.look().map_err(|hit| limit(hit.into()))?;
    let strata = rules.strata().map_err(|cycle| {
        let rule = &rules.rules[cycle.rules[0]];
        InterpretError::Unstratified(rules.symbols.name(rule.head.name).to_string())
    })?;
    let mut demand = Demand::new(rules, &ASKED);
    loop {
        let rewritten = demand.rewrite(rules, &strata, meter).map_err(|hit| limit(hit.into()))?;
        meter.look().map_err(|hit| limit(hit.into()))?;
        // Questions can close a cycle through negation; then the rules are taken as they are.
        let attempt = match rewritten.rules.strata() {
            Ok(strata) => Attempt {
                rules: &rewritten.rules,
                strata,
            },
            Err(_) => Attempt {
                rules,
                strata: strata.clone(),
            },
        };
        match attempt.measure(limits, |relation| demand.is_watched(relation), meter) {
            // Plan once more, now with the sizes that were seen.
            Ok(expectations) => {
                return attempt.program(limits, expectations, |_| false, meter).map_err(limit);
            }
            Err(Overflow::Large(relation)) => {
                demand.note_large(relation, &rewritten);
                meter.give_back(rewritten.bytes);
            }
            Err(overflow) => return Err(limit(overflow)),
        }
    }
}

/// A rewriting of the rules that is tried.
struct Attempt<'a> {
    rules: &'a NormalRules,
    strata: Strata,
}

impl Attempt<'_> {
    fn program(
        &self,
        limits: Limits,
        expectations: Expectations,
        is_watched: impl Fn(Relation) -> bool,
        meter: &mut Meter,
    ) -> Result<Program, Overflow> {
        let purpose = Purpose {
            enumerated: &[],
            asked: &ASKED,
            given: &GIVEN,
            limits,
        };
        Program::within(self.rules, &self.strata, purpose, expectations, is_watched, meter)
    }

    /// Makes some random steps and measures the relations.
    fn measure(
        &self,
        limits: Limits,
        is_watched: impl Fn(Relation) -> bool,
        meter: &mut Meter,
    ) -> Result<Expectations, Overflow> {
        let guess = Expectations::from_facts(self.rules);
        let program = self.program(limits, guess.clone(), is_watched, meter)?;
        let Ok(roles) = super::machine::roles(&program, self.rules.listed_roles(), meter.deadline()) else {
            return Ok(guess);
        };
        let vocabulary = Vocabulary::new(self.rules.symbols.clone(), roles, limits.memory);
        let program = Arc::new(program);
        // The first states are derived within the time for preparing: a game that takes longer cannot be played.
        let trial = meter.for_trial(&limits);
        let mut machine =
            InterpreterMachine::new(program.clone(), Arc::new(vocabulary), SeveralGoals::default(), trial);
        let mut rng = Rng::with_seed(1);
        let mut joint = Vec::new();
        let mut sizes = vec![0; program.relations.len()];
        let mut fluents: HashMap<(Symbol, usize), usize, RandomState> = HashMap::default();
        let mut states = 0;
        let deadline = Instant::now() + TRIAL_TIME;
        while states < TRIAL_STEPS && Instant::now() < deadline {
            let is_over = machine.is_terminal();
            for role in Role::first(machine.role_count()) {
                machine.goal_values(role);
            }
            machine.check()?;
            states += 1;
            for kind in machine.fluent_kinds() {
                *fluents.entry(kind).or_insert(0) += 1;
            }
            let can_go_on = !is_over && choose_joint(&mut machine, &mut rng, &mut joint).is_ok();
            machine.check()?;
            for (sum, size) in sizes.iter_mut().zip(machine.sizes()) {
                *sum += size;
            }
            if !can_go_on {
                break;
            }
            machine.step(&joint);
            machine.check()?;
        }
        let mean = |sum: usize| sum as f64 / states.max(1) as f64;
        // Sizes were noted before the moves were known: what depends on them is left to the guess.
        let seen = sizes.iter().zip(&program.relations).filter(|(sum, _)| **sum > 0);
        Ok(Expectations::measured(
            seen.map(|(&sum, &relation)| (relation, mean(sum))),
            fluents.iter().map(|(&kind, &sum)| (kind, mean(sum))),
        ))
    }
}
