//! Exact equilibria by backward induction: every node is a matrix game of the values of its children, solved as a
//! linear program, children first. One sweep gives the values and strategies of all nodes; it has no partial result.

use crate::EquilibriumError;
use crate::graph::{Graph, Work};
use crate::strategy::Strategy;
use ludens_budget::{Budget, Stopped};
use ludens_reach::{NodeKind, Phase, Status, in_pool};
use ludens_solve::matrix;
use rayon::prelude::*;

/// Number of nodes solved between two looks at the clock.
const BATCH: usize = 4096;

/// An exact solution of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// Value of each node for the first role; the second gets the rest of the [sum](Graph::sum).
    pub values: Vec<f64>,
    /// Strategies that guarantee both roles these values.
    pub strategy: Strategy,
    /// Maximum error of the value of a node within its own matrix game.
    pub error: f64,
}

/// Solves a graph exactly; returns only the stop reason if the budget is spent before the end.
pub fn solve(graph: &Graph, threads: usize, budget: &Budget) -> Result<Result<Exact, Stopped>, EquilibriumError> {
    let unsuitable = |cause: &str| {
        Err(EquilibriumError::Unsuitable(format!(
            "backward induction needs {cause}"
        )))
    };
    if graph.roles() > 2 {
        return unsuitable("a game of at most two roles; regret minimisation takes any number");
    }
    if graph.roles() == 2 && graph.sum().is_none() {
        return unsuitable("goals with a constant sum; regret minimisation takes any goals");
    }
    Ok(in_pool(threads, || sweep(graph, budget))?)
}

fn sweep(graph: &Graph, budget: &Budget) -> Result<Exact, Stopped> {
    let mut values: Vec<f64> = graph.all_goals().chunks(graph.roles()).map(|goals| goals[0]).collect();
    let mut strategy = Strategy::uniform(graph);
    let mut error = 0.0f64;
    let mut done = graph.count(NodeKind::Terminal);
    for run in graph.runs().iter().rev().filter(|run| run.work != Work::Settled) {
        let columns = run.shape.get(1).map_or(1, |&count| count as usize);
        let nodes: Vec<usize> = run.nodes.clone().collect();
        for nodes in nodes.chunks(BATCH) {
            if let Some(reason) = budget.interruption() {
                return Err(reason.into());
            }
            let solved: Vec<matrix::MatrixSolution> = nodes
                .par_iter()
                .map(|&node| solve_node(graph, node, columns, &values))
                .collect();
            for (&node, solution) in nodes.iter().zip(solved) {
                values[node] = solution.value;
                error = error.max(solution.error);
                let chances = strategy.probabilities_mut();
                chances[graph.entries(node, 0)].copy_from_slice(&solution.row);
                if graph.roles() == 2 {
                    chances[graph.entries(node, 1)].copy_from_slice(&solution.column);
                }
            }
            done += nodes.len();
            budget.report(|| Status::new(Phase::Backward, done).of(graph.len() as u64));
        }
    }
    Ok(Exact {
        values,
        strategy,
        error,
    })
}

fn solve_node(graph: &Graph, node: usize, columns: usize, values: &[f64]) -> matrix::MatrixSolution {
    let children = graph.children(node);
    let rows = children.len() / columns;
    let payoffs = |here: f64| -> Vec<f64> {
        let value = |&child: &u32| {
            if child as usize == node {
                here
            } else {
                values[child as usize]
            }
        };
        children.iter().map(value).collect()
    };
    if !children.contains(&(node as u32)) {
        return matrix::solve(&payoffs(0.0), rows, columns);
    }
    // If a joint move changes nothing, the value of the node is an entry of its own matrix. The value of the matrix
    // grows with that entry, but not faster, so their difference changes sign once. Bisection finds where, starting
    // from the value of an infinite match.
    let endless = graph.endless()[0];
    let outside = || {
        children
            .iter()
            .filter(|&&child| child as usize != node)
            .map(|&child| values[child as usize])
    };
    let gain = |here: f64| matrix::solve(&payoffs(here), rows, columns).value - here;
    let (mut near, mut far) = match gain(endless) {
        gain if gain > 1e-12 => (endless, outside().fold(endless, f64::max)),
        gain if gain < -1e-12 => (endless, outside().fold(endless, f64::min)),
        _ => (endless, endless),
    };
    while (far - near).abs() > 1e-12 * (1.0 + near.abs()) {
        let middle = near + (far - near) / 2.0;
        if middle == near || middle == far {
            break;
        }
        match gain(middle) * (far - near) > 0.0 {
            true => near = middle,
            false => far = middle,
        }
    }
    matrix::solve(&payoffs(far), rows, columns)
}
