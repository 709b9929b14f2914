//! Solving under way: progress reports, peak memory, and whether to stop.

use crate::{Phase, Status};
use ludens_budget::{Budget, Stopped};
use num_bigint::BigUint;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A budget together with what reports on its work need.
pub(crate) struct Watched<'a> {
    budget: &'a Budget,
    clock: Mutex<Clock>,
}

struct Clock {
    phase: Phase,
    began: Instant,
    peak: usize,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Watched<'a> {
        Watched {
            budget,
            clock: Mutex::new(Clock {
                phase: Phase::Preparation,
                began: Instant::now(),
                peak: 0,
            }),
        }
    }

    /// Why to stop by the clock or a flag, if so.
    pub(crate) fn stop(&self) -> Option<Stopped> {
        self.budget.interruption().map(Stopped::from)
    }

    /// Reports progress.
    pub(crate) fn tell(&self, phase: Phase, layer: usize, states: usize, memory: usize) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.peak = clock.peak.max(memory);
        if clock.phase != phase {
            (clock.phase, clock.began) = (phase, Instant::now());
        }
        let began = clock.began;
        drop(clock);
        self.budget.report(|| Status {
            phase,
            layer,
            states: BigUint::from(states),
            nodes: None,
            memory: Some(memory as u64),
            elapsed: began.elapsed(),
        });
    }

    /// The greatest memory that was reported.
    pub(crate) fn peak(&self) -> usize {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).peak
    }
}
