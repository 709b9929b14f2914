//! Outcome sampling: single playouts are drawn.

use super::{EXPLORATION, Tables};
use crate::graph::{Graph, Work};
use crate::strategy::draw;
use ludens_engine::Rng;
use std::ops::Range;

/// Maximum length of a playout; longer ones count as endless.
const LONGEST: usize = 10_000;

/// Lower bound on sampling probabilities, so that weights of very long playouts stay finite.
const LEAST: f64 = 1e-100;

/// A source of playouts: a graph, or a tree that grows.
pub(super) trait World {
    /// Number of roles.
    fn roles(&self) -> usize;

    /// The entries of a role at a node.
    fn entries(&self, node: usize, role: usize) -> Range<usize>;

    /// Goals of each role, if they are certain at a node.
    fn goals(&self, node: usize) -> Option<&[f64]>;

    /// Makes a joint move, given by the indices of the moves.
    fn child(&mut self, node: usize, places: &[usize], rng: &mut Rng) -> Next;

    /// Goals of each role of an endless playout.
    fn middle(&self, role: usize) -> f64;
}

/// Where a playout continues.
pub(super) enum Next {
    /// At a node.
    Node(usize),
    /// Nowhere: it was finished at random, with these goals.
    Over(Vec<f64>),
}

/// A decision of the updating role.
struct Passed {
    entries: Range<usize>,
    place: usize,
    /// Probability of the move under the strategy.
    chance: f64,
}

/// Draws a playout from a node, updates a role with it, and returns the goals.
pub(super) fn turn<W: World>(world: &mut W, root: usize, tables: &mut Tables, role: usize, rng: &mut Rng) -> Vec<f64> {
    let mut node = root;
    let mut passed: Vec<Passed> = Vec::new();
    // Sampling probability of the own moves; the others' moves are drawn by their strategies, which cancels out.
    let mut drawn = 1.0;
    let mut mixture = Vec::new();
    let mut places = vec![0; world.roles()];
    let goals = loop {
        if let Some(goals) = world.goals(node) {
            break goals.to_vec();
        }
        if passed.len() == LONGEST {
            break (0..world.roles()).map(|role| world.middle(role)).collect();
        }
        let before = drawn;
        for (other, place) in places.iter_mut().enumerate() {
            let entries = world.entries(node, other);
            tables.mixture(entries.clone(), &mut mixture);
            if other == role {
                let even = 1.0 / mixture.len() as f64;
                *place = match rng.f64() < EXPLORATION {
                    true => rng.usize(..mixture.len()),
                    false => draw(&mixture, rng),
                };
                let chance = mixture[*place];
                drawn *= EXPLORATION * even + (1.0 - EXPLORATION) * chance;
                passed.push(Passed {
                    entries,
                    place: *place,
                    chance,
                });
            } else {
                for (total, chance) in tables.total[entries].iter_mut().zip(&mixture) {
                    *total += chance / before.max(LEAST);
                }
                *place = draw(&mixture, rng);
            }
        }
        match world.child(node, &places, rng) {
            Next::Node(next) => node = next,
            Next::Over(goals) => break goals,
        }
    };
    // A baseline in the middle reduces the variance of rare moves.
    let mut worth = (goals[role] - world.middle(role)) / drawn.max(LEAST);
    for step in passed.iter().rev() {
        let mean = worth * step.chance;
        for entry in step.entries.clone() {
            tables.regret[entry] -= mean;
        }
        tables.regret[step.entries.start + step.place] += worth;
        worth = mean;
    }
    goals
}

/// Playouts on a graph.
pub(super) struct OnGraph<'a>(pub(super) &'a Graph);

impl World for OnGraph<'_> {
    fn roles(&self) -> usize {
        self.0.roles()
    }

    fn entries(&self, node: usize, role: usize) -> Range<usize> {
        self.0.entries(node, role)
    }

    fn goals(&self, node: usize) -> Option<&[f64]> {
        (self.0.work(node) == Work::Settled).then(|| self.0.goals(node))
    }

    fn child(&mut self, node: usize, places: &[usize], _rng: &mut Rng) -> Next {
        let number = places.iter().enumerate().fold(0, |number, (role, &place)| {
            number * self.0.entries(node, role).len() + place
        });
        Next::Node(self.0.children(node)[number] as usize)
    }

    fn middle(&self, role: usize) -> f64 {
        self.0.endless()[role]
    }
}
