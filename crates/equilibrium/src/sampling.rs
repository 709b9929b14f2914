//! Regret minimisation by sampling: iterations that look at a part of the graph only.
//!
//! * External sampling draws the moves of the others and tries all of its own (Lanctot and others, 2009). On a graph the
//!   others draw once for each state and iteration, so that states met on several ways are dealt with once.
//! * Outcome sampling draws single matches.
//! * [`Online`] draws matches too, but needs no graph: it keeps what it learned about states near the root, adds a state
//!   for each match it draws, and plays on at random from there. What is where the match goes on is always known in
//!   games of perfect information, so that drawing from there on is all that searching online asks for (Lisý, Lanctot
//!   and Bowling, 2015).
//!
//! Roles learn in turns: an iteration is one turn of each.

mod external;
mod online;
mod outcome;

use ludens_budget::Budget;
pub use online::Online;

use crate::graph::Graph;
use crate::strategy::Strategy;
use ludens_engine::Rng;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// The moves of the others.
    External,
    /// Whole matches.
    Outcome,
}

/// How often the role that learns makes any move instead of one by its mixture, where matches are drawn.
pub const EXPLORATION: f64 = 0.6;

/// What was learned so far on a graph by sampling. The graph is lent to each call, and must be the same one.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    tables: Tables,
    sweep: external::Sweep,
    rng: Rng,
    iterations: u64,
}

/// What is kept for each entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    regret: Vec<f64>,
    total: Vec<f64>,
}

impl Tables {
    /// Makes room for so many entries.
    fn resize(&mut self, entries: usize) {
        self.regret.resize(entries, 0.0);
        self.total.resize(entries, 0.0);
    }

    /// How likely moves are by their regrets.
    fn mixture(&self, entries: std::ops::Range<usize>, mixture: &mut Vec<f64>) {
        mixture.clear();
        mixture.extend_from_slice(&self.regret[entries]);
        crate::strategy::normalise(mixture);
    }
}

impl Sampler {
    /// Nothing learned yet.
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

    /// Learns for so many more iterations, or until the budget is spent; says how many there were.
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

    /// How many iterations there were.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// What was played on average: the result. Uniform where nothing was reached.
    pub fn average(&self, graph: &Graph) -> Strategy {
        Strategy::from_weights(graph, &self.tables.total)
    }
}
