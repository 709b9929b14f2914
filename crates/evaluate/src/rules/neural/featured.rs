//! Goal networks whose leaves are more or less safe, and more or less near, by [features](crate::rules::derived) of the
//! rules.
//!
//! A leaf without features is `probable` where it holds and the opposite where it does not; features move it from there
//! towards what is certain, or towards each other. The nearer the end of the match is, the less can still change: so
//! the end is computed first, and what is probable moves linearly to what is certain with it. In a terminal state every
//! leaf is 1 or -1.
//!
//! A part that can never change any more settles its join: a conjunction with a part that stays false stays false,
//! and counts as if all of its parts did, whatever they are.

use super::{Aggregate, Neuron, Settings, Weights, weights};
use crate::rules::derived::{GoalFeatures, Kinds, Options, Reader, Reading};
use crate::rules::formula::{Graph, Node};
use crate::rules::goals::NoResults;
use crate::rules::mobility::Mobility;
use crate::rules::pieces::Pieces;
use ludens_budget::Budget;
use ludens_engine::knowledge::Evaluator;
use ludens_engine::{Fluent, Game, Role, State};
use ludens_ground::{GroundProgram, Signal};
use std::sync::Arc;

/// Points of a tie-break at a full share: far above the precision of a number, far below differences of networks.
const TIE: f64 = 1e-9;

/// How networks use features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureSettings {
    /// Which features.
    pub kinds: Kinds,
    /// Degree of truth, from 0 to 1, of a fluent that holds and has no features, at the start of a match (`t_p`).
    pub probable: f64,
    /// Whether mobility breaks ties.
    pub mobility: bool,
    /// Whether the values of pieces break ties.
    pub pieces: bool,
    /// Weight of the current goal, if exactly one of the computed goals holds, in the evaluation.
    pub standing: f64,
}

impl Default for FeatureSettings {
    fn default() -> FeatureSettings {
        FeatureSettings {
            kinds: Kinds::ALL,
            probable: 0.95,
            mobility: false,
            pieces: false,
            standing: 0.0,
        }
    }
}

/// Evaluates states by a network with features.
pub struct FeatureNetwork {
    shared: Arc<Shared>,
    reader: Reader,
    readings: Vec<Reading>,
    values: Vec<f64>,
    /// 1 or -1 where a node stays true or false, else 0.
    settled: Vec<i8>,
    /// 1 or -1 where a node holds or does not, else 0.
    holds: Vec<i8>,
    mobility: Option<Box<dyn Evaluator>>,
    /// The share of each role in the freedom to move, from 0 to 100, where it counts.
    freedom: Vec<f64>,
}

pub(super) struct Shared {
    pub(super) game: Game,
    settings: Settings,
    features: FeatureSettings,
    pub(super) found: GoalFeatures,
    graph: Graph,
    /// The leaf of each node that is one, by its number among the leaves.
    leaf: Vec<u32>,
    /// Nodes whose leaf must not hold and whose distance is irrelevant, with the role whose mobility counts instead.
    avoided: Vec<Option<u8>>,
    /// The parts for the end, which is the last output, and for the goals. They share nodes but not weights: weights
    /// that separate terminal states from others would leave no difference between goals.
    end: Part,
    goal: Part,
    /// For each role its goal values, each with the number of its output.
    goals: Vec<Vec<(u8, usize)>>,
    aggregates: Vec<Aggregate>,
    pieces: Option<Pieces>,
}

/// A part of the network that is computed in one pass.
struct Part {
    /// Its nodes, operands first.
    places: Vec<u32>,
    /// A neuron for every node of the network.
    neurons: Vec<Neuron>,
    /// Value of each node if all of its leaves stay false, and if all stay true.
    limits: Vec<[f64; 2]>,
}

impl Part {
    fn new(graph: &Graph, outputs: &[u32], weights: Weights, probable: f64) -> Part {
        let places = graph.cone(outputs);
        let neurons = weights::choose(graph, &places, weights, probable);
        Part {
            limits: limits(graph, &neurons),
            places,
            neurons,
        }
    }
}

