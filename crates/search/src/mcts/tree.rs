//! The search tree, as a graph: states that are reached in several ways are stored once.

use super::amaf::Amaf;
use super::regret::{Matching, Worth};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use ludens_engine::{Machine, MoveId, Rng, Role, State};

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// No node yet.
const NONE: u32 = u32::MAX;

/// What is known about a move of a role in a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm {
    /// Playouts started and finished behind it.
    pub(super) started: u32,
    pub(super) finished: u32,
    /// The sum of their goals for the role.
    pub(super) total: f64,
}

impl Arm {
    /// The mean goal; nothing before the first playout has ended.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.finished > 0).then(|| self.total / f64::from(self.finished))
    }
}

/// The moves of a role in a node.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) moves: Box<[MoveId]>,
    /// What is known about each; empty if there is nothing to choose.
    pub(super) arms: Box<[Arm]>,
}

/// What some ways of searching remember about a node beyond its moves.
#[derive(Default)]
pub(super) struct Extra {
    /// All moves as first, after this state.
    pub(super) amaf: Option<Amaf>,
    /// The goals of all roles by implicit minimax.
    pub(super) judged: Box<[f32]>,
    /// For each role what the advisor thinks of its moves; nothing for roles without a choice.
    pub(super) advice: Box<[Box<[f32]>]>,
    /// In games with one role: the best result behind each move.
    pub(super) best: Box<[f32]>,
    /// What roles that are taken to know the choices of others know about their moves then, by role and number of the
    /// choices.
    pub(super) replies: HashMap<(u8, u64), Box<[Arm]>, FixedState>,
    /// Regret matching: what each role regrets, where several of them choose.
    pub(super) matching: Box<[Matching]>,
    /// Regret matching: what came of this state, where it lies behind such a choice.
    pub(super) worth: Worth,
}

/// A state of the game with what the search knows about it.
#[derive(Default)]
pub(super) struct Node {
    pub(super) state: State,
    /// The goals of all roles here, where they are known for certain: at the end of a match, or by proof.
    pub(super) proved: Option<Box<[u8]>>,
    pub(super) is_terminal: bool,
    pub(super) started: u32,
    pub(super) finished: u32,
    pub(super) choices: Box<[Choice]>,
    pub(super) extra: Option<Box<Extra>>,
    children: Children,
}

/// The nodes behind the joint moves, by number of the joint move.
enum Children {
    Few(Box<[u32]>),
    Many(HashMap<u64, u32, FixedState>),
}

impl Default for Children {
    fn default() -> Children {
        Children::Few(Box::default())
    }
}

/// Joint moves beyond this number are looked up instead of listed.
const FEW_JOINT_MOVES: u64 = 1 << 10;

impl Node {
    /// The node behind a joint move, if it was looked at.
    pub(super) fn child(&self, joint: u64) -> Option<NodeId> {
        let child = match &self.children {
            Children::Few(list) => list.get(joint as usize).copied().unwrap_or(NONE),
            Children::Many(map) => map.get(&joint).copied().unwrap_or(NONE),
        };
        (child != NONE).then_some(NodeId(child))
    }

    /// A random joint move, by its number, that was never made; nothing if all were, or if they are too many.
    pub(super) fn untried(&self, rng: &mut Rng) -> Option<u64> {
        let Children::Few(list) = &self.children else {
            return None;
        };
        let untried = list.iter().filter(|&&child| child == NONE).count();
        let chosen = (untried > 0).then(|| rng.usize(..untried))?;
        let mut places = (0..).zip(list.iter()).filter(|(_, child)| **child == NONE);
        places.nth(chosen).map(|(joint, _)| joint)
    }

    /// The places of the moves of a joint move, by its number.
    pub(super) fn places(&self, joint: u64, out: &mut [u32]) {
        let mut rest = joint;
        for (choice, place) in self.choices.iter().zip(out).rev() {
            *place = (rest % choice.moves.len() as u64) as u32;
            rest /= choice.moves.len() as u64;
        }
    }

