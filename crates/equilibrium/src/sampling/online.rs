//! Sampling without a graph, for games that are too large for one.

use super::Tables;
use super::outcome::{Next, World, turn};
use crate::EquilibriumError;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Game, Machine, MoveId, Rng, Role, State, playout};
use std::ops::Range;

/// Online outcome sampling, with regrets of states near the root.
pub struct Online {
    tree: Tree,
    tables: Tables,
    rng: Rng,
    root: usize,
    iterations: u64,
    /// Sums of the goals of the playouts from this root.
    sums: Vec<f64>,
    matches: u64,
}

/// States that are known, each with its moves.
struct Tree {
    machine: Box<dyn Machine>,
    roles: usize,
    most_nodes: usize,
    numbers: HashMap<State, u32, FixedState>,
    states: Vec<State>,
    entry_starts: Vec<u32>,
    moves: Vec<MoveId>,
    goals: Vec<Option<Vec<f64>>>,
    /// Successors of known joint moves.
    children: HashMap<(u32, u32), u32, FixedState>,
}

impl Online {
    /// Starts with the root, and keeps at most `most_nodes` states.
    pub fn new(game: &Game, root: &State, most_nodes: usize, seed: u64) -> Result<Online, EquilibriumError> {
        crate::check(game)?;
        let roles = game.roles().len();
        let mut tree = Tree {
            machine: game.machine(),
            roles,
            most_nodes: most_nodes.max(1),
            numbers: HashMap::default(),
            states: Vec::new(),
            entry_starts: vec![0],
            moves: Vec::new(),
            goals: Vec::new(),
            children: HashMap::default(),
        };
        let mut tables = Tables::default();
        let root = tree.node(root);
        tables.resize(tree.moves.len());
        Ok(Online {
            tree,
            tables,
            rng: Rng::with_seed(seed),
            root,
            iterations: 0,
            sums: vec![0.0; roles],
            matches: 0,
        })
    }

    /// Starts playouts at another state from now on. Regrets are kept.
    pub fn reroot(&mut self, state: &State) {
        self.root = self.tree.node(state);
        self.tables.resize(self.tree.moves.len());
        self.sums.fill(0.0);
        self.matches = 0;
    }

    /// Drops all states if more than half of the maximum is used, to make room for new ones; returns whether it did.
    pub fn make_room(&mut self) -> bool {
        let is_needed = self.tree.states.len() * 2 > self.tree.most_nodes;
        if is_needed {
            let root = self.tree.states[self.root].clone();
            self.tree.clear();
            self.tables = Tables::default();
            self.reroot(&root);
        }
        is_needed
    }

    /// Runs at most `most` more iterations within the budget and returns their number.
    pub fn iterate(&mut self, most: u64, budget: &Budget) -> u64 {
        let before = self.iterations;
        for number in 0..most {
            if number % 16 == 0 && budget.is_spent() {
                break;
            }
            for role in 0..self.tree.roles {
                let goals = turn(&mut self.tree, self.root, &mut self.tables, role, &mut self.rng);
                // New states have entries now.
                self.tables.resize(self.tree.moves.len());
                self.sums.iter_mut().zip(&goals).for_each(|(sum, goal)| *sum += goal);
                self.matches += 1;
            }
            self.iterations += 1;
        }
        self.iterations - before
    }

    /// Number of iterations so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Number of known states.
    pub fn states(&self) -> usize {
        self.tree.states.len()
    }

    /// Number of terminal states among them.
    pub fn ends(&self) -> usize {
        self.tree.goals.iter().flatten().count()
    }

    /// Number of known joint moves.
    pub fn transitions(&self) -> usize {
        self.tree.children.len()
    }

    /// Average strategy of a role at the root: moves with probabilities; empty if the root is terminal.
    pub fn mixture(&self, role: usize) -> Vec<(MoveId, f64)> {
        let entries = self.tree.entries(self.root, role);
        let mut chances = self.tables.total[entries.clone()].to_vec();
        if !chances.is_empty() {
            crate::strategy::normalise(&mut chances);
        }
        self.tree.moves[entries].iter().copied().zip(chances).collect()
    }

    /// Mean goals of the playouts from the root. They include exploration, so they are only a rough estimate.
    pub fn mean_goals(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.matches.max(1) as f64).collect()
    }
}

impl Tree {
    fn clear(&mut self) {
        self.numbers.clear();
        self.states.clear();
        self.entry_starts.truncate(1);
        self.moves.clear();
        self.goals.clear();
        self.children.clear();
    }

    /// Returns the node of a state, a new one if it is not known.
    fn node(&mut self, state: &State) -> usize {
        if let Some(&number) = self.numbers.get(state) {
            return number as usize;
        }
        self.machine.load(state);
        self.add()
    }

    /// Adds the state where the machine stands.
    fn add(&mut self) -> usize {
        let number = self.states.len();
        let state = self.machine.state().clone();
        self.numbers.insert(state.clone(), number as u32);
        self.states.push(state);
        let roles = self.roles as u8;
        let is_over = self.machine.is_terminal() || (0..roles).any(|role| self.machine.legal(Role(role)).is_empty());
        let goals = is_over.then(|| {
            (0..roles)
                .map(|role| f64::from(self.machine.score(Role(role))))
                .collect()
        });
        self.goals.push(goals);
        for role in 0..roles {
            if !is_over {
                self.moves.extend_from_slice(self.machine.legal(Role(role)));
            }
            self.entry_starts.push(self.moves.len() as u32);
        }
        number
    }
}

impl World for Tree {
    fn roles(&self) -> usize {
        self.roles
    }

    fn entries(&self, node: usize, role: usize) -> Range<usize> {
        let at = node * self.roles + role;
        self.entry_starts[at] as usize..self.entry_starts[at + 1] as usize
    }

    fn goals(&self, node: usize) -> Option<&[f64]> {
        self.goals[node].as_deref()
    }

    fn child(&mut self, node: usize, places: &[usize], rng: &mut Rng) -> Next {
        let number = places.iter().enumerate().fold(0usize, |number, (role, &place)| {
            number.wrapping_mul(self.entries(node, role).len()).wrapping_add(place)
        });
        let key = (node as u32, number as u32);
        if let Some(&child) = self.children.get(&key) {
            return Next::Node(child as usize);
        }
        let joint: Vec<MoveId> = (0..self.roles)
            .map(|role| self.moves[self.entries(node, role).start + places[role]])
            .collect();
        self.machine.load(&self.states[node]);
        self.machine.step(&joint);
        if let Some(&child) = self.numbers.get(self.machine.state()) {
            self.children.insert(key, child);
            return Next::Node(child as usize);
        }
        if self.states.len() < self.most_nodes {
            let child = self.add();
            self.children.insert(key, child as u32);
        }
        // From an unknown state the playout continues at random.
        let end = playout::play_out(&mut *self.machine, rng, 10_000);
        Next::Over(end.scores.values().map(|&score| f64::from(score)).collect())
    }

    fn middle(&self, _role: usize) -> f64 {
        50.0
    }
}
