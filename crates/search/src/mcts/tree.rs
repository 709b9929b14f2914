//! The search tree, stored as a graph: states that are reached on several paths share a node (transpositions).

use super::backup::implicit_minimax::ImplicitValues;
use super::selection::amaf::Amaf;
use super::selection::prior::Priors;
use super::simultaneous::regret::RegretData;
use super::simultaneous::sequenced::Replies;
use super::single_player::BestResults;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use ludens_engine::{Machine, MoveId, Rng, Role, RoleMap, State};

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

/// No node.
const NONE: u32 = u32::MAX;

/// Statistics of a move of a role in a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MoveStats {
    /// Playouts started through it, those in flight included.
    pub(super) started: u32,
    /// Playouts that have finished.
    pub(super) visits: u32,
    /// Sum of their goals for the role.
    pub(super) total: f64,
}

impl MoveStats {
    /// Mean goal over finished playouts; `None` before the first one.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.total / f64::from(self.visits))
    }

    /// Forgets the playouts in flight.
    pub(super) fn drop_in_flight(&mut self) {
        self.started = self.visits;
    }
}

/// The legal moves of a role in a node.
#[derive(Clone, Debug)]
pub(super) struct LegalMoves {
    pub(super) moves: Box<[MoveId]>,
    /// Statistics of each; empty if there is only one.
    pub(super) stats: Box<[MoveStats]>,
}

impl LegalMoves {
    fn new(moves: &[MoveId]) -> LegalMoves {
        LegalMoves {
            moves: moves.into(),
            stats: match moves.len() {
                0 | 1 => Box::default(),
                len => vec![MoveStats::default(); len].into_boxed_slice(),
            },
        }
    }
}

/// Node data of an optional part of the search.
pub(super) trait PhaseData {
    /// Estimate of its heap memory.
    fn bytes(&self) -> usize;

    /// Forgets playouts in flight, which never finish once a search has ended.
    fn drop_in_flight(&mut self) {}
}

/// Makes the struct of the data of all parts out of a table.
macro_rules! node_data {
    ($($name:ident: $type:ty,)*) => {
        /// Data of the optional parts of the search.
        #[derive(Default)]
        pub(super) struct NodeData {
            $(pub(super) $name: $type,)*
        }

        impl NodeData {
            fn bytes(&self) -> usize {
                size_of::<NodeData>() $(+ self.$name.bytes())*
            }

            fn drop_in_flight(&mut self) {
                $(self.$name.drop_in_flight();)*
            }
        }
    };
}

node_data! {
    amaf: Amaf,
    best: BestResults,
    implicit: ImplicitValues,
    priors: Priors,
    regret: RegretData,
    replies: Replies,
}

/// A state of the game with the statistics of the search.
#[derive(Default)]
pub(super) struct Node {
    pub(super) state: State,
    /// The goals of all roles, if they are certain: in terminal states, by proof, or known from outside.
    pub(super) proved: Option<RoleMap<u8>>,
    pub(super) is_terminal: bool,
    /// Playouts started through this node, those in flight included, and those that have finished.
    pub(super) started: u32,
    pub(super) visits: u32,
    /// Empty in a terminal state.
    pub(super) legal: RoleMap<LegalMoves>,
    /// Allocated on first use.
    pub(super) data: Option<Box<NodeData>>,
    children: Children,
}

/// The successors, by the number of the joint move.
enum Children {
    Few(Box<[u32]>),
    Many(HashMap<u64, u32, FixedState>),
}

impl Default for Children {
    fn default() -> Children {
        Children::Few(Box::default())
    }
}

/// Nodes with more joint moves use a hash table of successors instead of a list.
const FEW_JOINT_MOVES: u64 = 1 << 10;

impl Node {
    /// The successor by a joint move, if it is in the tree.
    pub(super) fn child(&self, joint: u64) -> Option<NodeId> {
        let child = match &self.children {
            Children::Few(list) => list.get(joint as usize).copied().unwrap_or(NONE),
            Children::Many(map) => map.get(&joint).copied().unwrap_or(NONE),
        };
        (child != NONE).then_some(NodeId(child))
    }

    /// The number of a random joint move without a successor; `None` if all have one, or if they are too many to list.
    pub(super) fn untried(&self, rng: &mut Rng) -> Option<u64> {
        let Children::Few(list) = &self.children else {
            return None;
        };
        let untried = list.iter().filter(|&&child| child == NONE).count();
        let chosen = (untried > 0).then(|| rng.usize(..untried))?;
        let mut numbered = (0..).zip(list.iter()).filter(|(_, child)| **child == NONE);
        numbered.nth(chosen).map(|(joint, _)| joint)
    }

    /// The indices of the moves of a joint move, given by its number.
    pub(super) fn moves_of(&self, joint: u64, out: &mut [u32]) {
        let mut rest = joint;
        for (legal, index) in self.legal.values().zip(out).rev() {
            *index = (rest % legal.moves.len() as u64) as u32;
            rest /= legal.moves.len() as u64;
        }
    }

    /// All successors in the tree.
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

    /// Number of joint moves; `None` if it does not fit.
    pub(super) fn joint_moves(&self) -> Option<u64> {
        let mut sizes = self.legal.values().map(|legal| legal.moves.len() as u64);
        sizes.try_fold(1, u64::checked_mul)
    }

