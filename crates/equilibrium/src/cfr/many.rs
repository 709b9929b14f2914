//! The sweeps for any number of roles and any goals, in the plain forms of [`passes`](crate::passes).

use super::rule::{Step, learn};
use super::{Tables, Turn};
use crate::graph::{Graph, Work};
use crate::passes::{Reach, Values, evaluate, spread};
use crate::strategy::Strategy;

/// What is known of nodes within an iteration.
#[derive(Clone, Debug)]
pub(super) struct Sweeps {
    values: Values,
    reach: Reach,
    gains: Vec<f64>,
    roles: usize,
}

impl Sweeps {
    pub(super) fn new(graph: &Graph) -> Sweeps {
        Sweeps {
            values: Values::new(graph),
            reach: Reach::new(graph),
            gains: Vec::new(),
            roles: graph.roles(),
        }
    }

    /// What the root is worth to each role by the mixtures of the last iteration.
    pub(super) fn values(&self) -> Vec<f64> {
        self.values.of_nodes[..self.roles].to_vec()
    }

    pub(super) fn iterate(&mut self, graph: &Graph, tables: &mut Tables, turn: Turn<'_>, step: &Step) {
        // The mixtures are lent as a strategy while the sweeps look at them.
        let strategy = Strategy::from(std::mem::take(&mut tables.mixture));
        evaluate(graph, &strategy, &mut self.values);
        spread(graph, &strategy, &mut self.reach);
        tables.mixture = strategy.into();
        let roles = graph.roles();
        for run in graph.runs().iter().filter(|run| run.work != Work::Settled) {
            for node in run.nodes.clone() {
                for role in (0..roles).filter(|&role| turn.is_on(role)) {
                    let entries = graph.entries(node, role);
                    let value = self.values.of_nodes[node * roles + role];
                    self.gains.clear();
                    self.gains.extend(
                        self.values.of_moves[entries.clone()]
                            .iter()
                            .map(|of_move| of_move - value),
                    );
                    let lists = [
                        &mut tables.regret[entries.clone()],
                        &mut tables.total[entries.clone()],
                        &mut tables.mixture[entries.clone()],
                    ];
                    let [others, own] = [&self.reach.others, &self.reach.own].map(|list| list[node * roles + role]);
                    learn::<false>(lists, &self.gains, others, own, step);
                }
            }
        }
    }
}
