//! Regret minimisation during a match: a depth-limited graph from the current state, with leaves estimated by playouts.
//! It is regrown after every move and keeps what was learned about states that can still occur.
//!
//! [`Solver`] combines the parts. Its user, who knows the clock, decides on depth, playouts and iterations.

use crate::EquilibriumError;
use crate::cfr::{Cfr, Settings};
use crate::graph::{Graph, GraphOptions, Growth, grow};
use crate::leaves::{Estimation, Leaves};
use crate::response::{Assessment, assess};
use ludens_budget::{Budget, Stopped};
use ludens_engine::{Game, MoveId, State};

/// When playouts are run for leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// All before the first iteration: iterations are fast, but estimates do not improve.
    #[default]
    Before,
    /// A batch for each leaf in every iteration: iterations are slow, and estimates keep improving.
    During,
}

/// Settings of a solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverSettings {
    /// Regret minimisation.
    pub cfr: Settings,
    /// Estimation of leaves.
    pub estimation: Estimation,
    /// When leaves are estimated.
    pub when: When,
}

/// A graph from the current state of a match, and what was learned on it.
pub struct Solver {
    game: Game,
    settings: SolverSettings,
    graph: Graph,
    leaves: Leaves,
    cfr: Cfr,
    depth: usize,
    stop: Option<Stopped>,
}

impl Solver {
    /// Grows the graph from a state on.
    pub fn new(
        game: &Game,
        root: &State,
        options: &GraphOptions,
        settings: SolverSettings,
        budget: &Budget,
    ) -> Result<Solver, EquilibriumError> {
        let Growth { graph, depth, stop } = grow(game, root, options, None, budget)?;
        Ok(Solver {
            cfr: Cfr::new(&graph, settings.cfr.clone())?,
            leaves: Leaves::of(&graph),
            game: game.clone(),
            settings,
            graph,
            depth,
            stop,
        })
    }

    /// Regrows the graph from another state, or to another depth. Regrets and estimates of states that are in both
    /// graphs are kept.
    pub fn regrow(&mut self, root: &State, options: &GraphOptions, budget: &Budget) -> Result<(), EquilibriumError> {
        let Growth { mut graph, depth, stop } = grow(&self.game, root, options, Some(&self.graph), budget)?;
        let mut leaves = Leaves::of(&graph);
        leaves.remember(&self.leaves);
        leaves.tell(&mut graph);
        self.cfr = self.cfr.moved(&self.graph, &graph)?;
        (self.graph, self.leaves, self.depth, self.stop) = (graph, leaves, depth, stop);
        Ok(())
    }

    /// Estimates the leaves until they are done or the budget is spent.
    pub fn estimate(&mut self, budget: &Budget) -> Result<(), EquilibriumError> {
        self.leaves
            .estimate(&self.game, &mut self.graph, &self.settings.estimation, budget)?;
        self.see_to_the_sum()
    }

    /// Runs at most `most` iterations within the budget and returns their number.
    pub fn iterate(&mut self, most: u64, budget: &Budget) -> Result<u64, EquilibriumError> {
        if self.settings.when == When::Before || self.leaves.is_empty() {
            return Ok(self.cfr.iterate(&self.graph, most, budget));
        }
        let mut done = 0;
        while done < most && !budget.is_spent() {
            self.leaves
                .refine(&self.game, &mut self.graph, &self.settings.estimation, budget)?;
            self.see_to_the_sum()?;
            done += self.cfr.iterate(&self.graph, 1, budget);
        }
        Ok(done)
    }

    /// Restricts iterations to the descendants of a state where that makes them faster. Unlike regrowing the graph this
    /// takes no time. A state that is not in the graph is ignored.
    pub fn focus(&mut self, state: &State) {
        if let Some(node) = self.graph.find(state) {
            self.cfr.focus(node);
        }
    }

    /// Estimates may turn out not to have a constant sum; then another form of the iterations is needed.
    fn see_to_the_sum(&mut self) -> Result<(), EquilibriumError> {
        if !self.cfr.fits(&self.graph) {
            self.cfr = self.cfr.moved(&self.graph, &self.graph)?;
        }
        Ok(())
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Regret minimisation on the graph.
    pub fn cfr(&self) -> &Cfr {
        &self.cfr
    }

    /// The leaves with their estimates.
    pub fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// Depth of the graph.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The bound that stopped the growth of the graph, if any.
    pub fn stop(&self) -> Option<Stopped> {
        self.stop
    }

    /// Average strategy of a role at the root: moves with probabilities.
    pub fn mixture(&self, role: usize) -> Vec<(MoveId, f64)> {
        self.cfr.average(&self.graph).mixture(&self.graph, 0, role)
    }

    /// Assesses the average strategies on the graph.
    pub fn assess(&self) -> Assessment {
        assess(&self.graph, &self.cfr.average(&self.graph))
    }
}
