//! Best responses and exploitability.
//!
//! The best response of a role to the strategies of the others is exact: one backward sweep chooses the move of
//! greatest value at every node. The gains of all roles by best responses measure how far strategies are from an
//! equilibrium.

use crate::graph::{Graph, Work};
use crate::passes::{FOR_EVER, Values, each_joint, evaluate};
use crate::strategy::Strategy;

/// A best response.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Value of each node for the responding role.
    pub values: Vec<f64>,
    /// Index of the move at each node: the first of those with the greatest value.
    pub places: Vec<u32>,
    role: usize,
}

impl Response {
    /// Value of the root.
    pub fn value(&self) -> f64 {
        self.values[0]
    }

    /// The others' strategies together with the response.
    pub fn strategy(&self, graph: &Graph, others: &Strategy) -> Strategy {
        let answer = Strategy::pure(graph, |node, _| self.places[node] as usize);
        others.with_role(graph, self.role, &answer)
    }
}

/// Computes the best response of a role to the strategies of the others.
pub fn best_response(graph: &Graph, strategy: &Strategy, role: usize) -> Response {
    let roles = graph.roles();
    let mut values: Vec<f64> = graph.all_goals().chunks(roles).map(|goals| goals[role]).collect();
    let mut places = vec![0; graph.len()];
    let (mut of_moves, mut stays): (Vec<f64>, Vec<f64>) = Default::default();
    for run in graph.runs().iter().rev().filter(|run| run.work != Work::Settled) {
        for node in run.nodes.clone() {
            value_moves(graph, node, strategy, role, &values, &mut of_moves, &mut stays);
            let mut best = (f64::NEG_INFINITY, 0);
            for (place, (&value, &stay)) in of_moves.iter().zip(&stays).enumerate() {
                // A move that may change nothing is made again until it does.
                let value = match stay {
                    0.0 => value,
                    stay if stay < FOR_EVER => value / (1.0 - stay),
                    _ => graph.endless()[role],
                };
                if value > best.0 {
                    best = (value, place as u32);
                }
            }
            (values[node], places[node]) = best;
        }
    }
    Response { values, places, role }
}

/// Values of the moves of a role at a node without staying, and the probabilities of staying.
fn value_moves(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    role: usize,
    values: &[f64],
    of_moves: &mut Vec<f64>,
    stays: &mut Vec<f64>,
) {
    let last = graph.roles() - 1;
    let entries = graph.entries(node, role);
    let before = entries.start - graph.entries(node, 0).start;
    for list in [&mut *of_moves, &mut *stays] {
        list.clear();
        list.resize(entries.len(), 0.0);
    }
    let last_chances = strategy.at(graph, node, last);
    each_joint(graph, node, strategy, |prefix, weights, children| {
        let weight = weights[role];
        for (place, (&child, &chance)) in children.iter().zip(last_chances).enumerate() {
            let (place, chance) = match role == last {
                true => (place, weight),
                false => (prefix[role] - before, weight * chance),
            };
            match child as usize == node {
                true => stays[place] += chance,
                false => of_moves[place] += chance * values[child as usize],
            }
        }
    });
}

/// The quality of strategies.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// Expected goal of each role if all play their strategies.
    pub values: Vec<f64>,
    /// Expected goal of each role if it plays its best response to the others.
    pub best_responses: Vec<f64>,
    /// NashConv: the sum of what each role gains by its best response while the others keep their strategies.
    pub nash_conv: f64,
    /// The same in games of two roles with a constant sum, where it bounds what an opponent can gain.
    pub exploitability: Option<f64>,
}

/// Assesses strategies.
pub fn assess(graph: &Graph, strategy: &Strategy) -> Assessment {
    let mut values = Values::new(graph);
    evaluate(graph, strategy, &mut values);
    let values = values.of_nodes[..graph.roles()].to_vec();
    let best_responses: Vec<f64> = (0..graph.roles())
        .map(|role| best_response(graph, strategy, role).value())
        .collect();
    // A best response is never worse; a negative gain is a rounding error.
    let gains = best_responses
        .iter()
        .zip(&values)
        .map(|(best, value)| (best - value).max(0.0));
    Assessment {
        nash_conv: gains.sum(),
        exploitability: graph
            .sum()
            .filter(|_| graph.roles() == 2)
            .map(|sum| (best_responses.iter().sum::<f64>() - sum).max(0.0)),
        values,
        best_responses,
    }
}
