//! Convergence of regret minimisation: exploitability, and the distance from a reference strategy, over iterations.

use crate::cfr::Cfr;
use crate::graph::Graph;
use crate::response::{Assessment, assess};
use crate::sampling::Sampler;
use crate::strategy::Strategy;
use ludens_budget::Budget;
use ludens_reach::{Phase, Status};
use std::time::{Duration, Instant};

/// Number of points per factor of ten in iterations.
const POINTS: f64 = 8.0;

/// A method that improves strategies on a graph by iterations.
pub trait Learner {
    /// Runs at most `most` more iterations within the budget and returns their number.
    fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64;

    /// Number of iterations so far.
    fn iterations(&self) -> u64;

    /// Average strategy.
    fn average(&self, graph: &Graph) -> Strategy;
}

impl Learner for Cfr {
    fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64 {
        self.iterate(graph, most, budget)
    }

    fn iterations(&self) -> u64 {
        self.iterations()
    }

    fn average(&self, graph: &Graph) -> Strategy {
        self.average(graph)
    }
}

impl Learner for Sampler {
    fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64 {
        self.iterate(graph, most, budget)
    }

    fn iterations(&self) -> u64 {
        self.iterations()
    }

    fn average(&self, graph: &Graph) -> Strategy {
        self.average(graph)
    }
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Number of iterations.
    pub iterations: u64,
    /// Time of the iterations, without that of the assessments.
    pub time: Duration,
    /// Assessment of the average strategies.
    pub assessment: Assessment,
    /// Mean squared error of all probabilities against the reference strategy, if any.
    pub mean_square_error: Option<f64>,
    /// Greatest change of a probability since the previous point.
    pub greatest_change: f64,
}

/// Returns the numbers of iterations of the points up to `last`, equally spaced on a logarithmic scale.
pub fn checkpoints(last: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    for exponent in 0.. {
        let number = 10f64.powf(f64::from(exponent) / POINTS).round();
        if number >= last as f64 {
            break;
        }
        if numbers.last() != Some(&(number as u64)) {
            numbers.push(number as u64);
        }
    }
    if last > 0 {
        numbers.push(last);
    }
    numbers
}

/// Iterates and assesses the average strategies at each point, comparing them with `reference`, if any.
pub fn follow(
    graph: &Graph,
    learner: &mut dyn Learner,
    last: u64,
    reference: Option<&Strategy>,
    budget: &Budget,
) -> Vec<Point> {
    let mut points = Vec::new();
    let mut time = Duration::ZERO;
    let mut before = learner.average(graph);
    for goal in checkpoints(last) {
        let began = Instant::now();
        learner.iterate(graph, goal.saturating_sub(learner.iterations()), budget);
        time += began.elapsed();
        let average = learner.average(graph);
        points.push(Point {
            iterations: learner.iterations(),
            time,
            assessment: assess(graph, &average),
            mean_square_error: reference.map(|reference| average.mean_square_error(reference)),
            greatest_change: average.greatest_change(&before),
        });
        before = average;
        budget.report(|| Status::new(Phase::Iteration, learner.iterations()).of(last));
        if budget.is_spent() {
            break;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_grow_by_factors() {
        assert_eq!(checkpoints(0), [0; 0]);
        assert_eq!(checkpoints(1), [1]);
        assert_eq!(checkpoints(12), [1, 2, 3, 4, 6, 7, 10, 12]);
        assert_eq!(checkpoints(100).last(), Some(&100));
    }
}
