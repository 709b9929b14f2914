//! Regret matching where several roles choose at the same time (SM-MCTS; Lanctot, Lisý and Winands, 2013).
//!
//! Each role draws its move with probabilities in proportion to how much it regrets not having made it before, and now
//! and then any. The move to make in the end comes from its average strategy, which comes near an equilibrium in games of
//! two roles with a constant sum; statistics as those of UCT need not.
//!
//! What a role regrets is estimated from the means behind the joint moves that it could have brought about, given what
//! the others chose. It does not regret anything when one of them only explored: else it would prepare for opponents who
//! explore as much as this search does.

use super::credit::Path;
use super::tree::{Arm, Node, NodeId, Tree};
use ludens_engine::Rng;

/// What a role regrets in a node, and how it has chosen so far.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    /// The regret for each move, summed up.
    regrets: Box<[f64]>,
    /// The probability of each move, summed up.
    chosen: Box<[f64]>,
}

impl Matching {
    fn new(moves: usize) -> Matching {
        // Without a choice there is nothing to regret.
        let len = if moves > 1 { moves } else { 0 };
        Matching {
            regrets: vec![0.0; len].into_boxed_slice(),
            chosen: vec![0.0; len].into_boxed_slice(),
        }
    }

    /// The average strategy; nothing if the role has never chosen.
    pub(super) fn average(&self) -> Option<Vec<f64>> {
        let total: f64 = self.chosen.iter().sum();
        (total > 0.0).then(|| self.chosen.iter().map(|&chosen| chosen / total).collect())
    }

    /// Counts the strategy that the regrets lead to as chosen once more.
    fn count(&mut self) {
        let total: f64 = self.regrets.iter().map(|regret| regret.max(0.0)).sum();
        let even = 1.0 / self.regrets.len() as f64;
        for (chosen, regret) in self.chosen.iter_mut().zip(&self.regrets) {
            *chosen += if total > 0.0 { regret.max(0.0) / total } else { even };
        }
    }

    /// An estimate of the memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Matching>() + size_of_val(&*self.regrets) + size_of_val(&*self.chosen)
    }
}

/// What came of a state. Every way that led through it counts once, however many playouts were made at its end.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    count: u32,
    /// The sum of the goals of each role.
    totals: Box<[f64]>,
}

impl Worth {
    fn add(&mut self, path: &Path, playouts: u32) {
        if self.totals.is_empty() {
            self.totals = vec![0.0; path.totals.len()].into_boxed_slice();
        }
        self.count += 1;
        for (total, goals) in self.totals.iter_mut().zip(&path.totals) {
            *total += goals / f64::from(playouts);
        }
    }

    fn mean(&self, role: usize) -> Option<f64> {
        (self.count > 0).then(|| self.totals[role] / f64::from(self.count))
    }

    /// An estimate of the memory it takes beside its node.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.totals)
    }
}

/// The place of the move that a role with a choice makes, and whether it only explores.
pub(super) fn choose(node: &Node, role: usize, arms: &[Arm], exploration: f64, rng: &mut Rng) -> (u32, bool) {
    let untried = arms.iter().filter(|arm| arm.started == 0).count();
    if untried > 0 {
        // Nothing can be regretted before it was tried.
        let mut places = (0..).zip(arms).filter(|(_, arm)| arm.started == 0);
        let chosen = places.nth(rng.usize(..untried));
        return (chosen.map_or(0, |(place, _)| place), true);
    }
    let any = |rng: &mut Rng| rng.u32(..arms.len() as u32);
    if rng.f64() < exploration {
        return (any(rng), true);
    }
    let matching = node.extra.as_ref().and_then(|extra| extra.matching.get(role));
    let drawn = matching.and_then(|matching| draw(matching.regrets.iter().map(|regret| regret.max(0.0)), rng));
    (drawn.map_or_else(|| any(rng), |place| place as u32), false)
}

/// A place, drawn with probabilities in proportion to weights; nothing if all of them are 0.
pub(super) fn draw(weights: impl Iterator<Item = f64> + Clone, rng: &mut Rng) -> Option<usize> {
    let total: f64 = weights.clone().sum();
    let mut left = rng.f64() * total;
    let mut last = None;
    for (place, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        last = Some(place);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// Takes in the result of a path, whose totals are complete: what it says about the states behind joint moves, and
/// what the roles regret given that.
pub(super) fn learn(tree: &mut Tree, path: &Path, playouts: u32, is_chance: &[bool]) {
    let roles = is_chance.len();
    for (number, &step) in path.steps.iter().enumerate().rev() {
        let node = tree.get(step);
        if !node.is_contested(is_chance) {
            continue;
        }
        let behind = path.steps.get(number + 1).copied().or(path.leaf);
        let sizes: Vec<usize> = node.choices.iter().map(|choice| choice.moves.len()).collect();
        if let Some(behind) = behind {
            tree.get_mut(behind).extra_mut().worth.add(path, playouts);
        }
        let here = number * roles..(number + 1) * roles;
        let (places, explored) = (&path.places[here.clone()], &path.explored[here]);
        let matching = &mut tree.get_mut(step).extra_mut().matching;
        let mut matching = match matching.is_empty() {
            true => sizes.iter().map(|&moves| Matching::new(moves)).collect(),
            false => std::mem::take(matching),
        };
        for (role, own) in matching
            .iter_mut()
            .enumerate()
            .filter(|(_, own)| !own.regrets.is_empty())
        {
            let others = explored.iter().enumerate().filter(|(other, _)| *other != role);
            if is_chance[role] || others.into_iter().any(|(_, &explored)| explored) {
                continue;
            }
            own.count();
            add_regrets(tree, step, role, places, &mut own.regrets);
        }
        tree.get_mut(step).extra_mut().matching = matching;
    }
}

/// Adds what a role regrets about a joint move.
fn add_regrets(tree: &Tree, at: NodeId, role: usize, places: &[u32], regrets: &mut [f64]) {
    let node = tree.get(at);
    let after = node.choices[role + 1..].iter();
    let stride = after.fold(1u64, |stride, choice| stride.wrapping_mul(choice.moves.len() as u64));
    let made = node.joint_number(places);
    let first = made.wrapping_sub(stride.wrapping_mul(u64::from(places[role])));
    let value = |place: usize| {
        let joint = first.wrapping_add(stride.wrapping_mul(place as u64));
        let child = node.child(joint).map(|child| tree.get(child));
        let certain = child.and_then(|child| child.proved.as_ref());
        let seen = child.and_then(|child| child.extra.as_ref()?.worth.mean(role));
        // Where that joint move was never made, what came of the own move otherwise is the best guess.
        let guess = || node.choices[role].arms[place].mean();
        certain.map(|scores| f64::from(scores[role])).or(seen).or_else(guess)
    };
    let Some(got) = value(places[role] as usize) else {
        return;
    };
    for (place, regret) in regrets.iter_mut().enumerate() {
        *regret += value(place).unwrap_or(got) - got;
    }
}