impl FeatureNetwork {
    /// Creates the evaluator of a game; `None` if it is not compiled. When the budget is spent, proofs of features end.
    pub fn new(game: &Game, settings: Settings, features: FeatureSettings, budget: &Budget) -> Option<FeatureNetwork> {
        let options = Options {
            kinds: features.kinds,
            most_joins: settings.most_neurons,
            admissible: settings.distances,
        };
        let mut found = GoalFeatures::new(game, &options, budget)?;
        let GoalFeatures {
            store, goals, terminal, ..
        } = &mut found;
        let no_results = NoResults::of(game, budget);
        let aggregates = no_results.aggregates(goals, &settings);
        let (mut wanted, goals) = no_results.wanted(store, goals, *terminal, &aggregates);
        wanted.push(found.terminal);
        let graph = Graph::merged(&found.store, &wanted);
        let probable = features.probable.clamp(0.0, 1.0);
        let leaf = graph.nodes.iter().map(|node| match node {
            Node::Leaf(atom, _) => found.leaves().binary_search(atom).unwrap_or(0) as u32,
            _ => 0,
        });
        let outputs = graph.outputs.split_last()?;
        let part = |outputs: &[u32]| Part::new(&graph, outputs, settings.weights, probable);
        let mut shared = Shared {
            leaf: leaf.collect(),
            avoided: Vec::new(),
            end: part(&[*outputs.0]),
            goal: part(outputs.1),
            game: game.clone(),
            settings,
            features,
            goals,
            aggregates,
            pieces: features.pieces.then(|| Pieces::new(game, budget)).flatten(),
            graph,
            found,
        };
        shared.avoided = shared.avoided();
        let needs_freedom = features.mobility || shared.avoided.iter().any(Option::is_some);
        let nodes = shared.graph.nodes.len();
        Some(FeatureNetwork {
            reader: shared.found.reader.clone(),
            readings: Vec::new(),
            values: vec![0.0; nodes],
            settled: vec![0; nodes],
            holds: vec![0; nodes],
            mobility: needs_freedom.then(|| Box::new(Mobility::new(game)) as _),
            freedom: vec![0.0; game.roles().len()],
            shared: Arc::new(shared),
        })
    }

    /// Number of neurons.
    pub fn neurons(&self) -> usize {
        self.shared.graph.joins()
    }

    /// Returns what the network is made of and what is missing, in one line.
    pub fn summary(&self) -> String {
        format!("{} neurons, {}", self.neurons(), self.found().summary())
    }

    /// Returns the features, and what else was found out.
    pub fn found(&self) -> &GoalFeatures {
        &self.shared.found
    }

    /// Computes the network in a state, and says how near the end is, from 0 to 1.
    pub fn compute(&mut self, state: &State) -> f64 {
        self.reader.read(state, &mut self.readings);
        if let Some(mobility) = &mut self.mobility {
            mobility.evaluate(state, &mut self.freedom);
        }
        self.run()
    }

    /// Returns what a leaf was in the last state.
    pub fn reading(&self, leaf: usize) -> Reading {
        self.readings.get(leaf).copied().unwrap_or(Reading::UNKNOWN)
    }

    /// Computes the network again with another reading of a leaf.
    pub(super) fn read_as(&mut self, leaf: usize, reading: Reading) {
        self.readings[leaf] = reading;
        self.run();
    }

    /// Returns the value of a probable leaf at this nearness of the end.
    pub(super) fn probable(&self, end: f64) -> f64 {
        let start = self.shared.features.probable;
        start + (1.0 - start) * end
    }

    /// Returns the expected goal without evidence for another.
    pub(super) fn usual(&self) -> f64 {
        self.shared.settings.usual
    }

    /// Computes the network from the readings.
    fn run(&mut self) -> f64 {
        let shared = self.shared.clone();
        self.settle(&shared);
        let start = shared.features.probable;
        self.pass(&shared, &shared.end, start, false);
        let end = shared.graph.outputs.last().map_or(0, |&end| end as usize);
        let (is_over, nearness) = match self.holds[end] {
            1 => (true, 1.0),
            _ => (false, ((self.values[end] + 1.0) / 2.0).clamp(0.0, 1.0)),
        };
        self.pass(&shared, &shared.goal, self.probable(nearness), is_over);
        nearness
    }

    /// Finds out what can never change, and what holds.
    fn settle(&mut self, shared: &Shared) {
        for (place, &node) in shared.graph.nodes.iter().enumerate() {
            let operands = shared.graph.operands_of(node);
            let parts = operands.iter().map(|&operand| self.settled[operand as usize]);
            let truths = operands.iter().map(|&operand| self.holds[operand as usize]);
            let (settled, holds) = match node {
                Node::Constant(true) => (1, 1),
                Node::Constant(false) => (-1, -1),
                Node::Unknown => (0, 0),
                Node::Leaf(_, negated) => {
                    let reading = self.readings[shared.leaf[place] as usize];
                    let sign = if reading.holds != negated { 1 } else { -1 };
                    (sign * i8::from(reading.settled), sign * i8::from(reading.known))
                }
                Node::All(..) => (parts.min().unwrap_or(1), truths.min().unwrap_or(1)),
                Node::Any(..) => (parts.max().unwrap_or(-1), truths.max().unwrap_or(-1)),
            };
            self.settled[place] = settled;
            self.holds[place] = holds;
        }
    }

