//! Regret minimisation that goes along with a match: a graph to some depth from where the match is, its leaves valued by
//! playouts, grown anew after every move with everything kept that was learned about states that are still to come.
//!
//! [`Solver`] has the parts; how deep to grow, how many playouts to run and how long to iterate is for its user to say,
//! who knows the clock.

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
    /// All before the first iteration: iterations are fast, but never know more of the leaves.
    #[default]
    Before,
    /// A batch for each leaf in every iteration: iterations are slow, and leaves known better and better.
    During,
}

/// How to go about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverSettings {
    /// How regrets are minimised.
    pub cfr: Settings,
    /// How leaves are valued.
    pub estimation: Estimation,
    /// When leaves are valued.
    pub when: When,
}

/// A graph from where the match is, and what was learned on it.
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

    /// Grows the graph anew from another state on, or to another depth from the same. What is known of states and leaves
    /// that it has in common with the old one is kept.
    pub fn regrow(&mut self, root: &State, options: &GraphOptions, budget: &Budget) -> Result<(), EquilibriumError> {
        let Growth { mut graph, depth, stop } = grow(&self.game, root, options, Some(&self.graph), budget)?;
        let mut leaves = Leaves::of(&graph);
        leaves.remember(&self.leaves);
        leaves.tell(&mut graph);
        self.cfr = self.cfr.moved(&self.graph, &graph)?;
        (self.graph, self.leaves, self.depth, self.stop) = (graph, leaves, depth, stop);
        Ok(())
    }

    /// Runs playouts for the leaves until they are valued well enough or the budget is spent.
    pub fn estimate(&mut self, budget: &Budget) -> Result<(), EquilibriumError> {
        self.leaves
            .estimate(&self.game, &mut self.graph, &self.settings.estimation, budget)?;
        self.see_to_the_sum()
    }

    /// Learns for so many iterations, or until the budget is spent; says how many there were.
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

    /// From now on learns about what comes after a state only, as far as that makes iterations faster. Takes no time, other
    /// than growing the graph anew; a state that is not in the graph changes nothing.
    pub fn focus(&mut self, state: &State) {
        if let Some(node) = self.graph.find(state) {
            self.cfr.focus(node);
        }
    }

    /// Goals of leaves may turn out to have another sum than was thought; then iterations go another way.
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

    /// What was learned.
    pub fn cfr(&self) -> &Cfr {
        &self.cfr
    }

    /// What is known of the leaves.
    pub fn leaves(&self) -> &Leaves {
        &self.leaves
    }

    /// How many steps ahead the graph goes.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Why the graph does not go as far as it should, if so.
    pub fn stop(&self) -> Option<Stopped> {
        self.stop
    }

    /// How a role should mix its moves at the root.
    pub fn mixture(&self, role: usize) -> Vec<(MoveId, f64)> {
        self.cfr.average(&self.graph).mixture(&self.graph, 0, role)
    }

    /// How good the strategies are, as far as the graph goes.
    pub fn assess(&self) -> Assessment {
        assess(&self.graph, &self.cfr.average(&self.graph))
    }
}
