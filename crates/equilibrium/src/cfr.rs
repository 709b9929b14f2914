//! Counterfactual regret minimisation: every iteration updates the regrets of all moves at all nodes, and moves are
//! played in proportion to their positive regrets.
//!
//! The strategies of single iterations may cycle; their average, [`Cfr::average`], converges to an equilibrium. With
//! perfect information every node is an information set of its own, so a few numbers per entry of the graph and two
//! sweeps per iteration are enough. The [`Variant`]s differ in the discounting of old regrets and in the weights of
//! iterations, not in the sweeps.

mod many;
mod merged;
mod rule;
#[cfg(test)]
mod tests;
mod two;

use ludens_budget::Budget;
pub use rule::Variant;

use crate::EquilibriumError;
use crate::graph::Graph;
use crate::strategy::{Start, Strategy};
use std::sync::Arc;

/// Settings of regret minimisation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Variant.
    pub variant: Variant,
    /// Initial strategy.
    pub start: Start,
    /// Roles that keep their initial strategy, so that the others learn a response to it.
    pub frozen: Vec<usize>,
    /// Number of threads; results do not depend on it. 0 is like 1.
    pub threads: usize,
}

/// Regret minimisation on a graph. Every call takes the graph, which must always be the same one.
#[derive(Clone, Debug)]
pub struct Cfr {
    settings: Settings,
    tables: Tables,
    sweeps: Sweeps,
    iterations: u64,
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// Tables with one number for each entry.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// Cumulative regret of each move.
    pub(crate) regret: Vec<f64>,
    /// Cumulative, weighted probability of each move.
    pub(crate) total: Vec<f64>,
    /// Current probability of each move.
    pub(crate) mixture: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Sweeps {
    Two(two::Sweeps),
    Many(many::Sweeps),
}

/// Which roles learn.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    frozen: &'a [bool],
    only: Option<usize>,
}

impl Turn<'_> {
    pub(crate) fn is_on(self, role: usize) -> bool {
        !self.frozen[role] && self.only.is_none_or(|only| only == role)
    }
}

impl Cfr {
    /// Starts with zero regrets.
    pub fn new(graph: &Graph, settings: Settings) -> Result<Cfr, EquilibriumError> {
        let pool = match settings.threads {
            0 | 1 => None,
            threads => Some(Arc::new(ludens_reach::pool(threads)?)),
        };
        let entries = graph.entry_count();
        Ok(Cfr {
            tables: Tables {
                regret: vec![0.0; entries],
                total: vec![0.0; entries],
                mixture: settings.start.strategy(graph).into(),
            },
            sweeps: match graph.sum().filter(|_| graph.roles() == 2) {
                Some(sum) => Sweeps::Two(two::Sweeps::new(graph, sum, settings.threads)),
                None => Sweeps::Many(many::Sweeps::new(graph)),
            },
            settings,
            iterations: 0,
            pool,
        })
    }

    /// Runs at most `most` more iterations within the budget and returns their number.
    pub fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64 {
        let before = self.iterations;
        match self.pool.clone() {
            Some(pool) => pool.install(|| self.iterate_here(graph, most, budget)),
            None => self.iterate_here(graph, most, budget),
        }
        self.iterations - before
    }

    fn iterate_here(&mut self, graph: &Graph, most: u64, budget: &Budget) {
        if let Sweeps::Two(sweeps) = &mut self.sweeps {
            sweeps.refresh(graph);
        }
        let frozen: Vec<bool> = (0..graph.roles())
            .map(|role| self.settings.frozen.contains(&role))
            .collect();
        // On a small graph, looking at the clock takes longer than an iteration.
        let patience = (20_000 / graph.transitions().max(1)).max(1) as u64;
        for number in 0..most {
            if number % patience == 0 && budget.is_spent() {
                return;
            }
            self.iterations += 1;
            let step = self.settings.variant.step(self.iterations);
            let alone = (0..graph.roles()).filter(|&role| !frozen[role]);
            let turns: Vec<Option<usize>> = match self.settings.variant.alternates() {
                true => alone.map(Some).collect(),
                false => vec![None],
            };
            for only in turns {
                let turn = Turn { frozen: &frozen, only };
                match &mut self.sweeps {
                    Sweeps::Two(sweeps) => sweeps.iterate(graph, &mut self.tables, turn, &step),
                    Sweeps::Many(sweeps) => sweeps.iterate(graph, &mut self.tables, turn, &step),
                }
            }
        }
    }

