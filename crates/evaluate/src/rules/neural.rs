//! Goal neural networks (C-IL²P) made of the rules, in the manner of Nexplayer (Michulke, 2012).
//!
//! Every join of conditions becomes a neuron, with the neurons and fluents that it joins as inputs. Its output lies
//! between -1 and 1 and is positive exactly where the condition holds; the more of the condition holds, the greater it
//! is. A network has one output for each goal value of each role, and all outputs share what they have in common.
//!
//! There are two ways to choose weights: [`Weights::Global`] takes one weight for all neurons (C-IL2P: d'Avila Garcez,
//! Broda and Gabbay), which must suit the neuron with the most inputs and drives outputs of the others so near to ±1
//! that they cannot be told apart any more. [`Weights::Local`] gives every neuron the least weight with which its
//! successors can still tell true from false, found by carrying the limits of outputs through the network.

mod aggregate;
pub mod featured;
mod show;
mod weights;
mod why;

use crate::rules::distance::Choice;
use crate::rules::formula::{Atom, Dependents, Graph, Incremental, Node};
use crate::rules::goals::{GoalFormulas, NoResults};
use crate::rules::leaves::Leaves;
pub(crate) use aggregate::Aggregate;
pub use aggregate::Aggregation;
use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Game, State};
pub use show::{Picture, PictureKind, PictureNode};
use std::sync::Arc;
pub use weights::global_weight;

/// How the weights of neurons are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weights {
    /// One weight for all.
    Global,
    /// The least weight for each with which the inputs of its successors differ by `gap` between true and false.
    Local {
        /// More than 0 and less than 2.
        gap: f64,
    },
}

/// Settings of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The weights.
    pub weights: Weights,
    /// Maximum number of neurons; deeper conditions are Boolean leaves.
    pub most_neurons: usize,
    /// The expected goal without evidence for another (γ).
    pub usual: f64,
    /// How the degrees of goal values become one evaluation.
    pub aggregation: Aggregation,
    /// Admissible distances by which a network with features gives a false fluent a degree between true and false, if
    /// any. A [`GoalNetwork`] has none.
    pub distances: Option<Choice>,
    /// Whether deeply nested conditions, as in rules that count, get a degree by the number of conditions missing.
    /// Signs of outputs then no longer say whether goals hold.
    pub chains: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            weights: Weights::Local { gap: 0.1 },
            most_neurons: 512,
            usual: 50.0,
            aggregation: Aggregation::default(),
            distances: None,
            chains: false,
        }
    }
}

/// A neuron: `h(weight · (Σ inputs + bias))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Neuron {
    pub(crate) weight: f64,
    pub(crate) bias: f64,
}

impl Neuron {
    fn output(self, inputs: f64) -> f64 {
        squash(self.weight * (inputs + self.bias))
    }
}

/// `2 / (1 + e^-x) - 1`, between -1 and 1.
pub(crate) fn squash(activation: f64) -> f64 {
    2.0 / (1.0 + (-activation).exp()) - 1.0
}

/// How a node of the network is computed.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Always the same.
    Fixed(f64),
    /// 1 if the atom holds and -1 if not, or a value between for a chain; negated if the flag is set. 0 if unknown.
    Leaf(Atom, bool),
    /// A neuron whose inputs are all fluents: the output by how many of them are as wanted. Inputs and outputs are
    /// given by where they begin, and the number of inputs.
    Count { inputs: u32, outputs: u32, count: u32 },
    /// A neuron with these operands.
    Neuron(u32, u32, Neuron),
}

/// Evaluates states by a goal network.
pub struct GoalNetwork {
    shared: Arc<Shared>,
    leaves: Leaves,
    outputs: Incremental<f64>,
}

struct Shared {
    settings: Settings,
    graph: Graph,
    steps: Vec<Step>,
    /// The inputs of neurons that count: the word of the state, the bit, and whether it must be clear.
    inputs: Vec<(u32, u32, bool)>,
    /// Their outputs.
    outputs: Vec<f64>,
    /// For each role its goal values, each with the number of its output.
    goals: Vec<Vec<(u8, usize)>>,
    aggregates: Vec<Aggregate>,
    dependents: Dependents,
}

impl GoalNetwork {
    /// Creates the evaluator of a game; `None` if it is not compiled. Goals that are proved within the budget not to
    /// occur in terminal states are left out.
    pub fn new(game: &Game, settings: Settings, budget: &Budget) -> Option<GoalNetwork> {
        let mut formulas = GoalFormulas::new(game, settings.most_neurons)?;
        let GoalFormulas {
            store, goals, terminal, ..
        } = &mut formulas;
        let no_results = NoResults::of(game, budget);
        let aggregates = no_results.aggregates(goals, &settings);
        let (wanted, goals) = no_results.wanted(store, goals, *terminal, &aggregates);
        let graph = Graph::merged(&formulas.store, &wanted);
        let mut leaves = Leaves::new(game, &formulas, &graph, None);
        if settings.chains {
            leaves = leaves.clone().counting(game, &formulas.opaque).unwrap_or(leaves);
        }
        let neurons = weights::choose(&graph, &graph.cone(&graph.outputs), settings.weights, 1.0);
        let mut shared = Shared {
            settings,
            steps: Vec::with_capacity(graph.nodes.len()),
            inputs: Vec::new(),
            outputs: Vec::new(),
            goals,
            aggregates,
            graph,
            dependents: Dependents::default(),
        };
        for (place, neuron) in neurons.into_iter().enumerate() {
            let step = shared.step(place, neuron);
            shared.steps.push(step);
        }
        shared.dependents = shared.dependents();
        Some(GoalNetwork {
            leaves,
            outputs: Incremental::new(shared.steps.len()),
            shared: Arc::new(shared),
        })
    }

