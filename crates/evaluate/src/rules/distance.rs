//! Lower bounds on the steps until a fluent holds: admissible distances along fluent graphs (Michulke and Schiffel,
//! 2012).
//!
//! A fluent graph has an edge from a fluent to every fluent that it can bring about: whenever a fluent comes to hold,
//! some fluent with an edge to it held one step before, or it needs none. So the shortest path from the fluents of a
//! state to a fluent is a lower bound on the steps until it holds. For every way in which a fluent can come to hold,
//! the rules name several fluents that must hold before; one of them, or a set of which one must, is chosen for the
//! edges. Any choice is sound, but some give longer paths, which are better bounds:
//!
//! * [`Choice::Similar`] takes what looks most like the fluent, as was published. Where the target of a move must be
//!   empty, that is the empty target, which is no measure of movement.
//! * [`Choice::Late`] takes what can be reached last from the start of the game, by the rules without their negations:
//!   what takes longest to bring about is what everything else waits for. What does not look alike at all comes last.
//! * [`Choice::Both`] takes the greater of the two distances, which is a lower bound too.

mod graph;

use graph::FluentGraph;
use ludens_budget::Budget;
use ludens_engine::{Fluent, Game, State};
use std::sync::Arc;

/// Which of the fluents that are needed for another gets the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The most similar one.
    Similar,
    /// The one that is reached last.
    Late,
    /// Both, in two graphs, of which the greater distance counts.
    #[default]
    Both,
}

/// Farther than any fluent can be.
const NEVER: u16 = u16::MAX;

/// Distances to some fluents.
#[derive(Clone, Debug)]
pub struct Distances {
    targets: Arc<Vec<Target>>,
}

#[derive(Clone, Debug)]
struct Target {
    fluent: Fluent,
    /// For each graph the distance from every fluent, and from no fluent at all.
    tables: Vec<(Vec<u16>, u16)>,
    /// The greatest that is finite.
    most: u16,
}

impl Target {
    fn new(fluent: Fluent, graphs: &[FluentGraph]) -> Target {
        let tables: Vec<(Vec<u16>, u16)> = graphs.iter().map(|graph| graph.distances_to(fluent)).collect();
        let most = tables.iter().map(|(table, _)| finite(table)).max();
        Target {
            fluent,
            tables,
            most: most.unwrap_or(0),
        }
    }
}

impl Distances {
    /// Computes the distances to these fluents; `None` if the game is not compiled or has too many rules.
    pub fn new(game: &Game, targets: &[Fluent], choice: Choice) -> Option<Distances> {
        Distances::within(game, targets, choice, &Budget::default())
    }

    /// The same; also `None` if the budget is spent first.
    pub fn within(game: &Game, targets: &[Fluent], choice: Choice, budget: &Budget) -> Option<Distances> {
        let program = &game.engine().circuit()?.program;
        let choices: &[Choice] = match choice {
            Choice::Both => &[Choice::Similar, Choice::Late],
            Choice::Similar => &[Choice::Similar],
            Choice::Late => &[Choice::Late],
        };
        let graphs: Option<Vec<FluentGraph>> = choices
            .iter()
            .map(|&choice| FluentGraph::new(program, choice, budget))
            .collect();
        let graphs = graphs?;
        let targets: Option<Vec<Target>> = targets
            .iter()
            .map(|&fluent| (!budget.is_spent()).then(|| Target::new(fluent, &graphs)))
            .collect();
        Some(Distances {
            targets: Arc::new(targets?),
        })
    }

    /// Returns the targets, as they were given.
    pub fn targets(&self) -> impl Iterator<Item = Fluent> + '_ {
        self.targets.iter().map(|target| target.fluent)
    }

    /// Returns whether a target can only come from other targets, by the graph with the longest ways: then how many of
    /// them hold says as much as how far they are.
    pub fn is_closed(&self, target: usize) -> bool {
        let longest = self.targets[target]
            .tables
            .iter()
            .max_by_key(|(table, _)| finite(table));
        longest.is_some_and(|(table, _)| {
            let mut nearest = (0..table.len()).filter(|&from| table[from] == 1);
            nearest.all(|from| self.targets().any(|target| target.0 as usize == from))
        })
    }

    /// Returns the greatest distance from any fluent to a target, by its number, as far as it can be reached.
    pub fn greatest(&self, target: usize) -> usize {
        usize::from(self.targets[target].most)
    }

    /// Returns a lower bound on the steps until a target holds; `None` if it never will.
    pub fn from_state(&self, state: &State, target: usize) -> Option<usize> {
        let target = &self.targets[target];
        if state.holds(target.fluent) {
            return Some(0);
        }
        let mut least = 0;
        for (table, from_nothing) in &target.tables {
            let held = state.fluents().filter_map(|fluent| table.get(fluent.0 as usize));
            least = least.max(held.copied().fold(*from_nothing, u16::min));
        }
        (least < NEVER).then_some(usize::from(least))
    }

    /// Returns a lower bound on the steps from a fluent alone to a target; `None` if there is no path.
    pub fn from_fluent(&self, fluent: Fluent, target: usize) -> Option<usize> {
        greatest(&self.targets[target].tables, fluent.0 as usize).map(usize::from)
    }
}

/// Returns the greatest distance that is finite.
fn finite(table: &[u16]) -> u16 {
    table
        .iter()
        .copied()
        .filter(|&distance| distance < NEVER)
        .max()
        .unwrap_or(0)
}

/// Returns the distance from a fluent by the graph in which it is greatest, if it is finite.
fn greatest(tables: &[(Vec<u16>, u16)], from: usize) -> Option<u16> {
    let distances = tables
        .iter()
        .map(|(table, _)| table.get(from).copied().unwrap_or(NEVER));
    distances.max().filter(|&distance| distance < NEVER)
}

#[cfg(test)]
mod tests;