    /// Whether the form of the iterations still fits the graph, whose goals may turn out not to have a constant sum.
    pub(crate) fn fits(&self, graph: &Graph) -> bool {
        match &self.sweeps {
            Sweeps::Two(sweeps) => graph.sum().is_some_and(|sum| (sum - sweeps.sum()).abs() < 1e-6),
            Sweeps::Many(_) => graph.roles() != 2 || graph.sum().is_none(),
        }
    }

    /// Restricts iterations to the descendants of a node, which makes them faster. With two roles and a constant sum
    /// this changes nothing, because iterations over the whole graph are fast.
    pub fn focus(&mut self, node: usize) {
        if let Sweeps::Many(sweeps) = &mut self.sweeps {
            sweeps.focus(node);
        }
    }

    /// The node at which iterations start.
    pub fn root(&self) -> usize {
        match &self.sweeps {
            Sweeps::Two(_) => 0,
            Sweeps::Many(sweeps) => sweeps.root(),
        }
    }

    /// Number of iterations so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Value of [the root](Cfr::root) for each role under the strategies of the last iteration.
    pub fn last_values(&self) -> Vec<f64> {
        match &self.sweeps {
            Sweeps::Two(sweeps) => sweeps.values(),
            Sweeps::Many(sweeps) => sweeps.values(),
        }
    }

    /// Average strategy, the result. Uniform at nodes that were never reached; frozen roles keep their initial
    /// strategy.
    pub fn average(&self, graph: &Graph) -> Strategy {
        let mut average = Strategy::from_weights(graph, &self.tables.total);
        if !self.settings.frozen.is_empty() {
            let start = Strategy::from(self.tables.mixture.clone());
            for &role in self.settings.frozen.iter().filter(|&&role| role < graph.roles()) {
                average = average.with_role(graph, role, &start);
            }
        }
        average
    }

    /// Strategy of the next iteration.
    pub fn current(&self) -> Strategy {
        Strategy::from(self.tables.mixture.clone())
    }

    /// Cumulative regrets, one for each entry.
    pub fn regrets(&self) -> &[f64] {
        &self.tables.regret
    }

    /// Continues on another graph: regrets of states that are in both graphs are kept, all others start at zero.
    pub fn moved(&self, from: &Graph, to: &Graph) -> Result<Cfr, EquilibriumError> {
        let mut settings = self.settings.clone();
        if let Start::Given(_) = settings.start {
            // A strategy belongs to its graph.
            settings.start = Start::Uniform;
        }
        let mut moved = Cfr::new(to, settings)?;
        moved.iterations = self.iterations;
        for node in 0..to.len() {
            let Some(known) = from.find(&to.state(node)) else {
                continue;
            };
            for role in 0..to.roles() {
                if from.moves(known, role) != to.moves(node, role) {
                    continue;
                }
                let (old, new) = (from.entries(known, role), to.entries(node, role));
                let pairs = [
                    (&self.tables.regret, &mut moved.tables.regret),
                    (&self.tables.total, &mut moved.tables.total),
                    (&self.tables.mixture, &mut moved.tables.mixture),
                ];
                for (old_list, new_list) in pairs {
                    new_list[new.clone()].copy_from_slice(&old_list[old.clone()]);
                }
            }
        }
        Ok(moved)
    }
}