    /// Number of neurons.
    pub fn neurons(&self) -> usize {
        self.shared.graph.joins()
    }

    /// Number of leaves whose missing conditions are counted.
    pub fn chains(&self) -> usize {
        self.leaves.chains()
    }

    /// Computes the network in a state.
    pub fn compute(&mut self, state: &State) {
        let GoalNetwork {
            shared,
            leaves,
            outputs,
        } = self;
        leaves.go_to(state);
        outputs.go_to(state, &shared.dependents, |place, values| {
            shared.value(place, values, leaves, state)
        });
    }

    /// Returns the output for a goal value of a role in the last state: positive exactly where the goal holds. `None`
    /// for the usual goal and for goals that the role never has.
    pub fn output(&self, role: usize, value: u8) -> Option<f64> {
        let goals = self.shared.goals.get(role)?.iter();
        let (_, number) = goals.copied().find(|goal| goal.0 == value)?;
        Some(self.outputs.value(self.shared.graph.outputs[number]))
    }
}

impl Shared {
    /// Returns the value of a node in a state, given those of its operands.
    fn value(&self, place: usize, values: &[f64], leaves: &Leaves, state: &State) -> f64 {
        match self.steps[place] {
            Step::Fixed(value) => value,
            Step::Leaf(atom, negated) => match leaves.degree(state, atom) {
                Some(degree) if negated => 1.0 - 2.0 * degree,
                Some(degree) => 2.0 * degree - 1.0,
                None => 0.0,
            },
            Step::Count { inputs, outputs, count } => {
                let words = state.words();
                let inputs = &self.inputs[inputs as usize..(inputs + count) as usize];
                let held = inputs.iter().filter(|&&(word, bit, negated)| {
                    let word = words.get(word as usize).copied().unwrap_or(0);
                    (word >> bit & 1 == 1) != negated
                });
                self.outputs[outputs as usize + held.count()]
            }
            Step::Neuron(start, end, neuron) => {
                let operands = self.graph.operands[start as usize..end as usize].iter();
                neuron.output(operands.map(|&operand| values[operand as usize]).sum())
            }
        }
    }

    fn step(&mut self, place: usize, neuron: Neuron) -> Step {
        let node = self.graph.nodes[place];
        match node {
            Node::Constant(value) => Step::Fixed(if value { 1.0 } else { -1.0 }),
            Node::Unknown => Step::Fixed(0.0),
            Node::Leaf(atom, negated) => Step::Leaf(atom, negated),
            Node::All(start, end) | Node::Any(start, end) => {
                let operands = self.graph.operands_of(node).iter();
                let fluents: Option<Vec<(u32, u32, bool)>> = operands
                    .map(|&operand| match self.graph.nodes[operand as usize] {
                        Node::Leaf(Atom::Fluent(fluent), negated) => Some((fluent.0 / 64, fluent.0 % 64, negated)),
                        _ => None,
                    })
                    .collect();
                let Some(fluents) = fluents else {
                    return Step::Neuron(start, end, neuron);
                };
                let (inputs, outputs) = (self.inputs.len() as u32, self.outputs.len() as u32);
                let count = fluents.len() as u32;
                self.inputs.extend(fluents);
                let sums = (0..=count).map(|held| 2.0 * f64::from(held) - f64::from(count));
                self.outputs.extend(sums.map(|sum| neuron.output(sum)));
                Step::Count { inputs, outputs, count }
            }
        }
    }

    fn dependents(&self) -> Dependents {
        let (mut by_fluent, mut by_node, mut on_all) = (Vec::new(), Vec::new(), Vec::new());
        for (place, step) in self.steps.iter().enumerate() {
            let node = place as u32;
            match *step {
                Step::Fixed(_) => {}
                Step::Leaf(Atom::Fluent(fluent), _) => by_fluent.push((fluent.0, node)),
                Step::Leaf(..) => on_all.push(node),
                Step::Count { inputs, count, .. } => {
                    let inputs = &self.inputs[inputs as usize..(inputs + count) as usize];
                    by_fluent.extend(inputs.iter().map(|&(word, bit, _)| (word * 64 + bit, node)));
                }
                Step::Neuron(start, end, _) => {
                    let operands = &self.graph.operands[start as usize..end as usize];
                    by_node.extend(operands.iter().map(|&operand| (operand, node)));
                }
            }
        }
        Dependents::new(self.steps.len(), by_fluent, by_node, on_all)
    }
}

impl Evaluator for GoalNetwork {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.compute(state);
        let Shared {
            graph,
            goals: of_roles,
            aggregates,
            ..
        } = &*self.shared;
        for ((goal, of_role), aggregate) in goals.iter_mut().zip(of_roles).zip(aggregates) {
            let outputs = of_role
                .iter()
                .map(|&(value, number)| (value, self.outputs.value(graph.outputs[number])));
            *goal = aggregate.evaluate(outputs);
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(GoalNetwork {
            shared: self.shared.clone(),
            leaves: self.leaves.clone(),
            outputs: self.outputs.clone(),
        })
    }
}

#[cfg(test)]
mod nearer;
#[cfg(test)]
mod tests;
