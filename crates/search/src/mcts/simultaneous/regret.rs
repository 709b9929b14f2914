//! Regret matching where several roles choose at the same time (SM-MCTS; Lanctot, Lisý and Winands, 2013).
//!
//! Each role draws its move with probabilities in proportion to its cumulative regrets, and now and then any move. The
//! final move is drawn from the average strategy, which approaches an equilibrium in two-player constant-sum games;
//! visit counts of UCT need not.
//!
//! The regret for a move is estimated from the means of the successors that the role could have reached, given what the
//! others chose. Steps at which another role only explored are left out: otherwise the role would prepare for opponents
//! who explore as much as this search does.

use crate::mcts::path::Path;
use crate::mcts::selection::{ChoicePoint, Selection, SelectionRule};
use crate::mcts::tree::{NodeId, PhaseData, Tree};
use ludens_engine::{Rng, Role, RoleMap, weighted_index};

/// Cumulative regrets and strategies of a role in a node.
#[derive(Clone, Debug)]
struct Regrets {
    /// Cumulative regret of each move.
    regrets: Box<[f64]>,
    /// Cumulative probability of each move.
    strategies: Box<[f64]>,
}

impl Regrets {
    fn new(moves: usize) -> Regrets {
        // Without a choice there is nothing to regret.
        let len = if moves > 1 { moves } else { 0 };
        Regrets {
            regrets: vec![0.0; len].into_boxed_slice(),
            strategies: vec![0.0; len].into_boxed_slice(),
        }
    }

    /// Adds the current strategy, which is in proportion to the positive regrets, to the cumulative one.
    fn add_strategy(&mut self) {
        let total: f64 = self.regrets.iter().map(|regret| regret.max(0.0)).sum();
        let even = 1.0 / self.regrets.len() as f64;
        for (strategy, regret) in self.strategies.iter_mut().zip(&self.regrets) {
            *strategy += if total > 0.0 { regret.max(0.0) / total } else { even };
        }
    }
}

/// Mean goals of a node. Every path through it counts once, however many playouts it has.
#[derive(Clone, Debug, Default)]
struct MeanGoals {
    count: u32,
    totals: RoleMap<f64>,
}

impl MeanGoals {
    fn add(&mut self, path: &Path) {
        if self.totals.is_empty() {
            self.totals = RoleMap::filled(path.totals.len(), 0.0);
        }
        self.count += 1;
        for (total, goals) in self.totals.values_mut().zip(&path.totals) {
            *total += goals / f64::from(path.playouts);
        }
    }

    fn mean(&self, role: Role) -> Option<f64> {
        (self.count > 0).then(|| self.totals[role] / f64::from(self.count))
    }
}

/// Node data of regret matching.
#[derive(Default)]
pub(in crate::mcts) struct RegretData {
    /// Empty unless several roles choose.
    regrets: RoleMap<Regrets>,
    /// Filled in if the node is a successor of such a choice.
    goals: MeanGoals,
}

impl RegretData {
    /// The average strategy of a role; `None` if it has never chosen.
    pub(in crate::mcts) fn average_strategy(&self, role: Role) -> Option<Vec<f64>> {
        let strategies = &self.regrets.get(role)?.strategies;
        let total: f64 = strategies.iter().sum();
        (total > 0.0).then(|| strategies.iter().map(|&strategy| strategy / total).collect())
    }
}

impl PhaseData for RegretData {
    fn bytes(&self) -> usize {
        let regrets = self
            .regrets
            .values()
            .map(|own| size_of::<Regrets>() + size_of_val(&*own.regrets) + size_of_val(&*own.strategies));
        regrets.sum::<usize>() + size_of_val(self.goals.totals.as_slice())
    }
}

/// The selection rule: draws a move in proportion to the positive regrets.
#[derive(Clone, Copy)]
pub(in crate::mcts) struct RegretMatching {
    /// Probability of a uniformly random move instead.
    pub(in crate::mcts) exploration: f64,
}

