//! The weights of a network: one for all neurons, or the least for each.

use super::{Neuron, Weights, squash};
use crate::rules::formula::{Graph, Node};

/// With weights beyond this, inputs that differ by as little as any gap lead to outputs of ±1.
const MOST_WEIGHT: f64 = 1e9;
/// Rounds over the whole network in which weights may be raised.
const MOST_ROUNDS: usize = 100;

/// Returns a neuron for every node; leaves and constants have none that matters, nor have nodes that are not among the
/// given places, which come in order. A leaf that holds counts at least `probable`, and one that does not at most the
/// opposite.
pub(super) fn choose(graph: &Graph, places: &[u32], weights: Weights, probable: f64) -> Vec<Neuron> {
    match weights {
        Weights::Global => global(graph),
        Weights::Local { gap } => local(graph, places, gap.clamp(1e-6, 1.999), probable),
    }
}

fn global(graph: &Graph) -> Vec<Neuron> {
    let most = graph.nodes.iter().map(|&node| graph.operands_of(node).len()).max();
    let (least_true, weight) = global_weight(most.unwrap_or(0).max(2));
    let neuron = |&node: &Node| {
        let inputs = graph.operands_of(node).len();
        let bias = global_bias(inputs, least_true);
        Neuron {
            weight,
            bias: match node {
                Node::All(..) => -bias,
                _ => bias,
            },
        }
    };
    graph.nodes.iter().map(neuron).collect()
}

/// How far the sum of the inputs of a disjunction is moved up, and that of a conjunction down.
pub(super) fn global_bias(inputs: usize, least_true: f64) -> f64 {
    (1.0 + least_true) * (inputs as f64 - 1.0) / 2.0
}

/// Returns the least output that means true and the least weight, for networks whose neurons have at most `most_inputs`
/// (two or more) inputs.
pub fn global_weight(most_inputs: usize) -> (f64, f64) {
    let inputs = most_inputs.max(2) as f64;
    let lowest = (inputs - 1.0) / (inputs + 1.0);
    let weight = |least_true: f64| {
        let above = 2.0 * ((1.0 + least_true).ln() - (1.0 - least_true).ln());
        above / (inputs * (least_true - 1.0) + least_true + 1.0)
    };
    // The weight falls and then rises between the two ends, beyond which it has no bounds.
    let (mut low, mut high) = (lowest, 1.0);
    for _ in 0..200 {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        match weight(one) < weight(other) {
            true => high = other,
            false => low = one,
        }
    }
    let least_true = (low + high) / 2.0;
    (least_true, weight(least_true))
}

/// Between which outputs a neuron lies: falsity from `lowest` to `falsity`, truth from `truth` to `highest`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    lowest: f64,
    falsity: f64,
    truth: f64,
    highest: f64,
}

/// Returns the limits of a leaf.
fn leaf(probable: f64) -> Limits {
    Limits {
        lowest: -1.0,
        falsity: -probable,
        truth: probable,
        highest: 1.0,
    }
}

/// Returns the limits of the sum of some inputs.
fn joined(is_conjunction: bool, inputs: impl Iterator<Item = Limits> + Clone) -> Limits {
    let highest: f64 = inputs.clone().map(|limits| limits.highest).sum();
    let lowest: f64 = inputs.clone().map(|limits| limits.lowest).sum();
    let least = |steps: &dyn Fn(Limits) -> f64| inputs.clone().map(steps).fold(f64::INFINITY, f64::min);
    match is_conjunction {
        true => Limits {
            lowest,
            // One input is false, all others are as true as can be.
            falsity: highest - least(&|limits| limits.highest - limits.falsity),
            truth: inputs.clone().map(|limits| limits.truth).sum(),
            highest,
        },
        false => Limits {
            lowest,
            falsity: inputs.clone().map(|limits| limits.falsity).sum(),
            truth: lowest + least(&|limits| limits.truth - limits.lowest),
            highest,
        },
    }
}

struct Local<'a> {
    graph: &'a Graph,
    gap: f64,
    weights: Vec<f64>,
    biases: Vec<f64>,
    /// The limits of the sums of inputs, and of outputs.
    sums: Vec<Limits>,
    outputs: Vec<Limits>,
}

fn local(graph: &Graph, places: &[u32], gap: f64, probable: f64) -> Vec<Neuron> {
    let nodes = graph.nodes.len();
    let mut local = Local {
        graph,
        gap,
        weights: vec![1.0; nodes],
        biases: vec![0.0; nodes],
        sums: vec![leaf(probable); nodes],
        outputs: vec![leaf(probable); nodes],
    };
    // A weight that is raised for one neuron changes the inputs of others, also of some that were looked at before.
    for _ in 0..MOST_ROUNDS {
        if !local.round(places) {
            break;
        }
    }
    let neurons = local.weights.into_iter().zip(local.biases);
    neurons.map(|(weight, bias)| Neuron { weight, bias }).collect()
}

