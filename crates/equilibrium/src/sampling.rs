//! Monte Carlo counterfactual regret minimisation: iterations visit only a part of the graph.
//!
//! * External sampling draws the moves of the others and visits all own moves (Lanctot and others, 2009). On a graph
//!   the others draw once per state and iteration, so that a state that is reached in several ways is processed once.
//! * Outcome sampling draws single playouts.
//! * [`Online`] draws playouts too, but needs no graph: it keeps regrets of states near the root, adds a state per
//!   playout, and plays on at random from there. With perfect information the current state is known, so online search
//!   only has to start its playouts there (Lisý, Lanctot and Bowling, 2015).
//!
//! Roles are updated in turns: an iteration is one turn of each.

mod external;
mod online;
mod outcome;

use ludens_budget::Budget;
pub use online::Online;

use crate::graph::Graph;
use crate::strategy::Strategy;
use ludens_engine::Rng;

/// A sampling scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// External sampling: the moves of the others are drawn.
    External,
    /// Outcome sampling: whole playouts are drawn.
    Outcome,
}

/// Exploration rate: the probability that the updating role plays a uniformly random move in outcome sampling.
pub const EXPLORATION: f64 = 0.6;

/// Regret minimisation by sampling on a graph. Every call takes the graph, which must always be the same one.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    tables: Tables,
    sweep: external::Sweep,
    rng: Rng,
    iterations: u64,
}

/// Tables with one number for each entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    regret: Vec<f64>,
    total: Vec<f64>,
}

impl Tables {
    /// Extends the tables to `entries` entries.
    fn resize(&mut self, entries: usize) {
        self.regret.resize(entries, 0.0);
        self.total.resize(entries, 0.0);
    }

    /// Returns the strategy that the regrets give (regret matching).
    fn mixture(&self, entries: std::ops::Range<usize>, mixture: &mut Vec<f64>) {
        mixture.clear();
        mixture.extend_from_slice(&self.regret[entries]);
        crate::strategy::normalise(mixture);
    }
}

impl Sampler {
    /// Starts with zero regrets.
    pub fn new(graph: &Graph, sampling: Sampling, seed: u64) -> Sampler {
        let mut tables = Tables::default();
        tables.resize(graph.entry_count());
        Sampler {
            sampling,
            tables,
            sweep: external::Sweep::new(graph),
            rng: Rng::with_seed(seed),
            iterations: 0,
        }
    }

    /// Runs at most `most` more iterations within the budget and returns their number.
    pub fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64 {
        let before = self.iterations;
        for number in 0..most {
            if number % 64 == 0 && budget.is_spent() {
                break;
            }
            for role in 0..graph.roles() {
                match self.sampling {
                    Sampling::External => self.sweep.turn(graph, &mut self.tables, role, &mut self.rng),
                    Sampling::Outcome => {
                        outcome::turn(&mut outcome::OnGraph(graph), 0, &mut self.tables, role, &mut self.rng);
                    }
                }
            }
            self.iterations += 1;
        }
        self.iterations - before
    }

    /// Number of iterations so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Average strategy, the result. Uniform at nodes that were never reached.
    pub fn average(&self, graph: &Graph) -> Strategy {
        Strategy::from_weights(graph, &self.tables.total)
    }
}