    /// Computes the nodes of a part.
    fn pass(&mut self, shared: &Shared, part: &Part, probable: f64, is_over: bool) {
        for &place in &part.places {
            let place = place as usize;
            let node = shared.graph.nodes[place];
            self.values[place] = match (node, self.settled[place]) {
                (_, 1) => part.limits[place][1],
                (_, -1) => part.limits[place][0],
                (Node::Leaf(_, negated), _) => {
                    let mut reading = self.readings[shared.leaf[place] as usize];
                    reading.settled |= is_over && reading.known;
                    if let (Some(role), false) = (shared.avoided[place], reading.holds) {
                        reading.degree = 1.0 - self.freedom[usize::from(role)] / 100.0;
                    }
                    let value = reading.value(probable);
                    if negated { -value } else { value }
                }
                (Node::All(..) | Node::Any(..), _) => {
                    let operands = shared.graph.operands_of(node).iter();
                    let sum = operands.map(|&operand| self.values[operand as usize]).sum();
                    part.neurons[place].output(sum)
                }
                (Node::Constant(_) | Node::Unknown, _) => 0.0,
            };
        }
    }

    /// Returns the expected goal of a role in the last state.
    pub fn goal(&self, role: usize) -> f64 {
        let shared = &*self.shared;
        let (Some(goals), Some(aggregate)) = (shared.goals.get(role), shared.aggregates.get(role)) else {
            return shared.settings.usual;
        };
        let outputs = goals
            .iter()
            .map(|&(value, number)| (value, self.values[shared.graph.outputs[number] as usize]));
        let expected = aggregate.evaluate(outputs);
        let weight = shared.features.standing;
        match self.standing(goals).filter(|_| weight > 0.0) {
            Some(standing) => weight * standing + (1.0 - weight) * expected,
            None => expected,
        }
    }

    /// Returns the only goal of these that holds in the last state.
    fn standing(&self, goals: &[(u8, usize)]) -> Option<f64> {
        let outputs = &self.shared.graph.outputs;
        let mut held = goals.iter().filter(|goal| self.holds[outputs[goal.1] as usize] > 0);
        match (held.next(), held.next()) {
            (Some(goal), None) => Some(f64::from(goal.0)),
            _ => None,
        }
    }

    /// Returns whether a goal value of a role holds in the last state; `None` for the usual goal, for goals that the
    /// role never has, and if it is too costly to compute.
    pub fn holds(&self, role: usize, value: u8) -> Option<bool> {
        let goals = self.shared.goals.get(role)?.iter();
        let (_, number) = goals.copied().find(|goal| goal.0 == value)?;
        self.truth(self.shared.graph.outputs[number])
    }

    /// Returns whether that state is terminal; `None` if it is too costly to compute.
    pub fn is_over(&self) -> Option<bool> {
        self.truth(*self.shared.graph.outputs.last()?)
    }

    fn truth(&self, place: u32) -> Option<bool> {
        match self.holds[place as usize] {
            0 => None,
            sign => Some(sign > 0),
        }
    }

    /// Returns the output for a goal value of a role in the last state.
    pub fn output(&self, role: usize, value: u8) -> Option<f64> {
        let goals = self.shared.goals.get(role)?.iter();
        let (_, number) = goals.copied().find(|goal| goal.0 == value)?;
        Some(self.values[self.shared.graph.outputs[number] as usize])
    }

    /// The same network, for another thread or another state.
    pub(super) fn copy(&self) -> FeatureNetwork {
        FeatureNetwork {
            shared: self.shared.clone(),
            reader: self.reader.clone(),
            readings: self.readings.clone(),
            values: self.values.clone(),
            settled: self.settled.clone(),
            holds: self.holds.clone(),
            mobility: self.mobility.as_ref().map(|mobility| mobility.another()),
            freedom: self.freedom.clone(),
        }
    }