    /// All nodes behind joint moves that were looked at.
    pub(super) fn children(&self) -> Vec<NodeId> {
        let mut children: Vec<u32> = match &self.children {
            Children::Few(list) => list.to_vec(),
            Children::Many(map) => {
                let mut pairs: Vec<(u64, u32)> = map.iter().map(|(&joint, &child)| (joint, child)).collect();
                pairs.sort_unstable();
                pairs.into_iter().map(|(_, child)| child).collect()
            }
        };
        children.retain(|&child| child != NONE);
        children.into_iter().map(NodeId).collect()
    }

    /// How many joint moves there are; nothing if they are beyond counting.
    pub(super) fn joint_moves(&self) -> Option<u64> {
        let mut sizes = self.choices.iter().map(|choice| choice.moves.len() as u64);
        sizes.try_fold(1, u64::checked_mul)
    }

    /// The number of a joint move, given by the place of each role's move among its legal ones.
    pub(super) fn joint_number(&self, places: &[u32]) -> u64 {
        let pairs = self.choices.iter().zip(places);
        pairs.fold(0, |number: u64, (choice, &place)| {
            number
                .wrapping_mul(choice.moves.len() as u64)
                .wrapping_add(u64::from(place))
        })
    }

    /// The moves of a joint move, given by their places.
    pub(super) fn joint(&self, places: &[u32], out: &mut Vec<MoveId>) {
        out.clear();
        out.extend(
            self.choices
                .iter()
                .zip(places)
                .map(|(choice, &place)| choice.moves[place as usize]),
        );
    }

    /// What is remembered beyond the moves, made when it is first needed.
    pub(super) fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// An estimate of the memory it takes.
    fn bytes(&self) -> usize {
        let moves: usize = self.choices.iter().map(|choice| choice.moves.len()).sum();
        let arms: usize = self.choices.iter().map(|choice| choice.arms.len()).sum();
        let children = match &self.children {
            Children::Few(list) => 4 * list.len(),
            Children::Many(map) => 13 * map.capacity(),
        };
        let extra = self.extra.as_ref().map_or(0, |extra| {
            let replies = extra.replies.values().map(|arms| size_of_val(&**arms) + 40);
            size_of::<Extra>()
                + extra.amaf.as_ref().map_or(0, Amaf::bytes)
                + 4 * (extra.judged.len() + extra.best.len())
                + extra.matching.iter().map(Matching::bytes).sum::<usize>()
                + extra.worth.bytes()
                + extra
                    .advice
                    .iter()
                    .map(|advice| size_of_val(&**advice) + 16)
                    .sum::<usize>()
                + replies.sum::<usize>()
        });
        // Five bytes are its place in the table of states.
        size_of::<Node>()
            + 5
            + 8 * self.state.words().len()
            + size_of::<Choice>() * self.choices.len()
            + size_of::<MoveId>() * moves
            + size_of::<Arm>() * arms
            + children
            + extra
    }

    /// Whether two roles or more have a choice, chance not counted.
    pub(super) fn is_contested(&self, is_chance: &[bool]) -> bool {
        let pairs = self.choices.iter().zip(is_chance);
        pairs
            .filter(|(choice, is_chance)| !**is_chance && choice.moves.len() > 1)
            .count()
            > 1
    }

    /// The only role that has a choice, if it is only one.
    pub(super) fn chooser(&self) -> Option<usize> {
        let mut choosers = (0..self.choices.len()).filter(|&role| self.choices[role].moves.len() > 1);
        let first = choosers.next()?;
        choosers.next().is_none().then_some(first)
    }
}

/// All nodes.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    known: HashTable<u32>,
}

impl Tree {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// An estimate of the memory that the nodes take, from a part of them: there may be millions.
    pub(super) fn bytes(&self) -> u64 {
        let stride = self.nodes.len() / 1000 + 1;
        let sample = self.nodes.iter().step_by(stride);
        let (bytes, count) = sample.fold((0, 0), |(bytes, count), node| (bytes + node.bytes(), count + 1));
        (bytes as f64 / f64::from(count.max(1)) * self.nodes.len() as f64) as u64
    }

    pub(super) fn get(&self, NodeId(number): NodeId) -> &Node {
        &self.nodes[number as usize]
    }

    pub(super) fn get_mut(&mut self, NodeId(number): NodeId) -> &mut Node {
        &mut self.nodes[number as usize]
    }

