//! Progress of solvers: one snapshot type for all of them, and a monitor that reports it and remembers the peak of
//! memory.

use ludens_budget::{Budget, Stopped};
use num_bigint::BigUint;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The part of the work that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Compiling and analysing the game for the method.
    Preparation,
    /// Enumerating states from the initial state on, layer by layer.
    Forward,
    /// Computing values from the terminal states back, round by round.
    Backward,
    /// Estimating the values of leaves by playouts.
    Estimation,
    /// Improving strategies, iteration by iteration.
    Iteration,
    /// Computing best responses.
    Response,
}

/// A snapshot of the work of a solver, for a [`Progress`](ludens_budget::Progress).
#[derive(Clone, Debug)]
pub struct Status {
    /// The part of the work that is under way.
    pub phase: Phase,
    /// The layer or round that is being worked on, from 0.
    pub step: usize,
    /// States, leaves or iterations finished in this phase.
    pub done: BigUint,
    /// Number of them in the whole phase, if known.
    pub total: Option<u64>,
    /// Nodes of decision diagrams held.
    pub nodes: Option<u64>,
    /// Bytes held, if known.
    pub memory: Option<u64>,
}

impl Status {
    /// A snapshot of which only the phase and the work done are known.
    pub fn new(phase: Phase, done: impl Into<BigUint>) -> Status {
        Status {
            phase,
            step: 0,
            done: done.into(),
            total: None,
            nodes: None,
            memory: None,
        }
    }

    /// The same snapshot with the number of items in the whole phase.
    pub fn of(self, total: u64) -> Status {
        Status {
            total: Some(total),
            ..self
        }
    }
}

/// Watches over the work under a budget.
#[derive(Debug)]
pub struct Monitor<'a> {
    budget: &'a Budget,
    peak: AtomicUsize,
}

impl<'a> Monitor<'a> {
    /// Watches over work under `budget`.
    pub fn new(budget: &'a Budget) -> Monitor<'a> {
        Monitor {
            budget,
            peak: AtomicUsize::new(0),
        }
    }

    /// The budget.
    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Why to stop by the clock or a flag, if at all.
    pub fn stop(&self) -> Option<Stopped> {
        self.budget.interruption().map(Stopped::from)
    }

    /// Reports progress: states finished in a layer or round, and bytes held.
    pub fn report(&self, phase: Phase, step: usize, states: usize, memory: usize) {
        self.peak.fetch_max(memory, Relaxed);
        self.budget.report(|| Status {
            step,
            memory: Some(memory as u64),
            ..Status::new(phase, states)
        });
    }

    /// Maximum number of bytes that were reported.
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }
}
