//! One search: choosing leaves for playouts and bringing their results back.
//!
//! Playouts run hundreds at a time, so leaves are chosen while results are still missing. A playout under way counts as
//! a visit in the exploration term, but adds nothing to the mean ("unobserved samples"): that spreads the leaves without
//! making any of them look worse than it is.

use super::Settings;
use super::tree::{Node, NodeId, Tree};
use crate::decision::StopReason;
use crate::effort::Effort;
use ludens_engine::playout::{End, Playout};
use ludens_engine::{Machine, Matches, MoveId, Rng, State};

/// Paths are at most this long: games without an end of their own may go in circles.
const LONGEST_PATH: usize = 500;

/// A way from the root to a leaf.
#[derive(Default)]
struct Path {
    /// The nodes and the places of the moves made there, one a role.
    steps: Vec<NodeId>,
    places: Vec<u32>,
    leaf: Option<NodeId>,
    /// Playouts that were started, and those that have not come back.
    playouts: u32,
    missing: u32,
    /// The sums of the goals of those that have.
    totals: Vec<f64>,
}

/// A search that is going on.
pub(super) struct Walk<'a> {
    pub(super) tree: &'a mut Tree,
    pub(super) machine: &'a mut dyn Machine,
    pub(super) settings: &'a Settings,
    pub(super) is_chance: &'a [bool],
    pub(super) effort: &'a Effort,
    pub(super) root: NodeId,
    pub(super) rng: Rng,
    /// Playouts that may still be started in this round.
    pub(super) quota: u64,
    /// Playouts begun in all rounds.
    pub(super) iterations: u64,
    pub(super) finished: u64,
    pub(super) stop: Option<StopReason>,
    paths: Vec<Path>,
    free: Vec<u32>,
    /// The path whose leaf is to be played out again, and how often.
    again: Option<(u32, u32)>,
    joint: Vec<MoveId>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        tree: &'a mut Tree,
        machine: &'a mut dyn Machine,
        settings: &'a Settings,
        is_chance: &'a [bool],
        effort: &'a Effort,
        root: NodeId,
        rng: Rng,
    ) -> Walk<'a> {
        Walk {
            tree,
            machine,
            settings,
            is_chance,
            effort,
            root,
            rng,
            quota: 0,
            iterations: 0,
            finished: 0,
            stop: None,
            paths: Vec::new(),
            free: Vec::new(),
            again: None,
            joint: Vec::new(),
        }
    }

    fn check(&mut self) -> bool {
        if self.stop.is_none() {
            self.stop = self.effort.stop(self.iterations);
        }
        if self.stop.is_none() && self.tree.get(self.root).proved.is_some() {
            self.stop = Some(StopReason::Solved);
        }
        self.stop.is_some()
    }

    /// Goes down the tree to a leaf; the path ends at a state that is new, that is known for certain, or beyond which
    /// there is no room.
    fn descend(&mut self, path: &mut Path) {
        path.steps.clear();
        path.places.clear();
        path.totals.clear();
        let mut at = self.root;
        let room = self.tree.len() < self.settings.most_nodes;
        loop {
            let node = self.tree.get(at);
            path.leaf = Some(at);
            if node.proved.is_some() && !path.steps.is_empty() || node.is_terminal || path.steps.len() >= LONGEST_PATH {
                return;
            }
            let start = path.places.len();
            for role in 0..node.choices.len() {
                let place = select(self.tree, at, role, self.settings, self.is_chance[role], &mut self.rng);
                path.places.push(place);
            }
            let node = self.tree.get(at);
            if self.settings.joint_first
                && node.chooser().is_none()
                && let Some(untried) = node.untried(&mut self.rng)
            {
                node.places(untried, &mut path.places[start..]);
            }
            let places = &path.places[start..];
            let joint = node.joint_number(places);
            match node.child(joint) {
                Some(child) => {
                    path.steps.push(at);
                    at = child;
                }
                None if room => {
                    node.joint(places, &mut self.joint);
                    self.machine.load(&node.state);
                    self.machine.step(&self.joint);
                    let before = self.tree.len();
                    let child = self.tree.add(self.machine);
                    self.tree.link(at, joint, child);
                    path.steps.push(at);
                    if self.tree.len() > before {
                        path.leaf = Some(child);
                        return;
                    }
                    // A state that was reached before in another way: go on from there.
                    at = child;
                }
                None => {
                    path.places.truncate(start);
                    return;
                }
            }
        }
    }

    /// Counts playouts as started.
    fn begin(&mut self, path: &Path, playouts: u32) {
        let roles = self.is_chance.len();
        for (number, &step) in path.steps.iter().enumerate() {
            let node = self.tree.get_mut(step);
            node.started += playouts;
            for (choice, &place) in node.choices.iter_mut().zip(&path.places[number * roles..]) {
                if let Some(arm) = choice.arms.get_mut(place as usize) {
                    arm.started += playouts;
                }
            }
        }
        if let Some(leaf) = path.leaf {
            self.tree.get_mut(leaf).started += playouts;
        }
    }

    /// Brings results back to the root.
    fn back_up(&mut self, path: &Path, playouts: u32) {
        let roles = self.is_chance.len();
        if let Some(leaf) = path.leaf {
            self.tree.get_mut(leaf).finished += playouts;
        }
        for (number, &step) in path.steps.iter().enumerate().rev() {
            let node = self.tree.get_mut(step);
            node.finished += playouts;
            let places = path.places[number * roles..].iter().zip(&path.totals);
            for (choice, (&place, &total)) in node.choices.iter_mut().zip(places) {
                if let Some(arm) = choice.arms.get_mut(place as usize) {
                    arm.finished += playouts;
                    arm.total += total;
                }
            }
        }
        let is_certain = path.leaf.is_some_and(|leaf| self.tree.get(leaf).proved.is_some());
        if is_certain && self.settings.solver {
            self.prove(path);
        }
    }

    /// Proves nodes on a path from its end on, as far as it goes.
    fn prove(&mut self, path: &Path) {
        for &step in path.steps.iter().rev() {
            let node = self.tree.get(step);
            if node.proved.is_some() {
                continue;
            }
            match proof(self.tree, node, self.is_chance) {
                Some(scores) => self.tree.get_mut(step).proved = Some(scores),
                None => return,
            }
        }
    }

    /// Playouts to be made from one leaf.
    fn playouts_at_a_leaf(&self) -> u32 {
        /// The first playouts are worth more than speed.
        const FIRST: u64 = 512;
        let left = self
            .effort
            .most_iterations()
            .map_or(u64::MAX, |most| most - self.iterations);
        let wanted = if self.finished < FIRST {
            1
        } else {
            u64::from(self.settings.leaf)
        };
        wanted.min(left).min(self.quota).max(1) as u32
    }
}