    /// The node of a state, if it is known.
    pub(super) fn find(&self, state: &State) -> Option<NodeId> {
        let found = self
            .known
            .find(state.hash64(), |&number| self.nodes[number as usize].state == *state);
        found.copied().map(NodeId)
    }

    /// The node of the state at which a machine stands, added if it is new.
    pub(super) fn add(&mut self, machine: &mut dyn Machine) -> NodeId {
        if let Some(known) = self.find(machine.state()) {
            return known;
        }
        let roles = (0..machine.role_count()).map(|role| Role(role as u8));
        let is_terminal = machine.is_terminal();
        let mut choices: Vec<Choice> = Vec::new();
        if !is_terminal {
            for role in roles.clone() {
                let moves: Box<[MoveId]> = machine.legal(role).into();
                let arms = match moves.len() {
                    0 | 1 => Box::default(),
                    len => vec![Arm::default(); len].into_boxed_slice(),
                };
                choices.push(Choice { moves, arms });
            }
        }
        // A match in which some role cannot move is over too.
        let is_terminal = is_terminal || choices.iter().any(|choice| choice.moves.is_empty());
        let mut node = Node {
            state: machine.state().clone(),
            proved: is_terminal.then(|| roles.map(|role| machine.score(role)).collect()),
            is_terminal,
            started: 0,
            finished: 0,
            choices: choices.into_boxed_slice(),
            extra: None,
            children: Children::default(),
        };
        node.children = match node.joint_moves() {
            _ if is_terminal => Children::Few(Box::default()),
            Some(joint_moves) if joint_moves <= FEW_JOINT_MOVES => {
                Children::Few(vec![NONE; joint_moves as usize].into_boxed_slice())
            }
            _ => Children::Many(HashMap::default()),
        };
        self.push(node)
    }

    fn push(&mut self, node: Node) -> NodeId {
        let number = self.nodes.len() as u32;
        let hash = node.state.hash64();
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.known
            .insert_unique(hash, number, |&other| nodes[other as usize].state.hash64());
        NodeId(number)
    }

    /// Notes which node is behind a joint move.
    pub(super) fn link(&mut self, parent: NodeId, joint: u64, NodeId(child): NodeId) {
        match &mut self.get_mut(parent).children {
            Children::Few(list) => list[joint as usize] = child,
            Children::Many(map) => {
                map.insert(joint, child);
            }
        }
    }

    /// Drops everything that cannot be reached from a node, and gives its new number. At most so many nodes are kept, the
    /// nearest ones.
    pub(super) fn keep(&mut self, root: NodeId, most: usize) -> NodeId {
        let mut place = vec![NONE; self.nodes.len()];
        let mut order = vec![root];
        place[root.0 as usize] = 0;
        let mut at = 0;
        while at < order.len() {
            for child in self.get(order[at]).children() {
                if place[child.0 as usize] == NONE && order.len() < most {
                    place[child.0 as usize] = order.len() as u32;
                    order.push(child);
                }
            }
            at += 1;
        }
        let mut old = std::mem::take(self);
        let new_place = |child: &mut u32| {
            if *child != NONE {
                *child = place[*child as usize];
            }
        };
        for NodeId(number) in order {
            let mut node = std::mem::take(&mut old.nodes[number as usize]);
            match &mut node.children {
                Children::Few(list) => list.iter_mut().for_each(new_place),
                Children::Many(map) => {
                    map.values_mut().for_each(new_place);
                    map.retain(|_, child| *child != NONE);
                }
            }
            // Playouts that were under way when the last search ended never came back.
            node.started = node.finished;
            let arms = node.choices.iter_mut().flat_map(|choice| choice.arms.iter_mut());
            let replies = node.extra.iter_mut().flat_map(|extra| extra.replies.values_mut());
            arms.chain(replies.flatten()).for_each(|arm| arm.started = arm.finished);
            self.push(node);
        }
        old.discard();
        NodeId(0)
    }

    /// Gives the memory back. That of many nodes takes longer than a move may, so it is done beside the search.
    pub(super) fn discard(self) {
        if self.nodes.len() > MANY {
            // Where there is no thread to be had it is done here.
            let _ = std::thread::Builder::new().spawn(move || drop(self));
        }
    }
}

/// Nodes that take a while to be given back.
const MANY: usize = 20_000;
