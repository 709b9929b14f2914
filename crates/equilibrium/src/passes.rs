//! The two basic sweeps over a graph, for any number of roles.
//!
//! [`evaluate`] goes from the terminal nodes to the root and computes the values of all nodes and moves for each role,
//! given the strategies. [`spread`] goes from the root down and computes the reach probabilities of all nodes: for each
//! role the contribution of its own moves and that of the others. [`cfr`](crate::cfr) has faster forms for two roles;
//! these are the plain ones.
//!
//! If a joint move changes nothing, so that a node is its own child, roles choose again: values are those of finally
//! leaving the node, or [endless](Graph::endless) if that never happens, and reach is not added again.

use crate::graph::{Graph, Run, Work};
use crate::strategy::Strategy;
use rayon::prelude::*;

/// Probability of staying at a node from which on it counts as staying for ever.
pub(crate) const FOR_EVER: f64 = 1.0 - 1e-12;

/// Values of nodes and moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Expected goal for each node and role.
    pub of_nodes: Vec<f64>,
    /// Expected goal of the role for each entry if it makes that move; zero at settled nodes.
    pub of_moves: Vec<f64>,
}

/// Reach probabilities of nodes, summed over all paths to a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// For each node and role the product of the probabilities of its own moves.
    pub own: Vec<f64>,
    /// For each node and role the product of the probabilities of the moves of all others: its counterfactual reach.
    pub others: Vec<f64>,
}

impl Values {
    /// The goals of terminal and settled nodes and leaves; zeros elsewhere.
    pub fn new(graph: &Graph) -> Values {
        Values {
            of_nodes: graph.all_goals().to_vec(),
            of_moves: vec![0.0; graph.entry_count()],
        }
    }

    /// Value of a node for a role.
    pub fn at(&self, graph: &Graph, node: usize, role: usize) -> f64 {
        self.of_nodes[node * graph.roles() + role]
    }
}

impl Reach {
    /// All zeros.
    pub fn new(graph: &Graph) -> Reach {
        Reach {
            own: vec![0.0; graph.len() * graph.roles()],
            others: vec![0.0; graph.len() * graph.roles()],
        }
    }
}

/// Computes the values of nodes and moves if all roles play their strategies.
pub fn evaluate(graph: &Graph, strategy: &Strategy, values: &mut Values) {
    let roles = graph.roles();
    let Values { of_nodes, of_moves } = values;
    for runs in graph.levels().iter().rev() {
        let runs = &graph.runs()[runs.clone()];
        for run in runs.iter().filter(|run| run.work == Work::Settled) {
            let nodes = run.nodes.start * roles..run.nodes.end * roles;
            of_nodes[nodes.clone()].copy_from_slice(&graph.all_goals()[nodes]);
        }
        let end = runs[runs.len() - 1].nodes.end;
        let (here, behind) = of_nodes.split_at_mut(end * roles);
        let work = |node: usize, of_node: &mut [f64], of_moves: &mut [f64]| {
            let behind = Behind {
                values: behind,
                first: end * roles,
            };
            value_node(graph, node, strategy, &behind, of_node, of_moves);
        };
        let mut lists = Lists {
            of_nodes: here,
            nodes_before: 0,
            of_moves: &mut of_moves[..],
            entries_before: 0,
        };
        for run in runs.iter().filter(|run| run.work != Work::Settled) {
            let tasks = lists.tasks(run, roles);
            // Threads pay off only for large levels.
            match run.nodes.len() * run.degree() >= MUCH {
                true => tasks.into_par_iter().for_each(|task| task.each(run, roles, &work)),
                false => tasks.into_iter().for_each(|task| task.each(run, roles, &work)),
            }
        }
    }
}

/// Number of joint moves of a level from which on several threads are used.
const MUCH: usize = 1 << 16;

/// Values of the nodes after a level.
pub(crate) struct Behind<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) first: usize,
}