    /// Returns the leaves that better goals of a role than its worst one only want to hold, and the worst one only not
    /// to hold.
    #[cfg(test)]
    pub(super) fn promising(&self, role: usize) -> Vec<usize> {
        let shared = &*self.shared;
        let goals = &shared.goals[role];
        let worst = shared.found.goals[role].first().map(|goal| goal.0);
        let cone = |is_worst: bool| {
            let chosen = goals.iter().filter(|goal| (Some(goal.0) == worst) == is_worst);
            let outputs: Vec<u32> = chosen.map(|goal| shared.graph.outputs[goal.1]).collect();
            let places = shared.graph.cone(&outputs).into_iter();
            let leaves = places.filter_map(|place| match shared.graph.nodes[place as usize] {
                Node::Leaf(_, negated) => Some((shared.leaf[place as usize] as usize, negated != is_worst)),
                _ => None,
            });
            leaves.collect::<Vec<_>>()
        };
        let uses: Vec<(usize, bool)> = [false, true].into_iter().flat_map(cone).collect();
        let mut leaves: Vec<usize> = uses.iter().map(|known| known.0).collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves.retain(|leaf| uses.iter().all(|(known, is_negated)| known != leaf || !is_negated));
        leaves
    }

    /// Returns the game.
    pub(super) fn game(&self) -> &Game {
        &self.shared.game
    }
}

impl Shared {
    /// Leaves that must not hold for a good goal of a role that can itself bring them about: being far from them is no
    /// merit, as no one forces the role there. Having other moves is one.
    fn avoided(&self) -> Vec<Option<u8>> {
        let mut avoided = vec![None; self.graph.nodes.len()];
        let Some(circuit) = self.game.engine().circuit() else {
            return avoided;
        };
        for (role, goals) in self.goals.iter().enumerate() {
            let good = goals.iter().filter(|goal| f64::from(goal.0) > self.settings.usual);
            let outputs: Vec<u32> = good.map(|goal| self.graph.outputs[goal.1]).collect();
            for place in self.graph.cone(&outputs) {
                let leaf = self.leaf[place as usize] as usize;
                if matches!(self.graph.nodes[place as usize], Node::Leaf(_, true))
                    && self.found.is_distance(leaf)
                    && self
                        .found
                        .reader
                        .fluents_of(leaf)
                        .iter()
                        .any(|fluent| is_moved_by(&circuit.program, *fluent, Role(role as u8)))
                {
                    avoided[place as usize] = Some(role as u8);
                }
            }
        }
        avoided
    }
}

/// Returns for each node the least and the greatest that it can be.
fn limits(graph: &Graph, neurons: &[Neuron]) -> Vec<[f64; 2]> {
    let mut limits: Vec<[f64; 2]> = Vec::with_capacity(graph.nodes.len());
    for (&node, neuron) in graph.nodes.iter().zip(neurons) {
        limits.push(match node {
            Node::All(..) | Node::Any(..) => [0, 1].map(|end| {
                let operands = graph.operands_of(node).iter();
                neuron.output(operands.map(|&operand| limits[operand as usize][end]).sum())
            }),
            Node::Constant(_) | Node::Unknown | Node::Leaf(..) => [-1.0, 1.0],
        });
    }
    limits
}

/// Returns whether moves of a role decide whether a fluent comes to hold.
fn is_moved_by(program: &GroundProgram, fluent: Fluent, role: Role) -> bool {
    let Ok(next) = program.next.binary_search_by_key(&fluent, |next| next.0) else {
        return false;
    };
    let mut is_seen = vec![false; program.propositions()];
    let mut open = vec![program.next[next].1];
    while let Some(proposition) = open.pop() {
        if std::mem::replace(&mut is_seen[proposition.index()], true) {
            continue;
        }
        for condition in program.instances_of(proposition).flatten() {
            match condition.signal {
                Signal::Move(of, _) if of == role => return true,
                Signal::Derived(other) => open.push(other),
                Signal::Move(..) | Signal::Fluent(_) => {}
            }
        }
    }
    false
}

impl Evaluator for FeatureNetwork {
    fn evaluate(&mut self, state: &State, goals: &mut [f64]) {
        self.compute(state);
        for (role, goal) in goals.iter_mut().enumerate() {
            *goal = self.goal(role);
        }
        if self.shared.features.mobility {
            for (goal, share) in goals.iter_mut().zip(&self.freedom) {
                *goal += TIE * share / 100.0;
            }
        }
        if let Some(pieces) = &self.shared.pieces {
            for (role, goal) in goals.iter_mut().enumerate() {
                *goal += TIE * pieces.share(role, state);
            }
        }
    }

    fn another(&self) -> Box<dyn Evaluator> {
        Box::new(self.copy())
    }
}
