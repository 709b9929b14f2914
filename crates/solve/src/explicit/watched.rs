//! Progress and limits of time, in one hand.

use crate::{Phase, Progress, Stop, Watch};
use ludens_budget::Budget;
use num_bigint::BigUint;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Progress is told at most this often.
const PAUSE: Duration = Duration::from_millis(100);

/// Work that is watched and may have to stop.
pub(crate) struct Watched<'a> {
    budget: &'a Budget,
    watch: Watch<'a>,
    clock: Mutex<Clock>,
}

struct Clock {
    phase: Option<Phase>,
    began: Instant,
    told: Option<Instant>,
    peak: usize,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(budget: &'a Budget, watch: Watch<'a>) -> Watched<'a> {
        Watched {
            budget,
            watch,
            clock: Mutex::new(Clock {
                phase: None,
                began: Instant::now(),
                told: None,
                peak: 0,
            }),
        }
    }

    /// Why to stop, if so.
    pub(crate) fn stop(&self) -> Option<Stop> {
        match (self.budget.is_cancelled(), self.budget.is_spent()) {
            (true, _) => Some(Stop::Interrupted),
            (false, true) => Some(Stop::Time),
            (false, false) => None,
        }
    }

    /// Tells how it gets on, unless that was told a moment ago.
    pub(crate) fn tell(&self, phase: Phase, layer: usize, states: usize, memory: usize) {
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        clock.peak = clock.peak.max(memory);
        if clock.phase != Some(phase) {
            (clock.phase, clock.began, clock.told) = (Some(phase), now, None);
        }
        if clock.told.is_some_and(|told| now.duration_since(told) < PAUSE) {
            return;
        }
        clock.told = Some(now);
        let elapsed = now.duration_since(clock.began);
        drop(clock);
        (self.watch)(&Progress {
            phase,
            layer,
            states: BigUint::from(states),
            nodes: None,
            memory: Some(memory as u64),
            elapsed,
        });
    }

    /// The greatest memory that was told.
    pub(crate) fn peak(&self) -> usize {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner).peak
    }
}