impl Matches for Walk<'_> {
    fn start(&mut self) -> Option<(&State, u32)> {
        loop {
            if let Some((tag, left)) = self.again {
                self.again = (left > 1).then_some((tag, left - 1));
                let leaf = self.paths[tag as usize].leaf.unwrap_or(self.root);
                return Some((&self.tree.get(leaf).state, tag));
            }
            if self.quota == 0 || self.check() {
                return None;
            }
            let tag = self.free.pop().unwrap_or_else(|| {
                self.paths.push(Path::default());
                self.paths.len() as u32 - 1
            });
            let mut path = std::mem::take(&mut self.paths[tag as usize]);
            self.descend(&mut path);
            let certain = path.leaf.and_then(|leaf| self.tree.get(leaf).proved.as_ref());
            if let Some(scores) = certain {
                path.totals.extend(scores.iter().map(|&score| f64::from(score)));
                self.begin(&path, 1);
                self.back_up(&path, 1);
                self.iterations += 1;
                self.finished += 1;
                self.quota -= 1;
                self.free.push(tag);
            } else {
                let playouts = self.playouts_at_a_leaf();
                self.begin(&path, playouts);
                path.totals.resize(self.is_chance.len(), 0.0);
                path.playouts = playouts;
                path.missing = playouts;
                self.iterations += u64::from(playouts);
                self.quota -= u64::from(playouts);
                self.again = Some((tag, playouts));
            }
            self.paths[tag as usize] = path;
        }
    }

    fn finish(&mut self, tag: u32, playout: &Playout) {
        let path = &mut self.paths[tag as usize];
        path.missing -= 1;
        if playout.end != End::Fault {
            for (total, &score) in path.totals.iter_mut().zip(&playout.scores) {
                *total += f64::from(score);
            }
        }
        if path.missing == 0 {
            let path = std::mem::take(path);
            self.back_up(&path, path.playouts);
            self.finished += u64::from(path.playouts);
            self.paths[tag as usize] = path;
            self.free.push(tag);
        }
    }

    fn is_over(&mut self) -> bool {
        self.effort.budget().is_spent()
    }
}

