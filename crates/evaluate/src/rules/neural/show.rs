//! Networks for people: something to draw.

use super::{GoalNetwork, Shared, weights};
use crate::rules::formula::{Atom, Node};
use ludens_engine::{Game, Role, State};

/// A network in a state, ready to draw: fluents in layer 0, every neuron in a layer after its inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Fluents and neurons, inputs first.
    pub nodes: Vec<PictureNode>,
    /// Who has which goal value by which node.
    pub goals: Vec<(Role, u8, usize)>,
}

/// A fluent or a neuron.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureNode {
    /// Its kind.
    pub kind: PictureKind,
    /// Its output, from -1 to 1.
    pub value: f64,
    /// How far it is from the fluents.
    pub layer: usize,
    /// Its inputs, with the weight of each: negative where the input must not hold.
    pub inputs: Vec<(usize, f64)>,
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// A condition that is not taken apart, by its text.
    Leaf(String),
    /// All inputs must hold.
    All,
    /// One input must hold.
    Any,
    /// Always the same.
    Constant,
}

impl GoalNetwork {
    /// Returns the network in a state. Conditions and their opposites are one node.
    pub fn picture(&mut self, game: &Game, state: &State) -> Picture {
        self.compute(state);
        let Shared {
            settings, graph, goals, ..
        } = &*self.shared;
        let neurons = weights::choose(graph, &graph.cone(&graph.outputs), settings.weights, 1.0);
        let mut picture = Picture::default();
        let mut atoms: Vec<(Atom, usize)> = Vec::new();
        // For each node of the network that of the picture, and whether it is the opposite.
        let mut places: Vec<(usize, bool)> = Vec::new();
        for (place, &node) in graph.nodes.iter().enumerate() {
            let value = self.outputs.value(place as u32);
            if let Node::Leaf(atom, negated) = node {
                let known = atoms
                    .iter()
                    .find(|(known, _)| *known == atom)
                    .map(|&(_, number)| number);
                let number = known.unwrap_or_else(|| {
                    atoms.push((atom, picture.nodes.len()));
                    picture.nodes.push(PictureNode {
                        kind: PictureKind::Leaf(leaf_text(game, atom)),
                        value: if negated { -value } else { value },
                        layer: 0,
                        inputs: Vec::new(),
                    });
                    picture.nodes.len() - 1
                });
                places.push((number, negated));
                continue;
            }
            let inputs = graph.operands_of(node).iter().map(|&operand| {
                let (number, negated) = places[operand as usize];
                let weight = neurons[place].weight;
                (number, if negated { -weight } else { weight })
            });
            let inputs: Vec<(usize, f64)> = inputs.collect();
            let layers = inputs.iter().map(|&(input, _)| picture.nodes[input].layer + 1);
            places.push((picture.nodes.len(), false));
            picture.nodes.push(PictureNode {
                kind: match node {
                    Node::All(..) => PictureKind::All,
                    Node::Any(..) => PictureKind::Any,
                    Node::Constant(_) | Node::Unknown | Node::Leaf(..) => PictureKind::Constant,
                },
                value,
                layer: layers.max().unwrap_or(0),
                inputs,
            });
        }
        for (role, of_role) in game.roles().zip(goals) {
            for &(value, number) in of_role {
                let (node, negated) = places[graph.outputs[number] as usize];
                // A goal that is the opposite of a fluent has a node of its own.
                let node = match negated {
                    false => node,
                    true => {
                        let layer = picture.nodes[node].layer + 1;
                        picture.nodes.push(PictureNode {
                            kind: PictureKind::All,
                            value: -picture.nodes[node].value,
                            layer,
                            inputs: vec![(node, -1.0)],
                        });
                        picture.nodes.len() - 1
                    }
                };
                picture.goals.push((role, value, node));
            }
        }
        picture
    }
}

fn leaf_text(game: &Game, atom: Atom) -> String {
    match atom {
        Atom::Fluent(fluent) => game.vocabulary().fluent_name(fluent).text.clone(),
        Atom::Move(role, move_id) => format!("(does {} {})", game.role_name(role), game.move_text(role, move_id)),
        Atom::Proposition(number) => format!("condition {number}"),
    }
}
