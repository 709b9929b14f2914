//! Counterfactual regret minimisation: all roles learn at every node what they would rather have done, and mix their
//! moves in proportion to how much they regret not having made them.
//!
//! The mixtures of single iterations go round in circles; what comes near an equilibrium is their average,
//! [`Cfr::average`]. In games of perfect information every node is a decision by itself, so nothing is needed but one
//! number of each kind for each entry of the graph, and two sweeps an iteration. The [`Variant`]s differ in what they do
//! with old regrets and in the weights of iterations, not in the sweeps.

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

/// How to go about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Which variant.
    pub variant: Variant,
    /// Where mixtures start.
    pub start: Start,
    /// Roles that do not learn but keep to where they start: against a frozen role, others learn to answer to it.
    pub frozen: Vec<usize>,
    /// Threads that may be used; results do not depend on it. None is as one.
    pub threads: usize,
}

/// What was learned so far on a graph. The graph is lent to each call, and must be the same one.
#[derive(Clone, Debug)]
pub struct Cfr {
    settings: Settings,
    tables: Tables,
    sweeps: Sweeps,
    iterations: u64,
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// What is kept for each entry.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// What each move would have been better by, added up.
    pub(crate) regret: Vec<f64>,
    /// How much each move was played, added up.
    pub(crate) total: Vec<f64>,
    /// How likely each move is now.
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
    /// Nothing learned yet.
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

    /// Learns for so many more iterations, or until the budget is spent; says how many there were.
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
        // Looking at the clock takes longer than an iteration on a small graph.
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

    /// Whether it can go on on the graph: what a role gets may have turned out to be no matter of sharing a sum.
    pub(crate) fn fits(&self, graph: &Graph) -> bool {
        match &self.sweeps {
            Sweeps::Two(sweeps) => graph.sum().is_some_and(|sum| (sum - sweeps.sum()).abs() < 1e-6),
            Sweeps::Many(_) => graph.roles() != 2 || graph.sum().is_none(),
        }
    }

    /// From now on looks at what comes after a node only, which makes iterations faster where that is less. With two roles
    /// whose goals have a constant sum it goes on as before: there the whole graph is looked at quickly.
    pub fn focus(&mut self, node: usize) {
        if let Sweeps::Many(sweeps) = &mut self.sweeps {
            sweeps.focus(node);
        }
    }

    /// The node that iterations begin with.
    pub fn root(&self) -> usize {
        match &self.sweeps {
            Sweeps::Two(_) => 0,
            Sweeps::Many(sweeps) => sweeps.root(),
        }
    }

    /// How many iterations there were.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// How it goes about it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What [the root](Cfr::root) was worth to each role by the mixtures of the last iteration.
    pub fn last_values(&self) -> Vec<f64> {
        match &self.sweeps {
            Sweeps::Two(sweeps) => sweeps.values(),
            Sweeps::Many(sweeps) => sweeps.values(),
        }
    }

    /// What was played on average: the result. Uniform where nothing was reached; frozen roles keep to their start.
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

    /// What would be played in the next iteration.
    pub fn current(&self) -> Strategy {
        Strategy::from(self.tables.mixture.clone())
    }

    /// The regrets added up so far, one for each entry.
    pub fn regrets(&self) -> &[f64] {
        &self.tables.regret
    }

    /// Goes on on another graph: what was learned at states that both have is kept, all else starts anew.
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
