//! Which of several moves to make when all are proved to be worth the same.
//!
//! Proofs assume that nobody errs. Where less than everything is certain, others may still err after one move more
//! easily than after another. If the tree has everything that can follow, it says how a match ends on average when the
//! others move at random and nothing is given away; if it has not, random matches give an idea.

use super::tree::{NodeId, Tree};
use crate::bandit::{Arm, Bandit};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use ludens_budget::Budget;
use ludens_engine::{Game, Rng, Role, State};

/// Random matches after each of the moves.
const MATCHES: u64 = 2_000;

/// Nodes of the tree that are looked at.
const MOST_NODES: usize = 100_000;

/// The goal that a role can hope for in nodes of a tree whose goals are proved.
pub(super) struct Prospects<'a> {
    tree: &'a Tree,
    role: usize,
    known: HashMap<NodeId, f64, FixedState>,
}

impl<'a> Prospects<'a> {
    /// For a role.
    pub(super) fn new(tree: &'a Tree, role: usize) -> Prospects<'a> {
        Prospects {
            tree,
            role,
            known: HashMap::default(),
        }
    }

    /// The mean goal if the others move at random; nothing if the tree does not have all that can follow.
    pub(super) fn of(&mut self, at: NodeId) -> Option<f64> {
        let tree = self.tree;
        let node = tree.get(at);
        let certain = node.proved.as_ref()?[self.role];
        if node.is_terminal || certain == 100 {
            return Some(f64::from(certain));
        }
        if let Some(&known) = self.known.get(&at) {
            return Some(known);
        }
        if self.known.len() >= MOST_NODES {
            return None;
        }
        // Whoever comes back here while it is being looked at gains nothing by that.
        self.known.insert(at, f64::from(certain));
        let is_own = node.chooser() == Some(self.role);
        let (mut best, mut sum, mut replies) = (0.0, 0.0, 0);
        for joint in 0..node.joint_moves()? {
            let child = node.child(joint)?;
            if is_own && tree.get(child).proved.as_ref()?[self.role] != certain {
                continue;
            }
            let hope = self.of(child)?;
            best = f64::max(best, hope);
            sum += hope;
            replies += 1;
        }
        let hope = if is_own { best } else { sum / f64::from(replies.max(1)) };
        self.known.insert(at, hope);
        Some(hope)
    }
}

/// Compares moves of one role by random matches.
pub(super) struct Hope {
    bandit: Bandit,
}

impl Hope {
    /// For a role.
    pub(super) fn new(game: &Game, role: Role) -> Hope {
        Hope {
            bandit: Bandit::new(game, role),
        }
    }

    /// The mean goals of random matches after those moves whose places are given, and how many matches were played
    /// within what is left of the budget after so many iterations.
    pub(super) fn compare(
        &mut self,
        state: &State,
        places: &[usize],
        most_steps: usize,
        budget: &Budget,
        spent: u64,
        rng: &mut Rng,
    ) -> (Vec<f64>, u64) {
        self.bandit.go_to(state);
        let mut started = 0;
        let mut next = |_: &[Arm]| {
            let is_over = budget.stop(spent + started).is_some();
            let place = places[started as usize % places.len()];
            started += 1;
            (!is_over).then_some(place)
        };
        let most = MATCHES * places.len() as u64;
        self.bandit.run(rng, most_steps, most, budget, &mut next);
        let arms = self.bandit.arms();
        let means = places.iter().map(|&place| arms[place].rank()).collect();
        (means, self.bandit.finished())
    }
}