/// The place of the move that a role tries next.
fn select(tree: &Tree, at: NodeId, role: usize, settings: &Settings, is_chance: bool, rng: &mut Rng) -> u32 {
    let node = tree.get(at);
    let arms = &node.choices[role].arms;
    if arms.is_empty() {
        return 0;
    }
    if is_chance {
        return rng.u32(..arms.len() as u32);
    }
    let log = f64::from(node.started.max(1)).ln();
    let is_alone = settings.solver && node.chooser() == Some(role);
    let mut best = (f64::NEG_INFINITY, 0);
    let mut equal = 0;
    for (place, arm) in arms.iter().enumerate() {
        let certain = match is_alone {
            // Where only one role chooses, its move is the joint move.
            true => node
                .child(place as u64)
                .and_then(|child| tree.get(child).proved.as_ref()),
            false => None,
        };
        let urgency = match (certain, arm.mean()) {
            // What is known for certain need not be explored.
            (Some(scores), _) => f64::from(scores[role]) - 1e-6,
            (None, _) if arm.started == 0 => settings.first_play.unwrap_or(f64::INFINITY),
            (None, mean) => mean.unwrap_or(50.0) + settings.exploration * (log / f64::from(arm.started)).sqrt(),
        };
        if urgency > best.0 {
            best = (urgency, place as u32);
            equal = 1;
        } else if urgency == best.0 {
            // Each of n equal ones is kept with probability 1/n.
            equal += 1;
            if rng.u32(..equal) == 0 {
                best.1 = place as u32;
            }
        }
    }
    best.1
}

/// The goals that follow from what is behind a node, if they are certain.
fn proof(tree: &Tree, node: &Node, is_chance: &[bool]) -> Option<Box<[u8]>> {
    let proved = |joint: u64| tree.get(node.child(joint)?).proved.as_deref();
    let joint_moves = node.joint_moves()?;
    let mut best: Option<&[u8]> = None;
    let chooser = node.chooser().filter(|&role| !is_chance[role]);
    let mut all_are_proved = true;
    for joint in 0..joint_moves {
        match (proved(joint), chooser) {
            (Some(scores), Some(role)) if scores[role] == BEST_GOAL => return Some(scores.into()),
            (Some(scores), Some(role)) => {
                if best.is_none_or(|known| scores[role] > known[role]) {
                    best = Some(scores);
                }
            }
            // Several roles or chance decide: certain only if it makes no difference.
            (Some(scores), None) if best.is_none_or(|known| known == scores) => best = Some(scores),
            (Some(_), None) => return None,
            (None, None) => return None,
            (None, Some(_)) => all_are_proved = false,
        }
    }
    best.filter(|_| all_are_proved).map(Into::into)
}

/// Nothing is better than this.
const BEST_GOAL: u8 = 100;