impl SelectionRule for RegretMatching {
    fn select(&mut self, at: &ChoicePoint<'_>, rng: &mut Rng) -> Selection {
        let explore = |index: u32| Selection {
            index,
            explores: true,
            ..Selection::default()
        };
        let unvisited = at.stats.iter().filter(|stats| stats.started == 0).count();
        if unvisited > 0 {
            // A move has no regret before it was tried.
            let mut indices = (0..).zip(at.stats).filter(|(_, stats)| stats.started == 0);
            let chosen = indices.nth(rng.usize(..unvisited));
            return explore(chosen.map_or(0, |(index, _)| index));
        }
        let any = |rng: &mut Rng| rng.u32(..at.stats.len() as u32);
        if rng.f64() < self.exploration {
            return explore(any(rng));
        }
        let own = at.node.data.as_ref().and_then(|data| data.regret.regrets.get(at.role));
        let drawn = own.and_then(|own| weighted_index(own.regrets.iter().map(|regret| regret.max(0.0)), rng));
        Selection {
            index: drawn.map_or_else(|| any(rng), |index| index as u32),
            ..Selection::default()
        }
    }
}

/// Backs up a path whose playouts have all finished: the mean goals of successors of joint moves, and the regrets given
/// those.
pub(in crate::mcts) fn back_up(tree: &mut Tree, path: &Path, is_chance: &RoleMap<bool>) {
    let roles = is_chance.len();
    for (number, &step) in path.steps.iter().enumerate().rev() {
        let node = tree.get(step);
        if !node.is_simultaneous(is_chance) {
            continue;
        }
        let sizes: Vec<usize> = node.legal.values().map(|legal| legal.moves.len()).collect();
        let successor = path.steps.get(number + 1).copied().or(path.leaf);
        if let Some(successor) = successor {
            tree.get_mut(successor).data_mut().regret.goals.add(path);
        }
        let explored = &path.explored[number * roles..(number + 1) * roles];
        let moves = path.moves_at(number, roles);
        let regrets = &mut tree.get_mut(step).data_mut().regret.regrets;
        let mut regrets = match regrets.is_empty() {
            true => sizes.iter().map(|&moves| Regrets::new(moves)).collect(),
            false => std::mem::take(regrets),
        };
        for (role, own) in regrets.iter_mut().filter(|(_, own)| !own.regrets.is_empty()) {
            let mut others = is_chance.roles().zip(explored).filter(|(other, _)| *other != role);
            if is_chance[role] || others.any(|(_, &explored)| explored) {
                continue;
            }
            own.add_strategy();
            add_regrets(tree, step, role, moves, &mut own.regrets);
        }
        tree.get_mut(step).data_mut().regret.regrets = regrets;
    }
}

/// Adds the regrets of a role about a joint move.
fn add_regrets(tree: &Tree, at: NodeId, role: Role, moves: &[u32], regrets: &mut [f64]) {
    let node = tree.get(at);
    let after = node.legal.values().skip(role.index() + 1);
    let stride = after.fold(1u64, |stride, legal| stride.wrapping_mul(legal.moves.len() as u64));
    let made = node.joint_number(moves);
    let own = moves[role.index()];
    let first = made.wrapping_sub(stride.wrapping_mul(u64::from(own)));
    let value = |index: usize| {
        let joint = first.wrapping_add(stride.wrapping_mul(index as u64));
        let child = node.child(joint).map(|child| tree.get(child));
        let proved = child.and_then(|child| child.proved.as_ref());
        let mean = child.and_then(|child| child.data.as_ref()?.regret.goals.mean(role));
        // If that joint move was never made, the mean of the role's own move is the best guess.
        let guess = || node.legal[role].stats[index].mean();
        proved.map(|goals| f64::from(goals[role])).or(mean).or_else(guess)
    };
    let Some(got) = value(own as usize) else {
        return;
    };
    for (index, regret) in regrets.iter_mut().enumerate() {
        *regret += value(index).unwrap_or(got) - got;
    }
}