    /// The number of a joint move, given by the indices of its moves.
    pub(super) fn joint_number(&self, moves: &[u32]) -> u64 {
        let pairs = self.legal.values().zip(moves);
        pairs.fold(0, |number: u64, (legal, &index)| {
            number
                .wrapping_mul(legal.moves.len() as u64)
                .wrapping_add(u64::from(index))
        })
    }

    /// The moves of a joint move, given by their indices.
    pub(super) fn joint_move(&self, moves: &[u32], out: &mut Vec<MoveId>) {
        out.clear();
        let pairs = self.legal.values().zip(moves);
        out.extend(pairs.map(|(legal, &index)| legal.moves[index as usize]));
    }

    /// The data of optional parts, allocated on first use.
    pub(super) fn data_mut(&mut self) -> &mut NodeData {
        self.data.get_or_insert_default()
    }

    /// Estimate of the memory it takes.
    fn bytes(&self) -> usize {
        let moves: usize = self.legal.values().map(|legal| legal.moves.len()).sum();
        let stats: usize = self.legal.values().map(|legal| legal.stats.len()).sum();
        let children = match &self.children {
            Children::Few(list) => 4 * list.len(),
            Children::Many(map) => 13 * map.capacity(),
        };
        // Five bytes are its entry in the table of states.
        size_of::<Node>()
            + 5
            + 8 * self.state.words().len()
            + size_of::<LegalMoves>() * self.legal.len()
            + size_of::<MoveId>() * moves
            + size_of::<MoveStats>() * stats
            + children
            + self.data.as_ref().map_or(0, |data| data.bytes())
    }

    /// Whether several roles have a choice, chance not counted.
    pub(super) fn is_simultaneous(&self, is_chance: &RoleMap<bool>) -> bool {
        let choosers = self.legal.iter().filter(|(_, legal)| legal.moves.len() > 1);
        choosers.filter(|&(role, _)| !is_chance[role]).count() > 1
    }

    /// The role that has a choice, if it is the only one.
    pub(super) fn sole_chooser(&self) -> Option<Role> {
        let mut choosers = self.legal.iter().filter(|(_, legal)| legal.moves.len() > 1);
        let (first, _) = choosers.next()?;
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

    /// Estimate of the memory of all nodes, from a sample: there may be millions.
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

    /// The node of a state, if it is in the tree.
    pub(super) fn find(&self, state: &State) -> Option<NodeId> {
        let found = self
            .known
            .find(state.hash64(), |&number| self.nodes[number as usize].state == *state);
        found.copied().map(NodeId)
    }

    /// The node of the machine's state, added if it is new.
    pub(super) fn add(&mut self, machine: &mut dyn Machine) -> NodeId {
        if let Some(known) = self.find(machine.state()) {
            return known;
        }
        let roles = Role::first(machine.role_count());
        let legal: RoleMap<LegalMoves> = match machine.is_terminal() {
            true => RoleMap::default(),
            false => roles.clone().map(|role| LegalMoves::new(machine.legal(role))).collect(),
        };
        // A state in which some role has no legal move ends the game too.
        let is_terminal = legal.is_empty() || legal.values().any(|legal| legal.moves.is_empty());
        let mut node = Node {
            state: machine.state().clone(),
            proved: is_terminal.then(|| roles.map(|role| machine.score(role)).collect()),
            is_terminal,
            started: 0,
            visits: 0,
            legal,
            data: None,
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

    /// Sets the successor by a joint move.
    pub(super) fn link(&mut self, parent: NodeId, joint: u64, NodeId(child): NodeId) {
        match &mut self.get_mut(parent).children {
            Children::Few(list) => list[joint as usize] = child,
            Children::Many(map) => {
                map.insert(joint, child);
            }
        }
    }

    /// Drops everything that cannot be reached from a node, and returns its new number. At most `most` nodes are kept,
    /// the nearest ones.
    pub(super) fn keep(&mut self, root: NodeId, most: usize) -> NodeId {
        let mut new_number = vec![NONE; self.nodes.len()];
        let mut order = vec![root];
        new_number[root.0 as usize] = 0;
        let mut at = 0;
        while at < order.len() {
            for child in self.get(order[at]).children() {
                if new_number[child.0 as usize] == NONE && order.len() < most {
                    new_number[child.0 as usize] = order.len() as u32;
                    order.push(child);
                }
            }
            at += 1;
        }
        let mut old = std::mem::take(self);
        let renumber = |child: &mut u32| {
            if *child != NONE {
                *child = new_number[*child as usize];
            }
        };
        for NodeId(number) in order {
            let mut node = std::mem::take(&mut old.nodes[number as usize]);
            match &mut node.children {
                Children::Few(list) => list.iter_mut().for_each(renumber),
                Children::Many(map) => {
                    map.values_mut().for_each(renumber);
                    map.retain(|_, child| *child != NONE);
                }
            }
            // Playouts in flight when the last search ended never finish.
            node.started = node.visits;
            let stats = node.legal.values_mut().flat_map(|legal| legal.stats.iter_mut());
            stats.for_each(MoveStats::drop_in_flight);
            node.data.iter_mut().for_each(|data| data.drop_in_flight());
            self.push(node);
        }
        old.discard();
        NodeId(0)
    }

    /// Frees the memory. That of many nodes takes longer than a move may, so a thread does it.
    pub(super) fn discard(self) {
        if self.nodes.len() > MANY {
            // If no thread can be started, the tree is dropped here.
            let _ = std::thread::Builder::new().spawn(move || drop(self));
        }
    }
}

/// Trees with more nodes are freed by a thread.
const MANY: usize = 20_000;
