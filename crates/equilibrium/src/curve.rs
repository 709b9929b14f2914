//! How regret minimisation gets on: exploitability and the distance from a strategy after more and more iterations.

use crate::cfr::Cfr;
use crate::graph::Graph;
use crate::response::{Assessment, assess};
use crate::sampling::Sampler;
use crate::strategy::Strategy;
use ludens_budget::Budget;
use ludens_reach::{Phase, Status};
use std::time::{Duration, Instant};

/// Points that are looked at for each power of ten of iterations.
const POINTS: f64 = 8.0;

/// Whatever learns on a graph, iteration by iteration.
pub trait Learner {
    /// Learns for so many more iterations, or until the budget is spent; says how many there were.
    fn iterate(&mut self, graph: &Graph, most: u64, budget: &Budget) -> u64;

    /// How many iterations there were.
    fn iterations(&self) -> u64;

    /// What was played on average.
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

/// How things stood after some iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// After how many.
    pub iterations: u64,
    /// How long they took, without what was done to look at them.
    pub time: Duration,
    /// How good the average strategies were.
    pub assessment: Assessment,
    /// The mean squared distance of all probabilities from those of the strategy they are compared with.
    pub mean_square_error: Option<f64>,
    /// The greatest change of a probability since the last point.
    pub greatest_change: f64,
}

/// The numbers of iterations that are looked at, up to the last: they grow by equal factors.
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

/// Iterates and looks how things stand now and then, comparing with `reference` if there is one.
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
