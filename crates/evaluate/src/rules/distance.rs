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
//!   the condition that takes longest is the one to wait for. Fluents with nothing in common with the target come last.
//! * [`Choice::Both`] takes the greater of the two distances, which is a lower bound too.
//!
//! [`Distances::from_state`] is the bound: the least distance from any fluent that holds. Evaluators use
//! [`Distances::normalised`], which joins the distances from all of them by a p-norm, so that a second piece on its way
//! counts too.

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

/// The exponent of the norm that joins several distances (p): a smooth minimum.
pub(crate) const NORM: f64 = -4.0;

/// Returns a normalised distance, from 0 to 1, from the sum of the powers of several; `None` if there are none.
pub(crate) fn norm(powers: f64) -> Option<f64> {
    (powers > 0.0).then(|| powers.powf(1.0 / NORM).min(1.0))
}

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
    /// For each graph the fluents that lead to the target, with the powers of their normalised distances, and the power
    /// of the distance from no fluent at all.
    powers: Vec<(Vec<(Fluent, f64)>, f64)>,
    /// The fluents that lead to the target by the graph with the longest paths, but for those that never come to hold.
    sources: Vec<Fluent>,
    /// The greatest that is finite.
    most: u16,
}

impl Target {
    fn new(fluent: Fluent, graphs: &[FluentGraph]) -> Target {
        let tables: Vec<(Vec<u16>, u16)> = graphs.iter().map(|graph| graph.distances_to(fluent)).collect();
        let most = tables.iter().map(|(table, _)| finite(table)).max().unwrap_or(0);
        let power = |distance: u16| match distance {
            NEVER => 0.0,
            distance => (f64::from(distance) / f64::from(most.max(1))).powf(NORM),
        };
        let powers = tables.iter().map(|(table, from_nothing)| {
            let sources = leading(table).map(|fluent| (fluent, power(table[fluent.index()])));
            (sources.collect(), power(*from_nothing))
        });
        let longest = graphs.iter().zip(&tables).max_by_key(|(_, (table, _))| finite(table));
        let sources = longest.map(|(graph, (table, _))| leading(table).filter(|&source| graph.comes(source)).collect());
        Target {
            powers: powers.collect(),
            sources: sources.unwrap_or_default(),
            fluent,
            tables,
            most,
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

    /// Returns the fluents that lead to a target, however far they are, by the graph with the longest paths. Fluents that
    /// only hold from the start on, as that a cell is still empty, are no stage on the way.
    pub(crate) fn sources(&self, target: usize) -> impl Iterator<Item = Fluent> + Clone + '_ {
        self.targets[target].sources.iter().copied()
    }

    /// Returns how far a target that does not hold is from the fluents of a state together, from 0 to 1; `None` if it
    /// never will hold.
    pub fn normalised(&self, state: &State, target: usize) -> Option<f64> {
        let mut farthest: f64 = 0.0;
        for (sources, from_nothing) in &self.targets[target].powers {
            let held = sources.iter().filter(|(fluent, _)| state.holds(*fluent));
            let powers = held.map(|(_, power)| power).sum::<f64>() + from_nothing;
            farthest = farthest.max(norm(powers)?);
        }
        Some(farthest)
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

/// Returns the fluents at a finite distance, but for the target itself.
fn leading(table: &[u16]) -> impl Iterator<Item = Fluent> + '_ {
    let numbered = (0..).map(Fluent).zip(table);
    numbered
        .filter(|(_, distance)| (1..NEVER).contains(*distance))
        .map(|(fluent, _)| fluent)
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
