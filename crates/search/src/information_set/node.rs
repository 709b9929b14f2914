//! Nodes: the moves of a role after what it has observed, with their statistics.

use super::{Select, Settings};
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use ludens_engine::{HistoryHash, MoveId, Rng, Role, random_argmax, weighted_index};

/// A move at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) move_id: MoveId,
    /// Iterations that chose it, those in flight included.
    started: u64,
    /// Iterations that have finished.
    pub(super) visits: u64,
    /// Sum of their goals.
    total: f64,
    /// Iterations in which it was legal.
    available: u64,
    regret: f64,
    /// Sum of the probabilities with which regret matching chose it.
    pub(super) average: f64,
}

impl Arm {
    fn new(move_id: MoveId) -> Arm {
        Arm {
            move_id,
            started: 0,
            visits: 0,
            total: 0.0,
            available: 0,
            regret: 0.0,
            average: 0.0,
        }
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (self.visits > 0).then(|| self.total / self.visits as f64)
    }
}

/// All nodes, by role and key.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Vec<Arm>>,
    table: HashMap<(Role, HistoryHash), usize, RandomState>,
    /// The move that is left after sequential halving.
    pub(super) survivor: Option<usize>,
}

/// A choice at a node, to be credited with its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) role: Role,
    node: usize,
    pub(super) arm: usize,
    /// With which probability it was drawn, for regret matching.
    probability: f64,
}

/// Parameters of smooth UCT.
const SMOOTH: (f64, f64, f64) = (0.1, 0.9, 0.001);

/// Share of the choices that regret matching makes uniformly.
const EXPLORING: f64 = 0.1;

impl Tree {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.table.clear();
        self.survivor = None;
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Estimated memory in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let arms: usize = self.nodes.iter().map(Vec::len).sum();
        (arms * size_of::<Arm>() + self.nodes.len() * 64) as u64
    }

    /// Creates the root with these moves.
    pub(super) fn root(&mut self, legal: &[MoveId]) -> usize {
        self.nodes.push(legal.iter().map(|&id| Arm::new(id)).collect());
        self.nodes.len() - 1
    }

    /// Makes a history of a role lead to a node.
    pub(super) fn name(&mut self, role: Role, key: HistoryHash, node: usize) {
        self.table.insert((role, key), node);
    }

    pub(super) fn arms(&self, node: usize) -> &[Arm] {
        &self.nodes[node]
    }

    /// The node of a role and a key, with whether it is new; `None` if it would be one too many.
    pub(super) fn find(&mut self, role: Role, key: HistoryHash, max_nodes: usize) -> Option<(usize, bool)> {
        if let Some(&node) = self.table.get(&(role, key)) {
            return Some((node, false));
        }
        if self.nodes.len() >= max_nodes {
            return None;
        }
        self.nodes.push(Vec::new());
        self.table.insert((role, key), self.nodes.len() - 1);
        Some((self.nodes.len() - 1, true))
    }

    /// Chooses one of these legal moves at a node. At the root, moves that it does not have are left out.
    pub(super) fn select(
        &mut self,
        (role, node): (Role, usize),
        legal: &[MoveId],
        is_root: bool,
        select: Select,
        settings: &Settings,
        rng: &mut Rng,
    ) -> Option<Choice> {
        let arms = &mut self.nodes[node];
        let mut places = Vec::with_capacity(legal.len());
        for &id in legal {
            match arms.iter().position(|arm| arm.move_id == id) {
                Some(place) => places.push(place),
                None if is_root => {}
                None => {
                    arms.push(Arm::new(id));
                    places.push(arms.len() - 1);
                }
            }
        }
        if places.is_empty() {
            return None;
        }
        places.iter().for_each(|&place| arms[place].available += 1);
        let (index, probability) = match select {
            Select::Ucb => (by_bounds(arms, &places, settings.exploration, rng), 1.0),
            Select::Smooth => {
                let (least, start, decay) = SMOOTH;
                let visits: u64 = places.iter().map(|&place| arms[place].started).sum();
                let share = least.max(start / (1.0 + decay * (visits as f64).sqrt()));
                let by_visits = || places.iter().map(|&place| arms[place].started as f64);
                match rng.f64() < share || visits == 0 {
                    true => (by_bounds(arms, &places, settings.exploration, rng), 1.0),
                    false => (weighted_index(by_visits(), rng).unwrap_or(0), 1.0),
                }
            }
            Select::Regret => by_regret(arms, &places, rng),
        };
        let arm = places[index];
        arms[arm].started += 1;
        Some(Choice {
            role,
            node,
            arm,
            probability,
        })
    }

    /// Makes a given choice at a node; `None` if it is not legal.
    pub(super) fn forced(&mut self, (role, node): (Role, usize), arm: usize, legal: &[MoveId]) -> Option<Choice> {
        let chosen = &mut self.nodes[node][arm];
        if !legal.contains(&chosen.move_id) {
            return None;
        }
        chosen.available += 1;
        chosen.started += 1;
        Some(Choice {
            role,
            node,
            arm,
            probability: 1.0,
        })
    }

    /// The place of the move at a node that was chosen least often.
    pub(super) fn least_started(&self, node: usize) -> usize {
        let arms = self.nodes[node].iter().enumerate();
        arms.min_by_key(|(_, arm)| arm.started).map_or(0, |(place, _)| place)
    }

    pub(super) fn move_of(&self, choice: Choice) -> MoveId {
        self.nodes[choice.node][choice.arm].move_id
    }

    /// Credits a choice with a goal.
    pub(super) fn credit(&mut self, choice: Choice, goal: u8, select: Select) {
        let arms = &mut self.nodes[choice.node];
        let arm = &mut arms[choice.arm];
        arm.visits += 1;
        arm.total += f64::from(goal);
        if select == Select::Regret {
            // The estimate of the move that was made, by importance; those of the others are 0.
            let value = f64::from(goal) / 100.0;
            arm.regret += value / choice.probability.max(1e-3);
            arms.iter_mut().for_each(|arm| arm.regret -= value);
        }
    }

    /// Takes back a choice whose iteration was dropped.
    pub(super) fn drop(&mut self, choice: Choice) {
        let arm = &mut self.nodes[choice.node][choice.arm];
        arm.started = arm.started.saturating_sub(1);
    }
}

