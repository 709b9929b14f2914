//! The two sweeps over a graph that everything else is made of, for any number of roles.
//!
//! [`evaluate`] goes from the ends to the root: what every node, and every move there, is worth to each role if all play
//! their strategies. [`spread`] goes from the root to the ends: how likely every node is to be reached, as far as it
//! depends on a role itself and as far as it depends on the others. [`cfr`](crate::cfr) has faster forms of both for two
//! roles; these are the plain ones.
//!
//! Where a joint move changes nothing, so that a node is its own child, roles choose again: values are those of finally
//! leaving, or the [endless](Graph::endless) ones if nobody ever does, and reach does not go round.

use crate::graph::{Graph, Work};
use crate::strategy::Strategy;

/// Chances of staying that are so near to one count as staying for ever.
const FOR_EVER: f64 = 1.0 - 1e-12;

/// What nodes and moves are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// For each node and role what the role gets on average from there on.
    pub of_nodes: Vec<f64>,
    /// For each entry what its role gets on average if it makes that move; zero at settled nodes.
    pub of_moves: Vec<f64>,
}

/// How nodes are reached. Where several ways lead to a node, these are sums over the ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// For each node and role the product of the probabilities of its own moves.
    pub own: Vec<f64>,
    /// For each node and role the product of the probabilities of the moves of all others: its counterfactual reach.
    pub others: Vec<f64>,
}

impl Values {
    /// Known only where the graph knows them by itself.
    pub fn new(graph: &Graph) -> Values {
        Values {
            of_nodes: graph.all_goals().to_vec(),
            of_moves: vec![0.0; graph.entry_count()],
        }
    }

    /// What a node is worth to a role.
    pub fn at(&self, graph: &Graph, node: usize, role: usize) -> f64 {
        self.of_nodes[node * graph.roles() + role]
    }
}

impl Reach {
    /// Nothing is reached.
    pub fn new(graph: &Graph) -> Reach {
        Reach {
            own: vec![0.0; graph.len() * graph.roles()],
            others: vec![0.0; graph.len() * graph.roles()],
        }
    }
}

/// Finds what nodes and moves are worth if all roles play their strategies.
pub fn evaluate(graph: &Graph, strategy: &Strategy, values: &mut Values) {
    let roles = graph.roles();
    let mut scratch = Scratch::new(roles);
    for run in graph.runs().iter().rev() {
        if run.work == Work::Settled {
            let nodes = run.nodes.start * roles..run.nodes.end * roles;
            values.of_nodes[nodes.clone()].copy_from_slice(&graph.all_goals()[nodes]);
            continue;
        }
        for node in run.nodes.clone() {
            evaluate_node(graph, node, strategy, values, &mut scratch);
            for role in 0..roles {
                let value = value_of(graph, node, role, strategy, values, &mut scratch);
                values.of_nodes[node * roles + role] = value;
            }
        }
    }
}

/// What a role gets at a node whose moves are valued, taking the chance to stay into account.
fn value_of(
    graph: &Graph,
    node: usize,
    role: usize,
    strategy: &Strategy,
    values: &mut Values,
    scratch: &mut Scratch,
) -> f64 {
    let entries = graph.entries(node, role);
    let probabilities = &strategy.probabilities()[entries.clone()];
    let moves = &mut values.of_moves[entries.clone()];
    let value: f64 = probabilities
        .iter()
        .zip(&*moves)
        .map(|(chance, value)| chance * value)
        .sum();
    if !scratch.has_loops {
        return value;
    }
    let first = graph.entries(node, 0).start;
    let stays = &scratch.stays[entries.start - first..entries.end - first];
    let stay: f64 = probabilities
        .iter()
        .zip(stays)
        .map(|(chance, stay)| chance * stay)
        .sum();
    let value = match stay < FOR_EVER {
        true => value / (1.0 - stay),
        false => graph.endless()[role],
    };
    moves
        .iter_mut()
        .zip(stays)
        .for_each(|(of_move, stay)| *of_move += stay * value);
    value
}

