//! Tie-break among moves that are proved to reach the same goal.
//!
//! Proofs assume that nobody errs. Below the best goal, others may err more easily after one move than after another.
//! If the tree has all successors, it gives the mean goal when the others move at random and the role keeps to proved
//! moves; otherwise playouts estimate it.

use super::Mcts;
use super::tree::{NodeId, Tree};
use crate::decision::MoveStatistics;
use crate::flat::{Arm, FlatPlayouts};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Rng, Role, State, random_argmax};

/// Playouts after each of the moves.
const PLAYOUTS: u64 = 2_000;

/// Maximum number of tree nodes that are visited.
const MAX_NODES: usize = 100_000;

impl Mcts {
    /// Returns one of several moves with the same proved goal, and the number of playouts it took to choose it.
    pub(super) fn break_tie(
        &mut self,
        root: NodeId,
        moves: &[MoveStatistics],
        equal: &[usize],
        budget: &Budget,
        spent: u64,
    ) -> (usize, u64) {
        let root = self.tree.get(root);
        let mut prospects = Prospects::new(&self.tree, self.role);
        let means = equal.iter().map(|&index| prospects.of(root.child(index as u64)?));
        if let Some(means) = means.collect::<Option<Vec<f64>>>() {
            return (equal[random_argmax(means.into_iter(), &mut self.rng)], 0);
        }
        if budget.stop(spent).is_none() {
            let flat = self
                .flat
                .get_or_insert_with(|| FlatPlayouts::new(&self.game, self.role));
            let max_steps = self.settings.playout.max_steps;
            let (means, playouts) = sample(flat, &root.state, equal, max_steps, budget, spent, &mut self.rng);
            return (equal[random_argmax(means.into_iter(), &mut self.rng)], playouts);
        }
        let visits = equal.iter().map(|&index| moves[index].visits as f64);
        (equal[random_argmax(visits, &mut self.rng)], 0)
    }
}

/// Mean goals after some moves by playouts within the rest of the budget, and the number of playouts.
fn sample(
    flat: &mut FlatPlayouts,
    state: &State,
    indices: &[usize],
    max_steps: usize,
    budget: &Budget,
    spent: u64,
    rng: &mut Rng,
) -> (Vec<f64>, u64) {
    flat.go_to(state);
    let mut started = 0;
    let mut next = |_: &[Arm]| {
        let is_over = budget.stop(spent + started).is_some();
        let index = indices[started as usize % indices.len()];
        started += 1;
        (!is_over).then_some(index)
    };
    flat.run(rng, max_steps, PLAYOUTS * indices.len() as u64, budget, &mut next);
    let means = indices.iter().map(|&index| flat.arms()[index].rank()).collect();
    (means, flat.finished())
}

/// Mean goals of a role in proved nodes if the others move at random.
struct Prospects<'a> {
    tree: &'a Tree,
    role: Role,
    known: HashMap<NodeId, f64, FixedState>,
}

impl<'a> Prospects<'a> {
    fn new(tree: &'a Tree, role: Role) -> Prospects<'a> {
        Prospects {
            tree,
            role,
            known: HashMap::default(),
        }
    }

    /// The mean goal; `None` if the tree lacks a successor.
    fn of(&mut self, at: NodeId) -> Option<f64> {
        let tree = self.tree;
        let node = tree.get(at);
        let proved = node.proved.as_ref()?[self.role];
        if node.is_terminal || proved == 100 {
            return Some(f64::from(proved));
        }
        if let Some(&known) = self.known.get(&at) {
            return Some(known);
        }
        if self.known.len() >= MAX_NODES {
            return None;
        }
        // A cycle back to this node adds nothing.
        self.known.insert(at, f64::from(proved));
        let is_own = node.sole_chooser() == Some(self.role);
        let (mut best, mut sum, mut replies) = (0.0, 0.0, 0);
        for joint in 0..node.joint_moves()? {
            let child = node.child(joint)?;
            if is_own && tree.get(child).proved.as_ref()?[self.role] != proved {
                continue;
            }
            let mean = self.of(child)?;
            best = f64::max(best, mean);
            sum += mean;
            replies += 1;
        }
        let mean = if is_own { best } else { sum / f64::from(replies.max(1)) };
        self.known.insert(at, mean);
        Some(mean)
    }
}