/// Lists that are split along the nodes of runs.
struct Lists<'a> {
    of_nodes: &'a mut [f64],
    nodes_before: usize,
    of_moves: &'a mut [f64],
    entries_before: usize,
}

/// Some nodes of a run with their parts of the lists.
struct Task<'a> {
    first: usize,
    of_nodes: &'a mut [f64],
    of_moves: &'a mut [f64],
}

impl<'a> Lists<'a> {
    fn tasks(&mut self, run: &Run, roles: usize) -> Vec<Task<'a>> {
        let (first, entries) = (run.nodes.start * roles, run.entries());
        take(&mut self.of_nodes, first - self.nodes_before);
        take(&mut self.of_moves, run.first_entry - self.entries_before);
        let of_nodes = take(&mut self.of_nodes, run.nodes.len() * roles);
        let of_moves = take(&mut self.of_moves, run.nodes.len() * entries);
        self.nodes_before = run.nodes.end * roles;
        self.entries_before = run.first_entry + run.nodes.len() * entries;
        let some = (MUCH / 8 / run.degree().max(1)).max(1);
        let parts = of_nodes
            .chunks_mut(some * roles)
            .zip(of_moves.chunks_mut(some * entries));
        let task = |(number, (of_nodes, of_moves))| Task {
            first: run.nodes.start + number * some,
            of_nodes,
            of_moves,
        };
        parts.enumerate().map(task).collect()
    }
}

impl Task<'_> {
    fn each(self, run: &Run, roles: usize, work: &(impl Fn(usize, &mut [f64], &mut [f64]) + Sync)) {
        let parts = self
            .of_nodes
            .chunks_mut(roles)
            .zip(self.of_moves.chunks_mut(run.entries()));
        for (number, (of_node, of_moves)) in parts.enumerate() {
            work(self.first + number, of_node, of_moves);
        }
    }
}

/// Splits off the beginning of a list.
pub(crate) fn take<'a, T>(list: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (taken, rest) = std::mem::take(list).split_at_mut(count);
    *list = rest;
    taken
}

/// Computes the values of a node and its moves.
fn value_node(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    behind: &Behind<'_>,
    of_node: &mut [f64],
    of_moves: &mut [f64],
) {
    let first = graph.entries(node, 0).start;
    let mut stays = Vec::new();
    value_moves(graph, node, strategy, behind, of_moves, &mut stays);
    for (role, of_role) in of_node.iter_mut().enumerate() {
        let entries = graph.entries(node, role);
        let chances = &strategy.probabilities()[entries.clone()];
        let entries = entries.start - first..entries.end - first;
        let moves = &mut of_moves[entries.clone()];
        let mean = |list: &[f64]| -> f64 { chances.iter().zip(list).map(|(chance, value)| chance * value).sum() };
        let mut value = mean(moves);
        if !stays.is_empty() {
            let stays = &stays[entries];
            let stay = mean(stays);
            value = match stay < FOR_EVER {
                true => value / (1.0 - stay),
                false => graph.endless()[role],
            };
            moves
                .iter_mut()
                .zip(stays)
                .for_each(|(of_move, stay)| *of_move += stay * value);
        }
        *of_role = value;
    }
}

/// Computes the values of the moves of a node without staying. If the node is its own child, `stays` gets for each
/// entry the probability that nothing changes.
pub(crate) fn value_moves(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    behind: &Behind<'_>,
    of_moves: &mut [f64],
    stays: &mut Vec<f64>,
) {
    let roles = graph.roles();
    let (first, last) = (graph.entries(node, 0).start, graph.entries(node, roles - 1));
    let last_chances = &strategy.probabilities()[last.clone()];
    let last_start = last.start - first;
    of_moves.fill(0.0);
    let mut sums = vec![0.0; roles];
    each_joint(graph, node, strategy, |prefix, weights, children| {
        sums.fill(0.0);
        // All roles but the last stay at their moves while the last one goes through its own.
        for (place, (&child, chance)) in children.iter().zip(last_chances).enumerate() {
            if child as usize == node {
                stays.resize(of_moves.len(), 0.0);
                stays[last_start + place] += weights[roles - 1];
                (0..roles - 1).for_each(|role| stays[prefix[role]] += weights[role] * chance);
                continue;
            }
            let at = child as usize * roles - behind.first;
            let values = &behind.values[at..at + roles];
            of_moves[last_start + place] += weights[roles - 1] * values[roles - 1];
            for (sum, value) in sums.iter_mut().zip(&values[..roles - 1]) {
                *sum += chance * value;
            }
        }
        for role in 0..roles - 1 {
            of_moves[prefix[role]] += weights[role] * sums[role];
        }
    });
}