/// The place of the move with the greatest upper confidence bound; moves that were never chosen come first.
fn by_bounds(arms: &[Arm], places: &[usize], exploration: f64, rng: &mut Rng) -> usize {
    let finished: u64 = places.iter().map(|&place| arms[place].visits).sum();
    let total: f64 = places.iter().map(|&place| arms[place].total).sum();
    let usual = if finished > 0 { total / finished as f64 } else { 50.0 };
    let bound = |&place: &usize| {
        let arm = &arms[place];
        match arm.started {
            0 => f64::INFINITY,
            started => {
                let log = (arm.available.max(1) as f64).ln();
                arm.mean().unwrap_or(usual) + exploration * (log / started as f64).sqrt()
            }
        }
    };
    random_argmax(places.iter().map(bound), rng)
}

/// Draws a place in proportion to positive regrets, with its probability.
fn by_regret(arms: &mut [Arm], places: &[usize], rng: &mut Rng) -> (usize, f64) {
    let count = places.len() as f64;
    let positive: f64 = places.iter().map(|&place| arms[place].regret.max(0.0)).sum();
    let strategy: Vec<f64> = places
        .iter()
        .map(|&place| match positive > 0.0 {
            true => arms[place].regret.max(0.0) / positive,
            false => 1.0 / count,
        })
        .collect();
    for (&place, probability) in places.iter().zip(&strategy) {
        arms[place].average += probability;
    }
    let explored = strategy
        .iter()
        .map(|probability| (1.0 - EXPLORING) * probability + EXPLORING / count);
    let index = weighted_index(explored.clone(), rng).unwrap_or(0);
    (index, explored.clone().nth(index).unwrap_or(1.0))
}