/// Numbers that are needed for a moment at each node.
pub(crate) struct Scratch {
    chosen: Vec<u32>,
    weights: Vec<f64>,
    /// For each entry of the node the chance that nothing changes if the move is made.
    pub(crate) stays: Vec<f64>,
    /// Whether the node is its own child.
    pub(crate) has_loops: bool,
}

impl Scratch {
    pub(crate) fn new(roles: usize) -> Scratch {
        Scratch {
            chosen: vec![0; roles],
            weights: vec![0.0; roles],
            stays: Vec::new(),
            has_loops: false,
        }
    }
}

/// Calls `tell` for each joint move of a node with its child, the chosen places and, for each role, the product of the
/// probabilities of the others' moves.
pub(crate) fn each_joint(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    chosen: &mut [u32],
    weights: &mut [f64],
    mut tell: impl FnMut(usize, &[u32], &[f64]),
) {
    let roles = graph.roles();
    let probabilities = strategy.probabilities();
    chosen.fill(0);
    for &child in graph.children(node) {
        // Products of what is before each role, then times what is behind it.
        let mut product = 1.0;
        for role in 0..roles {
            weights[role] = product;
            product *= probabilities[graph.entries(node, role).start + chosen[role] as usize];
        }
        product = 1.0;
        for role in (0..roles).rev() {
            weights[role] *= product;
            product *= probabilities[graph.entries(node, role).start + chosen[role] as usize];
        }
        tell(child as usize, chosen, weights);
        for role in (0..roles).rev() {
            chosen[role] += 1;
            if (chosen[role] as usize) < graph.entries(node, role).len() {
                break;
            }
            chosen[role] = 0;
        }
    }
}

/// What moves are worth at a node but for staying; the chances of staying are left in `scratch`.
pub(crate) fn evaluate_node(
    graph: &Graph,
    node: usize,
    strategy: &Strategy,
    values: &mut Values,
    scratch: &mut Scratch,
) {
    let roles = graph.roles();
    let first = graph.entries(node, 0).start;
    let entries = first..graph.entries(node, roles - 1).end;
    values.of_moves[entries.clone()].fill(0.0);
    scratch.stays.clear();
    scratch.stays.resize(entries.len(), 0.0);
    scratch.has_loops = false;
    let Scratch {
        chosen,
        weights,
        stays,
        has_loops,
    } = scratch;
    each_joint(graph, node, strategy, chosen, weights, |child, chosen, weights| {
        for role in 0..roles {
            let entry = graph.entries(node, role).start + chosen[role] as usize;
            if child == node {
                stays[entry - first] += weights[role];
                *has_loops = true;
            } else {
                values.of_moves[entry] += weights[role] * values.of_nodes[child * roles + role];
            }
        }
    });
}

/// Finds how nodes are reached from the root if all roles play their strategies. Settled nodes are not gone beyond.
pub fn spread(graph: &Graph, strategy: &Strategy, reach: &mut Reach) {
    let roles = graph.roles();
    reach.own.fill(0.0);
    reach.others.fill(0.0);
    reach.own[..roles].fill(1.0);
    reach.others[..roles].fill(1.0);
    let mut scratch = Scratch::new(roles);
    let Scratch { chosen, weights, .. } = &mut scratch;
    for run in graph.runs().iter().filter(|run| run.work != Work::Settled) {
        for node in run.nodes.clone() {
            each_joint(graph, node, strategy, chosen, weights, |child, chosen, weights| {
                if child == node {
                    return;
                }
                for role in 0..roles {
                    let chance = strategy.probabilities()[graph.entries(node, role).start + chosen[role] as usize];
                    reach.own[child * roles + role] += reach.own[node * roles + role] * chance;
                    reach.others[child * roles + role] += reach.others[node * roles + role] * weights[role];
                }
            });
        }
    }
}

/// What a role regrets of not having made each move, given how the others let it come to the node: its counterfactual
/// regrets.
pub fn regrets(graph: &Graph, node: usize, role: usize, values: &Values, reach: &Reach) -> Vec<f64> {
    let (value, others) = (values.at(graph, node, role), reach.others[node * graph.roles() + role]);
    let moves = &values.of_moves[graph.entries(node, role)];
    moves.iter().map(|of_move| others * (of_move - value)).collect()
}