impl Local<'_> {
    /// Goes through the neurons, from the fluents to the goals; returns whether a weight was raised.
    fn round(&mut self, places: &[u32]) -> bool {
        let mut is_changed = false;
        for place in places.iter().map(|&place| place as usize) {
            let node = self.graph.nodes[place];
            let is_conjunction = match node {
                Node::All(..) => true,
                Node::Any(..) => false,
                Node::Constant(_) | Node::Unknown | Node::Leaf(..) => continue,
            };
            let operands = self.graph.operands_of(node).to_vec();
            // Probable leaves may not separate true from false; certain ones do.
            let is_certain = !self.separates(is_conjunction, &operands, MOST_WEIGHT, false);
            is_changed |= self.separate(is_conjunction, &operands, is_certain);
            let sum = self.sum(is_conjunction, &operands, 1.0, is_certain);
            self.sums[place] = sum;
            self.biases[place] = -(sum.falsity + sum.truth) / 2.0;
            self.outputs[place] = self.output(place, self.weights[place]);
        }
        is_changed
    }

    /// Returns the limits of the sum of some operands, of which neurons have at least this weight, and leaves are as
    /// probable or as certain as can be.
    fn sum(&self, is_conjunction: bool, operands: &[u32], weight: f64, is_certain: bool) -> Limits {
        let limits = operands
            .iter()
            .map(|&operand| match self.graph.nodes[operand as usize] {
                Node::All(..) | Node::Any(..) => {
                    self.output(operand as usize, weight.max(self.weights[operand as usize]))
                }
                Node::Leaf(..) if is_certain => leaf(1.0),
                Node::Leaf(..) | Node::Constant(_) | Node::Unknown => self.outputs[operand as usize],
            });
        joined(is_conjunction, limits)
    }

    /// Returns whether the inputs of a neuron tell true from false if the neurons among them have at least this weight.
    fn separates(&self, is_conjunction: bool, operands: &[u32], weight: f64, is_certain: bool) -> bool {
        let sum = self.sum(is_conjunction, operands, weight, is_certain);
        sum.truth >= sum.falsity + self.gap
    }

    /// Raises the weights of the neurons that a neuron joins until its inputs tell true from false.
    fn separate(&mut self, is_conjunction: bool, operands: &[u32], is_certain: bool) -> bool {
        let Some(least) = self.least_weight(is_conjunction, operands, is_certain) else {
            return false;
        };
        for &operand in operands {
            if self.is_neuron(operand) {
                let place = operand as usize;
                self.weights[place] = self.weights[place].max(least);
                self.outputs[place] = self.output(place, self.weights[place]);
            }
        }
        true
    }

    /// Returns the least weight of the operands of a neuron with which its inputs tell true from false; `None` if they
    /// do already, or never will.
    fn least_weight(&self, is_conjunction: bool, operands: &[u32], is_certain: bool) -> Option<f64> {
        let is_enough = |weight: f64| self.separates(is_conjunction, operands, weight, is_certain);
        if is_enough(1.0) || !is_enough(MOST_WEIGHT) {
            return None;
        }
        let (mut low, mut high) = (1.0, MOST_WEIGHT);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            match is_enough(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        Some(high)
    }

    fn is_neuron(&self, place: u32) -> bool {
        matches!(self.graph.nodes[place as usize], Node::All(..) | Node::Any(..))
    }

    /// Returns the limits of the output of a neuron with this weight.
    fn output(&self, place: usize, weight: f64) -> Limits {
        let through = |sum: f64| squash(weight * (sum + self.biases[place]));
        let sum = self.sums[place];
        Limits {
            lowest: through(sum.lowest),
            falsity: through(sum.falsity),
            truth: through(sum.truth),
            highest: through(sum.highest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_global_weight_is_the_least() {
        let published = [
            (2, 0.756, 3.11),
            (4, 0.892, 3.92),
            (8, 0.952, 4.73),
            (16, 0.979, 5.53),
            (84, 0.997, 7.45),
        ];
        for (inputs, least_true, weight) in published {
            let found = global_weight(inputs);
            assert!((found.0 - least_true).abs() < 0.001, "{inputs}: {found:?}");
            assert!((found.1 - weight).abs() < 0.01, "{inputs}: {found:?}");
        }
    }

    #[test]
    fn limits_of_sums_are_those_of_the_worst_cases() {
        let inputs = [leaf(1.0); 3];
        let all = joined(true, inputs.into_iter());
        assert_eq!((all.lowest, all.falsity, all.truth, all.highest), (-3.0, 1.0, 3.0, 3.0));
        let any = joined(false, inputs.into_iter());
        assert_eq!(
            (any.lowest, any.falsity, any.truth, any.highest),
            (-3.0, -3.0, -1.0, 3.0)
        );
    }
}