/// Calls `tell` for each choice of all roles but the last, with the entries chosen, counted from the node's first one;
/// for each role the product of the probabilities of the others among them; and the children, one for each move of the
/// last role.
pub(crate) fn each_joint(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    mut tell: impl FnMut(&[usize], &[f64], &[u32]),
) {
    let roles = graph.roles();
    let first = graph.entries(node, 0).start;
    let starts: Vec<usize> = (0..roles).map(|role| graph.entries(node, role).start - first).collect();
    let probabilities = &strategy.probabilities()[first..];
    let mut chosen = starts[..roles - 1].to_vec();
    let mut weights = vec![0.0; roles];
    let width = graph.entries(node, roles - 1).len().max(1);
    for children in graph.children(node).chunks(width) {
        // Products over the roles before each role, then times those after it.
        let mut product = 1.0;
        for role in 0..roles - 1 {
            weights[role] = product;
            product *= probabilities[chosen[role]];
        }
        weights[roles - 1] = product;
        product = 1.0;
        for role in (0..roles - 1).rev() {
            weights[role] *= product;
            product *= probabilities[chosen[role]];
        }
        tell(&chosen, &weights, children);
        for role in (0..roles - 1).rev() {
            chosen[role] += 1;
            if chosen[role] < starts[role + 1] {
                break;
            }
            chosen[role] = starts[role];
        }
    }
}

/// Computes reach probabilities from the root if all roles play their strategies. The descendants of settled nodes are
/// left out.
pub fn spread(graph: &Graph, strategy: &Strategy, reach: &mut Reach) {
    let roles = graph.roles();
    reach.own.fill(0.0);
    reach.others.fill(0.0);
    reach.own[..roles].fill(1.0);
    reach.others[..roles].fill(1.0);
    let mut own = vec![0.0; roles];
    let mut others = vec![0.0; roles];
    for run in graph.runs().iter().filter(|run| run.work != Work::Settled) {
        for node in run.nodes.clone() {
            own.copy_from_slice(&reach.own[node * roles..(node + 1) * roles]);
            others.copy_from_slice(&reach.others[node * roles..(node + 1) * roles]);
            let first = graph.entries(node, 0).start;
            let chances = &strategy.probabilities()[first..];
            let last = strategy.at(graph, node, roles - 1);
            each_joint(graph, node, strategy, |prefix, weights, children| {
                for (&child, chance) in children.iter().zip(last) {
                    if child as usize == node {
                        continue;
                    }
                    let at = child as usize * roles;
                    let (to_own, to_others) = (&mut reach.own[at..at + roles], &mut reach.others[at..at + roles]);
                    for role in 0..roles - 1 {
                        to_own[role] += own[role] * chances[prefix[role]];
                        to_others[role] += others[role] * weights[role] * chance;
                    }
                    to_own[roles - 1] += own[roles - 1] * chance;
                    to_others[roles - 1] += others[roles - 1] * weights[roles - 1];
                }
            });
        }
    }
}

/// Returns the counterfactual regrets of a role for its moves at a node.
pub fn regrets(graph: &Graph, node: usize, role: usize, values: &Values, reach: &Reach) -> Vec<f64> {
    let (value, others) = (values.at(graph, node, role), reach.others[node * graph.roles() + role]);
    let moves = &values.of_moves[graph.entries(node, role)];
    moves.iter().map(|of_move| others * (of_move - value)).collect()
}
